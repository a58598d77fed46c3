"""The guides of the documentation: their examples run as they stand, and are answered as they show."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from api.http import docs
from tests.test_cli import serving, tricklog

GUIDES = sorted((Path(docs.__file__).parent / "guides").glob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROBLEM = re.compile(r"/problems/[\w-]+")
END = "-- the end of an example --"


class Example(NamedTuple):
    """A ``bash`` block of a guide, and the blocks up to the next one, by language: what is shown of the answer."""

    commands: str
    shown: list[tuple[str, str]]


def examples(guide: Path) -> list[Example]:
    """The examples of a guide, which run one after the other in one shell."""
    found: list[Example] = []
    for language, text in re.findall(
        r"^```(\w*)\n(.*?)^```$", guide.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        if language == "bash":
            found.append(Example(text, []))
        elif found:
            found[-1].shown.append((language, text))
    return found


def objects(output: str) -> Iterator[Any]:
    """The JSON objects that lines begin with; one may follow the other at once, as curl adds no line feed."""
    for line in output.splitlines():
        place = 0
        while line.startswith("{", place):
            value, place = json.JSONDecoder().raw_decode(line, place)
            yield value


def shows(answer: Any, shown: Any) -> bool:
    """Whether ``answer`` is as ``shown``: there an object may leave fields out, ``"…"`` stands for anything, and at the
    end of a list for any more.
    """
    if shown == "…":
        return True
    if isinstance(shown, dict) and isinstance(answer, dict):
        return shown.keys() <= answer.keys() and all(shows(answer[name], shown[name]) for name in shown)
    if isinstance(shown, list) and isinstance(answer, list):
        if shown[-1:] == ["…"]:
            shown = shown[:-1]
            answer = answer[: len(shown)]
        return len(answer) == len(shown) and all(map(shows, answer, shown))
    return type(answer) is type(shown) and bool(answer == shown)


@pytest.fixture(scope="module")
def environment(module_database_url: str) -> Iterator[dict[str, str]]:
    """What a reader has set: the address of a running service, and an API key."""
    key = tricklog("keys", "create", "a reader", DATABASE_URL=module_database_url).strip()
    with serving(DATABASE_URL=module_database_url) as service:
        yield {**os.environ, "TRICKLOG_URL": service.url, "TRICKLOG_KEY": key}


@pytest.mark.parametrize("guide", [guide for guide in GUIDES if examples(guide)], ids=lambda guide: guide.stem)
def test_examples_are_answered_as_shown(environment: dict[str, str], guide: Path, tmp_path: Path) -> None:
    found = examples(guide)
    script = "".join(f"{example.commands}\necho\necho '{END}'\n" for example in found)
    command = ["bash", "-e", "-u", "-o", "pipefail", "-c", script]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    *outputs, _ = done.stdout.split(END)
    for example, output in zip(found, outputs, strict=True):
        answers = list(objects(output))
        for language, text in example.shown:
            if language == "json":
                assert any(shows(answer, json.loads(text)) for answer in answers), f"{output}\nis not as\n{text}"
        expected = {problem for _, text in example.shown for problem in PROBLEM.findall(text)}
        assert set(PROBLEM.findall(output)) == expected, output
