"""Playing: what is accepted, what is refused and how, and what happens when several play at once."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from api import store
from api.http import create_app
from tests.http.client import Api

# Three seats, a pack without jokers and without the two of clubs, dealt round by round.
PACK = [rank + suit for suit in "cdhs" for rank in "23456789TJQKA" if rank + suit != "2c"]
DEAL = {"type": "deal", "hands": [PACK[seat::3] for seat in range(3)]}
NO: dict[str, Any] = {"type": "no"}
BIDS = [{"seat": seat, "type": "bid", "tricks": 2} for seat in (1, 2, 0)]


@pytest.fixture
def game(api: Api, key: str) -> dict[str, Any]:
    """A game that its owner deals, with seat 0 as its dealer and nothing in its record."""
    return api.new_game(key, dealer="client", config={"jokers": False, "first_dealer": 0})


def path(game: dict[str, Any], call: str = "moves") -> str:
    return f"/v1/games/{game['id']}/{call}"


def test_moves_are_accepted_as_events_with_their_effects(api: Api, key: str, game: dict[str, Any]) -> None:
    response = api.call("POST", path(game), key, {"moves": [DEAL, *BIDS]})
    assert response.status_code == 201
    accepted = response.get_json()
    assert [event["seq"] for event in accepted["events"]] == [1, 2, 3, 4]
    assert accepted["seq"] == 4
    assert response.headers["ETag"] == '"4"'
    assert accepted["to_act"] == [1]
    assert accepted["status"] == "running"
    lead = api.ok("POST", path(game), key, {"moves": [{"seat": 1, "type": "play", "card": "4c"}]})
    assert lead["events"][0]["card"] == "4c"
    trick = [{"seat": 2, "type": "play", "card": "5c"}, {"seat": 0, "type": "play", "card": "3c"}]
    won = api.ok("POST", path(game), key, {"moves": trick})
    assert won["events"][-1]["effects"] == [{"type": "trick-won", "seat": 2, "card": "5c", "tricks": 1}]
    assert won["to_act"] == [2]


def test_service_deals_by_itself(api: Api, key: str) -> None:
    game = api.new_game(key)
    assert [event["type"] for event in api.ok("GET", path(game, "events"), key)["events"]] == ["draw", "deal"]
    assert len(game["commitment"]) == 64
    assert "seed" not in game


def test_all_moves_are_accepted_or_none(api: Api, key: str, game: dict[str, Any]) -> None:
    moves = [DEAL, BIDS[0], {"seat": 2, "type": "bid", "tricks": 0}, BIDS[2]]
    problem = api.refused(422, "illegal-move", "POST", path(game), key, {"moves": moves})
    assert (problem["rule"], problem["index"], problem["seat"]) == ("quadruple-war.bid", 2, 2)
    assert api.ok("GET", path(game, "events"), key) == {"events": []}


def test_refusal_links_to_its_rule(api: Api, key: str, game: dict[str, Any]) -> None:
    api.ok("POST", path(game), key, {"moves": [DEAL, *BIDS]})
    held = next(card for card in DEAL["hands"][1] if card.endswith("s"))
    spade = {"seat": 1, "type": "play", "card": held}
    response = api.call("POST", path(game), key, {"moves": [spade]})
    assert response.get_json()["rule"] == "quadruple-war.break"
    assert response.headers["Link"] == '</docs/quadruple-war#quadruple-war.break>; rel="help"'


@pytest.mark.parametrize(
    ("move", "rule", "seat"),
    [
        pytest.param({"type": "bid", "tricks": 2}, "common.shape", None, id="no seat"),
        pytest.param({"seat": "1", "type": "bid", "tricks": 2}, "common.shape", None, id="a seat that is a text"),
        pytest.param({"seat": 3, "type": "bid", "tricks": 2}, "common.shape", 3, id="a seat that there is not"),
        pytest.param({"seat": -1, "type": "bid", "tricks": 2}, "common.shape", -1, id="a seat below 0"),
        pytest.param({"seat": True, "type": "bid", "tricks": 2}, "common.shape", None, id="a seat that is true"),
        pytest.param({"seat": 1, "type": "bid"}, "common.shape", 1, id="a field missing"),
        pytest.param({"seat": 1, "type": "bid", "tricks": 2, "why": ""}, "common.shape", 1, id="a field unknown"),
        pytest.param({"seat": 1, "type": "bid", "tricks": [2]}, "common.shape", 1, id="a field of another type"),
        pytest.param({"seat": 1, "type": "bid", "tricks": 2.0}, "common.shape", 1, id="a number with a fraction"),
        pytest.param({"seat": 1, "type": "bid", "tricks": 2**53 - 1}, "quadruple-war.bid", 1, id="a large number"),
        pytest.param({"seat": 1, "type": "play", "card": {"2": []}}, "common.shape", 1, id="a card that is an object"),
        pytest.param({"seat": 1, "type": "play", "card": "2c"}, "common.shape", 1, id="a card taken out of the pack"),
        pytest.param({"seat": 1, "type": "play", "card": "BJ"}, "common.shape", 1, id="a joker in a game without"),
        pytest.param({"seat": 1, "type": "fold"}, "common.shape", 1, id="a type unknown"),
        pytest.param({"seat": 1, "type": "__class__"}, "common.shape", 1, id="a type that is a name of Python's"),
        pytest.param({"seat": 1, "type": ""}, "common.shape", 1, id="a type that is empty"),
        pytest.param({"type": "takeback", "to": 0}, "common.shape", None, id="a takeback among moves"),
        pytest.param({"type": "abandon", "reason": "x"}, "common.shape", None, id="an abandonment among moves"),
        pytest.param({"seat": 1, "type": "play", "card": "4c"}, "common.phase", 1, id="the wrong phase"),
        pytest.param({"seat": 2, "type": "bid", "tricks": 2}, "common.turn", 2, id="out of turn"),
        pytest.param({**DEAL}, "common.deal", None, id="a deal that is not called for"),
        pytest.param({**DEAL, "seat": 1}, "common.deal", 1, id="a deal by a seat"),
    ],
)
def test_move_that_the_rules_refuse(
    api: Api, key: str, game: dict[str, Any], move: dict[str, Any], rule: str, seat: int | None
) -> None:
    api.ok("POST", path(game), key, {"moves": [DEAL]})
    problem = api.refused(422, "illegal-move", "POST", path(game), key, {"moves": [move]})
    assert (problem["rule"], problem["index"], problem["seat"]) == (rule, 0, seat)
    assert api.ok("GET", f"/v1/games/{game['id']}", key)["seq"] == 1


def test_card_that_is_not_held(api: Api, key: str, game: dict[str, Any]) -> None:
    api.ok("POST", path(game), key, {"moves": [DEAL, *BIDS]})
    problem = api.refused(
        422, "illegal-move", "POST", path(game), key, {"moves": [{"seat": 1, "type": "play", "card": "3c"}]}
    )
    assert problem["rule"] == "common.holds"


def test_nobody_else_deals_where_the_service_does(api: Api, key: str) -> None:
    game = api.new_game(key, config={"jokers": False, "first_dealer": 0})
    for token in (key, game["seat_tokens"][1]):
        problem = api.refused(422, "illegal-move", "POST", path(game), token, {"moves": [DEAL]})
        assert problem["rule"] == "common.deal"


def test_no_seat_deals_where_the_owner_does(api: Api, key: str, game: dict[str, Any]) -> None:
    api.refused(403, "forbidden", "POST", path(game), game["seat_tokens"][0], {"moves": [DEAL]})


def test_seat_moves_for_itself_alone(api: Api, key: str, game: dict[str, Any]) -> None:
    api.ok("POST", path(game), key, {"moves": [DEAL]})
    own, other = game["seat_tokens"][1], game["seat_tokens"][2]
    api.refused(403, "forbidden", "POST", path(game), other, {"moves": [BIDS[0]]})
    problem = api.refused(
        422, "illegal-move", "POST", path(game), own, {"moves": [{"seat": "1", "type": "bid", "tricks": 2}]}
    )
    assert problem["rule"] == "common.shape"
    assert api.ok("POST", path(game), own, {"moves": [{"type": "bid", "tricks": 2}]})["events"][0]["seat"] == 1
    assert api.ok("POST", path(game), other, {"moves": [BIDS[1]]})["events"][0]["seat"] == 2


def test_answer_is_in_the_callers_view(api: Api, key: str, game: dict[str, Any]) -> None:
    accepted = api.ok("POST", path(game), key, {"moves": [DEAL]})
    assert accepted["events"][0]["redacted"] is True
    assert "hands" not in accepted["events"][0]


# --- conditions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given", ['"1"', '"0", "1"', 'W/"1", "1"', ' "9" ,\t"1" ', "*", '"abc", "1"'], ids=lambda given: given.strip()
)
def test_condition_that_holds(api: Api, key: str, game: dict[str, Any], given: str) -> None:
    api.ok("POST", path(game), key, {"moves": [DEAL]})
    api.ok("POST", path(game), key, {"moves": [BIDS[0]]}, headers={"If-Match": given})


@pytest.mark.parametrize("given", ['"0"', '"2"', 'W/"1"', '"01"', '"abc"', '""', '"99999999999999999999"'])
@pytest.mark.parametrize(
    ("call", "body"), [("moves", {"moves": [BIDS[0]]}), ("takeback", {"to": 0}), ("abandon", {"reason": "Late."})]
)
def test_condition_that_does_not_hold(
    api: Api, key: str, game: dict[str, Any], call: str, body: dict[str, Any], given: str
) -> None:
    api.ok("POST", path(game), key, {"moves": [DEAL]})
    problem = api.refused(412, "stale", "POST", path(game, call), key, body, headers={"If-Match": given})
    assert problem["seq"] == 1
    assert api.ok("GET", f"/v1/games/{game['id']}", key)["seq"] == 1


@pytest.mark.parametrize("given", ["", "1", '"1', '1"', '"1" "2"', '"1",', "*, *", '"a b"'])
def test_condition_that_is_none(api: Api, key: str, game: dict[str, Any], given: str) -> None:
    body = {"moves": [DEAL]}
    problem = api.refused(400, "invalid-request", "POST", path(game), key, body, headers={"If-Match": given})
    assert problem["errors"].keys() == {"If-Match"}


def test_tag_of_the_game_is_the_condition_of_the_next_move(api: Api, key: str, game: dict[str, Any]) -> None:
    for moves in ([DEAL], [BIDS[0]], [BIDS[1]]):
        tag = api.call("GET", f"/v1/games/{game['id']}", key).headers["ETag"]
        api.ok("POST", path(game), key, {"moves": moves}, headers={"If-Match": tag})


# --- several at once ------------------------------------------------------------------------------------------------


def test_of_writers_with_one_condition_one_wins(api: Api, key: str, game: dict[str, Any]) -> None:
    api.ok("POST", path(game), key, {"moves": [DEAL]})

    def bid(tricks: int) -> int:
        body = {"moves": [{"seat": 1, "type": "bid", "tricks": tricks}]}
        return api.call("POST", path(game), key, body, headers={"If-Match": '"1"'}).status_code

    with ThreadPoolExecutor(8) as threads:
        answers = sorted(threads.map(bid, range(1, 9)))
    assert answers == [201, *[412] * 7]
    assert api.ok("GET", f"/v1/games/{game['id']}", key)["seq"] == 2


def test_loser_is_judged_by_the_rules_again(api: Api, key: str, game: dict[str, Any]) -> None:
    api.ok("POST", path(game), key, {"moves": [DEAL]})

    def bid(tricks: int) -> Any:
        return api.call("POST", path(game), key, {"moves": [{"seat": 1, "type": "bid", "tricks": tricks}]}).get_json()

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(bid, range(1, 9)))
    assert sorted(answer.get("rule", "") for answer in answers) == ["", *["common.turn"] * 7]


# --- the owner's word -----------------------------------------------------------------------------------------------


def test_takeback_retracts_and_the_game_goes_on(api: Api, key: str, game: dict[str, Any]) -> None:
    api.ok("POST", path(game), key, {"moves": [DEAL, *BIDS]})
    taken = api.ok("POST", path(game, "takeback"), key, {"to": 2})
    assert taken["seq"] == 5
    assert taken["events"][0]["effects"] == [{"type": "retracted", "events": [3, 4]}]
    assert taken["to_act"] == [2]
    assert api.ok("POST", path(game), key, {"moves": [BIDS[1]]})["seq"] == 6
    assert [event["type"] for event in api.ok("GET", path(game, "events"), key)["events"]] == [
        "deal",
        "bid",
        "bid",
        "bid",
        "takeback",
        "bid",
    ]


def test_service_deals_other_cards_after_a_takeback(api: Api, key: str) -> None:
    game = api.new_game(key, config={"first_dealer": 0})
    before = api.ok("GET", path(game, "state?view=table"), key)["hands"]
    api.play(game["id"], key, 1)
    taken = api.ok("POST", path(game, "takeback"), key, {"to": 0})
    assert [event["type"] for event in taken["events"]] == ["takeback", "deal"]
    assert api.ok("GET", path(game, "state?view=table"), key)["hands"] != before


@pytest.mark.parametrize("to", [1, 4, 6, 7, 100])
def test_takeback_to_where_it_can_not_go(api: Api, key: str, game: dict[str, Any], to: int) -> None:
    api.ok("POST", path(game), key, {"moves": [DEAL, *BIDS]})
    api.ok("POST", path(game, "takeback"), key, {"to": 1})
    assert api.ok("GET", f"/v1/games/{game['id']}", key)["seq"] == 5
    problem = api.refused(422, "illegal-move", "POST", path(game, "takeback"), key, {"to": to})
    assert (problem["rule"], problem["index"], problem["seat"]) == ("common.takeback", 0, None)


def test_abandoned_game_is_over(api: Api, key: str, game: dict[str, Any]) -> None:
    api.ok("POST", path(game), key, {"moves": [DEAL]})
    ended = api.ok("POST", path(game, "abandon"), key, {"reason": "The last train leaves."})
    assert (ended["status"], ended["to_act"]) == ("abandoned", [])
    assert ended["events"][0]["reason"] == "The last train leaves."
    for call, body in (
        ("moves", {"moves": [BIDS[0]]}),
        ("takeback", {"to": 0}),
        ("abandon", {"reason": "Again."}),
    ):
        problem = api.refused(422, "illegal-move", "POST", path(game, call), key, body)
        assert problem["rule"] == "common.over"
    found = api.ok("GET", f"/v1/games/{game['id']}", key)
    assert (found["status"], found["winners"], found["to_act"]) == ("abandoned", [], [])


def test_whole_game_to_its_score_sheet(api: Api, key: str) -> None:
    game = api.new_game(key, config={"target": 1, "first_dealer": 0})
    ended = api.play(game["id"], key, 200)
    assert ended["status"] == "finished"
    found = api.ok("GET", f"/v1/games/{game['id']}", key)
    ledger = api.ok("GET", path(game, "ledger"), key)
    assert found["scores"] == ledger["totals"]
    assert found["winners"] == ledger["winners"]
    totals = [sum(line["points"] for line in ledger["lines"] if line["side"] == side) for side in range(3)]
    assert totals == ledger["totals"]
    assert {line["rule"].split(".")[0] for line in ledger["lines"]} == {"quadruple-war"}


@pytest.mark.parametrize(("ruleset", "seats"), [("soda", 2), ("wodka", 4)])
def test_a_list_tells_nothing_of_cards_that_its_own_moves_bring(api: Api, key: str, ruleset: str, seats: int) -> None:
    """Not by how a later move is refused, which leaves nothing in the record and could be tried for each card."""
    players = [f"Player {seat}" for seat in range(seats)]
    body = {"ruleset": ruleset, "players": players, "dealer": "service", "visibility": "private"}
    game = api.ok("POST", "/v1/games", key, body)
    if ruleset == "soda":
        first = game["to_act"][0]
        lead = api.ok("GET", path(game, "legal-moves"), game["seat_tokens"][first])["moves"][0]
        seq = api.ok("POST", path(game), game["seat_tokens"][first], {"moves": [lead]})["seq"]
        seat, move = 1 - first, NO
    else:
        seq = game["seq"]
        seat, move = 2, {"type": "grand", "call": False}
    answers = {
        str(api.refused(422, "invalid-request", "POST", path(game), game["seat_tokens"][seat], {"moves": moves}))
        for card in ["2c", "9d", "Ks", "Ah"]
        for moves in (
            [move, {"type": "play", "card": card}],
            [move, {"type": "exchange", "cards": [card] * 3}, {"type": "x"}],
        )
    }
    assert len(answers) == 1
    assert "moves.1" in answers.pop()
    assert api.ok("GET", path(game, "state"), key)["seq"] == seq


def test_a_list_ends_where_the_service_deals(api: Api, key: str) -> None:
    """For the owner too, who knows every card but those that are not dealt yet."""
    body = {"ruleset": "soda", "players": ["Ann", "Ben"], "dealer": "service", "visibility": "private"}
    game = api.ok("POST", "/v1/games", key, body)
    while (at := api.ok("GET", path(game, "state"), key))["round"] == 1 and at["table"]["scoring_card"] != "Tc":
        moves = api.ok("GET", f"{path(game, 'legal-moves')}?seat={at['to_act'][0]}", key)["moves"]
        api.ok("POST", path(game), key, {"moves": [{"seat": at["to_act"][0], **moves[-1]}]})
    if not at["table"]["laid"]:
        lead = api.ok("GET", f"{path(game, 'legal-moves')}?seat={at['to_act'][0]}", key)["moves"][0]
        played = {"seat": at["to_act"][0], **lead}
        at = {**at, "to_act": api.ok("POST", path(game), key, {"moves": [played]})["to_act"]}
    last = {"seat": at["to_act"][0], "type": "no"}
    for probe in ({"seat": 0, "type": "play", "card": "2c"}, {"seat": 1, "type": "play", "card": "Ks"}, {"type": "x"}):
        problem = api.refused(422, "invalid-request", "POST", path(game), key, {"moves": [last, probe]})
        assert list(problem["errors"]) == ["moves.1"]
    assert api.ok("POST", path(game), key, {"moves": [last]})["events"][-1]["type"] == "deal"


def test_a_store_set_back_is_followed(api: Api, key: str, game: dict[str, Any], shared_database_url: str) -> None:
    """A worker that kept what is no longer so doesn't go on from there, however far the store has come since."""
    worker = create_app(shared_database_url)
    other = Api(worker, shared_database_url)
    play = path(game)
    other.ok("POST", play, key, {"moves": [DEAL, BIDS[0]]})
    with psycopg.connect(shared_database_url, autocommit=True) as conn:
        number = store.parse_game_id(game["id"])
        columns = "seq, head, status, summary"
        then = conn.execute(f"SELECT {columns} FROM heads WHERE game = %s", (number,)).fetchone()
        assert then is not None
        api.ok("POST", play, key, {"moves": BIDS[1:]})
        conn.execute("ALTER TABLE events DISABLE TRIGGER refuse_change")
        conn.execute("DELETE FROM events WHERE game = %s AND seq > 2", (number,))
        conn.execute("ALTER TABLE events ENABLE ALWAYS TRIGGER refuse_change")
        conn.execute(f"UPDATE heads SET ({columns}) = (%s, %s, %s, %s) WHERE game = %s", (*then, number))
    again = [{**bid, "tricks": 9} for bid in BIDS[1:]]
    other.ok("POST", play, key, {"moves": [*again, {"seat": 1, "type": "play", "card": "4c"}]})
    bids = [each.ok("GET", path(game, "state"), key)["table"]["bids"] for each in (api, other)]
    worker.extensions["tricklog"].desk.pool.close()
    assert bids == [[9, 2, 9]] * 2
