"""What the README tells a stranger to type, typed."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from api.http.settings import SETTINGS, Setting
from tests.test_cli import serving, tricklog

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture
def game_with_curl() -> str:
    """The commands of the game with curl, as they stand."""
    section = README.read_text().partition("## A game with curl")[2].partition("\n## ")[0]
    return "\n".join(re.findall(r"```bash\n(.*?)```", section, re.DOTALL))


def test_a_whole_game_with_curl(database_url: str, game_with_curl: str, tmp_path: Path) -> None:
    key = tricklog("keys", "create", "a stranger", DATABASE_URL=database_url).strip()
    with serving(DATABASE_URL=database_url) as service:
        environment = {**os.environ, "TRICKLOG_URL": service.url, "TRICKLOG_KEY": key}
        command = ["bash", "-e", "-u", "-c", game_with_curl]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    answers = done.stdout.splitlines()
    (problem,) = [answer for answer in answers if '"type":"/problems/' in answer]
    assert '"rule":"quadruple-war.break"' in problem
    assert sum('"trick-won"' in answer for answer in answers if answer.startswith('{"seq":')) == 13
    assert '"totals":[10,120,0,0],"winners":[1]' in done.stdout
    assert "Score sheet" in answers
    assert answers[-1] == "the same ledger"


@pytest.mark.parametrize(("name", "setting"), SETTINGS.items(), ids=SETTINGS)
def test_every_setting_is_described(name: str, setting: Setting) -> None:
    assert f"| `{name}` | {setting.described} |" in README.read_text().splitlines()
    assert name in tricklog("serve", "--help")
