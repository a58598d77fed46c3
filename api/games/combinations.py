"""What the climbing games share: combinations of a rank-ordered pack, and the trick that one after another beats.

A game states its combinations as a table of :class:`Shape`; what beats what is the game's own.
"""

from collections.abc import Sequence
from itertools import combinations as choose
from typing import Any, Final, NamedTuple

from api.cards import Pack
from api.games import shown
from api.games.rules import Effect, State

SUITS: Final = 4

# a pack's mask has a group of four bits, one a suit, for each rank: what follows works on all groups at once
_ONES: Final = int("1" * 13, 16)
_THREES: Final = 3 * _ONES
_SEVENS: Final = 7 * _ONES


class Shape(NamedTuple):
    """A type of combination: ``each`` cards of every one of ``least`` to ``most`` consecutive ``ranks``."""

    type: str
    each: int
    least: int
    most: int
    ranks: str


class Form(NamedTuple):
    """What a combination is: its type, its number of cards, its highest rank as counted from the lowest of the pack."""

    type: str
    size: int
    top: int


class ClimbingPack(Pack):
    """A pack ordered by rank, then suit, and the combinations that a game makes of it.

    ``forms`` has every form by its counts of cards by rank, as :func:`_counts` packs them. The ranks of each shape are
    the lowest of the pack.
    """

    __slots__ = ("forms", "shapes")

    def __init__(self, ranks: str, suits: str, shapes: Sequence[Shape]) -> None:
        super().__init__(rank + suit for rank in ranks for suit in suits)
        self.shapes = tuple(shapes)
        self.forms: dict[int, Form] = {}
        for shape in shapes:
            for low in range(len(shape.ranks)):
                counts = 0
                for top in range(low, min(low + shape.most, len(shape.ranks))):
                    counts |= shape.each << SUITS * top
                    length = top - low + 1
                    if length >= shape.least:
                        self.forms[counts] = Form(shape.type, shape.each * length, top)


def _counts(hand: int) -> int:
    """How many cards of each rank ``hand`` has, four bits a rank."""
    return hand - (hand >> 1 & _SEVENS) - (hand >> 2 & _THREES) - (hand >> 3 & _ONES)


def classify(pack: ClimbingPack, cards: int) -> Form | None:
    """What combination exactly ``cards`` are; None when they are none."""
    return pack.forms.get(_counts(cards))


def of_one_suit(cards: int) -> bool:
    """Whether all of ``cards``, at least one, share a suit."""
    lowest = (cards & -cards).bit_length() - 1
    return not cards & ~(_ONES << lowest % SUITS)


# [number of cards][cards of one rank, as four bits] -> every choice of that many of them, lowest suits first
_CHOICES: Final = tuple(
    tuple(
        tuple(sum(bits) for bits in choose([1 << suit for suit in range(SUITS) if held >> suit & 1], number))
        for held in range(1 << SUITS)
    )
    for number in range(SUITS + 1)
)


def combinations(pack: ClimbingPack, hand: int) -> list[tuple[int, Form]]:
    """Every combination that ``hand`` holds, each set of cards once, shape by shape, lowest first."""
    found: list[tuple[int, Form]] = []
    for shape in pack.shapes:
        choices = _CHOICES[shape.each]
        for low in range(len(shape.ranks)):
            masks = [0]
            for top in range(low, min(low + shape.most, len(shape.ranks))):
                shift = SUITS * top
                of_rank = choices[hand >> shift & 15]
                if not of_rank:
                    break
                masks = [mask | part << shift for mask in masks for part in of_rank]
                length = top - low + 1
                if length >= shape.least:
                    form = Form(shape.type, shape.each * length, top)
                    found += [(mask, form) for mask in masks]
    return found


TRICK_WON: Final = "trick-won"
WENT_OUT: Final = "went-out"

# --- the trick --------------------------------------------------------------------------------------------------------


class Climb(State):
    """Slots of its own: ``trick`` (seat, cards and form of each play, the last to be beaten; empty before the lead);
    ``in_trick`` (the mask of the seats that hold cards and have not passed); ``out`` (the seats without cards, in the
    order they went out)."""

    __slots__ = ("in_trick", "out", "trick")

    pack: ClimbingPack
    in_trick: int
    out: list[int]
    trick: list[tuple[int, int, Form]]


def holders(state: Climb) -> int:
    """The mask of the seats that hold cards."""
    return sum([1 << seat for seat, hand in enumerate(state.hands) if hand])


def _clockwise(state: Climb, seat: int, among: int) -> int:
    """The first seat of the mask ``among`` after ``seat``."""
    while True:
        seat = (seat + 1) % state.seats
        if among >> seat & 1:
            return seat


def lead(state: Climb, seat: int) -> None:
    """A new trick, led by ``seat`` or, when it holds no cards, by the next clockwise that does."""
    state.trick = []
    state.in_trick = holders(state)
    state.to_act = (seat if state.hands[seat] else _clockwise(state, seat, state.in_trick),)


def lay(state: Climb, seat: int, cards: int, form: Form) -> bool:
    """``seat`` lays ``cards`` on the trick; whether these were its last."""
    hand = state.hands[seat] = state.hands[seat] ^ cards
    state.trick.append((seat, cards, form))
    return not hand


def next_to_act(state: Climb, seat: int) -> list[Effect]:
    """After a play or pass of ``seat``: who may answer the last combination, or its player has won the trick."""
    owner, cards, _ = state.trick[-1]
    others = state.in_trick & ~(1 << owner)
    if others:
        state.to_act = (_clockwise(state, seat, others),)
        return []
    lead(state, owner)
    return [Effect(TRICK_WON, {"seat": owner, "cards": state.pack.cards(cards)})]


def climbing_effects(pack: ClimbingPack) -> dict[str, shown.EffectType]:
    """The effects that every climbing game has."""
    return {
        TRICK_WON: shown.EffectType(
            "{seat} takes the trick with {cards}",
            {
                "seat": shown.seat("Whose combination nobody beat."),
                "cards": shown.cards(pack, "That combination."),
            },
        ),
        WENT_OUT: shown.EffectType(
            "{seat} is out, in place {place}",
            {
                "seat": shown.seat("Who has played its last card."),
                "place": shown.number("Its place among those that went out, from 1.", 1, shown.SEATS_MOST),
            },
            lines=True,
        ),
    }


def trick_table(state: Climb) -> dict[str, Any]:
    """The trick as it lies open: the combination to beat, all plays, the seats holding cards that have passed."""
    cards_of = state.pack.cards
    to_beat = None
    if state.trick:
        seat, cards, form = state.trick[-1]
        to_beat = {"seat": seat, "type": form.type, "cards": cards_of(cards)}
    passed = holders(state) & ~state.in_trick
    return {
        "to_beat": to_beat,
        "trick": [{"seat": seat, "cards": cards_of(cards)} for seat, cards, _ in state.trick],
        "passed": [seat for seat in range(state.seats) if passed >> seat & 1],
    }


def trick_fields(pack: ClimbingPack) -> dict[str, shown.Schema]:
    """The JSON Schemas of what :func:`trick_table` shows."""
    by = shown.seat("Who played it.")
    of = shown.cards(pack, "The cards of the combination, lowest first.")
    types = [shape.type for shape in pack.shapes]
    combination = shown.fields("A combination.", seat=by, type=shown.word("What combination it is.", *types), cards=of)
    play = shown.fields("A combination in the trick.", seat=by, cards=of)
    return {
        "to_beat": shown.or_null("The combination to beat; null before the lead.", combination),
        "trick": shown.listed("Every combination in the trick, from the lead on.", play, len(pack.names)),
        "passed": shown.seats("The seats with cards that have passed and are out of the trick."),
    }
