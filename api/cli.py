"""The command line: ``tricklog``."""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Final, NoReturn

import click
import psycopg

from api import archives, embedded
from api.demonstrations import offer
from api.http import openapi_yaml
from api.http.settings import SETTINGS, Settings, read_settings
from api.proofs.receipts import read_jwks, write_jwks
from api.simulate import SimulationError, simulate
from api.store import keys as api_keys
from api.store import schema, signing
from api.store.demonstrations import list_offered, withdraw

# How long the workers of a killed copy may still hold its port.
PORT_SECONDS = 3


def usable_cpus() -> int:
    """The processors that this process may use, by its affinity and its control group's quota."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return count if quota == "max" else min(count, -(-int(quota) // int(period)))
    except (OSError, ValueError):
        return count


data_option = click.option(
    "--data",
    type=click.Path(path_type=Path),
    envvar="TRICKLOG_DATA",
    show_envvar=True,
    default=embedded.default_folder(),
    help="The data folder of the embedded PostgreSQL, which is used unless DATABASE_URL is set.",
)


class _Json(click.ParamType[object]):
    name = "json"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError as error:
            self.fail(f"no JSON: {error}", param, ctx)


JSON = _Json()


def main() -> None:
    """Run the command line; what went wrong outside the program is one line on stderr and exit status 1."""
    try:
        cli()
    except (embedded.EmbeddedError, schema.SchemaError, SimulationError) as error:
        sys.exit(f"Error: {error}")
    except (psycopg.OperationalError, psycopg.ProgrammingError) as error:
        sys.exit(f"Error: the database: {' '.join(str(error).split())}")


@click.group(context_settings={"show_default": True})
@click.version_option(package_name="tricklog")
def cli() -> None:
    """Tricklog records, checks, replays and scores card games."""


_SETTINGS_HELP: Final = "\n\n".join(f"{name}: {setting.described}." for name, setting in SETTINGS.items())


@cli.command(epilog=f"Settings, from the environment:\n\n{_SETTINGS_HELP}")
@click.option("--host", default="127.0.0.1", help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, help="The port; 0 takes a free one.")
@click.option("--workers", type=click.IntRange(1), default=max(2, usable_cpus()), help="How many worker processes.")
@data_option
def serve(host: str, port: int, workers: int, data: Path) -> None:
    """Run the service until Ctrl-C or SIGTERM."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    deliver = _settings().deliver  # the workers read them again
    given = os.environ.get("DATABASE_URL")
    if given:
        listener = _listen(host, port)
        with _connect(given) as conn:
            schema.check(conn)
            offered = list_offered(conn)
        _serve(listener, workers, deliver, offered)
    folder = embedded.prepare(data)
    lock = embedded.lock(folder)
    listener = _listen(host, port)
    os.environ["DATABASE_URL"] = embedded.start(folder)
    try:
        schema.migrate(os.environ["DATABASE_URL"])
        with _connect(os.environ["DATABASE_URL"]) as conn:
            if not api_keys.list_keys(conn):
                click.echo(f"API key (shown only now): {api_keys.create_key(conn, 'first')}")
                # the key has been shown, whatever becomes of the games
                conn.commit()
                offer(os.environ["DATABASE_URL"])
            offered = list_offered(conn)
        os.environ["TRICKLOG_DATA"] = str(folder)
        os.environ["TRICKLOG_LOCK"] = str(lock)
        os.set_inheritable(lock, True)
        _serve(listener, workers, deliver, offered)
    except BaseException:
        embedded.stop(folder)
        raise


def _settings() -> Settings:
    """The settings; a wrong one is one line."""
    try:
        return read_settings()
    except ValueError as error:
        raise click.ClickException(str(error)) from None


@cli.command()
@data_option
def deliver(data: Path) -> None:
    """Deliver webhooks until Ctrl-C or SIGTERM: for a `serve` with TRICKLOG_DELIVER=no, or as one more beside it."""
    # procrastinate is for this alone.
    from api import deliveries  # noqa: PLC0415

    private = _settings().webhooks_private
    with _database(data) as url:
        with _connect(url) as conn:
            schema.check(conn)
        click.echo("Delivering webhooks. Ctrl-C ends it.")
        deliveries.run(url, private)
    deliveries.leave()


@cli.command()
@data_option
def migrate(data: Path) -> None:
    """Bring the database's schema up to this version of Tricklog."""
    with _database(data) as url:
        click.echo(f"The schema is at revision {schema.migrate(url)}.")


@cli.command()
def openapi() -> None:
    """Print the OpenAPI description of the API."""
    click.echo(openapi_yaml(), nl=False)


@cli.group()
def keys() -> None:
    """The API keys of front ends, and the keys that sign receipts."""


@keys.command()
@click.argument("name")
@data_option
def create(name: str, data: Path) -> None:
    """Make a key for the front end NAME and print it: this is the only time that it is shown."""
    with _keys_database(data) as conn:
        click.echo(api_keys.create_key(conn, name))


@keys.command("list")
@data_option
def list_(data: Path) -> None:
    """List the keys, without their secrets."""
    with _keys_database(data) as conn:
        for key in api_keys.list_keys(conn):
            revoked = f"revoked {key.revoked_at:%Y-%m-%d %H:%M}" if key.revoked_at else ""
            click.echo(f"{key.number:>6}  {key.created_at:%Y-%m-%d %H:%M}  {revoked:24}  {key.name}")


@keys.command()
@click.argument("key", type=int)
@data_option
def revoke(key: int, data: Path) -> None:
    """Make the key with the number KEY worthless."""
    with _keys_database(data) as conn:
        if not api_keys.revoke_key(conn, key):
            raise click.ClickException(f"there is no key {key} to revoke")


@keys.command("rotate")
@data_option
def rotate_(data: Path) -> None:
    """Sign receipts with a new key from now on, and print its id; what the old one signed can still be checked."""
    with _keys_database(data) as conn:
        click.echo(signing.rotate_signing_key(conn))


@keys.command("receipts")
@click.option("--jwks", is_flag=True, help="As a JWK Set, which `tricklog verify` takes.")
@data_option
def receipts_(jwks: bool, data: Path) -> None:
    """List the public keys that receipts are signed with."""
    with _keys_database(data) as conn:
        listed = signing.list_signing_keys(conn)
    if jwks:
        click.echo(json.dumps(write_jwks({key.key: key.public for key in listed}), indent=2))
        return
    for key in listed:
        retired = f"retired {key.retired_at:%Y-%m-%d %H:%M}" if key.retired_at else "signs"
        click.echo(f"{key.key}  {key.created_at:%Y-%m-%d %H:%M}  {retired}")


@cli.group("demonstrations")
def demonstrations_() -> None:
    """The games, one of each ruleset, that everybody may look at to see what Tricklog does.

    They are there from the first start with the embedded database, and on another one when they are made.
    """


@demonstrations_.command("create")
@data_option
def create_demonstrations(data: Path) -> None:
    """Have a game of each ruleset played, and offer it."""
    with _database(data) as url:
        with _connect(url) as conn:
            schema.check(conn)
            if list_offered(conn):
                raise click.ClickException("there are some already")
        offer(url)


@demonstrations_.command("list")
@data_option
def list_demonstrations(data: Path) -> None:
    """List those that are offered, each with its place in the viewer."""
    with _keys_database(data) as conn:
        for ruleset, game in list_offered(conn):
            click.echo(f"{ruleset:16}  /replay/{game}")


@demonstrations_.command("remove")
@data_option
def remove_demonstrations(data: Path) -> None:
    """Offer them no longer: nobody can see them any more. No start makes new ones."""
    with _keys_database(data) as conn:
        withdraw(conn)


class _Lines(click.ParamType[list[str]]):
    """A file of texts, one a line."""

    name = "file"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        try:
            return Path(str(value)).read_text("ascii").split()
        except (OSError, ValueError) as error:
            self.fail(f"can't be read: {error}", param, ctx)


class _Jwks(click.ParamType[object]):
    """A file with public keys."""

    name = "file"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        try:
            jwks = json.loads(Path(str(value)).read_text("utf-8"))
            read_jwks(jwks)
        except (OSError, ValueError) as error:
            self.fail(f"no keys: {error}", param, ctx)
        return jwks


report_option = click.option(
    "--format", "form", type=click.Choice(list(archives.WRITERS)), default="text", help="What the report looks like."
)
output_option = click.option("--output", type=click.Path(path_type=Path), help="A file for the report, not stdout.")


@cli.command("audit")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--receipts", type=_Lines(), help="Receipts to hold the records against, one a line.")
@click.option("--keys", "jwks", type=_Jwks(), help="The public keys of receipts, a JWK Set.")
@click.option("--workers", type=click.IntRange(1), default=usable_cpus, help="How many processes.")
@report_option
@output_option
def audit_(
    files: tuple[Path, ...],
    receipts: list[str] | None,
    jwks: object,
    workers: int,
    form: str,
    output: Path | None,
) -> None:
    """Audit records without a service: FILES hold one record each, or an archive with a record a line.

    Exit status 0 when all is true, 1 when something is not, 2 when the command itself is wrong.
    """
    if receipts and jwks is None:
        raise click.UsageError("Receipts are held against public keys: --keys.")
    size = sum(file.stat().st_size for file in files)
    with click.progressbar(length=size, label="Auditing", file=sys.stderr) as bar:
        report = archives.audit_files(files, receipts=receipts or (), jwks=jwks, workers=workers, progress=bar.update)
    _report(report, form, output)


@cli.command("verify")
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--keys", "jwks", type=_Jwks(), required=True, help="The public keys of receipts, a JWK Set.")
@click.option("--receipts", type=_Lines(), required=True, help="The receipts, one a line.")
@report_option
@output_option
def verify_(record: Path, jwks: object, receipts: list[str], form: str, output: Path | None) -> None:
    """Verify a RECORD against receipts for it: no database, and no trust in the service that gave them.

    Exit status 0 when record and receipts hold, 1 when one of them doesn't, 2 when the command itself is wrong.
    """
    if not receipts:
        raise click.UsageError("There is no receipt in the file.")
    _report(archives.audit_files([record], receipts=receipts, jwks=jwks), form, output)


def _report(report: archives.Report, form: str, output: Path | None) -> NoReturn:
    text = archives.WRITERS[form](report)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, "utf-8")
    sys.exit(0 if report.ok else 1)


@cli.command("simulate")
@click.argument("ruleset")
@click.option("--games", type=click.IntRange(1), default=10, help="How many whole games.")
@click.option("--url", default="http://127.0.0.1:8000", help="Where the service is.")
@click.option("--key", envvar="TRICKLOG_KEY", required=True, help="The API key that owns the games; or TRICKLOG_KEY.")
@click.option("--seats", type=click.IntRange(2), help="How many players; any number that the game takes if left out.")
@click.option("--config", type=JSON, help="The config of every game, as JSON; random options if left out.")
@click.option("--seed", type=int, help="Makes the players' choices repeatable.")
@click.option("--at-once", type=click.IntRange(1), default=8, help="How many games are played at the same time.")
def simulate_(
    ruleset: str,
    games: int,
    url: str,
    key: str,
    seats: int | None,
    config: dict[str, object] | None,
    seed: int | None,
    at_once: int,
) -> None:
    """Play whole random games of RULESET against a running service, each seat with its own token.

    Prints moves per second, and fails unless every move that was answered stands in the record of its game.
    """
    with click.progressbar(length=games, label=ruleset, file=sys.stderr) as bar:
        result = simulate(
            url,
            key,
            ruleset,
            games=games,
            seats=seats,
            config=config,
            seed=seed,
            at_once=at_once,
            progress=lambda: bar.update(1),
        )
    click.echo(result)


def _end(number: int, _: object) -> NoReturn:
    sys.exit(128 + number)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    deadline = time.monotonic() + PORT_SECONDS
    while True:
        try:
            listener = socket.create_server((host, port), family=family, backlog=2048)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                # Python adds the address to the reason, in parentheses.
                reason = str(error.strerror).partition(" (")[0]
                raise click.ClickException(f"can't listen on {host} port {port}: {reason}") from None
            time.sleep(0.1)
        else:
            # gunicorn sets this too, but too late for who connects while it starts: each answer would take 40 ms.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return listener


def _serve(listener: socket.socket, workers: int, deliver: bool, offered: list[tuple[str, str]]) -> NoReturn:
    """Become gunicorn, on a listening socket: one process holds the lock, the socket and the workers.

    Of the demonstrations that are ``offered`` it names one.
    """
    host, port = listener.getsockname()[:2]
    shown = "localhost" if ip_address(host).is_unspecified else f"[{host}]" if ":" in host else host
    base = f"http://{shown}:{port}"
    click.echo(f"API: {base}/v1\nDocumentation: {base}/docs")
    for _, game in offered[:1]:
        click.echo(f"A game to look at: {base}/replay/{game}")
    click.echo("Ctrl-C ends it.")
    sys.stdout.flush()
    if deliver:
        _deliver_beside()
    listener.set_inheritable(True)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    # -P: a package called api in the current folder is not ours.
    settings = ["-c", "python:api.server", "--bind", f"fd://{listener.fileno()}", "--workers", str(workers)]
    os.execv(sys.executable, [sys.executable, "-P", "-m", "gunicorn", *settings])


def _deliver_beside() -> None:
    """Start deliveries, which end when the pipe to them does: with this process, however that ends."""
    ours, theirs = os.pipe()
    command = [sys.executable, "-P", "-c", "from api.deliveries import main; main()"]
    # In a session of its own: a terminal's Ctrl-C is for this process, which ends the workers first.
    deliveries = subprocess.Popen(command, stdin=ours, start_new_session=True)
    os.set_inheritable(theirs, True)
    os.environ["TRICKLOG_DELIVERIES"] = f"{theirs} {deliveries.pid}"


@contextmanager
def _database(data: Path) -> Iterator[str]:
    given = os.environ.get("DATABASE_URL")
    if given:
        yield given
    else:
        with embedded.running(data) as url:
            yield url


@contextmanager
def _keys_database(data: Path) -> Iterator[psycopg.Connection]:
    with _database(data) as url, _connect(url) as conn:
        schema.check(conn)
        yield conn


def _connect(url: str) -> psycopg.Connection:
    return psycopg.connect(url, connect_timeout=10)
