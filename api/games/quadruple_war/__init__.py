"""Quadruple War: Spades for 2 to 5 players, each for itself, with two jokers. The rules in words: ``rules.md``."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from api.cards import BIG_JOKER, LITTLE_JOKER, RANKS, SUIT_NAMES, Pack, standard_names
from api.games import shown
from api.games.rules import (
    DEAL,
    OVER,
    Chance,
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
    card,
    cards,
    deal_hands,
    finish,
    integer,
    integer_by_rule,
    leaders,
    round_scored,
    seat_or,
)
from api.games.tricks import TrickState, clear_trick, lay, shown_trick, trick_schema

DRAW: Final = "draw"
BID: Final = "bid"
PLAY: Final = "play"

BAGS_A_PENALTY: Final = 10
BAG_PENALTY: Final = 100

# (seats, jokers) -> the cards taken out, so that the pack divides by the seats
TAKEN_OUT: Final[Mapping[tuple[int, bool], tuple[str, ...]]] = {
    (2, True): ("2c", "2d"),
    (3, True): (),
    (4, True): ("2c", "2d"),
    (5, True): ("2c", "2d", "2h", "2s"),
    (2, False): (),
    (3, False): ("2c",),
    (4, False): (),
    (5, False): ("2c", "2d"),
}


class WarPack(Pack):
    """The pack, spades last and the jokers above them, so that a card is beaten by the later ones of its suit."""

    __slots__ = ("beats", "draw_rank", "size", "spades", "suits")

    def __init__(self, seats: int, jokers: bool) -> None:
        names = standard_names() + [LITTLE_JOKER, BIG_JOKER] * jokers
        super().__init__(name for name in names if name not in TAKEN_OUT[seats, jokers])
        self.size = len(self.names) // seats
        self.spades = self.mask(name for name in self.names if _is_spade(name))
        plain = {
            suit: self.mask(name for name in self.names if name[1] == suit and not _is_spade(name))
            for suit in SUIT_NAMES
        }
        self.suits: tuple[int, ...] = tuple(self.spades if _is_spade(name) else plain[name[1]] for name in self.names)
        """For each card, the mask of its whole suit."""
        self.beats: tuple[int, ...] = tuple(
            (suit | self.spades) & ~0 << place + 1 for place, suit in enumerate(self.suits)
        )
        """For each card, the mask of those that beat it once its suit is led."""
        self.draw_rank: tuple[tuple[int, int], ...] = tuple(
            (RANKS.find(name[0]) if name[1] != "J" else len(RANKS), place) for place, name in enumerate(self.names)
        )
        """For each card, what it counts for in the draw for the deal: rank, then suit."""


def _is_spade(name: str) -> bool:
    return name[1] in "sJ"


class War(TrickState):
    """Slots of its own: ``bids`` (None until made) and ``bid_seqs``; ``tricks`` won and, by seat, the seqs of the cards
    that ended them; ``broken``: whether a spade has been played; ``bags`` (the seqs of the tricks counted as overtricks
    since the last penalty); ``decider``: whether the game ends with the first hand that leaves one player ahead."""

    __slots__ = ("bags", "bid_seqs", "bids", "broken", "decider", "trick_seqs", "tricks")

    pack: WarPack
    bags: list[tuple[int, ...]]
    bid_seqs: list[int]
    bids: list[int | None]
    broken: bool
    decider: bool
    tricks: list[int]
    trick_seqs: list[tuple[int, ...]]


def options(seats: int) -> dict[str, Option]:
    """The options of a game of ``seats``."""
    return {
        "jokers": Option(boolean(), True, "Whether the two jokers are in the pack, as the highest spades."),
        "target": Option(integer(1, 10000), 500, "The total that ends the game; 200 makes a short one."),
        "bags": Option(boolean(), False, "Whether ten overtricks cost their player 100 points."),
        "first_dealer": Option(
            seat_or(DRAW, seats), DRAW, "The seat that deals first, or a draw for the highest card."
        ),
    }


@lru_cache
def _tables(seats: int, jokers: bool) -> tuple[WarPack, dict[str, Move], dict[str, Chance]]:
    pack = WarPack(seats, jokers)
    moves = {
        "bid": Move(
            [BID],
            bid,
            Field("tricks", integer_by_rule(1, pack.size), "everyone", "How many tricks the player means to win."),
            words="bids {tricks}",
        ),
        "play": Move([PLAY], play, Field("card", card(pack), "everyone", "The card."), words="plays {card}"),
    }
    chances = {
        "draw": Chance(
            Field("cards", cards(pack), "everyone", "The card that each seat has drawn, in order of seat."),
            ask=lambda state: {"cards": state.seats},
            items=lambda state: state.pack.names,
            cut=lambda state, shuffled: {"cards": list(shuffled[: state.seats])},
            check=check_draw,
            take=draw,
            words="The cards drawn for the deal are {cards}",
        ),
        "deal": deal_hands(pack, pack.size, deal),
    }
    return pack, moves, chances


def start(config: Mapping[str, Any], seats: int) -> War:
    """The state before the first event; ``config`` whole, as read_config gives it."""
    pack, moves, chances = _tables(seats, config["jokers"])
    state = War(config, seats, pack, moves, chances, sides=seats)
    state.suits = pack.suits
    state.beats = pack.beats
    state.bags = [()] * seats
    state.decider = False
    _clear(state)
    if state.dealer is None:
        state.phase = state.call = DRAW
    return state


def _clear(state: War) -> None:
    seats = state.seats
    state.phase = state.call = DEAL
    state.to_act = ()
    state.hands = [0] * seats
    state.bids = [None] * seats
    state.bid_seqs = [0] * seats
    state.tricks = [0] * seats
    state.trick_seqs = [()] * seats
    state.broken = False
    state.best = state.best_seat = state.leader = -1
    clear_trick(state)


# --- chance events --------------------------------------------------------------------------------------------------


def check_draw(state: War, drawn: Sequence[int]) -> None:
    """ValueError unless each seat drew a card of its own (``common.deal``)."""
    if len(drawn) != state.seats or len(set(drawn)) != state.seats:
        raise ValueError


def draw(state: War, seq: int, drawn: Sequence[int]) -> list[Effect]:
    """The draw for the deal: the highest rank deals, then spades over hearts over diamonds over clubs."""
    rank = state.pack.draw_rank
    state.dealer = max(range(state.seats), key=lambda seat: rank[drawn[seat]])
    state.phase = state.call = DEAL
    return [Effect("dealer-chosen", {"seat": state.dealer, "card": state.pack.names[drawn[state.dealer]]})]


def deal(state: War, seq: int, hands: Sequence[Sequence[int]]) -> list[Effect]:
    """``quadruple-war.deal``: the whole pack is dealt."""
    bits = state.pack.bits
    assert state.dealer is not None
    state.hands = [sum([bits[place] for place in hand]) for hand in hands]
    state.phase = BID
    state.call = None
    state.leader = (state.dealer + 1) % state.seats
    state.to_act = (state.leader,)
    return []


# --- moves ----------------------------------------------------------------------------------------------------------


def bid(state: War, seq: int, seat: int, tricks: int) -> Sequence[Effect]:
    """``quadruple-war.bid``: each player once, from the dealer's left, from 1 to the cards in a hand."""
    if not 1 <= tricks <= state.pack.size:
        raise IllegalMove("quadruple-war.bid", f"A bid is from 1 to {state.pack.size} tricks.")
    state.bids[seat] = tricks
    state.bid_seqs[seat] = seq
    after = (seat + 1) % state.seats
    state.to_act = (after,)
    if after == state.leader:
        state.phase = PLAY
    return ()


def play(state: War, seq: int, seat: int, place: int) -> Sequence[Effect]:
    """A card to the trick: ``quadruple-war.follow``, ``.break`` and ``.trick``."""
    bit = 1 << place
    hand = state.hands[seat]
    led = state.led
    if hand & led and not bit & led:
        raise IllegalMove("quadruple-war.follow", "A player who holds the suit led must play it.")
    effects: list[Effect] = []
    if not state.broken and bit & state.pack.spades:
        if not led and hand & ~state.pack.spades:
            raise IllegalMove(
                "quadruple-war.break",
                "Spades may not be led before one has been played in this hand, unless the leader holds nothing else.",
            )
        state.broken = True
        effects.append(Effect("spades-broken", {"seat": seat}))
    if not lay(state, seat, place):
        return effects
    winner = state.best_seat
    state.tricks[winner] += 1
    state.trick_seqs[winner] += (seq,)
    effects.append(
        Effect(
            "trick-won",
            {"seat": winner, "card": state.pack.names[state.best], "tricks": state.tricks[winner]},
        )
    )
    clear_trick(state)
    if not state.hands[winner]:
        effects += _score(state)
    return effects


def _score(state: War) -> list[Effect]:
    for seat in range(state.seats):
        for line in _lines(state, seat):
            award(state, line)
    effects = [round_scored(state)]
    state.decider = state.decider or max(state.scores) >= state.config["target"]
    ahead = leaders(state.scores)
    if state.decider and len(ahead) == 1:
        # quadruple-war.end
        effects.append(finish(state, ahead))
        return effects
    assert state.dealer is not None
    state.round += 1
    state.dealer = (state.dealer + 1) % state.seats
    _clear(state)
    return effects


def _lines(state: War, seat: int) -> list[ScoreLine]:
    """The score of ``seat`` in the hand, under the rules ``quadruple-war.score.*``; counts its bags."""
    bid, won = state.bids[seat], state.tricks[seat]
    assert bid is not None
    rests_on = (state.bid_seqs[seat], *state.trick_seqs[seat])
    took = f"Seat {seat} bid {bid} and took {won}"
    if won < bid:
        return [ScoreLine(state.round, seat, 0, "quadruple-war.score.broken", rests_on, f"{took}: the bid is broken.")]
    over = won - bid
    made = f"{took}: {bid} x 10 for the bid made."
    lines = [ScoreLine(state.round, seat, 10 * bid, "quadruple-war.score.made", rests_on, made)]
    if over:
        text = f"{took}: 1 for each trick above the bid."
        lines.append(ScoreLine(state.round, seat, over, "quadruple-war.score.overtrick", rests_on, text))
    if state.config["bags"]:
        bags = state.bags[seat] + state.trick_seqs[seat][bid:]
        while len(bags) >= BAGS_A_PENALTY:
            text = f"Seat {seat} has {BAGS_A_PENALTY} overtricks: {BAG_PENALTY} off."
            counted, bags = bags[:BAGS_A_PENALTY], bags[BAGS_A_PENALTY:]
            lines.append(ScoreLine(state.round, seat, -BAG_PENALTY, "quadruple-war.score.bags", counted, text))
        state.bags[seat] = bags
    return lines


# --- legal moves and what lies open -----------------------------------------------------------------------------------


def legal(state: War, seat: int) -> list[dict[str, Any]]:
    """Every move that ``seat`` may make now, lowest card first."""
    if seat not in state.to_act:
        return []
    if state.phase == BID:
        return [{"type": "bid", "tricks": tricks} for tricks in range(1, state.pack.size + 1)]
    hand = state.hands[seat]
    if state.led:
        playable = hand & state.led or hand
    elif state.broken:
        playable = hand
    else:
        playable = hand & ~state.pack.spades or hand
    return [{"type": "play", "card": name} for name in state.pack.cards(playable)]


def table(state: War, view: Seen) -> dict[str, Any]:
    """What lies open: bids, tricks won, the trick in play from its leader, whether spades are broken, bags."""
    shown: dict[str, Any] = {
        "trump": "s",
        "bids": list(state.bids),
        "tricks": list(state.tricks),
        "trick": shown_trick(state),
        "spades_broken": state.broken,
    }
    if state.config["bags"]:
        shown["bags"] = [len(bags) for bags in state.bags]
    return shown


WHOLE_PACK: Final = WarPack(3, jokers=True)
HAND_MOST: Final = WarPack(2, jokers=True).size

EFFECTS: Final = {
    "dealer-chosen": shown.EffectType(
        "{seat} drew {card} and deals first",
        {
            "seat": shown.seat("The dealer."),
            "card": shown.card(WHOLE_PACK, "The card that it drew, the highest."),
        },
    ),
    "spades-broken": shown.EffectType("Spades are broken", {"seat": shown.seat("Who played it.")}),
    "trick-won": shown.EffectType(
        "{seat} wins the trick with {card}, {tricks} so far",
        {
            "seat": shown.seat("Who has won it."),
            "card": shown.card(WHOLE_PACK, "The card that won it."),
            "tricks": shown.number("How many tricks that seat has won in this hand.", 1, HAND_MOST),
        },
    ),
}

LIES_OPEN: Final = shown.fields(
    "What lies open in Quadruple War.",
    {
        "bags": shown.listed(
            "With the option `bags`: the overtricks of each seat since its last penalty.",
            shown.number("A seat's.", 0, BAGS_A_PENALTY - 1),
            shown.SEATS_MOST,
        )
    },
    trump=shown.word("The trump suit.", "s"),
    bids=shown.listed(
        "The bid of each seat; null for one to come.",
        shown.or_null("A seat's.", shown.number("How many tricks.", 1, HAND_MOST)),
        shown.SEATS_MOST,
    ),
    tricks=shown.listed(
        "How many tricks each seat has won in this hand.",
        shown.number("A seat's.", 0, HAND_MOST),
        shown.SEATS_MOST,
    ),
    trick=trick_schema(WHOLE_PACK),
    spades_broken=shown.flag("Whether a spade has been played in this hand."),
)

RULESET: Final = Ruleset(
    id="quadruple-war",
    version=1,
    title="Quadruple War",
    summary="Spades for 2 to 5 players, each for itself, with two jokers on top.",
    seats=(2, 3, 4, 5),
    sides="seats",
    phases=(DRAW, DEAL, BID, PLAY, OVER),
    options=options,
    start=start,
    legal=legal,
    table=table,
    effects=EFFECTS,
    lies_open=LIES_OPEN,
    rules=(
        "quadruple-war.deal",
        "quadruple-war.bid",
        "quadruple-war.follow",
        "quadruple-war.break",
        "quadruple-war.trick",
        "quadruple-war.score.made",
        "quadruple-war.score.overtrick",
        "quadruple-war.score.broken",
        "quadruple-war.score.bags",
        "quadruple-war.end",
    ),
)
