"""Kraken: four players, two teams, tricks with trumps and combinations. The rules in words: ``rules.md``."""

from collections.abc import Mapping
from typing import Any, Final

from api.cards import SUITS, positions
from api.games import shown
from api.games.kraken.bidding import (
    DOUBLINGS,
    accept,
    callable_suits,
    check_turn,
    deal,
    decline,
    double,
    must_name,
    name_trump,
    turn,
)
from api.games.kraken.combinations import combinations
from api.games.kraken.pack import PACK, SUIT_OF
from api.games.kraken.playing import answer_bonus, declare, may_marry, play, playable
from api.games.kraken.state import (
    ACCEPT,
    BONUS,
    CALL,
    CHALLENGE,
    DEALER,
    DECLARE,
    FREE,
    HAND,
    PLAY,
    RANDOM,
    RE,
    SEATS,
    SUPERKRAKEN,
    TRUMP,
    TURN,
    UTRECHT,
    Kraken,
    clear,
)
from api.games.rules import (
    DEAL,
    OVER,
    Chance,
    Field,
    Kind,
    Move,
    Option,
    Ruleset,
    Seen,
    boolean,
    card,
    card_lists,
    choice,
    deal_hands,
    integer,
    number_choice,
    random_dealer,
    seat_or,
    sees_seat,
)
from api.games.tricks import shown_trick, trick_schema


def _yes(value: Any) -> bool:
    if value is not True:
        raise ValueError
    return True


# a marriage is declared or the field left out: a play has one form for each meaning
YES: Final = Kind({"type": "boolean", "enum": [True]}, _yes)

COMBINATIONS_MOST: Final = HAND

OPTIONS: Final[dict[str, Option]] = {
    "trump": Option(choice(FREE, UTRECHT, RANDOM), FREE, "How trumps are chosen."),
    "free_starts": Option(
        choice("left", "dealer"), "left", "With free: who is asked first, the seat left of the dealer or the dealer."
    ),
    "random_fallback": Option(
        choice("second-card", "call"),
        "second-card",
        "With random, when all have passed: a second card is turned, or the seat left of the dealer calls a suit.",
    ),
    "play": Option(
        choice("amsterdam", "rotterdam"), "amsterdam", "When a player who can't follow suit must play a trump."
    ),
    "rounds": Option(integer(1, 64), 16, "How many rounds are played."),
    "spades_factor": Option(number_choice(1, 2), 2, "What the points of tricks count for when spades are trumps."),
    "last_trick": Option(integer(0, 100), 0, "Points for the last trick; 10 is the Dutch custom."),
    "march": Option(integer(0, 500), 0, "Points for taking all eight tricks; 100 is the Dutch custom."),
    "multiply_bonus": Option(boolean(), True, "Whether a challenge multiplies bonus points too."),
    "first_dealer": Option(seat_or(RANDOM, SEATS), RANDOM, "The seat that deals first, or one found at random."),
}

MOVES: Final[dict[str, Move]] = {
    "trump": Move(
        [TRUMP, CALL],
        name_trump,
        Field("suit", choice(*SUITS), "everyone", "The suit."),
        words="makes {suit} the trump suit",
    ),
    "accept": Move([ACCEPT], accept, words="accepts the turned suit"),
    "challenge": Move([CHALLENGE], double, words="challenges"),
    "re": Move([RE], double, words="says re"),
    "superkraken": Move([SUPERKRAKEN], double, words="says superkraken"),
    "pass": Move([TRUMP, ACCEPT, CALL, *DOUBLINGS], decline, words="passes"),
    "declare": Move(
        [DECLARE],
        declare,
        Field(
            "combinations",
            card_lists(PACK, COMBINATIONS_MOST),
            "mover",
            "The combinations declared, each as its cards; none to declare nothing.",
            pattern=shown.fields(
                "Any of these combinations, or none.",
                among=shown.listed(
                    "Every combination that the hand holds.",
                    shown.cards(PACK, "The cards of one."),
                    COMBINATIONS_MOST,
                ),
            ),
        ),
        words="declares[ {combinations}]",
    ),
    "play": Move(
        [PLAY],
        play,
        Field("card", card(PACK), "everyone", "The card."),
        Field("marriage", YES, "everyone", "That king and queen of trumps are declared with this card.", optional=True),
        words="plays {card}",
    ),
    "bonus": Move(
        [BONUS],
        answer_bonus,
        Field("claim", boolean(), "everyone", "Whether the bonus is claimed, or let go."),
        words="claims the bonus: {claim}",
    ),
}

CHANCES: Final[dict[str, Chance]] = {
    "dealer": random_dealer(SEATS),
    "deal": deal_hands(PACK, HAND, deal),
    "turn": Chance(
        Field("card", card(PACK), "everyone", "The card turned."),
        ask=lambda state: {"card": 1},
        items=lambda state: [name for place, name in enumerate(PACK.names) if place not in state.turned],
        cut=lambda state, shuffled: {"card": shuffled[0]},
        check=check_turn,
        take=turn,
        words="Turned from the second pack: {card}",
    ),
}


def options(seats: int) -> dict[str, Option]:
    """The options of a game; there is one number of seats."""
    return OPTIONS


def start(config: Mapping[str, Any], seats: int) -> Kraken:
    """The state before the first event; ``config`` whole, as read_config gives it."""
    state = Kraken(config, seats, PACK, MOVES, CHANCES, sides=2)
    state.suits = SUIT_OF
    state.beats = ()
    clear(state)
    if state.dealer is None:
        state.phase = state.call = DEALER
    return state


def legal(state: Kraken, seat: int) -> list[dict[str, Any]]:
    """Every move that ``seat`` may make now, lowest card first; what it may declare is a pattern."""
    if seat not in state.to_act:
        return []
    phase = state.phase
    if phase in (TRUMP, CALL):
        named = [{"type": "trump", "suit": suit} for suit in callable_suits(state)]
        return named if must_name(state) else [*named, {"type": "pass"}]
    if phase == DECLARE:
        held = [list(each.names) for each in combinations(state.hands[seat])]
        return [{"type": "declare", "combinations": {"among": held}}]
    if phase == PLAY:
        return _plays(state, seat)
    if phase == BONUS:
        return [{"type": "bonus", "claim": claim} for claim in (True, False)]
    # accept and the doublings: the move is called what the phase is
    return [{"type": phase}, {"type": "pass"}]


def _plays(state: Kraken, seat: int) -> list[dict[str, Any]]:
    moves = []
    for place in positions(playable(state, seat)):
        move: dict[str, Any] = {"type": "play", "card": PACK.names[place]}
        moves.append(move)
        if may_marry(state, seat, place):
            moves.append({**move, "marriage": True})
    return moves


def table(state: Kraken, view: Seen) -> dict[str, Any]:
    """What lies open: trumps and how they came about, the multiplier, what was declared (with the cards that ``view``
    may know), tricks by team, the trick in play from its leader, the bonus that waits for an answer."""
    return {
        "turned": [PACK.names[place] for place in state.turned],
        "trump": state.trump.suit or None,
        "declarer": state.declarer,
        "multiplier": state.multiplier,
        "declared": [_declared(state, seat, view) for seat in range(SEATS)],
        "marriage": state.married if state.marriage_seq else None,
        "tricks": [len(seqs) for seqs in state.trick_seqs],
        "trick": shown_trick(state),
        "bonus": state.due and {"team": state.due.team, "points": state.due.points},
    }


def _declared(state: Kraken, seat: int, view: Seen) -> list[dict[str, Any]] | None:
    declared = state.declared[seat]
    if declared is None:
        return None
    known = sees_seat(view, seat) or (state.ahead is not None and state.ahead % 2 == seat % 2)
    return [
        {"points": each.points, "cards": list(each.names)} if known else {"points": each.points} for each in declared
    ]


EFFECTS: Final = {
    "trump-set": shown.EffectType(
        "Trumps are {suit}",
        {"suit": shown.suit("The trump suit."), "seat": shown.seat("The declarer.")},
    ),
    "doubled": shown.EffectType(
        "The round counts {multiplier} times",
        {
            "seat": shown.seat("Who said it."),
            "multiplier": shown.number("What the round counts for now.", 2, 8),
        },
    ),
    "combinations-declared": shown.EffectType(
        "[Combinations worth {points} points]",
        {
            "seat": shown.seat("Who declared."),
            "points": shown.listed(
                "What each combination is worth, the best one first.",
                shown.points("Points."),
                COMBINATIONS_MOST,
            ),
        },
    ),
    "combinations-shown": shown.EffectType(
        "The combinations of {team} count: {combinations}",
        {
            "team": shown.number("The team.", 0, 1),
            "combinations": shown.listed(
                "Its combinations.",
                shown.fields(
                    "A combination.",
                    seat=shown.seat("Who holds it."),
                    points=shown.points("What it is worth."),
                    cards=shown.cards(PACK, "Its cards."),
                ),
                2 * COMBINATIONS_MOST,
            ),
        },
    ),
    "marriage-declared": shown.EffectType(
        "{seat} has king and queen of trumps, worth {points} points",
        {"seat": shown.seat("Who holds them."), "points": shown.points("What they are worth.")},
    ),
    "trick-won": shown.EffectType(
        "{seat} takes the trick with {card}, worth {points} points",
        {
            "seat": shown.seat("Who has won it."),
            "card": shown.card(PACK, "The card that won it."),
            "points": shown.points("What its cards are worth."),
        },
    ),
    "bonus-due": shown.EffectType(
        "The trick has a bonus of {points} points for {team} to claim",
        {"team": shown.number("Whose it is.", 0, 1), "points": shown.points("What it is worth.")},
    ),
}

LIES_OPEN: Final = shown.fields(
    "What lies open in Kraken.",
    turned=shown.listed("The cards turned from the second pack.", shown.card(PACK, "A card."), 2),
    trump=shown.or_null("The trump suit; null until it is settled.", shown.suit("The suit.")),
    declarer=shown.or_null("Who settled it; null until then.", shown.seat("The declarer.")),
    multiplier=shown.number("What the round counts for: 1, doubled by each challenge.", 1, 8),
    declared=shown.listed(
        "What each seat has declared.",
        shown.or_null(
            "A seat's combinations; null for one that has not declared yet.",
            shown.listed(
                "The combinations, the best one first.",
                shown.fields(
                    "A combination.",
                    {"cards": shown.cards(PACK, "Its cards; absent in a view that may not see them.")},
                    points=shown.points("What it is worth."),
                ),
                COMBINATIONS_MOST,
            ),
        ),
        SEATS,
    ),
    marriage=shown.or_null(
        "Who has declared king and queen of trumps; null for nobody so far.", shown.seat("Their holder.")
    ),
    tricks=shown.listed("How many tricks each team has won.", shown.number("A team's.", 0, HAND), 2),
    trick=trick_schema(PACK),
    bonus=shown.or_null(
        "The bonus that waits for an answer, or null.",
        shown.fields(
            "A bonus.",
            team=shown.number("Whose it is.", 0, 1),
            points=shown.points("What it is worth."),
        ),
    ),
)

RULESET: Final = Ruleset(
    id="kraken",
    version=1,
    title="Kraken",
    summary="Klaverjassen's kin for two teams of two: sixteen rounds of tricks, combinations and challenges.",
    seats=(SEATS,),
    sides="teams",
    phases=(DEALER, DEAL, TURN, TRUMP, ACCEPT, CALL, *DOUBLINGS, DECLARE, PLAY, BONUS, OVER),
    options=options,
    start=start,
    legal=legal,
    table=table,
    effects=EFFECTS,
    lies_open=LIES_OPEN,
    rules=(
        "kraken.trump.free",
        "kraken.trump.utrecht",
        "kraken.trump.random",
        "kraken.challenge",
        "kraken.declare",
        "kraken.declare.score",
        "kraken.follow",
        "kraken.overtrump",
        "kraken.amsterdam",
        "kraken.rotterdam",
        "kraken.trick",
        "kraken.marriage",
        "kraken.bonus",
        "kraken.points",
        "kraken.score.plain",
        "kraken.score.challenged",
        "kraken.end",
    ),
)
