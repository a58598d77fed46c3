"""Records: the log of a game replayed, written down and read back. Pure: no clock, no random, no I/O."""
