"""A real browser before the real server, with a finished game of each ruleset."""

import os
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Browser, sync_playwright

from api import store
from api.games import LATEST
from api.http import create_app
from tests.conftest import CHROMIUM
from tests.http.test_server import served
from tests.records import played
from tests.serving import Caller
from tests.viewer.viewer import SEATS, Site, Viewer


@pytest.fixture(scope="session")
def site(shared_database_url: str) -> Iterator[Site]:
    """The service with one API key, whose games are a finished one of each ruleset, private."""
    environment = {"TRICKLOG_RATE_ADDRESS": "1000000/minute"}
    with psycopg.connect(shared_database_url, autocommit=True) as conn:
        key = store.create_key(conn, "a test")
    with pytest.MonkeyPatch.context() as patched, served(shared_database_url, 1, **environment) as (port, _):
        for name, value in environment.items():
            patched.setenv(name, value)
        app = create_app(shared_database_url)
        owner = Caller(app, key)
        games: dict[str, dict[str, Any]] = {
            ruleset: owner.post("/v1/records", played(LATEST[ruleset], seats, 1, config=config))
            for ruleset, (seats, config) in SEATS.items()
        }
        yield Site(f"http://127.0.0.1:{port}", key, owner, games)
        app.extensions["tricklog"].desk.pool.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Its sandbox refuses root.
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        yield browser
        browser.close()


@pytest.fixture
def viewer(site: Site, browser: Browser) -> Iterator[Viewer]:
    """A window of its own, of a desktop's size, in which nothing may go wrong."""
    with Viewer.opened(site, browser) as viewer:
        yield viewer


@pytest.fixture
def phone(site: Site, browser: Browser) -> Iterator[Viewer]:
    """A window of a phone's size."""
    with Viewer.opened(site, browser, viewport={"width": 360, "height": 740}, has_touch=True) as viewer:
        yield viewer
