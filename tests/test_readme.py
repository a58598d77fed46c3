"""What the README tells a stranger to type, typed."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from api.cli import cli
from api.games import LATEST
from api.http.settings import SETTINGS, Setting
from api.rule_texts import game_texts
from tests.test_cli import serving, tricklog

README = Path(__file__).parents[1] / "README.md"


def blocks(heading: str, language: str) -> str:
    """The code in a language under a heading, as it stands."""
    section = README.read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return "\n".join(re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL))


def typed(command: list[str], database_url: str, folder: Path) -> str:
    """What a command prints to a stranger with an API key, while the service runs."""
    key = tricklog("keys", "create", "a stranger", DATABASE_URL=database_url).strip()
    with serving(DATABASE_URL=database_url) as service:
        environment = {**os.environ, "TRICKLOG_URL": service.url, "TRICKLOG_KEY": key}
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, check=False, timeout=120
        )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_twenty_lines_to_start_from(database_url: str, tmp_path: Path) -> None:
    program = blocks("Twenty lines to start from", "python")
    assert len([line for line in program.splitlines() if line]) <= 20
    printed = typed([sys.executable, "-I", "-c", program], database_url, tmp_path)
    played, over, sheet = printed.partition(" game-over\n")
    events = [line.split() for line in played.splitlines()]
    assert [int(seq) for seq, *_ in events] == list(range(1, len(events) + 1))
    assert events[0][1] == "deal"
    assert over
    assert re.search(r"^(Ada|Ben): \d+\. ", sheet, re.MULTILINE)
    assert game_texts(LATEST["thirteen"]).rules["thirteen.score.place"] in sheet


def test_a_whole_game_with_curl(database_url: str, tmp_path: Path) -> None:
    command = ["bash", "-e", "-u", "-c", blocks("A game with curl", "bash")]
    answers = typed(command, database_url, tmp_path).splitlines()
    (problem,) = [answer for answer in answers if '"type":"/problems/' in answer]
    assert '"rule":"quadruple-war.break"' in problem
    assert sum('"trick-won"' in answer for answer in answers if answer.startswith('{"seq":')) == 13
    assert any('"totals":[10,120,0,0],"winners":[1]' in answer for answer in answers)
    assert "Score sheet" in answers
    assert answers[-1] == "the same ledger"


def commands(group: click.Group, *names: str) -> Iterator[tuple[str, ...]]:
    """The words of every command."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)
        else:
            yield *names, name


@pytest.mark.parametrize("words", list(commands(cli)), ids=" ".join)
def test_every_command_is_described(words: tuple[str, ...]) -> None:
    start = re.escape(" ".join(["| `tricklog", *words[:-1]]))
    assert re.search(rf"(?m)^{start}[ `][^|]*\b{words[-1]}\b[^|]*\|", README.read_text())


@pytest.mark.parametrize(("name", "setting"), SETTINGS.items(), ids=SETTINGS)
def test_every_setting_is_described(name: str, setting: Setting) -> None:
    assert f"| `{name}` | {setting.described} |" in README.read_text().splitlines()
    assert name in tricklog("serve", "--help")
