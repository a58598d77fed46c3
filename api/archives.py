"""Audits without a service: files of records, one or an archive with a record a line, on every core, and reports."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import orjson
from jinja2 import Environment, PackageLoader

from api.proofs.receipts import claimed_game, read_jwks
from api.records.audit import Audit, Check, audit

CHUNK: Final = 2 << 20
LONGEST: Final = 64 << 20
"""How long a record may be, in bytes; whoever has longer games has something else."""
LISTED: Final = 1000
"""How many bad records a report names; it counts them all."""


class Part(NamedTuple):
    """A part of a file: the lines that start from ``start`` to before ``end``, or the whole as one record."""

    path: str
    start: int
    end: int
    whole: bool


class Bad(NamedTuple):
    """A record that isn't true: where it is, which game it is of, and the checks that failed."""

    file: str
    line: int
    game: str | None
    checks: list[Check]


@dataclass(slots=True)
class Found:
    """What was found in some part of the files; ``single`` is the audit of the only record of a file."""

    lines: int = 0
    records: int = 0
    events: int = 0
    bad: list[Bad] = field(default_factory=list)
    bad_count: int = 0
    receipted: set[str] = field(default_factory=set)
    single: dict[str, Any] | None = None

    def add(self, audited: Audit, file: str, line: int, game: str | None) -> None:
        """Counts a record, and keeps why it is bad if it is."""
        self.records += 1
        if audited.position is not None:
            self.events += audited.position.seq
        if not audited.ok:
            self.bad_count += 1
            if len(self.bad) < LISTED:
                self.bad.append(Bad(file, line, game, [check for check in audited.checks if not check.ok]))


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in all files; ``unused`` counts receipts of games that are in none of them."""

    files: Sequence[str]
    records: int
    events: int
    bad: list[Bad]
    bad_count: int
    unused: int
    single: dict[str, Any] | None

    @property
    def ok(self) -> bool:
        return not self.bad_count and not self.unused and self.records > 0

    def written(self) -> dict[str, Any]:
        """The report as JSON has it; with the whole audit where there is one record."""
        shown: dict[str, Any] = {
            "ok": self.ok,
            "files": list(self.files),
            "records": self.records,
            "events": self.events,
            "bad": self.bad_count,
            "unused_receipts": self.unused,
            "bad_records": [{**bad._asdict(), "checks": [check.written() for check in bad.checks]} for bad in self.bad],
        }
        if self.single is not None:
            shown["audit"] = self.single
        return shown


def audit_files(
    paths: Sequence[Path],
    *,
    receipts: Sequence[str] = (),
    jwks: Any = None,
    workers: int = 1,
    progress: Callable[[int], object] = lambda _: None,
) -> Report:
    """Audits every record in ``paths``, with the receipts of its game; OSError for a file that can't be read.

    ``jwks`` is the JWK Set of the keys that receipts may be signed with. ``progress`` is told how many bytes are done.
    """
    by_game: dict[str | None, list[str]] = {}
    for each in receipts:
        by_game.setdefault(claimed_game(each), []).append(each)
    parts = [part for path in paths for part in _parts(path)]
    total = Found()
    line = 0
    for part, found in zip(parts, _work(parts, by_game, jwks, workers), strict=True):
        if part.start == 0:
            line = 0
        total.records += found.records
        total.events += found.events
        total.bad_count += found.bad_count
        total.bad += [bad._replace(line=bad.line + line) for bad in found.bad[: LISTED - len(total.bad)]]
        total.receipted |= found.receipted
        total.single = total.single or found.single
        line += found.lines
        progress(part.end - part.start)
    unused = sum(len(texts) for game, texts in by_game.items() if game not in total.receipted)
    single = total.single if total.records == 1 else None
    return Report(
        [str(path) for path in paths], total.records, total.events, total.bad, total.bad_count, unused, single
    )


def _work(parts: Sequence[Part], receipts: Mapping[str | None, list[str]], jwks: Any, workers: int) -> Iterator[Found]:
    if workers == 1 or len(parts) == 1:
        _begin(receipts, jwks)
        yield from map(_audit_part, parts)
        return
    with Pool(min(workers, len(parts)), _begin, (receipts, jwks)) as pool:
        yield from pool.imap(_audit_part, parts)


def _parts(path: Path) -> Iterator[Part]:
    size = path.stat().st_size
    if _is_one(path, size):
        yield Part(str(path), 0, size, True)
        return
    for start in range(0, max(size, 1), CHUNK):
        yield Part(str(path), start, min(start + CHUNK, size), False)


def _is_one(path: Path, size: int) -> bool:
    """Whether a file is one JSON value over several lines, and not one a line."""
    with path.open("rb") as file:
        try:
            orjson.loads(file.readline(LONGEST + 1))
        except ValueError:
            file.seek(0)
            try:
                orjson.loads(file.read(LONGEST + 1) if size <= LONGEST else b"")
            except ValueError:
                return False
            return True
    return False


# --- one part, in whatever process ----------------------------------------------------------------------------------

_given: dict[str, Any] = {"receipts": {}, "keys": {}}


def _begin(receipts: Mapping[str | None, list[str]], jwks: Any) -> None:
    _given.update(receipts=receipts, keys={} if jwks is None else read_jwks(jwks))


def _audit_part(part: Part) -> Found:
    found = Found()
    with open(part.path, "rb") as file:  # noqa: PTH123  a text travels lighter than a path
        if part.whole:
            found.lines = 1
            _audit_text(file.read(LONGEST + 1), part, found)
            return found
        for text in _lines(file, part):
            found.lines += 1
            if text.strip():
                _audit_text(text, part, found)
    return found


def _lines(file: BinaryIO, part: Part) -> Iterator[bytes]:
    """The lines that start in ``part``; of one that is too long, its beginning."""
    if part.start:
        file.seek(part.start - 1)
        _skip_line(file)
    while file.tell() < part.end:
        text = file.readline(LONGEST + 1)
        if len(text) > LONGEST:
            _skip_line(file)
        yield text


def _skip_line(file: BinaryIO) -> None:
    while (text := file.readline(1 << 20)) and not text.endswith(b"\n"):
        pass


def _audit_text(text: bytes, part: Part, found: Found) -> None:
    game = None
    receipts: Sequence[str] = ()
    try:
        record = _read(text)
    except ValueError as error:
        audited = Audit([Check("form", False, f"Must be a record in JSON: {error}.")], None)
    else:
        if type(record) is dict and type(record.get("game")) is str:
            game = record["game"]
            receipts = _given["receipts"].get(game, ())
            if receipts:
                found.receipted.add(game)
        audited = audit(record, receipts, _given["keys"])
    found.add(audited, part.path, found.lines, game)
    # Whether it is the only one shows when all are counted; those that can't be are not written out.
    found.single = audited.written() if found.records == 1 else None


def _read(text: bytes) -> Any:
    """The JSON value of ``text``; ValueError for what two readers could take differently: a key that stands twice."""
    if len(text) > LONGEST:
        raise ValueError(f"it is longer than {LONGEST} bytes")
    value = orjson.loads(text)
    try:
        # A compact text that says nothing twice is as long as what it is read as.
        if len(orjson.dumps(value)) != len(text.rstrip()):
            json.loads(text, object_pairs_hook=_once)
    except (TypeError, RecursionError):
        raise ValueError("it nests too deep") from None
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("it names a key twice in one object")
    return found


# --- reports --------------------------------------------------------------------------------------------------------


def write_text(report: Report) -> str:
    """The report for a terminal."""
    lines = []
    if report.single is not None:
        lines += [_line(Check(**{"ok": False, **each})) for each in report.single["checks"]]
        lines += _ledger(report.single)
    else:
        for bad in report.bad:
            where = f"{bad.file}:{bad.line}{f' (game {bad.game})' if bad.game else ''}"
            lines += [f"{where}: {_line(check)}" for check in bad.checks]
        if report.bad_count > len(report.bad):
            lines.append(f"… and {report.bad_count - len(report.bad)} more.")
    if report.unused:
        lines.append(f"{report.unused} receipts are for games that are in none of the files.")
    lines.append(
        f"{report.records:,} records, {report.events:,} events: "
        + ("all true." if report.ok else f"{report.bad_count:,} bad." if report.records else "nothing to audit.")
    )
    return "\n".join(lines) + "\n"


def _line(check: Check) -> str:
    where = "".join(
        [f" event {check.event}:" if check.event is not None else "", f" [{check.rule}]" if check.rule else ""]
    )
    return f"{'ok  ' if check.ok else 'BAD '} {check.check:<10}{where} {check.detail}"


def _ledger(audited: Mapping[str, Any]) -> list[str]:
    ledger = audited.get("ledger")
    if ledger is None:
        return []
    lines = [
        f"  round {line['round']}, side {line['side']}: {line['points']:+}  {line['text']} [{line['rule']}]"
        for line in ledger["lines"]
    ]
    return ["", "Score sheet", *lines, f"  totals: {ledger['totals']}, winners: {ledger['winners']}", ""]


def write_json(report: Report) -> str:
    """The report for a program."""
    return orjson.dumps(report.written(), option=orjson.OPT_INDENT_2).decode() + "\n"


def write_html(report: Report) -> str:
    """The report as a page that loads nothing."""
    return _templates().get_template("audit.html").render(report=report) + "\n"


@cache
def _templates() -> Environment:
    return Environment(loader=PackageLoader("api"), autoescape=True, trim_blocks=True, lstrip_blocks=True)


WRITERS: Final[Mapping[str, Callable[[Report], str]]] = {"text": write_text, "json": write_json, "html": write_html}
