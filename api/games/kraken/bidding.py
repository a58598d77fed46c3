"""From the deal to the last doubling: who declares, with which trumps, and for what multiple."""

from collections.abc import Mapping, Sequence
from typing import Final

from api.cards import SUIT_NAMES
from api.games.kraken.pack import PACK, TRUMPS
from api.games.kraken.state import (
    ACCEPT,
    CALL,
    CHALLENGE,
    DECLARE,
    FREE,
    RANDOM,
    RE,
    SEATS,
    SUPERKRAKEN,
    TRUMP,
    TURN,
    UTRECHT,
    Kraken,
)
from api.games.rules import Effect, IllegalMove

# phase -> the two seats asked, counted from the declarer, and the phase that follows when one of them doubles
DOUBLINGS: Final[Mapping[str, tuple[int, int, str]]] = {
    CHALLENGE: (1, 3, RE),
    RE: (0, 2, SUPERKRAKEN),
    SUPERKRAKEN: (1, 3, DECLARE),
}


def deal(state: Kraken, seq: int, hands: Sequence[Sequence[int]]) -> Sequence[Effect]:
    """Eight cards each; then trumps are chosen, or a card is turned."""
    bits = PACK.bits
    state.hands = [sum([bits[place] for place in hand]) for hand in hands]
    if state.config["trump"] == RANDOM:
        state.phase = state.call = TURN
        return ()
    state.phase = TRUMP
    state.call = None
    from_dealer = state.config["trump"] == FREE and state.config["free_starts"] == "dealer"
    state.to_act = ((state.first - from_dealer) % SEATS,)
    return ()


def check_turn(state: Kraken, place: int) -> None:
    """ValueError for a second turned card that is the first again (``common.deal``)."""
    if place in state.turned:
        raise ValueError


def turn(state: Kraken, seq: int, place: int) -> Sequence[Effect]:
    """``kraken.trump.random``: a card turned from the second pack is offered; the second one settles trumps."""
    again = bool(state.turned)
    state.turned += (place,)
    if again:
        return _settle(state, seq, state.first, PACK.names[place][1])
    state.phase = ACCEPT
    state.call = None
    state.to_act = (state.first,)
    return ()


def must_name(state: Kraken) -> bool:
    """Whether the seat that chooses trumps may not pass."""
    return state.passes == SEATS or state.config["trump"] == UTRECHT


def name_trump(state: Kraken, seq: int, seat: int, suit: str) -> Sequence[Effect]:
    """``kraken.trump.free``, ``kraken.trump.utrecht``, and ``kraken.trump.random`` where the suit is called."""
    if state.phase == CALL and suit == PACK.names[state.turned[0]][1]:
        raise IllegalMove("kraken.trump.random", "The suit of the turned card may not be called.")
    return _settle(state, seq, seat, suit)


def accept(state: Kraken, seq: int, seat: int) -> Sequence[Effect]:
    """``kraken.trump.random``: the turned suit is taken."""
    return _settle(state, seq, seat, PACK.names[state.turned[0]][1])


def _settle(state: Kraken, seq: int, seat: int, suit: str) -> Sequence[Effect]:
    trump = TRUMPS[suit]
    state.trump = trump
    state.trump_seq = seq
    state.beats = trump.beats
    state.declarer = seat
    state.call = None
    for holder, hand in enumerate(state.hands):
        if hand & trump.pair == trump.pair:
            state.married = holder
    _ask(state, CHALLENGE)
    return [Effect("trump-set", {"suit": suit, "seat": seat})]


def _ask(state: Kraken, phase: str) -> None:
    """Waits for the first seat that ``phase`` asks."""
    assert state.declarer is not None
    state.phase = phase
    state.to_act = (state.first if phase == DECLARE else (state.declarer + DOUBLINGS[phase][0]) % SEATS,)


def double(state: Kraken, seq: int, seat: int) -> Sequence[Effect]:
    """``kraken.challenge``: challenge, re or superkraken, whichever is asked."""
    state.doublings.append(seq)
    _ask(state, DOUBLINGS[state.phase][2])
    return [Effect("doubled", {"seat": seat, "multiplier": state.multiplier})]


def decline(state: Kraken, seq: int, seat: int) -> Sequence[Effect]:
    """A pass: ``kraken.challenge``, or on the choice of trumps ``kraken.trump.*``."""
    if state.phase in DOUBLINGS:
        assert state.declarer is not None
        second = (state.declarer + DOUBLINGS[state.phase][1]) % SEATS
        if seat == second:
            _ask(state, DECLARE)
        else:
            state.to_act = (second,)
        return ()
    if must_name(state):
        raise IllegalMove(f"kraken.trump.{state.config['trump']}", "A suit must be named here.")
    state.passes += 1
    state.to_act = ((seat + 1) % SEATS,)
    if state.passes == SEATS and state.phase == ACCEPT:
        if state.config["random_fallback"] == "call":
            state.phase = CALL
        else:
            state.phase = state.call = TURN
            state.to_act = ()
    return ()


def callable_suits(state: Kraken) -> list[str]:
    """The suits that may be named as trumps now."""
    return [suit for suit in SUIT_NAMES if state.phase != CALL or suit != PACK.names[state.turned[0]][1]]
