"""What the tests of the HTTP API share."""
