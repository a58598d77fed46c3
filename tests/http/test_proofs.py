"""Proof over HTTP: client seeds, receipts, audits, disputes, and what none of them gives away."""

import json
from hashlib import sha256
from itertools import pairwise
from typing import Any

import psycopg
import pytest

from api import service, store
from api.games import LATEST
from api.games.rules import read_config
from api.proofs import digests
from api.proofs.receipts import Receipt, read_jwks, read_receipt
from api.proofs.shuffle import chance_event, stream_key
from api.records.audit import audit
from tests.http.client import Api

SEEDS = ["heads", "tails", "Zoë's line"]


def keys(api: Api) -> Any:
    return read_jwks(api.ok("GET", "/.well-known/jwks.json"))


def play_out(api: Api, key: str, **options: Any) -> tuple[str, list[str]]:
    """The path of a finished short game, and the receipt of each move."""
    game = api.new_game(key, config={"target": 20}, **options)
    path = f"/v1/games/{game['id']}"
    receipts = []
    for place, seed in enumerate(SEEDS if options.get("client_seeds") == "seats" else ()):
        receipts.append(api.ok("POST", f"{path}/client-seed", game["seat_tokens"][place], {"seed": seed})["receipt"])
    to_act = api.ok("GET", path, key)["to_act"]
    while to_act:
        moves = api.ok("GET", f"{path}/legal-moves?seat={to_act[0]}", key)["moves"]
        accepted = api.ok("POST", f"{path}/moves", key, {"moves": [{**moves[0], "seat": to_act[0]}]})
        receipts.append(accepted["receipt"])
        to_act = accepted["to_act"]
    return path, receipts


@pytest.fixture(scope="module")
def owner(api: Api) -> str:
    return api.new_key()


@pytest.fixture(scope="module")
def finished(api: Api, owner: str) -> tuple[str, list[str]]:
    return play_out(api, owner, client_seeds="seats", visibility="public")


# --- client seeds ---------------------------------------------------------------------------------------------------


def test_a_game_waits_for_a_seed_of_each_seat(api: Api, key: str) -> None:
    game = api.new_game(key, client_seeds="seats", visibility="public")
    path = f"/v1/games/{game['id']}"
    assert (game["seq"], game["to_act"], game["chance"]) == (0, [0, 1, 2], None)
    assert game["client_seeds"] == [None, None, None]
    state = api.ok("GET", f"{path}/state")
    assert (state["phase"], state["to_act"], state["chance"]) == ("seeding", [0, 1, 2], None)
    assert api.ok("GET", f"{path}/legal-moves?seat=1", key)["moves"] == []
    for move in ({"seat": 0, "type": "bid", "tricks": 1}, {"seat": 0, "type": "play", "card": "2c"}):
        refused = api.refused(422, "illegal-move", "POST", f"{path}/moves", key, {"moves": [move]})
        assert refused["rule"] == "common.phase"
    api.refused(422, "illegal-move", "POST", f"{path}/takeback", key, {"to": 0})
    tags = [api.call("GET", path).headers["ETag"]]
    given: dict[str, Any] = {}
    for place in (2, 0, 1):
        given = api.ok("POST", f"{path}/client-seed", game["seat_tokens"][place], {"seed": SEEDS[place]})
        tags.append(api.call("GET", path).headers["ETag"])
        if place != 1:
            assert (given["seq"], given["events"]) == (0, [])
            assert given["to_act"] == [each for each in range(3) if each not in {2, 0}] or given["to_act"] == [0, 1]
    assert len(set(tags)) == 4
    assert [event["type"] for event in given["events"]] == ["draw", "deal"]
    assert api.ok("GET", path)["client_seeds"] == SEEDS


def test_a_game_waits_for_a_seed_of_its_owner(api: Api, key: str) -> None:
    game = api.new_game(key, client_seeds="owner")
    path = f"/v1/games/{game['id']}"
    assert game["to_act"] == []
    api.refused(403, "forbidden", "POST", f"{path}/client-seed", game["seat_tokens"][0], {"seed": "mine"})
    api.refused(422, "invalid-request", "POST", f"{path}/client-seed", key, {"seed": "mine", "seat": 1})
    assert api.ok("POST", f"{path}/client-seed", key, {"seed": "mine"})["seq"] == 2
    assert api.ok("GET", path, key)["client_seeds"] == ["mine"]


def test_each_seed_comes_once_and_before_the_first_deal(api: Api, key: str) -> None:
    game = api.new_game(key, client_seeds="seats")
    path = f"/v1/games/{game['id']}/client-seed"
    api.ok("POST", path, game["seat_tokens"][0], {"seed": "one"})
    for token, body in ((game["seat_tokens"][0], {"seed": "two"}), (key, {"seed": "two", "seat": 0})):
        assert api.refused(422, "illegal-move", "POST", path, token, body)["rule"] == "common.turn"
    api.refused(403, "forbidden", "POST", path, game["seat_tokens"][1], {"seed": "two", "seat": 2})
    api.refused(422, "invalid-request", "POST", path, key, {"seed": "two"})
    for seat in (1, 2):
        api.ok("POST", path, key, {"seed": "two", "seat": seat})
    assert api.refused(422, "illegal-move", "POST", path, key, {"seed": "3", "seat": 1})["rule"] == "common.phase"
    plain = api.new_game(key)
    api.refused(403, "forbidden", "POST", f"/v1/games/{plain['id']}/client-seed", key, {"seed": "one"})


@pytest.mark.parametrize("body", [{}, {"seed": ""}, {"seed": 7}, {"seed": "a\nb"}, {"seed": "a" * 257}, {"sead": "a"}])
def test_what_is_no_client_seed_is_refused(api: Api, key: str, body: dict[str, Any]) -> None:
    game = api.new_game(key, client_seeds="owner")
    api.refused(422, "invalid-request", "POST", f"/v1/games/{game['id']}/client-seed", key, body)


@pytest.mark.parametrize("options", [{"client_seeds": "all"}, {"client_seeds": "owner", "dealer": "client"}])
def test_only_a_game_that_the_service_deals_takes_client_seeds(api: Api, key: str, options: dict[str, Any]) -> None:
    body = {"ruleset": "thirteen", "players": ["Ada", "Ben"], "dealer": "service", "visibility": "private", **options}
    refused = api.refused(422, "invalid-request", "POST", "/v1/games", key, body)
    assert list(refused["errors"]) == ["client_seeds"]


def test_a_game_abandoned_while_it_waits_is_true(api: Api, key: str) -> None:
    game = api.new_game(key, client_seeds="seats")
    path = f"/v1/games/{game['id']}"
    early = api.ok("POST", f"{path}/client-seed", game["seat_tokens"][1], {"seed": "one"})["receipt"]
    late = api.ok("POST", f"{path}/abandon", key, {"reason": "Nobody came."})["receipt"]
    record = api.ok("GET", f"{path}/record", key)
    assert record["client_seeds"] == [None, "one", None]
    assert api.ok("GET", f"{path}/audit", key)["ok"]
    assert api.ok("POST", "/v1/audits", key, {"record": record, "receipts": [early, late]})["ok"]
    copy = api.ok("POST", "/v1/records", key, record)
    assert api.ok("GET", f"/v1/games/{copy['id']}/record", key) == record


def test_a_worker_that_has_the_game_at_hand_sees_the_seeds_that_others_take(api: Api, key: str) -> None:
    game = api.new_game(key, client_seeds="seats")
    with store.open_pool(api.url, 1) as pool:
        other = service.Desk(pool)
        assert service.open_game(other, game["id"], key).position.state.to_act == (0, 1, 2)
        api.ok("POST", f"/v1/games/{game['id']}/client-seed", key, {"seed": "one", "seat": 1})
        assert service.open_game(other, game["id"], key).position.state.to_act == (0, 2)
        opened = service.open_game(other, game["id"], game["seat_tokens"][0])
        api.ok("POST", f"/v1/games/{game['id']}/client-seed", key, {"seed": "two", "seat": 2})
        # it still believes that two are lacking, and is told otherwise by the store
        outcome = service.give_client_seed(other, opened, "three")
        assert outcome.opened.position.seq == 2
    record = api.ok("GET", f"/v1/games/{game['id']}/record", key)
    assert record["client_seeds"] == ["three", "one", "two"]
    assert api.ok("GET", f"/v1/games/{game['id']}/audit", key)["ok"]


def test_all_seeds_deal_the_cards(api: Api, owner: str, finished: tuple[str, list[str]]) -> None:
    record = api.ok("GET", f"{finished[0]}/record", owner)
    seed = bytes.fromhex(record["seed"])
    assert sha256(seed).hexdigest() == record["commitment"]
    ruleset = LATEST["quadruple-war"]
    state = ruleset.start(read_config(ruleset, record["config"], 3), 3)
    drawn = {name: value for name, value in record["events"][0].items() if name in ("type", "cards")}
    assert chance_event(stream_key(seed, SEEDS), 0, state) == drawn
    assert chance_event(stream_key(seed), 0, state) != drawn


# --- receipts -------------------------------------------------------------------------------------------------------


def test_every_move_takeback_and_abandonment_is_answered_with_a_receipt(api: Api, key: str) -> None:
    game = api.new_game(key)
    path = f"/v1/games/{game['id']}"
    seat = game["to_act"][0]
    answers = [
        api.ok("POST", f"{path}/moves", key, {"moves": [{"seat": seat, "type": "bid", "tricks": 1}]}),
        api.ok("POST", f"{path}/takeback", key, {"to": 2}),
        api.ok("POST", f"{path}/abandon", key, {"reason": "Late."}),
    ]
    read = [read_receipt(each["receipt"], keys(api), game["id"]) for each in answers]
    record = api.ok("GET", f"{path}/record", key)
    assert [each.seq for each in read] == [3, 4, 5]
    assert read[-1] == Receipt(game["id"], 5, record["head"])
    assert api.ok("POST", "/v1/audits", key, {"record": record, "receipts": [each["receipt"] for each in answers]})[
        "ok"
    ]


def test_a_new_key_signs_and_the_old_ones_receipts_still_hold(api: Api, key: str) -> None:
    game = api.new_game(key)
    path = f"/v1/games/{game['id']}"
    before = api.ok("POST", f"{path}/abandon", key, {"reason": "Late."})["receipt"]
    with psycopg.connect(api.url, autocommit=True) as conn:
        rotated = store.rotate_signing_key(conn)
        assert conn.execute("SELECT count(*) FROM signing_keys WHERE secret IS NOT NULL").fetchone() == (1,)
    with store.open_pool(api.url, 1) as pool:
        assert service.Desk(pool).signer().key == rotated
    published = api.ok("GET", "/.well-known/jwks.json")["keys"]
    assert rotated in {each["kid"] for each in published}
    assert all(each.keys() == {"kty", "crv", "alg", "use", "kid", "x"} for each in published)
    record = api.ok("GET", f"{path}/record", key)
    assert api.ok("POST", "/v1/audits", key, {"record": record, "receipts": [before]})["ok"]


# --- audits ---------------------------------------------------------------------------------------------------------


def test_a_finished_game_is_true_to_everybody_who_may_see_it(
    api: Api, owner: str, finished: tuple[str, list[str]]
) -> None:
    path, receipts = finished
    audited = api.ok("GET", f"{path}/audit")
    assert audited["ok"]
    assert audited == api.ok("GET", f"{path}/audit", owner)
    assert audited["ledger"] == api.ok("GET", f"{path}/ledger?view=table")
    record = api.ok("GET", f"{path}/record")
    assert audit(record, receipts, keys(api)).ok
    assert api.ok("POST", "/v1/audits", api.new_key(), {"record": record, "receipts": receipts})["ok"]


def test_a_bad_record_is_answered_with_what_is_wrong_and_nothing_is_stored(
    api: Api, key: str, finished: tuple[str, list[str]]
) -> None:
    record = api.ok("GET", f"{finished[0]}/record")
    for changes, check in (
        ({"ruleset": "bridge"}, "form"),
        ({"winner": 3}, "form"),
        ({"config": {"speed": 3}}, "form"),
        ({"head": "no hex"}, "form"),
        ({"players": ["Ada"]}, "form"),
        ({"seed": "00" * 32}, "commitment"),
        ({"result": {"totals": [1, 2, 3], "winners": [0]}}, "result"),
        ({"events": record["events"][:-1]}, "chain"),
    ):
        audited = api.ok("POST", "/v1/audits", key, {"record": record | changes})
        assert not audited["ok"]
        assert check in [each["check"] for each in audited["checks"] if not each["ok"]]
    assert api.ok("GET", "/v1/games", key) == {"games": []}


@pytest.mark.parametrize("record", [None, [], "record", {}, {"format": "tricklog/1"}, {"format": "tricklog/2"}])
def test_what_is_no_record_is_refused(api: Api, key: str, record: Any) -> None:
    api.refused(422, "invalid-request", "POST", "/v1/audits", key, {"record": record})


def test_a_running_games_audit_is_its_owners(api: Api, key: str) -> None:
    game = api.new_game(key, visibility="public")
    path = f"/v1/games/{game['id']}"
    assert api.ok("GET", f"{path}/audit", key)["ok"]
    for token in (None, game["seat_tokens"][0]):
        api.refused(403, "forbidden", "GET", f"{path}/audit", token)
    api.refused(404, "not-found", "GET", f"{path}/audit", api.new_key())


def test_a_record_without_its_seed_is_not_proved(api: Api, key: str, finished: tuple[str, list[str]]) -> None:
    record = api.ok("GET", f"{finished[0]}/record")
    del record["seed"]
    audited = api.ok("POST", "/v1/audits", key, {"record": record})
    assert [each["check"] for each in audited["checks"] if not each["ok"]] == ["commitment", "deals"]
    copy = api.ok("POST", "/v1/records", key, record)
    assert not api.ok("GET", f"/v1/games/{copy['id']}/audit", key)["ok"]


# --- what is not given away -----------------------------------------------------------------------------------------


def test_no_answer_about_a_running_game_holds_its_seed_its_secret_or_a_salt(api: Api, key: str) -> None:
    game = api.new_game(key, visibility="public", client_seeds="seats")
    path = f"/v1/games/{game['id']}"
    answers = [json.dumps(game)]
    for seat, token in enumerate(game["seat_tokens"]):
        answers.append(json.dumps(api.ok("POST", f"{path}/client-seed", token, {"seed": SEEDS[seat]})))
    seat = api.ok("GET", path, key)["to_act"][0]
    answers.append(
        json.dumps(api.ok("POST", f"{path}/moves", key, {"moves": [{"seat": seat, "type": "bid", "tricks": 1}]}))
    )
    looks = ("", "/events", "/state", "/ledger", "/replay", "/record", "/audit", "/disputes", "/legal-moves?seat=0")
    answers += [
        api.call("GET", path + look, token).get_data(as_text=True)
        for token in (key, *game["seat_tokens"], None)
        for look in looks
    ]
    claim = {"totals": [0, 0, 1], "statement": "So."}
    answers.append(api.call("POST", f"{path}/disputes", key, claim).get_data(as_text=True))
    record = api.ok("GET", f"{path}/record", key)
    answers += [json.dumps(api.ok("POST", "/v1/audits", key, {"record": record}))]
    answers += [json.dumps(api.ok("POST", "/v1/records", key, record))]
    with psycopg.connect(api.url) as conn:
        number = store.parse_game_id(game["id"])
        [(seed, secret)] = conn.execute("SELECT seed, secret FROM games WHERE game = %s", (number,)).fetchall()
    for hidden in (seed, secret, *(digests.salt(secret, seq) for seq in range(1, 4))):
        assert not [answer for answer in answers if hidden.hex() in answer]


def test_a_view_shows_the_digest_of_what_it_hides_and_the_salts_open_it_later(api: Api, key: str) -> None:
    game = api.new_game(key, visibility="public")
    path = f"/v1/games/{game['id']}"
    hidden = api.ok("GET", f"{path}/events")["events"][1]
    assert hidden["redacted"]
    assert "hands" not in hidden
    api.ok("POST", f"{path}/abandon", key, {"reason": "Late."})
    record = api.ok("GET", f"{path}/record")
    opened = dict(record["events"][1])
    digest, salt = opened.pop("digest"), opened.pop("salt")
    assert digest == hidden["digest"]
    text = json.dumps(opened | {"seq": 2}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert sha256(bytes.fromhex(salt) + text.encode()).hexdigest() == digest


# --- disputes -------------------------------------------------------------------------------------------------------


def claim(api: Api, path: str, token: str, **what: Any) -> dict[str, Any]:
    made: dict[str, Any] = api.ok("POST", f"{path}/disputes", token, {"statement": "I say so.", **what})
    return made


def test_claims_are_answered_with_the_line_the_rule_and_the_events(api: Api, key: str) -> None:
    path, _ = play_out(api, key)
    ledger = api.ok("GET", f"{path}/ledger", key)
    totals, lines = ledger["totals"], ledger["lines"]
    right = claim(api, path, key, totals=totals)
    assert right["finding"]["outcome"] == "upheld"
    assert "line" not in right["finding"]
    assert right["seat"] is None
    wrong = claim(api, path, key, totals=[each + 1 for each in totals])["finding"]
    assert (wrong["outcome"], wrong["derived"]) == ("rejected", totals)
    first = next(place for place, line in enumerate(lines))
    assert wrong["line"] == {"line": first, **lines[first]}
    assert wrong["events"] == lines[first]["events"]
    assert wrong["rule"]["id"] == lines[first]["rule"]
    assert wrong["rule"]["text"]
    side = lines[-1]["side"]
    without_last = list(totals)
    without_last[side] -= lines[-1]["points"]
    if lines[-1]["points"]:
        partly = claim(api, path, key, totals=without_last)["finding"]
        assert partly["outcome"] == "in-part"
        same = [
            place for place, line in enumerate(lines) if (line["side"], line["points"]) == (side, lines[-1]["points"])
        ]
        assert partly["line"]["line"] == same[0]
    of_round = [
        sum(line["points"] for line in lines if (line["round"], line["side"]) == (1, each)) for each in range(3)
    ]
    assert claim(api, path, key, round=1, points=of_round)["finding"]["outcome"] == "upheld"
    assert claim(api, path, key, round=99, points=[0, 0, 5])["finding"]["outcome"] == "in-part"
    assert claim(api, path, key, round=1, side=2, points=of_round[2])["finding"]["derived"] == of_round[2]
    assert claim(api, path, key, line=0, points=lines[0]["points"])["finding"]["outcome"] == "upheld"
    found = claim(api, path, key, line=0, points=lines[0]["points"] + 1)["finding"]
    assert (found["outcome"], found["line"]["line"]) == ("rejected", 0)
    assert claim(api, path, key, line=999, points=0)["finding"]["outcome"] == "rejected"


def test_a_dispute_stays_as_it_was_when_the_game_goes_on(api: Api, key: str) -> None:
    game = api.new_game(key, visibility="public")
    path = f"/v1/games/{game['id']}"
    made = claim(api, path, game["seat_tokens"][1], round=1, points=10)
    assert (made["dispute"], made["seat"], made["seq"]) == ("1", 1, 2)
    assert made["claim"] == {"round": 1, "side": 1, "points": 10}
    read_receipt(made.pop("receipt"), keys(api), game["id"])
    seat = game["to_act"][0]
    api.ok("POST", f"{path}/moves", key, {"moves": [{"seat": seat, "type": "bid", "tricks": 1}]})
    assert api.ok("GET", f"{path}/disputes/1") == made
    assert api.ok("GET", f"{path}/disputes") == {"disputes": [made]}
    api.refused(404, "not-found", "GET", f"{path}/disputes/2")
    api.refused(
        403, "forbidden", "POST", f"{path}/disputes/1/resolution", game["seat_tokens"][1], {"resolution": "Me."}
    )
    resolved = api.ok("POST", f"{path}/disputes/1/resolution", key, {"resolution": "Play on."})
    assert resolved.pop("resolution")["resolution"] == "Play on."
    assert resolved == made
    api.refused(403, "forbidden", "POST", f"{path}/disputes/1/resolution", key, {"resolution": "Stop."})
    second = claim(api, path, key, totals=[0, 0, 0])
    assert [each["dispute"] for each in api.ok("GET", f"{path}/disputes")["disputes"]] == ["1", second["dispute"]]
    api.refused(404, "not-found", "POST", f"{path}/disputes/2/resolution", key, {"resolution": "That was one."})
    assert api.ok("GET", f"{path}/audit", key)["ok"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"totals": [1, 2, 3]},
        {"statement": "So."},
        {"statement": "So.", "totals": [1, 2]},
        {"statement": "So.", "totals": [1, 2, 3, 4]},
        {"statement": "So.", "totals": [1, 2, "3"]},
        {"statement": "So.", "totals": [1, 2, 3], "round": 1},
        {"statement": "So.", "totals": [1, 2, 3], "points": 3},
        {"statement": "So.", "round": 1},
        {"statement": "So.", "round": 0, "points": [1, 2, 3]},
        {"statement": "So.", "round": 1, "points": [1, 2]},
        {"statement": "So.", "round": 1, "points": 7},
        {"statement": "So.", "round": 1, "side": 3, "points": 7},
        {"statement": "So.", "round": 1, "side": 1, "points": [1, 2, 3]},
        {"statement": "So.", "line": 0, "points": [1, 2, 3]},
        {"statement": "So.", "line": -1, "points": 1},
        {"statement": "So.", "line": 0, "side": 1, "points": 1},
        {"statement": "So.", "line": 0, "points": True},
        {"statement": "S\no.", "line": 0, "points": 1},
    ],
)
def test_what_is_no_claim_is_refused_and_not_kept(api: Api, key: str, body: dict[str, Any]) -> None:
    game = api.new_game(key)
    api.refused(422, "invalid-request", "POST", f"/v1/games/{game['id']}/disputes", key, body)
    assert api.ok("GET", f"/v1/games/{game['id']}/disputes", key) == {"disputes": []}


def test_heads_go_on_from_each_other(api: Api, owner: str, finished: tuple[str, list[str]]) -> None:
    path, receipts = finished
    read = [read_receipt(each, keys(api), path.rpartition("/")[2]) for each in receipts]
    assert all(one.seq <= other.seq for one, other in pairwise(read))
    assert len({each.head for each in read}) == len(read)
    assert read[-1].head == api.ok("GET", f"{path}/record", owner)["head"]


def test_a_game_takes_so_many_disputes(api: Api, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.disputes.CLAIMS_MOST", 2)
    game = api.new_game(key)
    path = f"/v1/games/{game['id']}"
    claimed = {"statement": "I say so.", "totals": game["scores"]}
    for _ in range(2):
        api.ok("POST", f"{path}/disputes", game["seat_tokens"][0], claimed)
    api.ok("POST", f"{path}/disputes/1/resolution", key, {"resolution": "Play on."})
    api.refused(403, "forbidden", "POST", f"{path}/disputes", key, claimed)
    assert len(api.ok("GET", f"{path}/disputes", key)["disputes"]) == 2
