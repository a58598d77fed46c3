"""Requests that come again: each is carried out once, and answered as the first time."""

import json
import select
import socket
import socketserver
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import psutil
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from werkzeug.test import TestResponse

from api import service, store
from tests.http.client import Api, lasting, operations
from tests.http.test_access import World, body_for, webhook_of, world
from tests.http.test_server import served

NEW: Final = {"ruleset": "soda", "players": ["Ada", "Ben"], "dealer": "service", "visibility": "private"}
BID: Final = {"type": "bid", "tricks": 1}


@pytest.fixture
def name() -> str:
    """A key that no request has had."""
    return str(uuid4())


@pytest.fixture
def database(api: Api) -> Iterator[psycopg.Connection]:
    """The database behind the service, for its owner."""
    with psycopg.connect(api.url, autocommit=True) as conn:
        yield conn


def post(api: Api, name: str | None, path: str, token: str, body: Any, **headers: str) -> TestResponse:
    """The answer to a request with the idempotency key ``name``."""
    given = {field.replace("_", "-"): value for field, value in headers.items()}
    return api.call("POST", path, token, body, headers=given | ({} if name is None else {"Idempotency-Key": name}))


def same(first: TestResponse, again: TestResponse) -> bool:
    """Whether an answer is an earlier one given again, byte for byte but for what is said of the moment."""
    before, now = (lasting(each) for each in (first, again))
    assert "Idempotency-Replayed" not in before
    assert now.pop("Idempotency-Replayed", None) == "true"
    return (first.status_code, before, first.data) == (again.status_code, now, again.data)


def game_of(api: Api, key: str, **options: Any) -> tuple[str, str, dict[str, Any]]:
    """The path of a new game, the token of the seat to move, and a body with its move."""
    game = api.new_game(key, config={"first_dealer": 0}, **options)
    seat = game["to_act"][0]
    return f"/v1/games/{game['id']}", game["seat_tokens"][seat], {"moves": [{"seat": seat, **BID}]}


def seq_of(api: Api, key: str, path: str) -> int:
    return int(api.ok("GET", path, key)["seq"])


# --- every operation ------------------------------------------------------------------------------------------------

CHANGES_NOTHING: Final = {"auditRecord"}
ANYBODYS: Final = {"replayRecord"}
"""Changes nothing either, and needs no credential by which an answer could be kept."""


def prepared(api: Api, operation_id: str) -> World:
    """A game of which the operation changes something, however often it is called."""
    made = world(api, "private")
    owner = made.tokens["owner"]
    if operation_id == "giveClientSeed":
        return made._replace(game=api.new_game(str(owner), client_seeds="owner")["id"])
    if operation_id == "takeBack":
        api.ok("POST", f"/v1/games/{made.game}/moves", made.tokens["seat"], {"moves": [BID]})
    if operation_id == "resolveDispute":
        api.ok("POST", f"/v1/games/{made.game}/disputes", owner, {"totals": [0, 0, 0], "statement": "Nothing."})
    return made


def written_since(conn: psycopg.Connection, transaction: int) -> set[int]:
    """The transactions, this one or later, that wrote to any table but that of the answers."""
    tables = conn.execute("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'").fetchall()
    return {
        int(found)
        for (table,) in tables
        if table != "answers"
        for (found,) in conn.execute(f"SELECT xmin::text FROM {table}").fetchall()
        if int(found) >= transaction
    }


def test_every_post_is_carried_out_once_and_its_answer_kept_in_the_same_transaction(
    api: Api, database: psycopg.Connection
) -> None:
    for method, template, operation in operations(api.document):
        operation_id = operation["operationId"]
        if method not in ("POST", "PATCH") or operation_id in ANYBODYS:
            continue
        made = prepared(api, operation_id)
        owner = str(made.tokens["owner"])
        webhook = webhook_of(api, made) if "{webhook}" in template else {}
        path = template.format(game=made.game, dispute="1", **webhook)
        body, named = body_for(api, operation_id, made, "owner"), {"Idempotency-Key": str(uuid4())}
        [(before,)] = database.execute("SELECT pg_current_xact_id()::text::integer").fetchall()
        first = api.call(method, path, owner, body, headers=named)
        assert first.status_code < 300, (operation_id, first.get_data(as_text=True))
        [(kept,)] = database.execute("SELECT max(xmin::text::integer) FROM answers").fetchall()
        assert written_since(database, before) == (set() if operation_id in CHANGES_NOTHING else {kept}), operation_id
        assert same(first, api.call(method, path, owner, body, headers=named)), operation_id
        assert written_since(database, before) <= {kept}, operation_id


def test_every_post_documents_the_header(api: Api) -> None:
    for method, path, operation in operations(api.document):
        names = {parameter["name"] for parameter in operation["parameters"]}
        kept = method in ("POST", "PATCH") and operation["operationId"] not in ANYBODYS
        assert ("Idempotency-Key" in names) == kept, path
        if kept:
            assert {"409", "422"} <= operation["responses"].keys()


def test_tokens_of_a_game_are_the_same_in_the_answer_given_again(api: Api, key: str, name: str) -> None:
    made, again = (post(api, name, "/v1/games", key, NEW).get_json() for _ in range(2))
    assert made["seat_tokens"] == again["seat_tokens"]
    assert [game["id"] for game in api.ok("GET", "/v1/games", key)["games"]] == [made["id"]]
    for token in again["seat_tokens"]:
        api.ok("GET", f"/v1/games/{made['id']}/legal-moves", token)


# --- keys -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "also"),
    [
        ("8e03978e-40d5-43dd-bc93-6894a57f9324", '"8e03978e-40d5-43dd-bc93-6894a57f9324"'),
        ('say"so"\\', r'"say\"so\"\\"'),
        ("a;b=c,d", '"a;b=c,d"'),
        ("x" * 255, f'"{"x" * 255}"'),
        ('"' * 200 and "!~", '"!~"'),
    ],
    ids=["uuid", "escapes", "punctuation", "longest", "ends of ASCII"],
)
def test_quoted_key_is_the_bare_one(api: Api, key: str, header: str, also: str) -> None:
    assert same(post(api, header, "/v1/games", key, NEW), post(api, also, "/v1/games", key, NEW))


@pytest.mark.parametrize(
    "header",
    ["", '""', "a b", '"a b"', '"a', '"', 'a"b'[1:], '"a"b', '"a";p=1', r'"a\b"', "é", "x" * 256, f'"{"x" * 256}"'],
    ids=lambda header: header[:9],
)
def test_key_that_is_none(api: Api, key: str, header: str) -> None:
    problem = api.refused(400, "invalid-request", "POST", "/v1/games", key, NEW, headers={"Idempotency-Key": header})
    assert problem["errors"].keys() == {"Idempotency-Key"}
    assert api.ok("GET", "/v1/games", key)["games"] == []


def test_keys_of_two_callers_are_two(api: Api, key: str, name: str) -> None:
    path, token, body = game_of(api, key)
    made = [post(api, name, "/v1/games", each, NEW).get_json()["id"] for each in (key, api.new_key())]
    assert len(set(made)) == 2
    assert post(api, name, f"{path}/moves", token, body).status_code == 201


def test_request_without_a_key_is_not_kept(api: Api, key: str, database: psycopg.Connection) -> None:
    [(before,)] = database.execute("SELECT count(*) FROM answers").fetchall()
    ids = {post(api, None, "/v1/games", key, NEW).get_json()["id"] for _ in range(2)}
    assert len(ids) == 2
    assert database.execute("SELECT count(*) FROM answers").fetchall() == [(before,)]


# --- which request it is --------------------------------------------------------------------------------------------


def test_another_request_under_the_same_key(api: Api, key: str, name: str) -> None:
    path, token, body = game_of(api, key)
    seq = seq_of(api, key, path)
    first = post(api, name, f"{path}/moves", key, body, If_Match=f'"{seq}"', Accept="application/json")
    assert first.status_code == 201
    other_game, _, _ = game_of(api, key)
    for where, what, headers in (
        (f"{path}/moves", {"moves": [BID]}, {}),
        (f"{path}/moves", {"moves": [*body["moves"], BID]}, {}),
        (f"{other_game}/moves", body, {}),
        (f"{path}/takeback", {"to": 1}, {}),
        ("/v1/games", NEW, {}),
        (f"{path}/moves", body, {"If-Match": "*"}),
        (f"{path}/moves", body, {"Accept": "*/*"}),
    ):
        given = {"If-Match": f'"{seq}"', "Accept": "application/json", "Idempotency-Key": name, **headers}
        api.refused(422, "idempotency-mismatch", "POST", where, key, what, headers=given)
    assert seq_of(api, key, path) == seq + 1
    assert same(first, post(api, name, f"{path}/moves", key, body, If_Match=f'"{seq}"', Accept="application/json"))
    # whoever else has the key's name has another key
    assert post(api, name, f"{path}/moves", token, body).get_json()["type"] == "/problems/illegal-move"


def test_what_is_no_request_yet_takes_no_key(api: Api, key: str, name: str) -> None:
    path, token, body = game_of(api, key)
    moves, named = f"{path}/moves", {"Idempotency-Key": name}
    api.refused(401, "unauthorized", "POST", moves, "tlk_1_x", body, headers=named)
    api.refused(415, "unsupported-media-type", "POST", moves, token, data=b"{}", headers=named)
    api.refused(400, "invalid-request", "POST", moves, token, data=b"{", content_type="application/json", headers=named)
    api.refused(422, "invalid-request", "POST", moves, token, {"move": []}, headers=named)
    api.refused(400, "invalid-request", "POST", moves, token, body, headers={**named, "If-Match": "17"})
    api.refused(406, "not-acceptable", "POST", moves, token, body, headers={**named, "Accept": "text/html"})
    assert post(api, name, moves, token, body).status_code == 201


def test_refusal_is_kept_too(api: Api, key: str, name: str) -> None:
    path, token, body = game_of(api, key)
    seq = seq_of(api, key, path)
    stale = post(api, name, f"{path}/moves", token, body, If_Match=f'"{seq + 1}"')
    assert (stale.status_code, stale.get_json()["seq"]) == (412, seq)
    other = str(uuid4())
    early = {"moves": [{"seat": (body["moves"][0]["seat"] + 1) % 3, **BID}]}
    illegal = post(api, other, f"{path}/moves", key, early)
    assert illegal.get_json()["rule"] == "common.turn"
    assert "Link" in illegal.headers
    api.ok("POST", f"{path}/moves", token, body)
    assert same(stale, post(api, name, f"{path}/moves", token, body, If_Match=f'"{seq + 1}"'))
    assert same(illegal, post(api, other, f"{path}/moves", key, early))
    assert api.call("POST", f"{path}/moves", key, early).status_code == 201


def test_answer_given_again_is_the_one_of_then(api: Api, key: str, name: str) -> None:
    path, token, body = game_of(api, key)
    seq = seq_of(api, key, path)
    first = post(api, name, f"{path}/moves", token, body, If_Match=f'"{seq}"')
    api.ok("POST", f"{path}/abandon", key, {"reason": "Late."})
    assert same(first, post(api, name, f"{path}/moves", token, body, If_Match=f'"{seq}"'))
    assert first.get_json()["receipt"]


# --- what the database knows ----------------------------------------------------------------------------------------


def test_database_can_not_read_what_is_kept(api: Api, key: str, name: str, database: psycopg.Connection) -> None:
    game = post(api, name, "/v1/games", key, NEW).get_json()
    moves = f"/v1/games/{game['id']}/moves"
    token = game["seat_tokens"][game["to_act"][0]]
    move = api.ok("GET", f"/v1/games/{game['id']}/legal-moves", token)["moves"][0]
    receipt = post(api, name, moves, token, {"moves": [move]}).get_json()["receipt"]
    rows = database.execute("SELECT * FROM answers ORDER BY made_at DESC LIMIT 2").fetchall()
    columns = [bytes(each) for row in rows for each in row if isinstance(each, bytes)]
    assert len(columns) == 8
    for secret in (*game["seat_tokens"], key, name, game["id"], receipt, "seat_tokens", move["type"], "Content-Type"):
        assert not any(secret.encode() in column for column in columns), secret
    # the same answer under another key has nothing in common with it, not even in the mark of its request
    again = str(uuid4())
    for each in (name, again):
        post(api, each, moves, token, {"moves": [{"type": "no such move"}]})
    marks = database.execute("SELECT fingerprint, answer FROM answers ORDER BY made_at DESC LIMIT 2").fetchall()
    assert len({part for row in marks for part in row}) == 4


def age(conn: psycopg.Connection, interval: str, answered: bool = True) -> None:
    """Has the newest claim be so much older."""
    changed = conn.execute(
        "UPDATE answers SET made_at = made_at - %s::interval WHERE scope ="
        " (SELECT scope FROM answers WHERE (answer IS NOT NULL) = %s ORDER BY made_at DESC LIMIT 1)",
        (interval, answered),
    )
    assert changed.rowcount == 1


def test_answer_is_kept_for_a_day(api: Api, key: str, name: str, database: psycopg.Connection) -> None:
    first = post(api, name, "/v1/games", key, NEW)
    age(database, "24 hours")
    assert same(first, post(api, name, "/v1/games", key, NEW))
    [(before,)] = database.execute("SELECT count(*) FROM answers").fetchall()
    database.execute(
        "UPDATE answers SET made_at = made_at - interval '2 hours' WHERE made_at < now() - interval '1 day'"
    )
    later = post(api, name, "/v1/games", key, NEW)
    assert later.get_json()["id"] != first.get_json()["id"]
    assert same(later, post(api, name, "/v1/games", key, NEW))
    # and then goes, with the next that come
    database.execute("UPDATE answers SET made_at = made_at - interval '2 days'")
    for _ in range(before):
        post(api, str(uuid4()), "/v1/audits", key, {"record": {}})
    left = database.execute("SELECT count(*) FROM answers WHERE made_at < now() - interval '1 day'").fetchall()
    assert left == [(0,)]


# --- at the same moment ---------------------------------------------------------------------------------------------


@contextmanager
def held_up(conn: psycopg.Connection, path: str) -> Iterator[None]:
    """Nothing is appended to the game meanwhile."""
    number = store.parse_game_id(path.rpartition("/")[2])
    with conn.transaction():
        conn.execute("SELECT FROM heads WHERE game = %s FOR UPDATE", (number,))
        yield


def waiting(conn: psycopg.Connection, count: int) -> None:
    """Comes back when so many writers wait for what another has."""
    for _ in range(200):
        [(found,)] = conn.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        ).fetchall()
        if found >= count:
            return
        time.sleep(0.005)
    raise TimeoutError


def test_request_in_progress(api: Api, key: str, name: str, database: psycopg.Connection) -> None:
    path, token, body = game_of(api, key)
    seq = seq_of(api, key, path)
    with ThreadPoolExecutor(1) as threads:
        with held_up(database, path):
            first: Future[TestResponse] = threads.submit(post, api, name, f"{path}/moves", token, body)
            waiting(database, 1)
            again = post(api, name, f"{path}/moves", token, body)
            api.refused(
                422,
                "idempotency-mismatch",
                "POST",
                f"{path}/moves",
                token,
                {"moves": [{"type": "bid", "tricks": 0}]},
                headers={"Idempotency-Key": name},
            )
        answered = first.result()
    assert (again.status_code, again.get_json()["type"]) == (409, "/problems/in-progress")
    assert int(again.headers["Retry-After"]) > 0
    assert answered.status_code == 201
    assert same(answered, post(api, name, f"{path}/moves", token, body))
    assert seq_of(api, key, path) == seq + 1


def test_of_a_request_taken_over_one_is_carried_out(
    api: Api, key: str, name: str, database: psycopg.Connection
) -> None:
    """The first one took longer than it is waited for, and is still there."""
    path, token, body = game_of(api, key)
    seq = seq_of(api, key, path)
    with (
        psycopg.connect(api.url, autocommit=True) as other,
        ThreadPoolExecutor(2) as threads,
        held_up(database, path),
    ):
        first = threads.submit(post, api, name, f"{path}/moves", token, body)
        waiting(database, 1)
        age(other, "61 seconds", answered=False)
        another = post(api, name, f"{path}/moves", token, {"moves": [{"type": "bid", "tricks": 0}]})
        second = threads.submit(post, api, name, f"{path}/moves", token, body)
        waiting(database, 2)
    assert another.get_json()["type"] == "/problems/idempotency-mismatch"
    assert [each.result().status_code for each in (first, second)] == [409, 201]
    assert same(second.result(), post(api, name, f"{path}/moves", token, body))
    assert seq_of(api, key, path) == seq + 1


def test_request_that_the_store_had_no_time_for_is_free_again(
    api: Api, key: str, name: str, database: psycopg.Connection
) -> None:
    path, token, body = game_of(api, key)
    with held_up(database, path):
        assert post(api, name, f"{path}/moves", token, body).status_code == 503
    first = post(api, name, f"{path}/moves", token, body)
    assert first.status_code == 201
    assert same(first, post(api, name, f"{path}/moves", token, body))


def test_fault_leaves_the_key_free(api: Api, key: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    path, token, body = game_of(api, key)
    seq = seq_of(api, key, path)
    with monkeypatch.context() as patch:
        patch.setattr(store, "append", fail)
        assert post(api, name, f"{path}/moves", token, body).status_code == 500
    with monkeypatch.context() as patch:
        # what was appended by then is gone with it
        patch.setattr(store, "keep_answer", fail)
        assert post(api, name, f"{path}/moves", token, body).status_code == 500
    assert seq_of(api, key, path) == seq
    assert post(api, name, f"{path}/moves", token, body).status_code == 201


def test_fault_after_the_commit_leaves_the_answer(
    api: Api, key: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    path, token, body = game_of(api, key)
    seq = seq_of(api, key, path)
    with monkeypatch.context() as patch:
        patch.setattr(service.Desk, "keep", fail)
        assert post(api, name, f"{path}/moves", token, body).status_code == 500
    again = post(api, name, f"{path}/moves", token, body)
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
    assert seq_of(api, key, path) == seq + 1


# --- over the wire --------------------------------------------------------------------------------------------------


def send(port: int, name: str, path: str, token: str, body: Any) -> tuple[int, dict[str, str], bytes]:
    """The status, headers and body of the answer; ConnectionError where there is none."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Idempotency-Key": name}
    try:
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    except HTTPException as error:
        raise ConnectionError from error
    finally:
        connection.close()


@pytest.mark.parametrize("call", ["moves", "games"])
def test_of_fifty_at_once_one_is_carried_out(api: Api, key: str, name: str, call: str) -> None:
    path, token, body = game_of(api, key)
    seq = seq_of(api, key, path)
    request = (f"{path}/moves", token, body) if call == "moves" else ("/v1/games", key, NEW)
    with served(api.url, 2) as (port, _), ThreadPoolExecutor(50) as threads:
        answers = list(threads.map(lambda _: send(port, name, *request), range(50)))
        answers.append(send(port, name, *request))
    assert {status for status, _, _ in answers} <= {201, 409}
    done = [(headers, content) for status, headers, content in answers if status == 201]
    assert sum("idempotency-replayed" not in headers for headers, _ in done) == 1
    assert len({content for _, content in done}) == 1
    assert answers[-1][0] == 201
    assert seq_of(api, key, path) == seq + (call == "moves")
    assert len(api.ok("GET", "/v1/games", key)["games"]) == 1 + (call == "games")


class Way(socketserver.ThreadingTCPServer):
    """A way to a database that kills a server's workers when the database says ``at``, before they hear it."""

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)
        found = {name: str(value) for name, value in conninfo_to_dict(url).items()}
        self.host, self.port = found["host"], int(found.get("port", 5432))
        to_here = {"host": "127.0.0.1", "port": str(self.server_address[1]), "sslmode": "disable"}
        self.url = make_conninfo(url, **to_here, gssencmode="disable")
        self.at: bytes | None = None
        self.server = 0

    def finish_request(self, request: Any, _: Any) -> None:
        """Passes on what both say, until one of them ends it."""
        if self.host.startswith("/"):
            database = socket.socket(socket.AF_UNIX)
            database.connect(f"{self.host}/.s.PGSQL.{self.port}")
        else:
            database = socket.create_connection((self.host, self.port))
        with database, suppress(ConnectionError):
            while True:
                for source in select.select([request, database], [], [])[0]:
                    data = source.recv(65536)
                    if not data:
                        return
                    if source is database and self.at is not None and self.at in data:
                        self.at = None
                        for worker in psutil.Process(self.server).children():
                            worker.kill()
                        return
                    (request if source is database else database).sendall(data)


@pytest.fixture(scope="module")
def way(shared_database_url: str) -> Iterator[tuple[Way, int]]:
    """A way to the tests' database, and the port of the server with one worker that takes it."""
    with Way(shared_database_url) as found, ThreadPoolExecutor(1) as threads:
        threads.submit(found.serve_forever)
        with served(found.url, 1) as (port, found.server):
            yield found, port
        found.shutdown()


def sent_until_answered(port: int, *request: Any) -> tuple[int, dict[str, str], bytes]:
    for _ in range(300):
        with suppress(ConnectionError):
            return send(port, *request)
        time.sleep(0.1)
    raise TimeoutError


@pytest.mark.parametrize("call", ["moves", "games"])
def test_worker_killed_after_the_commit(api: Api, way: tuple[Way, int], key: str, name: str, call: str) -> None:
    cut, port = way
    path, token, body = game_of(api, key)
    seq = seq_of(api, key, path)
    request = (f"{path}/moves", token, body) if call == "moves" else ("/v1/games", key, NEW)
    sent_until_answered(port, str(uuid4()), "/v1/games", api.new_key(), NEW)
    cut.at = b"COMMIT\x00"
    with pytest.raises(ConnectionError):
        send(port, name, *request)
    # it was done, though nobody was told
    assert seq_of(api, key, path) == seq + (call == "moves")
    games = api.ok("GET", "/v1/games", key)["games"]
    assert len(games) == 1 + (call == "games")
    status, headers, content = sent_until_answered(port, name, *request)
    assert (status, headers["idempotency-replayed"]) == (201, "true")
    assert seq_of(api, key, path) == seq + (call == "moves")
    assert api.ok("GET", "/v1/games", key)["games"] == games
    answer = json.loads(content)
    if call == "moves":
        assert answer["seq"] == seq + 1
    else:
        for each in answer["seat_tokens"]:
            api.ok("GET", f"/v1/games/{quote(answer['id'])}/legal-moves", each)


def test_worker_killed_before_the_commit(
    api: Api, way: tuple[Way, int], key: str, name: str, database: psycopg.Connection
) -> None:
    cut, port = way
    path, token, body = game_of(api, key)
    seq = seq_of(api, key, path)
    sent_until_answered(port, str(uuid4()), "/v1/games", api.new_key(), NEW)
    cut.at = b"BEGIN\x00"
    with pytest.raises(ConnectionError):
        send(port, name, f"{path}/moves", token, body)
    assert seq_of(api, key, path) == seq
    status, headers, _ = sent_until_answered(port, name, f"{path}/moves", token, body)
    assert (status, headers["retry-after"]) == (409, "1")
    # a minute later it is nobody's
    age(database, "61 seconds", answered=False)
    status, headers, _ = send(port, name, f"{path}/moves", token, body)
    assert (status, "idempotency-replayed" in headers) == (201, False)
    assert seq_of(api, key, path) == seq + 1
