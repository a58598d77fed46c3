"""Who may do what: every call with every kind of credential, on games of one's own and of others."""

from itertools import product
from typing import Any, NamedTuple

import psycopg
import pytest

from api import store
from api.http.replay import VERSION
from tests.http.client import Api, operations

MOVE = {"moves": [{"seat": 0, "type": "bid", "tricks": 1}]}
VIEWER = {"version": VERSION, "name": "cards.svg"}
WEBHOOK = {"url": "https://example.org/", "types": ["game.finished"]}
NEW = {"ruleset": "thirteen", "players": ["Ada", "Ben"], "dealer": "client", "visibility": "private"}


class World(NamedTuple):
    """A game and all that may be shown to get at it: the owner's key, its seats' tokens, and those of strangers."""

    game: str
    first: int
    tokens: dict[str, str | None]


def world(api: Api, visibility: str, *, over: bool = False) -> World:
    key = api.new_key()
    game = api.new_game(key, visibility=visibility)
    first = game["to_act"][0]
    stranger = api.new_key()
    other = api.new_game(stranger, visibility="public")
    sister = api.new_game(key, visibility="public")
    revoked = api.new_key()
    revoke(api, revoked)
    if over:
        api.ok("POST", f"/v1/games/{game['id']}/abandon", key, {"reason": "Late."})
    return World(
        game["id"],
        first,
        {
            "owner": key,
            "seat": game["seat_tokens"][first],
            "other seat": game["seat_tokens"][(first + 1) % 3],
            "nobody": None,
            "stranger": stranger,
            "stranger's seat": other["seat_tokens"][0],
            "sister's seat": sister["seat_tokens"][0],
            "revoked key": revoked,
            "wrong key": f"{key[:-3]}xyz",
            "wrong token": f"{game['seat_tokens'][0][:-3]}xyz",
            "no token": "letmein",
        },
    )


def revoke(api: Api, key: str) -> None:
    with psycopg.connect(api.url, autocommit=True) as conn:
        parsed = store.parse_api_key(key)
        assert parsed is not None
        assert store.revoke_key(conn, parsed.number)


SEES = {"owner": 200, "seat": 200, "other seat": 200, "stranger": 404, "stranger's seat": 404}
FALSE = {"revoked key": 401, "wrong key": 401, "wrong token": 401, "no token": 401}
SECRET = {"nobody": 404}
OPEN = {"nobody": 200}
WRITES = {"owner": 201, "seat": 201, "other seat": 201, "stranger": 404, "stranger's seat": 404}
DIRECTS = {"owner": 201, "seat": 403, "other seat": 403, "stranger": 404, "stranger's seat": 404}
OWN_MOVES = {"owner": 422, "seat": 200, "other seat": 200, "stranger": 404, "stranger's seat": 404}
RECORD = {"owner": 200, "seat": 403, "other seat": 403, "stranger": 404, "stranger's seat": 404}
KEYS = {"owner": 0, "stranger": 0, "seat": 403, "other seat": 403, "stranger's seat": 403, "nobody": 401}
ANYBODY = dict.fromkeys((*SEES, *FALSE, "nobody"), 200)

# What every call answers each caller with, about a private game that is running; 0: as it answers its owner.
MATRIX: dict[str, dict[str, int]] = {
    "getGame": SEES | FALSE | SECRET,
    "listEvents": SEES | FALSE | SECRET,
    "getState": SEES | FALSE | SECRET,
    "getLedger": SEES | FALSE | SECRET,
    "getReplay": SEES | FALSE | SECRET,
    "listLegalMoves": OWN_MOVES | FALSE | SECRET,
    "getRecord": RECORD | FALSE | SECRET,
    "playMoves": WRITES | FALSE | SECRET,
    "takeBack": DIRECTS | FALSE | SECRET,
    "abandonGame": DIRECTS | FALSE | SECRET,
    "giveClientSeed": {caller: 403 if status == 201 else status for caller, status in WRITES.items()} | FALSE | SECRET,
    "auditGame": RECORD | FALSE | SECRET,
    "disputeScore": WRITES | FALSE | SECRET,
    "listDisputes": SEES | FALSE | SECRET,
    "getDispute": SEES | FALSE | SECRET,
    "resolveDispute": DIRECTS | FALSE | SECRET,
    "auditRecord": {caller: status or 200 for caller, status in (KEYS | FALSE).items()},
    "replayRecord": ANYBODY,
    "getReceiptKeys": ANYBODY,
    "createGame": {caller: status or 201 for caller, status in (KEYS | FALSE).items()},
    "importRecord": {caller: status or 201 for caller, status in (KEYS | FALSE).items()},
    **{
        operation: {caller: status or done for caller, status in (KEYS | {"stranger": 404} | FALSE).items()}
        for operation, done in {
            "getWebhook": 200,
            "changeWebhook": 200,
            "deleteWebhook": 204,
            "createWebhookSecret": 201,
            "deleteWebhookSecret": 204,
            "listDeliveries": 200,
            "replayDelivery": 202,
            "pingWebhook": 202,
        }.items()
    },
    "createWebhook": {caller: status or 201 for caller, status in (KEYS | FALSE).items()},
    "listWebhooks": {caller: status or 200 for caller, status in (KEYS | FALSE).items()},
    "listGames": {caller: status or 200 for caller, status in (KEYS | FALSE).items()},
    "listRulesets": ANYBODY,
    "getRuleset": ANYBODY,
    "getHealth": ANYBODY,
    "getReadiness": ANYBODY,
    "getMetrics": ANYBODY,
    "getOpenapi": ANYBODY,
    "getDocs": ANYBODY,
    "getDocsPage": ANYBODY,
    "getProblem": ANYBODY,
    "listDemonstrations": ANYBODY,
    "getPicture": SEES | FALSE | SECRET,
    # there is no query: as for every address that is none of the viewer's
    "getOembed": dict.fromkeys(ANYBODY, 422),
    "openViewer": ANYBODY,
    "openGameViewer": ANYBODY,
    "getViewerPart": ANYBODY,
}

# And about a public one: where it differs for who shows nothing.
PUBLIC = dict.fromkeys(
    ("getGame", "listEvents", "getState", "getLedger", "getReplay", "getPicture", "listDisputes", "getDispute"), 200
) | {
    "giveClientSeed": 401,
    "auditGame": 403,
    "disputeScore": 401,
    "resolveDispute": 401,
    "listLegalMoves": 401,
    "getRecord": 403,
    "playMoves": 401,
    "takeBack": 401,
    "abandonGame": 401,
}


# And about one that is over: what is no longer secret, and what is no longer played.
OVER: dict[str, dict[str, int]] = {
    "getRecord": {"seat": 200, "other seat": 200},
    "auditGame": {"seat": 200, "other seat": 200},
    "playMoves": {"owner": 422, "seat": 422, "other seat": 422},
    "takeBack": {"owner": 422},
    "abandonGame": {"owner": 422},
}
OVER_AND_PUBLIC = dict.fromkeys(("getRecord", "auditGame"), 200)


def body_for(api: Api, operation_id: str, made: World, caller: str) -> Any:
    match operation_id:
        case "createWebhook":
            return WEBHOOK
        case "changeWebhook":
            return {"paused": True}
        case "createWebhookSecret" | "pingWebhook" | "replayDelivery":
            return {}
        case "playMoves":
            # each seat its own move; the one that isn't to act is refused by the rules, not at the door
            seats = {"other seat": (made.first + 1) % 3}
            return {"moves": [{"seat": seats.get(caller, made.first), "type": "bid", "tricks": 1}]}
        case "takeBack":
            return {"to": 2}
        case "abandonGame":
            return {"reason": "Late."}
        case "giveClientSeed":
            return {"seed": "heads"}
        case "disputeScore":
            return {"totals": [0, 0, 0], "statement": "Nothing yet."}
        case "resolveDispute":
            return {"resolution": "So it is."}
        case "auditRecord" | "replayRecord":
            return {"record": api.ok("GET", f"/v1/games/{made.game}/record", made.tokens["owner"])}
        case "createGame":
            return NEW
        case "importRecord":
            return api.ok("GET", f"/v1/games/{made.game}/record", made.tokens["owner"])
        case _:
            return None


def webhook_of(api: Api, made: World) -> dict[str, str]:
    """The ids of a webhook of the owner's, its oldest secret and a delivery."""
    owner = made.tokens["owner"]
    webhook = api.ok("POST", "/v1/webhooks", owner, WEBHOOK)
    api.ok("POST", f"/v1/webhooks/{webhook['id']}/secrets", owner, {})
    delivery = api.ok("POST", f"/v1/webhooks/{webhook['id']}/ping", owner, {})
    return {"webhook": webhook["id"], "signing": webhook["secrets"][0]["id"], "delivery": delivery["id"]}


def test_matrix_has_every_operation_and_every_caller(api: Api) -> None:
    assert MATRIX.keys() == {operation["operationId"] for _, _, operation in operations(api.document)}
    callers = world(api, "private").tokens.keys()
    for operation_id, row in MATRIX.items():
        assert {*row, "sister's seat"} == callers, operation_id


@pytest.mark.parametrize("over", [False, True], ids=["running", "over"])
@pytest.mark.parametrize("visibility", ["private", "public"])
@pytest.mark.parametrize("operation_id", MATRIX)
def test_operation_answers_each_caller_as_it_should(api: Api, operation_id: str, visibility: str, over: bool) -> None:
    method, template = next(
        (method, path) for method, path, each in operations(api.document) if each["operationId"] == operation_id
    )
    # A token of another game is that, whoever owns the game.
    expected = MATRIX[operation_id] | {"sister's seat": MATRIX[operation_id]["stranger's seat"]}
    if over:
        expected |= OVER.get(operation_id, {})
    if visibility == "public":
        open_to_all = PUBLIC | OVER_AND_PUBLIC if over else PUBLIC
        expected["nobody"] = open_to_all.get(operation_id, expected["nobody"])
    made = None
    for caller, status in expected.items():
        # What a call changes is not there for the next caller.
        if made is None or (method != "GET" and status < 300):
            made = world(api, visibility, over=over)
            if operation_id == "takeBack" and not over:
                move = {"moves": [{"type": "bid", "tricks": 1}]}
                api.ok("POST", f"/v1/games/{made.game}/moves", made.tokens["seat"], move)
            if "{dispute}" in template:
                claim = {"totals": [0, 0, 0], "statement": "Nothing yet."}
                api.ok("POST", f"/v1/games/{made.game}/disputes", made.tokens["seat"], claim)
        known = {"ruleset": "thirteen", "problem": "stale", "page": "kraken", "dispute": "1", **VIEWER}
        if "{webhook}" in template:
            known |= webhook_of(api, made)
        path = template.format(game=made.game, **known)
        body = body_for(api, operation_id, made, caller)
        response = api.call(method, path, made.tokens[caller], body)
        if operation_id == "playMoves" and caller == "other seat":
            assert response.get_json()["rule"] == ("common.over" if over else "common.turn")
            continue
        assert response.status_code == status, (caller, response.get_data(as_text=True))


@pytest.mark.parametrize(
    "operation_id", ["createGame", "importRecord", "playMoves", "takeBack", "abandonGame", "createWebhook"]
)
def test_credentials_are_judged_before_the_body(api: Api, operation_id: str) -> None:
    method, template = next(
        (method, path) for method, path, each in operations(api.document) if each["operationId"] == operation_id
    )
    made = world(api, "private")
    for caller, status in MATRIX[operation_id].items():
        if status < 400:
            continue
        path = template.format(game=made.game)
        response = api.call(method, path, made.tokens[caller], data=b"{", headers={"Content-Type": "text/plain"})
        assert response.status_code == status, caller


@pytest.mark.parametrize(
    "header",
    [
        "Basic dXNlcjpwYXNz",
        "Bearer",
        "Bearer ",
        "",
        "tlk_1_x",
        "Bearer tlk_1_x",
        "Bearer tlk_99999999999_" + "x" * 43,
        "Bearer tls_1_0_" + "x" * 43,
        "Bearer tls_99999999_0_" + "x" * 43,
        "Bearer tls_1_99_" + "x" * 43,
        "Bearer tlk_1_" + "\u00e9" * 43,
        "Digest tlk_1_x",
        "Bearer a, Bearer b",
    ],
)
def test_other_credentials_are_none(api: Api, header: str) -> None:
    public = world(api, "public").game
    for path in (f"/v1/games/{public}", "/v1/games"):
        response = api.call("GET", path, headers={"Authorization": header})
        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_no_operation_takes_another_scheme(api: Api) -> None:
    made = world(api, "public")
    named = {"ruleset": "thirteen", "problem": "stale", "page": "kraken", "dispute": "1", **VIEWER}
    for method, template, _ in operations(api.document):
        path = template.format(game=made.game, webhook="x", signing="x", delivery="x", **named)
        api.refused(401, "unauthorized", method, path, headers={"Authorization": "Basic dXNlcjpwYXNz"})


def test_scheme_is_taken_in_any_case(api: Api, key: str) -> None:
    for scheme in ("bearer", "BEARER"):
        assert api.call("GET", "/v1/games", headers={"Authorization": f"{scheme} {key}"}).status_code == 200


def test_revoked_key_is_none(api: Api) -> None:
    key = api.new_key()
    game = api.new_game(key, visibility="public")
    path = f"/v1/games/{game['id']}"
    api.ok("GET", path, key)
    revoke(api, key)
    api.refused(401, "unauthorized", "GET", path, key)
    api.refused(401, "unauthorized", "POST", f"{path}/moves", key, MOVE)
    api.refused(401, "unauthorized", "GET", "/v1/games", key)
    # its seats play on
    api.ok("GET", path, game["seat_tokens"][0])


@pytest.mark.parametrize("game", ["0000001", "x" * 16, "0000001000000000", "0" * 16, "%00", "zzzzzzzzzzzzzzzz", "1;2"])
def test_game_that_there_is_not(api: Api, key: str, game: str) -> None:
    for token in (key, None):
        api.refused(404, "not-found", "GET", f"/v1/games/{game}", token)
    api.refused(404, "not-found", "POST", f"/v1/games/{game}/moves", key, MOVE)


# --- views ----------------------------------------------------------------------------------------------------------

VIEWS = ("public", "0", "1", "2", "table")


@pytest.mark.parametrize("call", ["state", "events", "ledger", "replay"])
def test_views_of_a_running_game(api: Api, call: str) -> None:
    made = world(api, "public")
    seat = str(made.first)
    other = str((made.first + 1) % 3)
    may = {
        "owner": set(VIEWS),
        "seat": {"public", seat},
        "other seat": {"public", other},
        "nobody": {"public"},
    }
    default = {"owner": "public", "seat": seat, "other seat": other, "nobody": "public"}
    shown: dict[str, Any] = {}
    for caller, view in product(may, VIEWS):
        path = f"/v1/games/{made.game}/{call}?view={view}"
        if view in may[caller]:
            found = api.ok("GET", path, made.tokens[caller])
            assert shown.setdefault(view, found) == found
        else:
            api.refused(403, "forbidden", "GET", path, made.tokens[caller])
    for caller, view in default.items():
        assert api.ok("GET", f"/v1/games/{made.game}/{call}", made.tokens[caller]) == shown[view]


@pytest.mark.parametrize("call", ["state", "events", "ledger", "replay"])
def test_views_of_a_game_that_is_over(api: Api, call: str) -> None:
    made = world(api, "public")
    api.ok("POST", f"/v1/games/{made.game}/abandon", made.tokens["owner"], {"reason": "Late."})
    shown: dict[str, Any] = {}
    for caller, view in product(("owner", "seat", "other seat", "nobody"), VIEWS):
        found = api.ok("GET", f"/v1/games/{made.game}/{call}?view={view}", made.tokens[caller])
        assert shown.setdefault(view, found) == found
        assert api.ok("GET", f"/v1/games/{made.game}/{call}", made.tokens[caller]) == (
            shown["table"] if "table" in shown else api.ok("GET", f"/v1/games/{made.game}/{call}?view=table")
        )
    assert "seed" in api.ok("GET", f"/v1/games/{made.game}")
    assert "seed" in api.ok("GET", f"/v1/games/{made.game}/record")


def cards_in(value: Any) -> set[str]:
    """Every card that is named somewhere in an answer."""
    if isinstance(value, dict):
        return {card for part in value.values() for card in cards_in(part)}
    if isinstance(value, list):
        return {card for part in value for card in cards_in(part)}
    return {value} if isinstance(value, str) and len(value) == 2 and value[1] in "cdhsJ" else set()


def test_nothing_tells_a_card_that_the_caller_may_not_know(api: Api, key: str) -> None:
    game = api.new_game(key, config={"first_dealer": 0}, visibility="public")
    path = f"/v1/games/{game['id']}"
    hands = [set(hand["cards"]) for hand in api.ok("GET", f"{path}/state?view=table", key)["hands"]]
    api.play(game["id"], key, 3)
    known: dict[int | None, set[str]] = {0: hands[0], 1: hands[1], 2: hands[2], None: set()}
    for seat, own in known.items():
        token = None if seat is None else game["seat_tokens"][seat]
        for call in ("", "/state", "/events", "/ledger", "/replay", "/state?at=1", "/events?after=0&limit=1"):
            answer = api.ok("GET", path + call, token)
            assert cards_in(answer) <= own
        if seat is not None:
            assert cards_in(api.ok("GET", f"{path}/legal-moves", token)) <= own
            card = min(hands[(seat + 1) % 3])
            problem = api.call("POST", f"{path}/moves", token, {"moves": [{"type": "play", "card": card}]})
            assert problem.status_code == 422
            assert cards_in(problem.get_json()) <= {card}
    assert "seed" not in api.ok("GET", path, key)
    assert "seed" not in api.ok("GET", f"{path}/record", key)


def test_what_a_view_hid_stays_hidden_in_it(api: Api, key: str) -> None:
    game = api.new_game(key, config={"first_dealer": 0}, visibility="public")
    path = f"/v1/games/{game['id']}"
    before = api.ok("GET", f"{path}/events?view=1", key)["events"]
    state = api.ok("GET", f"{path}/state?view=1", key)
    api.play(game["id"], key, 2)
    api.ok("POST", f"{path}/takeback", key, {"to": 0})
    api.ok("POST", f"{path}/abandon", key, {"reason": "Late."})
    assert api.ok("GET", f"{path}/events?view=1")["events"][: len(before)] == before
    assert api.ok("GET", f"{path}/state?view=1&at={state['seq']}") == state
