"""The schema of the database, revision by revision; ``api.store.schema.migrate`` applies them."""
