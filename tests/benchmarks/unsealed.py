"""The service without what proves its records, to measure what that costs: no digest is made and no receipt signed."""

import os

from flask import Flask

from api import service
from api.http import create_app as create_sealed_app
from api.proofs.receipts import Signer

HEAD = bytes(32)
RECEIPT = "." * 260


def create_app() -> Flask:
    """The application, with events that keep a digest of nothing."""
    service._seal = lambda head, salt, accepted: ([each._replace(digest=HEAD) for each in accepted], HEAD)  # noqa: SLF001
    Signer.sign = lambda self, game, seq, head: RECEIPT  # type: ignore[method-assign]
    return create_sealed_app(os.environ["DATABASE_URL"])
