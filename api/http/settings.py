"""The settings of the HTTP service, from the environment."""

import os
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Settings:
    """Each is read from ``TRICKLOG_`` and its name in capitals.

    ``max_body`` and ``max_record`` bound a request's body, in bytes; a record's is the larger one. ``connections`` are
    those that a worker holds to the database.
    """

    max_body: int = 1024 * 1024
    max_record: int = 16 * 1024 * 1024
    connections: int = 8


def read_settings() -> Settings:
    """The settings, with defaults for what is not set; ValueError names the one that is no positive whole number."""
    values = {}
    for each in fields(Settings):
        name = f"TRICKLOG_{each.name.upper()}"
        text = os.environ.get(name)
        if text is None:
            continue
        if not text.isascii() or not text.isdigit() or int(text) == 0:
            raise ValueError(f"{name} must be a positive whole number, not {text!r}")
        values[each.name] = int(text)
    return Settings(**values)
