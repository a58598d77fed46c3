"""The rules in words: the page beside each game, in parts that a front end shows and that an error's rule id finds."""

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from api.games.rules import COMMON_RULES, Ruleset

HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


class RuleTexts(NamedTuple):
    """Markdown, without the page's own title: an introduction, and a text by rule id in the order of the page."""

    introduction: str
    rules: dict[str, str]


@cache
def common_texts() -> RuleTexts:
    """The rules that every game shares."""
    return _split("common.md", COMMON_RULES)


@cache
def game_texts(ruleset: Ruleset) -> RuleTexts:
    """The rules of one game."""
    return _split(f"{ruleset.id.replace('-', '_')}/rules.md", ruleset.rules)


def _split(path: str, ids: tuple[str, ...]) -> RuleTexts:
    """The page at ``path``; a section whose heading is no rule id belongs to the introduction."""
    page = (files("api.games") / path).read_text(encoding="utf-8")
    opening, *sections = HEADING.split(page)
    introduction = [opening.partition("\n")[2]]
    rules = {}
    for heading, text in zip(sections[::2], sections[1::2], strict=True):
        if heading in ids:
            rules[heading] = text.strip()
        else:
            introduction.append(f"## {heading}\n{text}")
    return RuleTexts("\n".join(part.strip("\n") + "\n" for part in introduction).strip(), rules)
