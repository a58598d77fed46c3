"""Where a game of Kraken stands."""

from typing import Final, NamedTuple

from api.games.kraken.combinations import Combination
from api.games.kraken.pack import NO_TRUMPS, Trump
from api.games.rules import DEAL
from api.games.tricks import TrickState, clear_trick

DEALER: Final = "dealer"
TURN: Final = "turn"
TRUMP: Final = "trump"
ACCEPT: Final = "accept"
CALL: Final = "call"
CHALLENGE: Final = "challenge"
RE: Final = "re"
SUPERKRAKEN: Final = "superkraken"
DECLARE: Final = "declare"
PLAY: Final = "play"
BONUS: Final = "bonus"

FREE: Final = "free"
UTRECHT: Final = "utrecht"
RANDOM: Final = "random"

SEATS: Final = 4
HAND: Final = 8
MARRIAGE_POINTS: Final = 20


class Bonus(NamedTuple):
    """The bonus of a trick: whose it is, what it is worth and called, the trick's seq; then who answered, and how."""

    team: int
    points: int
    name: str
    trick: int
    seat: int = -1
    claimed: bool = False
    answer: int = 0


class Kraken(TrickState):
    """Slots of its own, all of them of the round.

    ``passes`` in the choice of trumps; ``turned``, cards of the second pack; ``trump``, ``declarer`` and ``trump_seq``,
    the event that settled them; ``doublings``, the seqs of challenge, re and superkraken. By seat: ``declared`` (None
    until then, the best combination first) and ``declare_seqs``; ``ahead`` is the seat of the best one, once all have
    declared. ``married`` is the seat that was dealt king and queen of trumps (-1 for none), ``marriage_seq`` 0 until it
    says so. By team: ``won``, the mask of the cards in its tricks, their card ``points``, and ``trick_seqs``. ``due``
    is the bonus that waits for an answer, ``bonuses`` are those answered.
    """

    __slots__ = (
        "ahead",
        "bonuses",
        "declare_seqs",
        "declared",
        "declarer",
        "doublings",
        "due",
        "marriage_seq",
        "married",
        "passes",
        "points",
        "trick_seqs",
        "trump",
        "trump_seq",
        "turned",
        "won",
    )

    ahead: int | None
    bonuses: list[Bonus]
    dealer: int | None
    declare_seqs: list[int]
    declared: list[tuple[Combination, ...] | None]
    declarer: int | None
    doublings: list[int]
    due: Bonus | None
    marriage_seq: int
    married: int
    passes: int
    points: list[int]
    trick_seqs: list[tuple[int, ...]]
    trump: Trump
    trump_seq: int
    turned: tuple[int, ...]
    won: list[int]

    @property
    def first(self) -> int:
        """The seat left of the dealer."""
        assert self.dealer is not None
        return (self.dealer + 1) % SEATS

    @property
    def multiplier(self) -> int:
        """What the round counts for."""
        return 1 << len(self.doublings)


def clear(state: Kraken) -> None:
    """Makes ready for the deal of a round."""
    state.phase = state.call = DEAL
    state.to_act = ()
    state.hands = [0] * SEATS
    state.passes = 0
    state.turned = ()
    state.trump = NO_TRUMPS
    state.declarer = state.ahead = state.due = None
    state.trump_seq = state.marriage_seq = 0
    state.doublings = []
    state.declared = [None] * SEATS
    state.declare_seqs = [0] * SEATS
    state.married = -1
    state.won = [0, 0]
    state.points = [0, 0]
    state.trick_seqs = [(), ()]
    state.bonuses = []
    state.best = state.best_seat = state.leader = -1
    clear_trick(state)
