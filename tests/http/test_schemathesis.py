"""The service against its document: Schemathesis, every phase and every check, on the real server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.http.client import Api
from tests.http.test_server import served

ASKED = os.environ.get("SCHEMATHESIS_EXAMPLES")
EXAMPLES = ASKED or "50"
"""How many an operation in fuzzing, and sequences of calls in the stateful phase."""
# Unless more are asked for they are the same at each run: chance finds faults, but decides of no change.
SEED = [] if ASKED else ["--seed", "1"]


@pytest.mark.long
def test_the_service_does_what_its_document_says(api: Api, tmp_path: Path) -> None:
    key = api.new_key()
    game = api.new_game(key, visibility="public")
    credentials = {"TRICKLOG_KEY": key, "TRICKLOG_GAME": game["id"], "TRICKLOG_SEAT": game["seat_tokens"][0]}
    limits = {"TRICKLOG_RATE_KEY": "none", "TRICKLOG_RATE_ADDRESS": "none", "TRICKLOG_HEARTBEAT": "1"}
    with served(api.url, 2, **limits) as (port, _):
        config = Path(__file__).with_name("schemathesis.toml")
        command = [str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(config), "run"]
        run = subprocess.run(
            [*command, f"http://127.0.0.1:{port}/openapi.json", "--checks", "all", "--max-examples", EXAMPLES, *SEED],
            env=os.environ | credentials | {"PYTHONPATH": str(Path(__file__).parents[2])},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr
