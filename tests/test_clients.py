"""Clients that are generated from the OpenAPI document: each plays a whole game of every ruleset."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from api.games import LATEST
from api.http import docs
from tests.test_cli import Service, serving, tricklog

PLAYERS = Path(__file__).parent / "clients"


@pytest.fixture(scope="module")
def service(module_database_url: str) -> Iterator[Service]:
    with serving(DATABASE_URL=module_database_url) as running:
        yield running


@pytest.fixture(scope="module")
def key(module_database_url: str) -> str:
    return tricklog("keys", "create", "a client", DATABASE_URL=module_database_url).strip()


@pytest.fixture(scope="module")
def document(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The OpenAPI document that the service gives out."""
    file = tmp_path_factory.mktemp("document") / "openapi.json"
    file.write_text(json.dumps(service.call("/openapi.json", "")))
    return file


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints that succeeds and warns of nothing."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=300)
    printed = done.stdout + done.stderr
    assert done.returncode == 0, printed
    assert "warning" not in printed.lower(), printed
    return printed


def in_guide(language: str) -> str:
    """The program in a language that the guide to clients shows."""
    guide = Path(docs.__file__).parent / "guides" / "clients.md"
    (program,) = re.findall(rf"```{language}\n(.*?)```", guide.read_text(), re.DOTALL)
    return str(program)


@pytest.fixture(scope="module")
def python(document: Path, tmp_path_factory: pytest.TempPathFactory) -> Sequence[str | Path]:
    """The command that plays with the client for Python."""
    folder = tmp_path_factory.mktemp("python")
    generator = Path(sys.executable).with_name("openapi-python-client")
    (folder / "client.yaml").write_text("content_type_overrides: {image/svg+xml: text/plain}")
    options = ["--config", "client.yaml", "--meta", "none", "--output-path", "tricklog_client", "--fail-on-warning"]
    run(generator, "generate", "--path", document, *options, cwd=folder)
    shutil.copy(PLAYERS / "play.py", folder)
    (folder / "guide.py").write_text(f'base_url = seat_token = game = ""\n{in_guide("python")}')
    run(sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "play.py", "guide.py", cwd=folder)
    return sys.executable, folder / "play.py"


@pytest.fixture(scope="module")
def typescript(document: Path, tmp_path_factory: pytest.TempPathFactory) -> Sequence[str | Path]:
    """The command that plays with the client for TypeScript."""
    generator = shutil.which("openapi-typescript")
    if generator is None:
        # Node is no part of what the service needs: pytest works without it, and CI insists on it.
        assert "CI" not in os.environ, "openapi-typescript is missing"
        pytest.skip("openapi-typescript, openapi-fetch and tsc aren't on the PATH (npm ci in a copy of .ci)")
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "node_modules").symlink_to(Path(generator).parents[1])
    shutil.copy(PLAYERS / "play.ts", folder)
    declared = "declare const baseUrl: string, seatToken: string, console: { log(...what: unknown[]): void };\n"
    (folder / "guide.ts").write_text(in_guide("ts") + declared)
    (folder / "package.json").write_text('{"type": "module"}')
    run(generator, document, "--output", "api.d.ts", cwd=folder)
    options = [
        "--strict",
        "--noUncheckedIndexedAccess",
        "--target",
        "es2022",
        "--module",
        "es2022",
        "--moduleResolution",
        "bundler",
    ]
    run(Path(generator).with_name("tsc"), *options, "play.ts", "guide.ts", cwd=folder)
    return "node", folder / "play.js"


@pytest.mark.parametrize("client", ["python", "typescript"])
@pytest.mark.parametrize("ruleset", LATEST)
def test_generated_client_plays_a_whole_game(
    request: pytest.FixtureRequest, service: Service, key: str, ruleset: str, client: str, tmp_path: Path
) -> None:
    command: Any = request.getfixturevalue(client)
    printed = run(*command, service.url, key, ruleset, cwd=tmp_path)
    assert printed.startswith(f"{ruleset}: ")
