"""The command line as its user meets it: real processes, a real database, one clear line for what goes wrong."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.request import Request, urlopen

import psutil
import psycopg
import pytest

import api
from api import embedded
from api.store import schema

TRICKLOG = Path(sysconfig.get_path("scripts"), "tricklog")
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "DATABASE_URL" and not name.startswith("TRICKLOG_")
} | {"TRICKLOG_LOG": "warning"}
GAME = {"ruleset": "thirteen", "players": ["Ann", "Ben"], "dealer": "service", "visibility": "private"}
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user run its PostgreSQL")


class Service:
    """A running ``tricklog serve`` on a port of its own choice."""

    def __init__(self, process: subprocess.Popen[str], stderr: IO[str]) -> None:
        self.process = process
        self.stderr = stderr
        assert process.stdout is not None
        self.printed = ""
        for line in process.stdout:
            self.printed += line
            if line.startswith("Ctrl-C"):
                break
        found = re.search(r"(?m)^API: (\S+)/v1$", self.printed)
        assert found, self.printed + self.errors()
        self.url = found[1]

    def errors(self) -> str:
        """What it has written to stderr."""
        self.stderr.seek(0)
        return self.stderr.read()

    def end(self, number: signal.Signals) -> int:
        """Send a signal to the whole group, as a terminal does; the exit status."""
        os.killpg(self.process.pid, number)
        return self.process.wait(60)

    def call(self, path: str, key: str, body: object = None) -> Any:
        """The JSON that ``path`` answers with."""
        request = Request(
            self.url + path,
            json.dumps(body).encode() if body else None,
            {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
        )
        with urlopen(request, timeout=60) as answer:
            return json.load(answer)


@contextmanager
def serving(*options: str | Path, **environment: str) -> Iterator[Service]:
    with (
        TemporaryFile("w+") as stderr,
        subprocess.Popen(
            [TRICKLOG, "serve", "--port", "0", *options],
            env=ENVIRONMENT | environment,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield Service(process, stderr)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def tricklog(*arguments: str | Path, **environment: str) -> str:
    """What the command prints when all goes well."""
    done = subprocess.run(
        [TRICKLOG, *arguments], env=ENVIRONMENT | environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def refusal(*arguments: str | Path, **environment: str) -> str:
    """The one line on stderr of a command that ends with status 1 and has printed nothing else."""
    done = subprocess.run(
        [TRICKLOG, *arguments], env=ENVIRONMENT | environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: ")
    return line


@pytest.fixture(scope="module")
def data(reachable_folder: Path) -> Iterator[Path]:
    """A data folder that was served once."""
    folder = reachable_folder / "data"
    with serving("--data", folder) as service:
        (key,) = re.findall(r"tlk_\S+", service.printed)
        service.call("/v1/games", key)
        (page,) = re.findall(r"(?m)^A game to look at: (\S+)$", service.printed)
        with urlopen(page) as shown:
            assert 'property="og:title" content="Kraken: Ann, Ben, Cleo, Dan"' in shown.read().decode()
        everybody = [psutil.Process(service.process.pid), *psutil.Process(service.process.pid).children()]
        assert service.end(signal.SIGTERM) == 0
        assert service.errors() == ""
        assert psutil.wait_procs(everybody, 10)[1] == []
        assert not (folder / "postgres" / "postmaster.pid").exists()
    yield folder
    embedded.stop(folder)


@pytest.mark.parametrize("end", ["ctrl-c", "kill", "kill database too"])
def test_the_next_start_finds_every_game(data: Path, end: str) -> None:
    with serving("--data", data) as service:
        assert "tlk_" not in service.printed
        assert "A game to look at: " in service.printed
        key = tricklog("keys", "create", "front end", "--data", data).strip()
        game = service.call("/v1/games", key, GAME)["id"]
        if end == "ctrl-c":
            assert service.end(signal.SIGINT) == 0
            assert service.errors() == ""
        else:
            if end == "kill database too":
                postmaster, *_ = (data / "postgres" / "postmaster.pid").read_text().splitlines()
                os.kill(int(postmaster), signal.SIGKILL)
            # Its workers are left to notice by themselves.
            service.process.kill()
            service.process.wait()
    with serving("--data", data) as service:
        assert service.call(f"/v1/games/{game}", key)["id"] == game


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_open_stream_does_not_keep_it(data: Path, end: signal.Signals) -> None:
    with serving("--data", data) as service:
        key = tricklog("keys", "create", "front end", "--data", data).strip()
        game = service.call("/v1/games", key, GAME)["id"]
        headers = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream"}
        with urlopen(Request(f"{service.url}/v1/games/{game}/events", headers=headers), timeout=60) as stream:
            assert stream.readline().startswith(b"retry: ")
            assert service.end(end) == 0
        assert service.errors() == ""


def test_one_copy_for_a_data_folder_and_for_a_port(data: Path, reachable_folder: Path) -> None:
    with serving("--data", data) as service:
        port = service.url.rpartition(":")[2]
        busy = refusal("serve", "--port", "0", "--data", data)
        assert "another copy" in busy
        assert str(service.process.pid) in busy
        assert f"port {port}: Address already in use" in refusal(
            "serve", "--port", port, "--data", reachable_folder / "other"
        )
        service.call("/healthz", "")


def test_keys_with_and_without_the_service(data: Path) -> None:
    with serving("--data", data):
        created = tricklog("keys", "create", "the club", "--data", data).strip()
    number = created.split("_")[1]
    (line,) = (line for line in tricklog("keys", "list", "--data", data).splitlines() if "the club" in line)
    assert line.split()[0] == number
    assert created.split("_", 2)[2] not in line
    tricklog("keys", "revoke", number, "--data", data)
    assert "revoked" in tricklog("keys", "list", "--data", data)
    assert f"no key {number}" in refusal("keys", "revoke", number, "--data", data)


@pytest.mark.parametrize(
    ("folder", "reason"),
    [
        (Path("file", "data"), "not writable: Not a directory"),
        (Path(api.__file__).parents[1] / "data", "inside the folder of Tricklog itself"),
        (Path("d" * 100), "too long a path"),
        pytest.param(Path("/root/tricklog"), "home folder", marks=root_only),
        pytest.param(Path("closed", "data"), "out of reach", marks=root_only),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_data_folder_that_will_not_do(reachable_folder: Path, folder: Path, reason: str) -> None:
    (reachable_folder / "file").touch()
    (reachable_folder / "closed").mkdir(0o700, exist_ok=True)
    before = (reachable_folder / "closed").stat().st_mode
    assert reason in refusal("serve", "--port", "0", "--data", reachable_folder / folder)
    assert (reachable_folder / "closed").stat().st_mode == before


@pytest.mark.parametrize("command", ["serve", "migrate"])
@pytest.mark.parametrize("url", ["postgresql://nobody:secret@127.0.0.1:1/none", "no url"])
def test_a_database_that_does_not_answer(command: str, url: str) -> None:
    line = refusal(command, DATABASE_URL=url)
    assert "the database" in line
    assert "secret" not in line


def test_a_database_of_ones_own(empty_database_url: str) -> None:
    assert "`tricklog migrate`" in refusal("serve", "--port", "0", DATABASE_URL=empty_database_url)
    assert "`tricklog migrate`" in refusal("keys", "list", DATABASE_URL=empty_database_url)
    assert schema.revisions()[-1] in tricklog("migrate", DATABASE_URL=empty_database_url)
    key = tricklog("keys", "create", "front end", DATABASE_URL=empty_database_url).strip()
    with serving(DATABASE_URL=empty_database_url) as service:
        assert "tlk_" not in service.printed
        assert service.call("/v1/games", key)["games"] == []
        assert service.end(signal.SIGTERM) == 0
        assert service.errors() == ""
    with psycopg.connect(empty_database_url) as conn:
        conn.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "newer" in refusal("serve", "--port", "0", DATABASE_URL=empty_database_url)


@pytest.mark.parametrize(
    ("loaded", "kept_out"),
    [
        ("api.server", "psycopg"),
        ("api.http", "sqlalchemy"),
        ("api.http", "procrastinate"),
        ("api.cli", "procrastinate"),
    ],
)
def test_what_a_worker_must_not_load(loaded: str, kept_out: str) -> None:
    # psycopg that is imported before gevent patches its worker blocks that whole worker while PostgreSQL answers.
    program = f"import sys, {loaded}; sys.exit('{kept_out}' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_setting_that_is_no_number() -> None:
    assert "TRICKLOG_MAX_BODY" in refusal("serve", "--port", "0", TRICKLOG_MAX_BODY="a lot")


def test_the_description_is_printed() -> None:
    assert tricklog("openapi").startswith("openapi: 3.1")


def test_a_port_in_use_is_said_before_the_database_is_asked() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert "Address already in use" in refusal("serve", "--port", port, DATABASE_URL="no url")
