"""The rules in words: the page beside each game, in parts that a front end shows and that an error's rule id finds; the
rules at work, in a game whose score was disputed; and what the game's table looks like."""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from api.games.rules import COMMON_RULES, Ruleset

HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


class RuleTexts(NamedTuple):
    """Markdown, without the page's own title: an introduction, and a text by rule id in the order of the page."""

    introduction: str
    rules: dict[str, str]


class Disputed(NamedTuple):
    """A recorded game with a disputed score: the portable record as JSON text, and in Markdown how it is settled."""

    record: str
    text: str


@cache
def common_texts() -> RuleTexts:
    """The rules that every game shares."""
    return _split(_read("common.md"), COMMON_RULES)


@cache
def game_texts(ruleset: Ruleset) -> RuleTexts:
    """The rules of one game."""
    return _split(_read_beside(ruleset, "rules.md"), ruleset.rules)


@cache
def disputed_game(ruleset: Ruleset) -> Disputed:
    """The disputed score of one game."""
    return Disputed(_read_beside(ruleset, "disputed.json"), _read_beside(ruleset, "disputed.md"))


@cache
def table_description(ruleset: Ruleset) -> dict[str, Any]:
    """What the table of one game looks like, for whatever draws it."""
    described: dict[str, Any] = json.loads(_read_beside(ruleset, "table.json"))
    return described


def _read_beside(ruleset: Ruleset, name: str) -> str:
    return _read(f"{ruleset.id.replace('-', '_')}/{name}")


def _read(path: str) -> str:
    return (files("api.games") / path).read_text(encoding="utf-8")


def _split(page: str, ids: tuple[str, ...]) -> RuleTexts:
    """A section whose heading is no rule id belongs to the introduction."""
    opening, *sections = HEADING.split(page)
    introduction = [opening.partition("\n")[2]]
    rules = {}
    for heading, text in zip(sections[::2], sections[1::2], strict=True):
        if heading in ids:
            rules[heading] = text.strip()
        else:
            introduction.append(f"## {heading}\n{text}")
    return RuleTexts("\n".join(part.strip("\n") + "\n" for part in introduction).strip(), rules)
