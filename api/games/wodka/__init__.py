"""Wodka: a climbing game for two teams of two, related to Tichu. The rules in words: ``rules.md``."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from api.cards import RANKS
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
    holders,
    lay,
    lead,
    next_to_act,
    of_one_suit,
    trick_fields,
    trick_table,
)
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
    card_lists,
    cards,
    check_hands,
    choice,
    cut_hands,
    finish,
    integer,
    leaders,
    round_scored,
)

GRAND: Final = "grand"
EXCHANGE: Final = "exchange"
PLAY: Final = "play"
WODKA: Final = "wodka"

SEATS: Final = 4
HANDS: Final = [8] * SEATS
DRAWS: Final = [5] * SEATS
OTHERS: Final = SEATS - 1

PACK: Final = ClimbingPack(
    RANKS,
    "cdhs",
    (
        Shape("single", 1, 1, 1, RANKS),
        Shape("pair", 2, 1, 1, RANKS),
        Shape("triple", 3, 1, 1, RANKS),
        Shape("quad", 4, 1, 1, RANKS),
        Shape("pairs", 2, 2, len(RANKS), RANKS),
        Shape("triples", 3, 2, len(RANKS), RANKS),
        Shape("quads", 4, 2, len(RANKS), RANKS),
        Shape("straight", 1, 5, len(RANKS), RANKS),
    ),
)

# bet -> the points at stake, and its name in a line of the score sheet
BETS: Final[Mapping[str, tuple[int, str]]] = {WODKA: (2, "Wodka"), GRAND: (4, "Grand Wodka")}


class Wodka(Climb):
    """Slots of its own: ``draws`` (the cards that a seat takes once it has decided about the Grand Wodka, 0 after);
    ``passing`` (the cards that each seat has chosen in the exchange); ``bets`` (a key of BETS, or None), ``bet_seqs``;
    ``played`` (the mask of the seats that have played a card in this round)."""

    __slots__ = ("bet_seqs", "bets", "draws", "passing", "played")

    bet_seqs: list[int]
    bets: list[str | None]
    draws: list[int]
    passing: list[Sequence[int]]
    played: int


def options(seats: int) -> dict[str, Option]:
    """The options of a game."""
    return {
        "target": Option(integer(1, 1000), 15, "The points that end the game, at the end of a round."),
        "red_seven": Option(choice("7h", "7d"), "7h", "The card whose holder leads the first trick of a round."),
    }


def start(config: Mapping[str, Any], seats: int) -> Wodka:
    """The state before the first event; ``config`` whole, as read_config gives it."""
    state = Wodka(config, seats, PACK, MOVES, CHANCES, sides=2)
    _clear(state)
    return state


def _clear(state: Wodka) -> None:
    state.phase = state.call = DEAL
    state.to_act = ()
    state.hands = [0] * SEATS
    state.draws = [0] * SEATS
    state.passing = [()] * SEATS
    state.bets = [None] * SEATS
    state.bet_seqs = [0] * SEATS
    state.played = 0
    state.trick = []
    state.in_trick = 0
    state.out = []


# --- before the play --------------------------------------------------------------------------------------------------


def check_deal(hands: Sequence[Sequence[int]], draws: Sequence[Sequence[int]]) -> None:
    """ValueError unless each seat gets eight cards and five to draw, each card once (``common.deal``)."""
    check_hands(DRAWS, draws)
    check_hands(HANDS, hands, [place for draw in draws for place in draw])


def deal(state: Wodka, seq: int, hands: Sequence[Sequence[int]], draws: Sequence[Sequence[int]]) -> Sequence[Effect]:
    """``wodka.grand``: eight cards each, and the five that each will draw."""
    bits = PACK.bits
    state.hands = [sum([bits[place] for place in hand]) for hand in hands]
    state.draws = [sum([bits[place] for place in draw]) for draw in draws]
    state.phase = GRAND
    state.call = None
    state.to_act = tuple(range(SEATS))
    return ()


def _done(state: Wodka, seat: int, then: str) -> bool:
    """Takes ``seat`` off those that the game waits for; after the last, all are waited for in the phase ``then``."""
    state.to_act = tuple([other for other in state.to_act if other != seat])
    if state.to_act:
        return False
    state.phase = then
    state.to_act = tuple(range(SEATS))
    return True


def grand(state: Wodka, seq: int, seat: int, call: bool) -> list[Effect]:
    """``wodka.grand``: the seat's one decision, after which it draws."""
    if call:
        _bet(state, seq, seat, GRAND)
    drawn = state.draws[seat]
    state.hands[seat] |= drawn
    state.draws[seat] = 0
    _done(state, seat, EXCHANGE)
    return [Effect("cards-drawn", {"seat": seat, "count": drawn.bit_count()}, {"cards": PACK.cards(drawn)}, (seat,))]


def exchange(state: Wodka, seq: int, seat: int, given: Sequence[int]) -> list[Effect]:
    """``wodka.exchange``: cards for the next seat, the partner, the seat before; the fourth choice hands all over."""
    if len(given) != OTHERS:
        raise IllegalMove("wodka.exchange", "Exactly three cards are passed, one to each other player.")
    state.passing[seat] = given
    if not _done(state, seat, PLAY):
        return []
    effects = []
    for receiver in range(SEATS):
        givers = [(receiver + step) % SEATS for step in range(1, SEATS)]
        received = [state.passing[giver][(receiver - giver) % SEATS - 1] for giver in givers]
        for giver, place in zip(givers, received, strict=True):
            state.hands[giver] ^= 1 << place
            state.hands[receiver] ^= 1 << place
        effects.append(
            Effect(
                "cards-received",
                {"seat": receiver, "count": OTHERS, "from": givers},
                {"cards": [PACK.names[place] for place in received]},
                (receiver,),
            )
        )
    red_seven = PACK.mask([state.config["red_seven"]])
    lead(state, next(seat for seat, hand in enumerate(state.hands) if hand & red_seven))
    return effects


# --- bets -------------------------------------------------------------------------------------------------------------


def _bet(state: Wodka, seq: int, seat: int, bet: str) -> None:
    state.bets[seat] = bet
    state.bet_seqs[seat] = seq


def _why_no_bet(state: Wodka, seat: int) -> str | None:
    """Why ``seat`` may not place a Wodka now, if so (``wodka.bet``)."""
    if state.bets[seat] is not None:
        return "A player has one bet in a round, a Grand Wodka or a Wodka."
    if state.phase == GRAND and seat in state.to_act:
        return "A Wodka may be placed once its player has decided about the Grand Wodka."
    if state.out:
        return "No Wodka may be placed when a player is out."
    if state.played >> seat & 1:
        return "No Wodka may be placed by a player who has played a card in this round."
    return None


def wodka(state: Wodka, seq: int, seat: int) -> Sequence[Effect]:
    """``wodka.bet``: in turn or out of turn; whose turn it is stays as it was."""
    why_not = _why_no_bet(state, seat)
    if why_not is not None:
        raise IllegalMove("wodka.bet", why_not)
    _bet(state, seq, seat, WODKA)
    return ()


# --- the play ---------------------------------------------------------------------------------------------------------


def _is_bomb(cards: int, form: Form) -> bool:
    return form.type == "quad" or (form.type == "straight" and of_one_suit(cards))


def _refusal(state: Wodka, cards: int, form: Form) -> IllegalMove | None:
    """Why ``cards`` may not be played now, if so: ``wodka.bomb`` before ``wodka.follow``."""
    if not state.trick:
        return None
    _, on_cards, on = state.trick[-1]
    is_bomb = _is_bomb(cards, form)
    if _is_bomb(on_cards, on):
        if is_bomb and (form.size, form.top) > (on.size, on.top):
            return None
        return IllegalMove(
            "wodka.bomb", "A bomb is only beaten by a bomb of more cards, or of as many cards and a higher value."
        )
    if is_bomb or (form.type == on.type and form.size == on.size and form.top > on.top):
        return None
    return IllegalMove(
        "wodka.follow",
        f"The {form.type} of {form.size} does not beat the {on.type} of {on.size} that lies: that takes "
        "the same type and number of cards with a higher value, or a bomb.",
    )


def play(state: Wodka, seq: int, seat: int, places: Sequence[int]) -> list[Effect]:
    """A combination led or played on the trick: ``wodka.combination``, ``.follow`` and ``.bomb``."""
    bits = PACK.bits
    cards = sum([bits[place] for place in places])
    form = classify(PACK, cards)
    if form is None:
        raise IllegalMove(
            "wodka.combination",
            "These cards are no single, pair, triple or quad, no consecutive pairs, triples or quads, and no straight.",
        )
    refusal = _refusal(state, cards, form)
    if refusal is not None:
        raise refusal
    state.played |= 1 << seat
    gone = lay(state, seat, cards, form)
    # wodka.pass: every combination is put to all players again
    state.in_trick = holders(state)
    return _go_out(state, seq, seat, cards) if gone else next_to_act(state, seat)


def pass_(state: Wodka, seq: int, seat: int) -> list[Effect]:
    """``wodka.pass``: the turn goes on."""
    if not state.trick:
        raise IllegalMove("wodka.pass", "The leader of a trick may not pass.")
    state.in_trick &= ~(1 << seat)
    return next_to_act(state, seat)


def _go_out(state: Wodka, seq: int, seat: int, cards: int) -> list[Effect]:
    """``wodka.score.out`` for ``seat``, which has just played its last ``cards``, and what follows from it."""
    team = seat % 2
    state.out.append(seat)
    text = f"Seat {seat} went out with {' '.join(PACK.cards(cards))}: a point for team {team}."
    lines = [award(state, ScoreLine(state.round, team, 1, "wodka.score.out", (seq,), text))]
    if len(state.out) == 1:
        lines += [_settle(state, seq, seat, better) for better in range(SEATS) if state.bets[better] is not None]
    out = Effect(WENT_OUT, {"seat": seat, "place": len(state.out)}, lines=tuple(lines))
    if state.hands[(seat + 2) % SEATS]:
        return [out, *next_to_act(state, seat)]
    # wodka.round.end
    effects = [out, round_scored(state)]
    ahead = leaders(state.scores)
    if len(ahead) == 1 and max(state.scores) >= state.config["target"]:
        # wodka.end
        effects.append(finish(state, ahead))
    else:
        state.round += 1
        _clear(state)
    return effects


def _settle(state: Wodka, seq: int, first: int, seat: int) -> ScoreLine:
    """``wodka.score.bet``: the bet of ``seat``, now that ``first`` is the first to be out."""
    bet = state.bets[seat]
    assert bet is not None
    points, name = BETS[bet]
    if seat == first:
        team = seat % 2
        text = f"Seat {seat} had placed a {name} and went out first: won, {points} points for its team {team}."
    else:
        team = (seat + 1) % 2
        partner = ", its partner," if first % 2 == seat % 2 else ""
        text = (
            f"Seat {seat} had placed a {name}, but seat {first}{partner} went out first: lost, "
            f"{points} points for the opposing team {team}."
        )
    return award(state, ScoreLine(state.round, team, points, "wodka.score.bet", (state.bet_seqs[seat], seq), text))


MOVES: Final = {
    "grand": Move(
        [GRAND],
        grand,
        Field("call", boolean(), "everyone", "Whether the player places a Grand Wodka."),
        words="decides about a Grand Wodka: {call}",
    ),
    "exchange": Move(
        [EXCHANGE],
        exchange,
        Field(
            "cards",
            cards(PACK),
            "mover",
            "Three cards: for the next seat, for the partner, for the seat before.",
            pattern=shown.fields(
                "Any so many of these cards, in any order.",
                choose=shown.number("How many cards are passed on.", OTHERS, OTHERS),
                of=shown.cards(PACK, "The cards to choose from."),
            ),
        ),
        words="passes on three cards[: {cards}]",
    ),
    "wodka": Move([GRAND, EXCHANGE, PLAY], wodka, words="places a Wodka", out_of_turn=True),
    "play": Move(
        [PLAY], play, Field("cards", cards(PACK), "everyone", "A combination, in any order."), words="plays {cards}"
    ),
    "pass": Move([PLAY], pass_, words="passes"),
}


def _cut(state: Wodka, shuffled: Sequence[str]) -> dict[str, Any]:
    parts = cut_hands(shuffled, HANDS + DRAWS)
    return {"hands": parts[:SEATS], "draws": parts[SEATS:]}


CHANCES: Final = {
    "deal": Chance(
        Field("hands", card_lists(PACK, SEATS), "own-part", "The first eight cards of each seat, in order of seat."),
        Field(
            "draws",
            card_lists(PACK, SEATS),
            "nobody",
            "The five cards that each seat draws once it has decided about the Grand Wodka, in order of seat.",
        ),
        ask=lambda state: {"hands": HANDS, "draws": DRAWS},
        items=lambda state: PACK.names,
        cut=_cut,
        check=lambda state, hands, draws: check_deal(hands, draws),
        take=deal,
        words="The cards are dealt[; {hands}][; to draw: {draws}]",
    )
}


# --- legal moves and what lies open -----------------------------------------------------------------------------------


def legal(state: Wodka, seat: int) -> list[dict[str, Any]]:
    """Every move that ``seat`` may make now: plays by type, lowest first, the pass, the bet; a pattern to exchange."""
    moves: list[dict[str, Any]] = []
    if seat in state.to_act:
        hand = state.hands[seat]
        if state.phase == GRAND:
            moves += ({"type": "grand", "call": call} for call in (False, True))
        elif state.phase == EXCHANGE:
            moves.append({"type": "exchange", "cards": {"choose": OTHERS, "of": PACK.cards(hand)}})
        else:
            moves += (
                {"type": "play", "cards": PACK.cards(cards)}
                for cards, form in combinations(PACK, hand)
                if _refusal(state, cards, form) is None
            )
            if state.trick:
                moves.append({"type": "pass"})
    if state.phase in MOVES["wodka"].phases and _why_no_bet(state, seat) is None:
        moves.append({"type": "wodka"})
    return moves


def table(state: Wodka, view: Seen) -> dict[str, Any]:
    """What lies open: bets by seat, the trick as it lies, whether a bomb is to be beaten, who is out, from first."""
    return {
        "bets": list(state.bets),
        **trick_table(state),
        "bomb": bool(state.trick) and _is_bomb(*state.trick[-1][1:]),
        "out": list(state.out),
    }


EFFECTS: Final = {
    "cards-drawn": shown.EffectType(
        "{seat} draws {count} cards[: {cards}]",
        {
            "seat": shown.seat("Who drew."),
            "count": shown.number("How many cards.", 0, len(PACK.names)),
        },
        private={"cards": shown.cards(PACK, "Which; only its player sees them.")},
    ),
    "cards-received": shown.EffectType(
        "{seat} is passed a card each by {from}[: {cards}]",
        {
            "seat": shown.seat("Who got them."),
            "count": shown.number("How many cards.", OTHERS, OTHERS),
            "from": shown.seats("Who passed each of them."),
        },
        private={"cards": shown.cards(PACK, "Which, in the order of `from`; only their receiver sees them.")},
    ),
    **climbing_effects(PACK),
}

LIES_OPEN: Final = shown.fields(
    "What lies open in Wodka.",
    bets=shown.listed(
        "The bet of each seat in this round.",
        shown.or_null("A seat's; null for none.", shown.word("What it has bet.", *BETS)),
        SEATS,
    ),
    **trick_fields(PACK),
    bomb=shown.flag("Whether the combination to beat is a bomb."),
    out=shown.seats("The seats that are out, from the first on."),
)

RULESET: Final = Ruleset(
    id="wodka",
    version=1,
    title="Wodka",
    summary="A climbing game for two teams of two, with bombs, and bets on going out first.",
    seats=(SEATS,),
    sides="teams",
    phases=(DEAL, GRAND, EXCHANGE, PLAY, OVER),
    options=options,
    start=start,
    legal=legal,
    table=table,
    effects=EFFECTS,
    lies_open=LIES_OPEN,
    rules=(
        "wodka.grand",
        "wodka.exchange",
        "wodka.lead",
        "wodka.bet",
        "wodka.combination",
        "wodka.follow",
        "wodka.bomb",
        "wodka.pass",
        "wodka.trick.won",
        "wodka.score.out",
        "wodka.score.bet",
        "wodka.round.end",
        "wodka.end",
    ),
)
