"""Soda: 2 to 6 players win the scoring cards of one suit after another. The rules in words: ``rules.md``."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from api.cards import RANKS, SUIT_NAMES, SUITS, Pack, positions
from api.games import shown
from api.games.rules import (
    DEAL,
    OVER,
    TABLE,
    Chance,
    Effect,
    Field,
    IllegalMove,
    Move,
    Option,
    Ruleset,
    ScoreLine,
    Seen,
    State,
    award,
    card,
    card_lists,
    cards,
    check_hands,
    cut_hands,
    finish,
    leaders,
    permutation,
    random_dealer,
    round_scored,
    seat_or,
)

RANDOM: Final = "random"
DEALER: Final = "dealer"
PLAY: Final = "play"
RESHUFFLE: Final = "reshuffle"

HAND: Final = 5

Prize = tuple[str, int, str]
"""A scoring card: its name, what it is worth, and what a person calls it."""

SCORING: Final = range(2, 11)
"""What the scoring cards of a suit are worth, in the order in which they are played for."""

LAST: Final = SCORING[-1]


@lru_cache
def _prizes(suits: tuple[str, ...]) -> tuple[Prize, ...]:
    return tuple(
        (rank + suit, points, f"{points} of {SUIT_NAMES[suit]}")
        for suit in suits
        for points, rank in zip(SCORING, RANKS, strict=False)
    )


# a card's position in the pack, without its two lowest bits, is its rank
PACK: Final = Pack(rank + suit for rank in RANKS for suit in SUITS)
BITS: Final = PACK.bits
ACE: Final = RANKS.index("A")
NO_RANK: Final = -1

# by seat, words of the texts, made once: writing a number costs as much as the rest of a text
SEATS: Final = tuple(f"seat {seat}" for seat in range(6))
SAID_NO: Final = tuple(f"lay last when {seat} said No" for seat in SEATS)

# number of seats -> seat -> all seats, clockwise from that one
CLOCKWISE: Final = {
    seats: [tuple((seat + turn) % seats for turn in range(seats)) for seat in range(seats)]
    for seats in range(2, len(SEATS) + 1)
}


def _from_rank(rank: int) -> int:
    """The mask of all cards of ``rank`` and above."""
    return -1 << 4 * rank


class Soda(State):
    """Slots of its own: ``prizes`` are the scoring cards of the game, one for each line of the score sheet; ``stock``
    is the draw pile, its top card last, ``discards`` a mask; ``laid`` the cards of the hand in progress, from
    ``leader`` on (who leads the next one, while there is none), the last of them by the event ``laid_seq``.

    What a reshuffle interrupts: ``owed`` bonus cards of the last player, as far as there are any, ``refill`` the seat
    next in the refill (None while there is none)."""

    __slots__ = ("discards", "laid", "laid_seq", "leader", "owed", "prizes", "refill", "stock")

    dealer: int | None
    discards: int
    laid: list[int]
    laid_seq: int
    leader: int
    owed: int
    prizes: tuple[Prize, ...]
    refill: int | None
    stock: list[int]


def options(seats: int) -> dict[str, Option]:
    """The options of a game of ``seats``."""
    return {
        "suits": Option(
            permutation(*SUITS), list(SUITS), "The suits of the scoring cards, in the order of the rounds."
        ),
        "first_dealer": Option(seat_or(RANDOM, seats), RANDOM, "The seat that deals first, or one drawn by lot."),
    }


def start(config: Mapping[str, Any], seats: int) -> Soda:
    """The state before the first event; ``config`` whole, as read_config gives it."""
    state = Soda(config, seats, PACK, MOVES, _chances(seats), sides=seats)
    state.prizes = _prizes(tuple(config["suits"]))
    _clear(state)
    if state.dealer is None:
        state.phase = state.call = DEALER
    return state


def _clear(state: Soda) -> None:
    state.phase = state.call = DEAL
    state.to_act = ()
    state.hands = [0] * state.seats
    state.stock = []
    state.discards = 0
    state.laid = []
    state.laid_seq = 0
    state.leader = -1
    state.owed = 0
    state.refill = None


# --- chance events --------------------------------------------------------------------------------------------------


def check_deal(state: Soda, hands: Sequence[Sequence[int]], stock: Sequence[int]) -> None:
    """ValueError unless the whole pack is dealt, five cards to each seat (``common.deal``)."""
    check_hands([HAND] * state.seats, hands, stock)
    if len(stock) != len(PACK.names) - HAND * state.seats:
        raise ValueError


def deal(state: Soda, seq: int, hands: Sequence[Sequence[int]], stock: Sequence[int]) -> list[Effect]:
    """``soda.round``: the player left of the dealer leads the first hand."""
    assert state.dealer is not None
    state.hands = [sum([BITS[place] for place in hand]) for hand in hands]
    state.stock = [*stock[::-1]]
    state.phase = PLAY
    state.call = None
    state.leader = (state.dealer + 1) % state.seats
    state.to_act = (state.leader,)
    return []


def check_reshuffle(state: Soda, stock: Sequence[int]) -> None:
    """ValueError unless the new draw pile has exactly the cards of the discard pile (``common.deal``)."""
    if sorted(stock) != list(positions(state.discards)):
        raise ValueError


def reshuffle(state: Soda, seq: int, stock: Sequence[int]) -> Sequence[Effect]:
    """``soda.reshuffle``: the draw that was interrupted goes on."""
    state.stock = [*stock[::-1]]
    state.discards = 0
    state.phase = PLAY
    state.call = None
    if state.refill is None:
        return _draw_bonus(state)
    seat, state.refill = state.refill, None
    effects: list[Effect] = []
    _refill(state, seat, effects)
    return effects


# --- moves ----------------------------------------------------------------------------------------------------------


def play(state: Soda, seq: int, seat: int, place: int) -> Sequence[Effect]:
    """A card to the hand in progress: ``soda.play.follow``, ``soda.play.match`` and ``soda.ace``."""
    laid = state.laid
    rank = place >> 2
    before = laid[-1] >> 2 if laid else NO_RANK
    if rank < before:
        raise IllegalMove("soda.play.follow", "A card must be as high as the last card played, or higher.")
    state.hands[seat] ^= BITS[place]
    laid.append(place)
    state.laid_seq = seq
    if rank == ACE:
        return _ace(state, seq, seat, before)
    if rank == before:
        # ranks never fall within a hand: the cards of this one lie in a row
        state.owed = sum([each >> 2 == rank for each in laid]) - 1
        return _draw_bonus(state)
    seat += 1
    state.to_act = (seat,) if seat < state.seats else (0,)
    return ()


def say_no(state: Soda, seq: int, seat: int) -> Sequence[Effect]:
    """``soda.play.no`` and ``soda.hand.won``."""
    if not state.laid:
        raise IllegalMove("soda.play.no", "The leader of a hand may not say No.")
    winner = (seat or state.seats) - 1
    return _end_hand(state, winner, (state.laid_seq, seq), SAID_NO[seat], [], seat)


def _ace(state: Soda, seq: int, seat: int, before: int) -> Sequence[Effect]:
    """``soda.ace``: laid on a card of the rank ``before``, or led."""
    after = CLOCKWISE[state.seats][seat][1:]
    stripped = []
    if before != NO_RANK:
        hands = state.hands
        higher = _from_rank(before + 1)
        for other in after:
            out = hands[other] & higher
            kept = hands[other] ^ out
            hands[other] = kept
            state.discards |= out
            facts = {"seat": other, "discarded": PACK.cards(out), "cards": PACK.cards(kept)}
            stripped.append(Effect("cards-shown", facts))
    return _end_hand(state, seat, (seq,), "ended the hand", stripped, after[0])


def _end_hand(
    state: Soda, winner: int, seqs: tuple[int, ...], how: str, effects: list[Effect], leader: int
) -> Sequence[Effect]:
    """``soda.score.card``, to the ``winner`` whose card lies last, and what comes next: ``leader``'s hand, or a round.

    ``seqs`` are the events that the scoring card rests on; ``effects`` are those of the ace that ended the hand.
    """
    name, points, words = state.prizes[len(state.lines)]
    laid = state.laid
    card = PACK.names[laid[-1]]
    text = f"The {words} to {SEATS[winner]}, whose {card} {how}."
    line = award(state, ScoreLine(state.round, winner, points, "soda.score.card", seqs, text))
    effects.append(Effect("hand-won", {"seat": winner, "card": card, "scoring_card": name}, None, (), (line,)))
    discards = state.discards
    for place in laid:
        discards |= BITS[place]
    state.discards = discards
    state.laid = []
    assert state.dealer is not None
    left = (state.dealer + 1) % state.seats
    if points < LAST:
        state.leader = leader
        _refill(state, left, effects)
        return effects
    effects.append(round_scored(state))
    if len(state.lines) < len(state.prizes):
        state.round += 1
        state.dealer = left
        _clear(state)
    else:
        # soda.end
        effects.append(finish(state, leaders(state.scores)))
    return effects


# --- draws ----------------------------------------------------------------------------------------------------------


def _drawn(seat: int, names: list[str]) -> Effect:
    return Effect("cards-drawn", {"seat": seat, "count": len(names)}, {"cards": names}, (seat,))


# seat -> card -> the draw of that card
ONE_DRAWN: Final = [[_drawn(seat, [name]) for name in PACK.names] for seat in range(len(SEATS))]


def _call_reshuffle(state: Soda) -> None:
    state.phase = state.call = RESHUFFLE
    state.to_act = ()


def _draw_bonus(state: Soda) -> Sequence[Effect]:
    """``soda.play.match``: what is owed to the last player, as far as the draw pile goes; then the next one's turn."""
    seat = (state.leader + len(state.laid) - 1) % state.seats
    stock = state.stock
    drawn = []
    while state.owed and stock:
        place = stock.pop()
        state.hands[seat] |= BITS[place]
        drawn.append(PACK.names[place])
        state.owed -= 1
    if not stock and state.discards:
        _call_reshuffle(state)
    else:
        state.to_act = ((seat + 1) % state.seats,)
    return (_drawn(seat, drawn),) if drawn else ()


def _refill(state: Soda, seat: int, effects: list[Effect]) -> None:
    """``soda.refill`` from ``seat`` on, as far as the draw pile goes; then the next hand is led.

    Adds to ``effects`` one for each card, in the order in which they are given.
    """
    hands, stock = state.hands, state.stock
    turns = CLOCKWISE[state.seats][seat]
    short = True
    while short:
        short = False
        for other in turns:
            count = hands[other].bit_count()
            if count < HAND and stock:
                place = stock.pop()
                hands[other] |= BITS[place]
                effects.append(ONE_DRAWN[other][place])
                short = short or count < HAND - 1
                seat = other + 1
    if not stock and state.discards:
        state.refill = seat % state.seats
        _call_reshuffle(state)
        return
    # soda.lead.empty: whoever leads holds cards, since all that left a hand has just been there to be given out again
    state.to_act = (state.leader,)


# --- legal moves and what lies open -----------------------------------------------------------------------------------

MOVES: Final = {
    "play": Move([PLAY], play, Field("card", card(PACK), "everyone", "The card."), words="lays {card}"),
    "no": Move([PLAY], say_no, words="says No"),
}


@lru_cache
def _chances(seats: int) -> dict[str, Chance]:
    return {
        "dealer": random_dealer(seats),
        "deal": Chance(
            Field("hands", card_lists(PACK, len(SEATS)), "own-part", "Five cards for each seat, in order of seat."),
            Field("stock", cards(PACK), "nobody", "The draw pile, its top card first."),
            ask=lambda state: {"hands": [HAND] * seats, "stock": len(PACK.names) - HAND * seats},
            items=lambda state: PACK.names,
            cut=lambda state, shuffled: {
                "hands": cut_hands(shuffled, [HAND] * seats),
                "stock": list(shuffled[HAND * seats :]),
            },
            check=check_deal,
            take=deal,
            words="The cards are dealt[; {hands}][; the draw pile is {stock}]",
        ),
        "reshuffle": Chance(
            Field("stock", cards(PACK), "nobody", "The new draw pile, its top card first."),
            ask=lambda state: {"stock": state.discards.bit_count()},
            # in the order of the pack: how the discards came together means nothing to the shuffle
            items=lambda state: PACK.cards(state.discards),
            cut=lambda state, shuffled: {"stock": list(shuffled)},
            check=check_reshuffle,
            take=reshuffle,
            words="The draw pile is made anew[: {stock}]",
        ),
    }


def legal(state: Soda, seat: int) -> list[dict[str, Any]]:
    """Every move that ``seat`` may make now: the plays, lowest card first, then the No."""
    if seat not in state.to_act:
        return []
    hand = state.hands[seat]
    if state.laid:
        hand &= _from_rank(state.laid[-1] >> 2)
    moves: list[dict[str, Any]] = [{"type": "play", "card": name} for name in PACK.cards(hand)]
    if state.laid:
        moves.append({"type": "no"})
    return moves


def table(state: Soda, view: Seen) -> dict[str, Any]:
    """What lies open: the scoring card played for, the cards laid, the piles, the scoring cards won by each seat."""
    names = PACK.names
    won: list[list[str]] = [[] for _ in range(state.seats)]
    for line, (name, _, _) in zip(state.lines, state.prizes, strict=False):
        won[line.side].append(name)
    stock: dict[str, Any] = {"count": len(state.stock)}
    if view == TABLE:
        stock["cards"] = [names[place] for place in reversed(state.stock)]
    return {
        "scoring_card": None if state.phase == OVER else state.prizes[len(state.lines)][0],
        "laid": [
            {"seat": (state.leader + turn) % state.seats, "card": names[place]} for turn, place in enumerate(state.laid)
        ],
        "stock": stock,
        # in the order of the pack, whatever hand or pile a card came from
        "discards": PACK.cards(state.discards),
        "won": won,
    }


SCORING_CARDS: Final = [name for name, _, _ in _prizes(tuple(SUITS))]

EFFECTS: Final = {
    "cards-drawn": shown.EffectType(
        "{seat} draws {count} from the pile[: {cards}]",
        {"seat": shown.seat("Who drew."), "count": shown.number("How many cards.", 1, len(PACK.names))},
        private={"cards": shown.cards(PACK, "Which; only its player sees them.")},
    ),
    "cards-shown": shown.EffectType(
        "{seat} shows the hand[, discards {discarded}][ and keeps {cards}]",
        {
            "seat": shown.seat("Who showed its hand."),
            "discarded": shown.cards(PACK, "What it discarded."),
            "cards": shown.cards(PACK, "What it keeps."),
        },
    ),
    "hand-won": shown.EffectType(
        "{seat} takes {scoring_card} with {card}",
        {
            "seat": shown.seat("Who has won it."),
            "card": shown.card(PACK, "The card that lay last."),
            "scoring_card": shown.word("The scoring card.", *SCORING_CARDS),
        },
        lines=True,
    ),
}

LIES_OPEN: Final = shown.fields(
    "What lies open in Soda.",
    scoring_card=shown.or_null(
        "The scoring card that is played for; null when the game is over.",
        shown.word("A scoring card.", *SCORING_CARDS),
    ),
    laid=shown.listed(
        "The cards of the hand in progress, from its leader on.",
        shown.fields("A card laid.", seat=shown.seat("Who laid it."), card=shown.card(PACK, "The card.")),
        len(PACK.names),
    ),
    stock=shown.fields(
        "The draw pile.",
        {"cards": shown.cards(PACK, "Its cards, the top one first; only in the view `table`.")},
        count=shown.number("How many cards it has.", 0, len(PACK.names)),
    ),
    discards=shown.cards(PACK, "The discard pile, in the order of the pack."),
    won=shown.listed(
        "The scoring cards that each seat has won.",
        shown.listed("A seat's, in the order won.", shown.word("A scoring card.", *SCORING_CARDS), len(SCORING_CARDS)),
        len(SEATS),
    ),
)

RULESET: Final = Ruleset(
    id="soda",
    version=1,
    title="Soda",
    summary="Nine hands a suit for 2 to 6 players: play as high or higher, or say No; an ace takes it at once.",
    seats=(2, 3, 4, 5, 6),
    sides="seats",
    phases=(DEALER, DEAL, PLAY, RESHUFFLE, OVER),
    options=options,
    start=start,
    legal=legal,
    table=table,
    effects=EFFECTS,
    lies_open=LIES_OPEN,
    rules=(
        "soda.round",
        "soda.play.follow",
        "soda.play.no",
        "soda.hand.won",
        "soda.play.match",
        "soda.ace",
        "soda.refill",
        "soda.reshuffle",
        "soda.lead.empty",
        "soda.score.card",
        "soda.end",
    ),
)
