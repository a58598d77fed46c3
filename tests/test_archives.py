"""Audits and verification on the command line: files in, a verdict, a report and an exit status out."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result

from api import archives
from api.cli import cli
from api.games import LATEST
from api.proofs import digests
from api.proofs.receipts import Signer, write_jwks
from tests.records import played

SIGNER = Signer("key", b"\7" * 32)
TRUE = [played(ruleset, ruleset.seats[0], number) for number, ruleset in enumerate(LATEST.values(), 1)]
FALSE = TRUE[0] | {"result": {"totals": [0], "winners": []}}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(each) for each in arguments])


def archive(path: Path, records: Sequence[Any]) -> Path:
    """A file with a record a line; what is bytes stands there as it is."""
    path.write_bytes(b"".join((each if type(each) is bytes else orjson.dumps(each)) + b"\n" for each in records))
    return path


def receipt(record: dict[str, Any], seq: int) -> str:
    head = digests.start({name: value for name, value in record.items() if name not in LATER})
    for event in record["events"][:seq]:
        head = digests.chain(head, bytes.fromhex(event["digest"]))
    return SIGNER.sign(record["game"], seq, head)


LATER = ("events", "head", "seed", "result")


@pytest.fixture
def jwks(tmp_path: Path) -> Path:
    path = tmp_path / "jwks.json"
    path.write_text(json.dumps(write_jwks({"key": SIGNER.public})))
    return path


@pytest.fixture
def given(tmp_path: Path) -> Callable[..., Path]:
    """Writes receipts into a file."""

    def write(*receipts: str) -> Path:
        path = tmp_path / "receipts.txt"
        path.write_text("\n".join(receipts) + "\n")
        return path

    return write


def test_one_record_is_audited_check_by_check(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    for options in (0, orjson.OPT_INDENT_2):
        path.write_bytes(orjson.dumps(TRUE[0], option=options))
        done = run("audit", path)
        assert done.exit_code == 0, done.output
        for told in ("form", "deals", "Score sheet", "1 records", "all true"):
            assert told in done.output


def test_a_bad_record_is_told_with_event_and_rule(tmp_path: Path) -> None:
    record = json.loads(json.dumps(TRUE[0]))
    record["events"].append({"type": "abandon", "reason": "late"})
    done = run("audit", archive(tmp_path / "record.json", [record]))
    assert done.exit_code == 1
    assert f"event {len(record['events'])}: [common.over]" in done.output


def test_an_archive_is_audited_record_by_record_and_the_bad_ones_named(tmp_path: Path) -> None:
    path = archive(tmp_path / "archive.ndjson", [*TRUE, FALSE, *TRUE, b"", b"no record", *TRUE])
    done = run("audit", path, "--format", "json")
    assert done.exit_code == 1
    report = json.loads(done.stdout)
    assert (report["records"], report["bad"]) == (3 * len(TRUE) + 2, 2)
    assert [(each["line"], each["checks"][0]["check"]) for each in report["bad_records"]] == [
        (len(TRUE) + 1, "result"),
        (2 * len(TRUE) + 3, "form"),
    ]
    assert run("audit", archive(path, TRUE)).exit_code == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_every_line_is_audited_once_wherever_the_parts_of_a_file_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    records = [*TRUE, FALSE] * 4
    path = archive(tmp_path / "archive.ndjson", records)
    events = sum(len(record["events"]) for record in records)
    line = len(orjson.dumps(TRUE[0])) + 1
    for chunk in (1000, line, line + 1, path.stat().st_size):
        monkeypatch.setattr(archives, "CHUNK", chunk)
        done: list[int] = []
        report = archives.audit_files([path, path], workers=workers, progress=done.append)
        assert (report.records, report.bad_count, report.events) == (2 * len(records), 8, 2 * events)
        assert [bad.line for bad in report.bad] == [(len(TRUE) + 1) * turn for turn in range(1, 5)] * 2
        assert sum(done) == 2 * path.stat().st_size


DEEP = b'{"format":' + b"[" * 5000 + b"]" * 5000 + b"}"
TWICE = b'{"format":"tricklog/1","format":"tricklog/1"}'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"{", id="half a record"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"format": NaN}', id="not a number"),
        pytest.param(DEEP, id="deep"),
        pytest.param(orjson.dumps(TRUE[0]).replace(b'"Player 0"', b"[" * 400 + b"]" * 400), id="not quite as deep"),
        pytest.param(TWICE, id="a key twice"),
        pytest.param(orjson.dumps(TRUE[0])[:-1] + b',"head":"' + b"0" * 64 + b'"}', id="a head twice"),
        pytest.param(b"\xff\xfe", id="no UTF-8"),
        pytest.param(b'{"format":"\\ud800"}', id="no Unicode"),
        pytest.param(b'{"version":1' + b"0" * 5000 + b"}", id="a number beyond all"),
    ],
)
def test_what_is_no_record_is_bad_and_the_rest_is_audited(tmp_path: Path, text: bytes) -> None:
    path = archive(tmp_path / "archive.ndjson", [TRUE[0], text, TRUE[1]])
    report = archives.audit_files([path])
    assert (report.records, report.bad_count) == (3, 1)
    [bad] = report.bad
    assert (bad.line, bad.checks[0].check) == (2, "form")


def test_a_line_beyond_all_bounds_is_refused_without_being_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = max(len(orjson.dumps(record)) for record in TRUE) + 1
    monkeypatch.setattr(archives, "LONGEST", longest)
    long = b'{"format":"' + b"x" * (3 * longest) + b'"}'
    path = archive(tmp_path / "archive.ndjson", [TRUE[0], long, TRUE[1]])
    report = archives.audit_files([path])
    assert (report.records, [bad.line for bad in report.bad]) == (3, [2])
    assert "longer than" in report.bad[0].checks[0].detail


def test_nothing_to_audit_is_not_all_true(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_bytes(b"")
    assert run("audit", path).exit_code == 1
    assert run("audit", tmp_path / "nowhere").exit_code == 2
    assert run("audit").exit_code == 2


def test_a_report_is_text_json_or_a_page_that_loads_nothing(tmp_path: Path) -> None:
    bad = TRUE[0] | {"game": "<script>alert(1)</script>"}
    path = archive(tmp_path / "archive.ndjson", [bad, TRUE[1]])
    output = tmp_path / "report.html"
    done = run("audit", path, "--format", "html", "--output", output)
    assert done.exit_code == 1
    page = output.read_text("utf-8")
    assert "<script" not in page
    assert "src=" not in page
    assert "href=" not in page
    assert "chain" in page
    for form in archives.WRITERS:
        assert run("audit", archive(tmp_path / "one", [TRUE[0]]), "--format", form).stdout


# --- receipts -------------------------------------------------------------------------------------------------------


def test_a_record_is_verified_against_receipts_and_a_public_key(
    tmp_path: Path, jwks: Path, given: Callable[..., Path]
) -> None:
    record = archive(tmp_path / "record.json", [TRUE[0]])
    true = [receipt(TRUE[0], seq) for seq in (1, 7)]
    done = run("verify", record, "--keys", jwks, "--receipts", given(*true))
    assert done.exit_code == 0, done.output
    assert "All 2 are for this record." in done.output
    other = Signer("key", b"\6" * 32).sign(TRUE[0]["game"], 1, bytes(32))
    for false in (other, receipt(TRUE[1], 1), receipt(TRUE[0] | {"players": ["Eve"]}, 7), "no-receipt"):
        assert run("verify", record, "--keys", jwks, "--receipts", given(*true, false)).exit_code == 1
    assert run("verify", record, "--keys", jwks, "--receipts", given()).exit_code == 2
    assert run("verify", record, "--keys", record, "--receipts", given(*true)).exit_code == 2
    assert run("verify", record, "--receipts", given(*true)).exit_code == 2


def test_each_record_of_an_archive_is_held_against_its_own_receipts(
    tmp_path: Path, jwks: Path, given: Callable[..., Path]
) -> None:
    path = archive(tmp_path / "archive.ndjson", TRUE)
    true = [receipt(record, 3) for record in TRUE]
    options = ("--keys", jwks, "--workers", 2)
    assert run("audit", path, "--receipts", given(*true), *options).exit_code == 0
    archive(path, TRUE[1:])
    done = run("audit", path, "--receipts", given(*true), *options)
    assert done.exit_code == 1
    assert "1 receipts are for games that are in none of the files" in done.output
    false = receipt(TRUE[1] | {"version": 2}, 3)
    done = run("audit", path, "--receipts", given(*true[1:], false), *options, "--format", "json")
    [bad] = json.loads(done.stdout)["bad_records"]
    assert bad["game"] == TRUE[1]["game"]
    assert bad["checks"][0]["check"] == "receipts"
    assert run("audit", path, "--receipts", given(*true)).exit_code == 2
