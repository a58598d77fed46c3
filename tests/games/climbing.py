"""Positions of the climbing games, set up and played on through real events."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from api.games.rules import IllegalMove, Ruleset, apply, read_config, view_effect, view_state


class Table:
    """A game that the test deals: every event goes through ``apply``.

    Cards are written by name, ``4-7c`` for those from 4c to 7c in the game's order.
    """

    def __init__(self, ruleset: Ruleset, seats: int, config: Mapping[str, Any]) -> None:
        self.ruleset = ruleset
        self.state = ruleset.start(read_config(ruleset, config, seats), seats)
        self.record: list[Mapping[str, Any]] = []

    @property
    def seq(self) -> int:
        return len(self.record)

    def cards(self, text: str) -> list[str]:
        """The names of the cards in ``text``."""
        names = []
        for word in text.split():
            if len(word) == 2:
                names.append(word)
            else:
                suited = [name for name in self.state.pack.names if name[1] == word[3]]
                names += suited[suited.index(word[0] + word[3]) : suited.index(word[2:]) + 1]
        return names

    def full_hands(self, hands: Sequence[str]) -> list[list[str]]:
        """The cards named, seat by seat, and of the rest of the pack what is missing to thirteen, lowest first."""
        named = [self.cards(hand) for hand in hands]
        rest = [card for card in self.state.pack.names if not any(card in hand for hand in named)]
        filled = []
        for hand in named:
            missing = 13 - len(hand)
            filled.append(hand + rest[:missing])
            del rest[:missing]
        return filled

    def send(self, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Plays the event; its effects as a bystander sees them."""
        effects = apply(self.state, event, self.seq + 1)
        self.record.append(event)
        return [view_effect(effect, "public") for effect in effects]

    def move(self, text: str) -> dict[str, Any]:
        """The play of the seat in turn that ``text`` names, its pass if it is ``-``."""
        (seat,) = self.state.to_act
        if text.strip() == "-":
            return {"seat": seat, "type": "pass"}
        return {"seat": seat, "type": "play", "cards": self.cards(text)}

    def play(self, script: str) -> list[dict[str, Any]]:
        """Makes the moves that ``|`` divides, each by the seat in turn; the effects of the last."""
        effects: list[dict[str, Any]] = []
        for text in script.split("|"):
            effects = self.send(self.move(text))
        return effects

    def refused(self, event: Mapping[str, Any]) -> str:
        """The rule under which the event is refused; nothing changes by it."""
        before = view_state(self.ruleset, self.state, "table")
        with pytest.raises(IllegalMove) as refusal:
            apply(self.state, event, self.seq + 1)
        assert view_state(self.ruleset, self.state, "table") == before
        return refusal.value.rule

    def check(self, event: Mapping[str, Any], rule: str | None) -> None:
        """The event is refused under ``rule``, accepted for None."""
        if rule is None:
            self.send(event)
        else:
            assert self.refused(event) == rule

    def shown(self) -> dict[str, Any]:
        """The state as a bystander sees it."""
        return view_state(self.ruleset, self.state, "public")
