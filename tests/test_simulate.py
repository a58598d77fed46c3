"""Simulations over HTTP against a real service, one of them with the service killed under it."""

import signal
import subprocess
import time

import psycopg
import pytest

from api.games import LATEST
from tests.test_cli import ENVIRONMENT, TRICKLOG, serving, tricklog


@pytest.fixture
def key(database_url: str) -> str:
    """An API key."""
    return tricklog("keys", "create", "a simulation", DATABASE_URL=database_url).strip()


def test_every_game_can_be_simulated(database_url: str, key: str) -> None:
    with serving(DATABASE_URL=database_url) as service:
        for ruleset in LATEST:
            done = subprocess.run(
                [TRICKLOG, "simulate", ruleset, "--games", "3", "--url", service.url, "--key", key],
                env=ENVIRONMENT,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            assert done.stdout.startswith("3 games, ")
        games = service.call("/v1/games", key)["games"]
        assert [game["ruleset"] for game in games] == [ruleset for ruleset in reversed(LATEST) for _ in range(3)]
        assert {game["status"] for game in games} == {"finished"}


def test_no_answered_move_is_lost_with_a_killed_service(database_url: str, key: str) -> None:
    with serving(DATABASE_URL=database_url) as service:
        command = [str(TRICKLOG), "simulate", "quadruple-war", "--games", "4", "--at-once", "4", "--seats", "4"]
        command += ["--config", '{"target": 200}', "--url", service.url, "--key", key]
        with subprocess.Popen(
            command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as simulation:
            until = time.monotonic() + 60
            while _events(database_url) < 100:
                assert time.monotonic() < until
                time.sleep(0.05)
            service.end(signal.SIGKILL)
            killed_at = _events(database_url)
            assert simulation.poll() is None
            with serving("--port", service.url.rpartition(":")[2], DATABASE_URL=database_url):
                printed, errors = simulation.communicate(timeout=120)
    assert simulation.returncode == 0, errors
    assert printed.startswith("4 games, ")
    assert _events(database_url) > killed_at


def test_a_service_that_is_not_there_is_one_clear_line() -> None:
    done = subprocess.run(
        [TRICKLOG, "simulate", "thirteen", "--url", "http://127.0.0.1:9", "--key", "tlk_1_x"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == "Error: no service answers at http://127.0.0.1:9"


def _events(url: str) -> int:
    with psycopg.connect(url) as conn:
        row = conn.execute("SELECT count(*) FROM events").fetchone()
    assert row is not None
    return int(row[0])
