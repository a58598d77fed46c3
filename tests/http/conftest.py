"""One application for all tests of the HTTP API: each makes the keys and games that it needs."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from api.http import create_app
from tests.http.client import Api


@pytest.fixture(scope="session")
def api(shared_database_url: str) -> Iterator[Api]:
    with pytest.MonkeyPatch.context() as environment:
        # They all come from one address.
        environment.setenv("TRICKLOG_RATE_ADDRESS", "1000000/minute")
        app = create_app(shared_database_url)
    yield Api(app, shared_database_url)
    app.extensions["tricklog"].desk.pool.close()


@pytest.fixture
def key(api: Api) -> str:
    """The API key of a front end without games."""
    return api.new_key()


@pytest.fixture
def api_with(shared_database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Api]]:
    """Applications with these settings."""
    made: list[Any] = []

    def make(**settings: str) -> Api:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        made.append(create_app(shared_database_url))
        return Api(made[-1], shared_database_url)

    yield make
    for app in made:
        app.extensions["tricklog"].desk.pool.close()
