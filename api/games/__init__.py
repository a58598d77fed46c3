"""The registry of games: a new one is a folder beside the others and its line here."""

from typing import Final

from api.games import kraken, quadruple_war, soda, thirteen, wodka
from api.games.rules import Ruleset

_ALL: Final[tuple[Ruleset, ...]] = (
    kraken.RULESET,
    quadruple_war.RULESET,
    soda.RULESET,
    thirteen.RULESET,
    wodka.RULESET,
)

RULESETS: Final[dict[tuple[str, int], Ruleset]] = {(ruleset.id, ruleset.version): ruleset for ruleset in _ALL}

LATEST: Final[dict[str, Ruleset]] = {
    ruleset.id: ruleset for ruleset in sorted(_ALL, key=lambda ruleset: ruleset.version)
}
