"""The option that makes the golden records anew."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--golden-update``, for runs that name tests/games or a file in it."""
    parser.addoption(
        "--golden-update",
        action="store_true",
        help="write what the code shows now into tests/golden: of the records there, and of new ones for missing cases",
    )
