"""What a game is: the vocabulary that every ruleset is written in, and the rules common to all.

A ruleset is data (options, moves, chance events, each with its fields) and a handful of functions over its ``State``.
Everything outside this package (replay, views, codec, schemas, documentation) works from that data and names no game.

The state is mutable: :func:`apply` checks first and changes only then, so a refused event leaves it as it was. Callers
that may still have to give up an accepted event work on :meth:`State.copy`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, Literal, NoReturn

from api.cards import Pack
from api.games.shown import GAME_OVER, ROUND_SCORED, SEATS_MOST, EffectType

type_ = type

Event = Mapping[str, Any]
"""An event as accepted: ``type``, ``seat`` (moves only) and the fields of its type."""

Seen = Literal["public", "table"] | int
"""A view: what a bystander sees, everything, or what the seat of that number sees."""

PUBLIC: Final = "public"
TABLE: Final = "table"

OVER: Final = "over"
DEAL: Final = "deal"

COMMON_RULES: Final = (
    "common.over",
    "common.shape",
    "common.phase",
    "common.turn",
    "common.holds",
    "common.deal",
    "common.takeback",
)


class IllegalMove(Exception):
    """An event that the rules refuse.

    ``rule`` is the id of the rule it breaks; ``detail`` says so in words that only use what its mover may know.
    """

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(rule, detail)
        self.rule = rule
        self.detail = detail


class ConfigError(ValueError):
    """A config that a ruleset doesn't take; ``errors`` has messages by option."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        super().__init__(errors)
        self.errors = errors


# --- fields of moves, chance events and configs ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value may be.

    ``schema`` is its JSON Schema; ``read`` turns the JSON value into the engine's and raises KeyError, TypeError or
    ValueError for anything else; ``held`` says whether a hand holds the cards that the value names, each once.
    """

    schema: dict[str, Any]
    read: Callable[[Any], Any]
    held: Callable[[Any, int], bool] | None = None


def _exactly(kind: type[Any], value: Any) -> Any:
    # bool is an int to isinstance, and no number of tricks
    if type_(value) is not kind:
        raise TypeError
    return value


def boolean() -> Kind:
    return Kind({"type": "boolean"}, lambda value: _exactly(bool, value))


def _whole(least: int, most: int) -> dict[str, Any]:
    return {"type": "integer", "format": "int32", "minimum": least, "maximum": most}


def integer(least: int, most: int) -> Kind:
    """A whole number from ``least`` to ``most``."""

    def read(value: Any) -> int:
        number: int = _exactly(int, value)
        if not least <= number <= most:
            raise ValueError
        return number

    return Kind(_whole(least, most), read)


def integer_by_rule(least: int, most: int) -> Kind:
    """A whole number, of which a rule of the game says that it is from ``least`` to ``most``."""
    return Kind(_whole(least, most), lambda value: _exactly(int, value))


def choice(*values: str) -> Kind:
    allowed = {value: value for value in values}
    return Kind({"type": "string", "enum": list(values)}, lambda value: allowed[value])


def number_choice(*values: int) -> Kind:
    allowed = {value: value for value in values}
    schema = {**_whole(min(values), max(values)), "enum": list(values)}
    return Kind(schema, lambda value: allowed[_exactly(int, value)])


def seat_or(word: str, seats: int) -> Kind:
    """A seat of the game, or ``word``."""
    seat = integer(0, seats - 1)
    return Kind(
        {"anyOf": [{"title": "seat", **seat.schema}, {"type": "string", "const": word}]},
        lambda value: word if value == word else seat.read(value),
    )


def card(pack: Pack) -> Kind:
    """One card, as its position in ``pack``."""
    return Kind(
        {"type": "string", "enum": list(pack.names)},
        pack.position.__getitem__,
        lambda place, hand: bool(hand >> place & 1),
    )


def _list(value: Any) -> list[Any]:
    listed: list[Any] = _exactly(list, value)
    return listed


def _each_once(places: Sequence[int], hand: int) -> bool:
    mask = 0
    for place in places:
        bit = 1 << place
        if mask & bit:
            return False
        mask |= bit
    return not mask & ~hand


def _places(position: Mapping[str, int], names: Sequence[Any]) -> tuple[int, ...]:
    """Where the pack has ``names``; KeyError or TypeError for what is no card of it."""
    if len(names) > 1:
        # all of them in one call, which takes two thirds of the time of a loop
        found: tuple[int, ...] = itemgetter(*names)(position)
        return found
    return tuple([position[name] for name in names])


def cards(pack: Pack) -> Kind:
    """Cards in the order sent, as a tuple of positions in ``pack``; how many is for the game's rules."""
    position = pack.position
    return Kind(
        {"type": "array", "items": card(pack).schema, "maxItems": len(pack.names)},
        lambda value: _places(position, _list(value)),
        _each_once,
    )


def card_lists(pack: Pack, most: int) -> Kind:
    """Lists of cards, as a tuple of tuples of positions in ``pack``; documented as at most so many lists."""
    position = pack.position
    return Kind(
        {"type": "array", "items": cards(pack).schema, "maxItems": most},
        lambda value: tuple([_places(position, _list(part)) for part in _list(value)]),
        lambda parts, hand: all(_each_once(part, hand) for part in parts),
    )


def permutation(*values: str) -> Kind:
    """All of ``values`` in an order, as a tuple."""
    schema = {
        "type": "array",
        "items": {"type": "string", "enum": list(values)},
        "minItems": len(values),
        "maxItems": len(values),
        "uniqueItems": True,
        "description": f"a list of {', '.join(values)}, each once, in any order",
    }

    def read(value: Any) -> tuple[str, ...]:
        if sorted(_list(value)) != sorted(values):
            raise ValueError
        return tuple(value)

    return Kind(schema, read)


KnownTo = Literal["everyone", "mover", "own-part", "nobody"]
"""Who knows a field of an event; ``own-part``: a list with a part for each seat, who knows its own."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an event, and what it says. An ``optional`` one that is left out is read as None.

    ``pattern`` is the JSON Schema of what stands for it among the legal moves, where there are too many of them.
    """

    name: str
    kind: Kind
    known_to: KnownTo
    text: str
    optional: bool = False
    pattern: Mapping[str, Any] | None = None


# --- what an event leads to -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class ScoreLine:
    """One line of the score sheet.

    ``side`` is a seat or team, ``rule`` the id of the rule that awards the ``points``, ``events`` the seqs that the
    line rests on. ``private_text`` replaces ``text`` for the seats that it is ``known_to``.
    """

    round: int
    side: int
    points: int
    rule: str
    events: tuple[int, ...]
    text: str
    place: int | None = None
    private_text: str | None = None
    known_to: tuple[int, ...] = ()


@dataclass(slots=True)
class Effect:
    """What followed from an event: ``facts`` for everybody, ``private`` ones for the seats they are ``known_to``."""

    type: str
    facts: Mapping[str, Any]
    private: Mapping[str, Any] | None = None
    known_to: tuple[int, ...] = ()
    lines: tuple[ScoreLine, ...] = ()


# --- a game's data and state ----------------------------------------------------------------------------------------


class State:
    """Where a game stands. A ruleset adds slots of its own for what only it needs.

    Shapes: ``hands`` is a mask for each seat (empty while a deal is called for), ``scores`` the points of each side,
    ``to_act`` the seats the game waits for, ``call`` the chance event that it waits for. Lists hold only immutable
    things, which is what makes :meth:`copy` cheap and whole.
    """

    __slots__ = (
        "call",
        "chances",
        "config",
        "dealer",
        "hands",
        "lines",
        "moves",
        "pack",
        "phase",
        "round",
        "scores",
        "seats",
        "to_act",
        "winners",
    )

    config: Mapping[str, Any]
    seats: int
    pack: Pack
    moves: "Mapping[str, Move]"
    chances: "Mapping[str, Chance]"
    phase: str
    round: int
    dealer: int | None
    to_act: tuple[int, ...]
    call: str | None
    hands: list[int]
    scores: list[int]
    lines: list[ScoreLine]
    winners: tuple[int, ...]

    def __init__(
        self,
        config: Mapping[str, Any],
        seats: int,
        pack: Pack,
        moves: "Mapping[str, Move]",
        chances: "Mapping[str, Chance]",
        *,
        sides: int,
    ) -> None:
        """What every game starts from; the rest is the ruleset's."""
        self.config = config
        self.seats = seats
        self.pack = pack
        self.moves = moves
        self.chances = chances
        self.round = 1
        first = config.get("first_dealer")
        self.dealer = first if type_(first) is int else None
        self.scores = [0] * sides
        self.lines = []
        self.winners = ()

    def copy(self) -> "State":
        """A state that can go its own way from here."""
        other = object.__new__(type_(self))
        for slot in _slots(type_(self)):
            value = getattr(self, slot)
            setattr(other, slot, value[:] if type_(value) is list else value)
        return other


_SLOTS: dict[type[State], tuple[str, ...]] = {}


def _slots(kind: type[State]) -> tuple[str, ...]:
    known = _SLOTS.get(kind)
    if known is None:
        known = _SLOTS[kind] = tuple(slot for ancestor in kind.__mro__ for slot in getattr(ancestor, "__slots__", ()))
    return known


CHANCE_HEAD: Final = 1
MOVE_HEAD: Final = 2
"""How many fields an event has before those of its type: ``type``, and a move its ``seat``."""


class Move:
    """A type of move.

    ``play(state, seq, seat, *values)`` checks the game's own rules, then changes the state and returns the effects; the
    values are those of ``fields``, as read. ``out_of_turn`` moves may be made without being waited for. ``words`` says
    the move in a sentence whose subject is the player, with its fields in braces.
    """

    __slots__ = ("fields", "held", "held_at", "only", "out_of_turn", "phases", "play", "read", "words")

    def __init__(
        self,
        phases: Iterable[str],
        play: Callable[..., Sequence[Effect]],
        *fields: Field,
        words: str,
        out_of_turn: bool = False,
    ) -> None:
        self.phases = frozenset(phases)
        self.play = play
        self.fields = fields
        self.words = words
        self.out_of_turn = out_of_turn
        self.held, self.held_at = _holder(fields)
        self.read = _reader(fields, MOVE_HEAD)
        self.only = (fields[0].name, fields[0].kind.read) if len(fields) == 1 and not fields[0].optional else None


class Chance:
    """A type of chance event.

    ``check(state, *values)`` raises ValueError when the fields, as read, are not what the state calls for;
    ``take(state, seq, *values)`` then changes the state and returns the effects. ``ask(state)`` says what must be dealt
    (how many cards for whom). ``items(state)`` lists what is shuffled and ``cut(state, shuffled)`` makes the fields of
    the event from it, so that a dealer needs no knowledge of the game.
    """

    __slots__ = ("ask", "check", "cut", "fields", "items", "read", "take", "words")

    def __init__(
        self,
        *fields: Field,
        ask: Callable[[Any], dict[str, Any]],
        items: Callable[[Any], Sequence[Any]],
        cut: Callable[[Any, Sequence[Any]], dict[str, Any]],
        check: Callable[..., None],
        take: Callable[..., Sequence[Effect]],
        words: str,
    ) -> None:
        self.fields = fields
        self.ask = ask
        self.items = items
        self.cut = cut
        self.check = check
        self.take = take
        self.words = words
        self.read = _reader(fields, CHANCE_HEAD)


def _holder(fields: tuple[Field, ...]) -> tuple[Callable[[Any, int], bool] | None, int]:
    """What says whether a hand holds all that a move names, None for a move that names no card, and of which field."""
    checks = [(each.kind.held, place) for place, each in enumerate(fields) if each.kind.held is not None]
    if not checks:
        return None, 0
    (check,) = checks
    return check


def _reader(fields: tuple[Field, ...], fixed: int) -> Callable[[Event], tuple[Any, ...]]:
    """Reads an event's fields; KeyError, TypeError or ValueError unless it has exactly these beside ``fixed`` others.

    What nearly every event has, no field or one beside optional ones left out, has a reader of its own: each replayed
    event goes through one.
    """
    if not fields:

        def read_none(event: Event) -> tuple[Any, ...]:
            if len(event) != fixed:
                raise ValueError
            return ()

        return read_none

    def read_all(event: Event) -> tuple[Any, ...]:
        values: list[Any] = []
        present = fixed
        for each in fields:
            if each.optional and each.name not in event:
                values.append(None)
            else:
                values.append(each.kind.read(event[each.name]))
                present += 1
        if len(event) != present:
            raise ValueError
        return tuple(values)

    if fields[0].optional or not all(each.optional for each in fields[1:]):
        return read_all
    name, read = fields[0].name, fields[0].kind.read
    left_out = (None,) * (len(fields) - 1)

    def read_first(event: Event) -> tuple[Any, ...]:
        if len(event) != fixed + 1:
            return read_all(event)
        return (read(event[name]), *left_out)

    return read_first


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a game's config."""

    kind: Kind
    default: Any
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset:
    """A game, at one version of its rules.

    ``options(seats)`` are the options of a game of so many seats; ``start(config, seats)`` is the state before the
    first event; ``legal(state, seat)`` lists the moves that a seat may make, in full and without ``seat`` (or as a
    pattern, where there are too many); ``table(state, view)`` is what lies open, as the state's ``table`` shows it.
    ``effects`` are its own types of effect, and ``lies_open`` is the JSON Schema of the table.
    """

    id: str
    version: int
    title: str
    summary: str
    seats: tuple[int, ...]
    sides: Literal["seats", "teams"]
    phases: tuple[str, ...]
    options: Callable[[int], dict[str, Option]]
    start: Callable[[Mapping[str, Any], int], Any]
    legal: Callable[[Any, int], list[dict[str, Any]]]
    table: Callable[[Any, Seen], dict[str, Any]]
    effects: Mapping[str, EffectType]
    lies_open: Mapping[str, Any]
    rules: tuple[str, ...]


def read_config(ruleset: Ruleset, config: Mapping[str, Any], seats: int) -> dict[str, Any]:
    """The whole config of a game, defaults filled in; ConfigError for an unknown option or a value out of range."""
    options = ruleset.options(seats)
    errors = {name: ["Unknown option."] for name in config if name not in options}
    whole = {}
    for name, option in options.items():
        whole[name] = config.get(name, option.default)
        try:
            option.kind.read(whole[name])
        except (KeyError, TypeError, ValueError):
            errors[name] = [f"Must be {_in_words(option.kind.schema)}."]
    if errors:
        raise ConfigError(errors)
    return whole


def _in_words(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_in_words(part) for part in schema["anyOf"])
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "enum" in schema:
        return "one of " + ", ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in schema["enum"])
    if schema["type"] == "integer":
        return f"a whole number from {schema['minimum']} to {schema['maximum']}"
    if schema["type"] == "boolean":
        return "true or false"
    return str(schema.get("description", "of the type " + schema["type"]))


# --- the rules common to all ----------------------------------------------------------------------------------------

MALFORMED: Final = (KeyError, TypeError, ValueError)


def apply(state: Any, event: Event, seq: int) -> Sequence[Effect]:
    """Plays ``event``, the record's number ``seq``, on ``state`` and returns what followed from it.

    Raises IllegalMove, with the state as it was, under the first rule broken in the order common.over, common.shape,
    common.phase, common.turn, common.holds, common.deal, then the game's own.
    """
    phase = state.phase
    if phase == OVER:
        raise IllegalMove("common.over", "The game is over.")
    move = state.moves.get(event["type"])
    if move is None:
        return _take(state, event, seq)
    try:
        seat = event["seat"]
        only = move.only
        if only is None:
            values = move.read(event)
        else:
            # one field, as nearly every move has: read here and passed on by itself, it saves a tenth of a replay
            name, read = only
            values = (read(event[name]),)
            if len(event) != MOVE_HEAD + 1:
                raise ValueError
        if seat.__class__ is not int or not 0 <= seat < state.seats:
            raise ValueError
    except MALFORMED:
        _malformed(event["type"], move)
    if phase not in move.phases:
        raise IllegalMove("common.phase", f"A {event['type']} is not accepted in the phase {phase}.")
    if seat not in state.to_act and not move.out_of_turn:
        raise IllegalMove("common.turn", f"The game does not wait for seat {seat}.")
    if move.held is not None and not move.held(values[move.held_at], state.hands[seat]):
        raise IllegalMove("common.holds", f"Seat {seat} must hold every card that it names, and name each once.")
    effects: Sequence[Effect] = (
        move.play(state, seq, seat, *values) if only is None else move.play(state, seq, seat, values[0])
    )
    return effects


def _malformed(kind: str, move: Move) -> NoReturn:
    names = ["type", "seat"] + [each.name + "?" * each.optional for each in move.fields]
    raise IllegalMove(
        "common.shape",
        f"A {kind} has exactly the fields {', '.join(names)}, each of its type, with cards from this game's pack.",
    )


def _take(state: Any, event: Event, seq: int) -> Sequence[Effect]:
    kind = event["type"]
    chance = state.chances.get(kind)
    if chance is None:
        raise IllegalMove("common.shape", "This game has no move of that type.")
    if state.call != kind:
        raise IllegalMove("common.deal", f"The game does not call for a {kind} now.")
    try:
        values = chance.read(event)
        chance.check(state, *values)
    except MALFORMED:
        raise IllegalMove("common.deal", f"This {kind} does not hold the cards that the game calls for.") from None
    effects: Sequence[Effect] = chance.take(state, seq, *values)
    return effects


def check_hands(counts: Sequence[int], hands: Sequence[Sequence[int]], stock: Sequence[int] = ()) -> None:
    """ValueError unless each seat got its count of cards and no card was dealt twice (``common.deal``)."""
    if [len(hand) for hand in hands] != list(counts):
        raise ValueError
    if len(set(stock).union(*hands)) != sum(counts) + len(stock):
        raise ValueError


def cut_hands(shuffled: Sequence[str], counts: Sequence[int]) -> list[list[str]]:
    """``shuffled`` cut into hands of ``counts`` cards, from the top, seat by seat."""
    hands = []
    start = 0
    for count in counts:
        hands.append(list(shuffled[start : start + count]))
        start += count
    return hands


def deal_hands(pack: Pack, each: int, take: Callable[..., Sequence[Effect]]) -> Chance:
    """The deal of ``each`` cards of ``pack`` to every seat; what is left of it stays unknown."""
    return Chance(
        Field("hands", card_lists(pack, SEATS_MOST), "own-part", "The cards of each seat, in order of seat."),
        ask=lambda state: {"hands": [each] * state.seats},
        items=lambda state: pack.names,
        cut=lambda state, shuffled: {"hands": cut_hands(shuffled, [each] * state.seats)},
        check=lambda state, hands: check_hands([each] * state.seats, hands),
        take=take,
        words="The cards are dealt[; {hands}]",
    )


def random_dealer(seats: int) -> Chance:
    """The choice of the first dealer among ``seats``, after which the deal is called for."""

    def take(state: Any, seq: int, seat: int) -> Sequence[Effect]:
        state.dealer = seat
        state.phase = state.call = DEAL
        return ()

    return Chance(
        Field("dealer", integer(0, seats - 1), "everyone", "The seat that deals first."),
        ask=lambda state: {},
        items=lambda state: range(seats),
        cut=lambda state, shuffled: {"dealer": shuffled[0]},
        check=lambda state, seat: None,
        take=take,
        words="{dealer} deals first",
    )


def award(state: Any, line: ScoreLine) -> ScoreLine:
    """Writes ``line`` on the score sheet and adds its points to its side."""
    state.lines.append(line)
    state.scores[line.side] += line.points
    return line


def round_scored(state: Any) -> Effect:
    """The effect that a round is over, with every line of it, those that earlier events told too."""
    lines = state.lines
    first = len(lines)
    while first and lines[first - 1].round == state.round:
        first -= 1
    return Effect(ROUND_SCORED, {"round": state.round}, None, (), tuple(lines[first:]))


def finish(state: Any, winners: Iterable[int]) -> Effect:
    """Ends the game; the effect that says so."""
    state.phase = OVER
    state.to_act = ()
    state.call = None
    state.winners = tuple(winners)
    return Effect(GAME_OVER, {"winners": list(state.winners), "totals": list(state.scores)})


def leaders(scores: Sequence[int]) -> list[int]:
    """The sides that share the highest total."""
    best = max(scores)
    return [side for side, score in enumerate(scores) if score == best]


# --- views: built up from what the viewer may know ------------------------------------------------------------------


def sees_seat(view: Seen, seat: int) -> bool:
    """Whether ``view`` sees what only ``seat`` knows."""
    return view in (TABLE, seat)


def view_event(state: Any, event: Event, view: Seen) -> dict[str, Any]:
    """``event`` as ``view`` may see it. Depends on the event alone, so that what was hidden once stays hidden."""
    kind = event["type"]
    seat = event.get("seat")
    shown = {"type": kind} if seat is None else {"seat": seat, "type": kind}
    redacted = False
    for each in (state.moves.get(kind) or state.chances[kind]).fields:
        name = each.name
        if name not in event:
            continue
        known_to = each.known_to
        if known_to == "everyone" or view == TABLE or (known_to == "mover" and view == seat):
            shown[name] = event[name]
        else:
            redacted = True
            if known_to == "own-part" and view != PUBLIC:
                shown[name] = [part if view == owner else None for owner, part in enumerate(event[name])]
    if redacted:
        shown["redacted"] = True
    return shown


def view_line(line: ScoreLine, view: Seen) -> dict[str, Any]:
    """A line of the score sheet as ``view`` may read it."""
    private = line.private_text is not None and (view == TABLE or view in line.known_to)
    shown: dict[str, Any] = {
        "round": line.round,
        "side": line.side,
        "points": line.points,
        "rule": line.rule,
        "events": list(line.events),
        "text": line.private_text if private else line.text,
    }
    if line.place is not None:
        shown["place"] = line.place
    return shown


def view_effect(effect: Effect, view: Seen) -> dict[str, Any]:
    """An effect as ``view`` may see it."""
    shown = {"type": effect.type, **effect.facts}
    if effect.lines:
        shown["lines"] = [view_line(line, view) for line in effect.lines]
    if effect.private is not None:
        if view == TABLE or view in effect.known_to:
            shown.update(effect.private)
        else:
            shown["redacted"] = True
    return shown


def chance_call(state: Any) -> dict[str, Any] | None:
    """What the game waits to be dealt: ``type`` and how many cards for whom; None when it waits for no deal."""
    if state.call is None:
        return None
    return {"type": state.call, **state.chances[state.call].ask(state)}


def view_state(ruleset: Ruleset, state: Any, view: Seen) -> dict[str, Any]:
    """The state as ``view`` may see it: round, phase, dealer, to_act, chance, hands, scores, winners, table."""
    return {
        "round": state.round,
        "phase": state.phase,
        "dealer": state.dealer,
        "to_act": list(state.to_act),
        "chance": chance_call(state),
        "hands": [
            {"count": hand.bit_count(), "cards": state.pack.cards(hand)}
            if sees_seat(view, seat)
            else {"count": hand.bit_count()}
            for seat, hand in enumerate(state.hands)
        ],
        "scores": list(state.scores),
        "winners": list(state.winners),
        "table": ruleset.table(state, view),
    }
