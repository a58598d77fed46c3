"""Thirteen: the climbing game Tiến Lên for 2 to 4 players, one deal a game. The rules in words: ``rules.md``."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from api.games import shown
from api.games.combinations import (
    WENT_OUT,
    Climb,
    ClimbingPack,
    Form,
    Shape,
    classify,
    climbing_effects,
    combinations,
    lay,
    lead,
    next_to_act,
    trick_fields,
    trick_table,
)
from api.games.rules import (
    DEAL,
    OVER,
    Effect,
    Field,
    IllegalMove,
    Move,
    Option,
    Ruleset,
    ScoreLine,
    Seen,
    award,
    boolean,
    cards,
    deal_hands,
    finish,
    round_scored,
)

PLAY: Final = "play"

HAND: Final = 13
RANKS: Final = "3456789TJQKA2"
BELOW_TWOS: Final = RANKS[:-1]
TWO: Final = RANKS.index("2")

PACK: Final = ClimbingPack(
    RANKS,
    "scdh",
    (
        Shape("single", 1, 1, 1, RANKS),
        Shape("pair", 2, 1, 1, RANKS),
        Shape("triple", 3, 1, 1, RANKS),
        Shape("quad", 4, 1, 1, RANKS),
        Shape("sequence", 1, 3, HAND, BELOW_TWOS),
        Shape("double-sequence", 2, 3, HAND, BELOW_TWOS),
    ),
)

# twos, by type -> the types and numbers of cards that chop them
CHOPS: Final[Mapping[str, frozenset[tuple[str, int]]]] = {
    "single": frozenset({("double-sequence", 6), ("quad", 4)}),
    "pair": frozenset({("double-sequence", 8)}),
    "triple": frozenset({("double-sequence", 10)}),
}

PLACES: Final = ("first", "second", "third", "fourth")


class Thirteen(Climb):
    """A slot of its own: ``opened``, whether the first combination of the game has been played. ``out`` is the order
    of the places, the last one in it too once the game is over."""

    __slots__ = ("opened",)

    opened: bool


def options(seats: int) -> dict[str, Option]:
    """The options of a game of ``seats``."""
    return {
        "open_with_lowest": Option(
            boolean(), False, "Whether the first combination must hold the leader's lowest card."
        )
    }


def start(config: Mapping[str, Any], seats: int) -> Thirteen:
    """The state before the first event; ``config`` whole, as read_config gives it."""
    state = Thirteen(config, seats, PACK, MOVES, CHANCES, sides=seats)
    state.phase = state.call = DEAL
    state.to_act = ()
    state.hands = [0] * seats
    state.trick = []
    state.in_trick = 0
    state.out = []
    state.opened = False
    return state


def deal(state: Thirteen, seq: int, hands: Sequence[Sequence[int]]) -> list[Effect]:
    """``thirteen.lead``: thirteen cards each; the lowest card dealt leads."""
    bits = PACK.bits
    state.hands = [sum([bits[place] for place in hand]) for hand in hands]
    state.phase = PLAY
    state.call = None
    lead(state, min(range(state.seats), key=lambda seat: state.hands[seat] & -state.hands[seat]))
    return []


# --- moves ------------------------------------------------------------------------------------------------------------


def _beats(cards: int, form: Form, on_cards: int, on: Form) -> bool:
    """``thirteen.follow`` and ``thirteen.chop``."""
    if form.type == on.type and form.size == on.size:
        # of two combinations of one form, the mask with the higher highest card is the greater number
        return cards > on_cards
    return on.top == TWO and on.type in CHOPS and (form.type, form.size) in CHOPS[on.type]


def _refusal(state: Thirteen, hand: int, cards: int, form: Form) -> IllegalMove | None:
    """Why the player of ``hand`` may not play ``cards`` now, if so."""
    if state.trick:
        _, on_cards, on = state.trick[-1]
        if not _beats(cards, form, on_cards, on):
            return IllegalMove(
                "thirteen.follow",
                f"The {form.type} of {form.size} does not beat the {on.type} of {on.size} that lies: that takes "
                "the same type and number of cards with a higher highest card, or what chops twos.",
            )
    elif state.config["open_with_lowest"] and not state.opened and not cards & hand & -hand:
        return IllegalMove("thirteen.lead", "In this game the first combination must hold the leader's lowest card.")
    return None


def play(state: Thirteen, seq: int, seat: int, places: Sequence[int]) -> list[Effect]:
    """A combination led or played on the trick: ``thirteen.combination``, ``.lead``, ``.follow`` and ``.chop``."""
    bits = PACK.bits
    cards = sum([bits[place] for place in places])
    form = classify(PACK, cards)
    if form is None:
        raise IllegalMove(
            "thirteen.combination",
            "These cards are no single, pair, triple, quad, sequence or double sequence.",
        )
    refusal = _refusal(state, state.hands[seat], cards, form)
    if refusal is not None:
        raise refusal
    state.opened = True
    if not lay(state, seat, cards, form):
        return next_to_act(state, seat)
    return _go_out(state, seq, seat, cards)


def pass_(state: Thirteen, seq: int, seat: int) -> list[Effect]:
    """``thirteen.pass``: out of the trick until the next one."""
    if not state.trick:
        raise IllegalMove("thirteen.lead", "The leader of a trick may not pass.")
    state.in_trick &= ~(1 << seat)
    return next_to_act(state, seat)


def _go_out(state: Thirteen, seq: int, seat: int, cards: int) -> list[Effect]:
    """``thirteen.place``: ``seat`` has just played its last ``cards``."""
    state.in_trick &= ~(1 << seat)
    line = _place(state, seq, seat, f"went out with {' '.join(PACK.cards(cards))}")
    out = Effect(WENT_OUT, {"seat": seat, "place": line.place}, lines=(line,))
    if len(state.out) < state.seats - 1:
        return [out, *next_to_act(state, seat)]
    last = next(other for other, hand in enumerate(state.hands) if hand)
    _place(state, seq, last, "is the only one left with cards")
    return [out, round_scored(state), finish(state, state.out[:1])]


def _place(state: Thirteen, seq: int, seat: int, why: str) -> ScoreLine:
    """``thirteen.score.place``: ``seat`` takes the next place, a point for each player to be placed behind it."""
    state.out.append(seat)
    place = len(state.out)
    behind = state.seats - place
    text = f"Seat {seat} {why}: {PLACES[place - 1]} of {state.seats}, {behind} placed behind it, a point each."
    line = ScoreLine(state.round, seat, behind, "thirteen.score.place", (seq,), text, place=place)
    return award(state, line)


MOVES: Final = {
    "play": Move(
        [PLAY], play, Field("cards", cards(PACK), "everyone", "A combination, in any order."), words="plays {cards}"
    ),
    "pass": Move([PLAY], pass_, words="passes"),
}

CHANCES: Final = {
    "deal": deal_hands(PACK, HAND, deal),
}


# --- legal moves and what lies open -----------------------------------------------------------------------------------


def legal(state: Thirteen, seat: int) -> list[dict[str, Any]]:
    """Every move that ``seat`` may make now: plays by type, lowest first, then the pass."""
    if seat not in state.to_act:
        return []
    hand = state.hands[seat]
    moves: list[dict[str, Any]] = [
        {"type": "play", "cards": PACK.cards(cards)}
        for cards, form in combinations(PACK, hand)
        if _refusal(state, hand, cards, form) is None
    ]
    if state.trick:
        moves.append({"type": "pass"})
    return moves


def table(state: Thirteen, view: Seen) -> dict[str, Any]:
    """What lies open: the combination to beat, the plays of the trick, who has passed, the places from first."""
    return {**trick_table(state), "places": list(state.out)}


LIES_OPEN: Final = shown.fields(
    "What lies open in Thirteen.",
    **trick_fields(PACK),
    places=shown.seats("The seats that have a place, from the first on."),
)

RULESET: Final = Ruleset(
    id="thirteen",
    version=1,
    title="Thirteen",
    summary="Tiến Lên for 2 to 4 players: the first to shed its cards wins; one deal, places are scored.",
    seats=(2, 3, 4),
    sides="seats",
    phases=(DEAL, PLAY, OVER),
    options=options,
    start=start,
    legal=legal,
    table=table,
    effects=climbing_effects(PACK),
    lies_open=LIES_OPEN,
    rules=(
        "thirteen.lead",
        "thirteen.combination",
        "thirteen.follow",
        "thirteen.chop",
        "thirteen.pass",
        "thirteen.trick.won",
        "thirteen.place",
        "thirteen.score.place",
    ),
)
