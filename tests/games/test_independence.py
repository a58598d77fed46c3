"""What a game may know: the cards, what a game is, and what games share; no other game."""

import ast
import pkgutil
from pathlib import Path

import pytest

import api.games

FOLDERS = [Path(api.games.__path__[0], each.name) for each in pkgutil.iter_modules(api.games.__path__) if each.ispkg]
SHARED = {"api.cards", "api.games.rules", "api.games.shown", "api.games.tricks", "api.games.combinations"}


def test_every_registered_game_is_a_folder() -> None:
    assert {folder.name.replace("_", "-") for folder in FOLDERS} == set(api.games.LATEST)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_game_knows_no_other(folder: Path) -> None:
    imported = {
        name
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [f"api.games.{each.name}" for each in node.names]
            if isinstance(node, ast.ImportFrom) and node.module == "api.games"
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    own = f"api.games.{folder.name}"
    of_others = {name for name in imported if name.startswith("api") and not f"{name}.".startswith(f"{own}.")}
    assert of_others <= SHARED
