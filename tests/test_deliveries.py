"""Deliveries as receivers meet them: real requests to this machine, from a queue in a real PostgreSQL."""

import asyncio
import logging
import os
import re
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import psutil
import psycopg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from jsonschema import Draft202012Validator
from procrastinate.manager import JobManager
from standardwebhooks.webhooks import WebhookVerificationError

from api import deliveries, store, webhooks
from api.games import LATEST
from api.games.rules import read_config
from api.http import create_app, docs
from tests.games.playing import play
from tests.http.client import closed
from tests.receiving import Received, Receiver, receiving
from tests.serving import Caller
from tests.test_cli import ENVIRONMENT, TRICKLOG, serving

TYPES = ["game.moves", "game.finished", "game.abandoned", "dispute.opened"]


@pytest.fixture
def admin(database_url: str) -> Iterator[store.Connection]:
    with psycopg.connect(database_url, autocommit=True) as conn:
        yield conn


@pytest.fixture
def owner(database_url: str, admin: store.Connection, monkeypatch: pytest.MonkeyPatch) -> Iterator[Caller]:
    """Who holds an API key of an installation that allows private addresses."""
    monkeypatch.setenv("TRICKLOG_WEBHOOKS_PRIVATE", "yes")
    app = create_app(database_url)
    yield Caller(app, store.create_key(admin, "front end"))
    app.extensions["tricklog"].desk.pool.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as started:
        yield started


def listen(owner: Caller, url: str, *types: str) -> dict[str, Any]:
    """A webhook that is told of ``types``, or of all."""
    made: dict[str, Any] = owner.post("/v1/webhooks", {"url": url, "types": types or TYPES})
    return made


def deliver(url: str, private: bool = True) -> None:
    """Does all that there is to do now."""
    asyncio.run(deliveries.work(url, private, wait=False))


def listed(owner: Caller, webhook: dict[str, Any]) -> list[dict[str, Any]]:
    """The deliveries to a webhook, newest first."""
    found: list[dict[str, Any]] = owner.get(f"/v1/webhooks/{webhook['id']}/deliveries")["deliveries"]
    return found


def documented(owner: Caller, told: dict[str, Any]) -> None:
    """Fails unless a payload is what the OpenAPI document says of its type, and nothing else."""
    document = owner.app.extensions["tricklog"].published.document
    body = document["webhooks"][told["type"]]["post"]["requestBody"]["content"]["application/json"]
    validator = Draft202012Validator({**closed(body["schema"]), "components": closed(document["components"])})
    for payload in (told, body["example"]):
        assert [error.message for error in validator.iter_errors(payload)] == []


def ping(owner: Caller, webhook: dict[str, Any]) -> dict[str, Any]:
    sent: dict[str, Any] = owner.post(f"/v1/webhooks/{webhook['id']}/ping", {}, 202)
    return sent


def hasten(admin: store.Connection) -> None:
    """Has everything that waits for its next attempt come to it now."""
    admin.execute("UPDATE procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo'")


# --- what is told ---------------------------------------------------------------------------------------------------


def test_whole_game_is_told(owner: Caller, receiver: Receiver, database_url: str) -> None:
    webhook = listen(owner, f"{receiver.url}hook?x=1")
    game = owner.make("thirteen", 3, visibility="public")
    path = f"/v1/games/{game['id']}"
    owner.play(game["id"], Random(1))
    dispute = owner.post(f"{path}/disputes", {"totals": [0, 0, 0], "statement": "No."})
    owner.post(f"{path}/disputes/{dispute['dispute']}/resolution", {"resolution": "Yes."})
    deliver(database_url)
    received = receiver.all()
    told = [each.verified(webhook["secret"]) for each in received]
    for payload in told:
        documented(owner, payload)
    assert {each.path for each in received} == {"/hook?x=1"}
    assert len({each.headers["webhook-id"] for each in received}) == len(received)
    assert {each["data"]["game"] for each in told} == {game["id"]}

    moves = sorted((each for each in told if each["type"] == "game.moves"), key=lambda each: each["data"]["seq"])
    events = owner.get(f"{path}/events?view=public&limit=1000&after={game['seq']}")["events"]
    assert [event for each in moves for event in each["data"]["events"]] == events
    for each in moves:
        data = each["data"]
        assert (data["first"], data["seq"]) == (data["events"][0]["seq"], data["events"][-1]["seq"])
        assert each["timestamp"] == data["events"][-1]["at"]
        assert owner.get(data["more"])["events"][: len(data["events"])] == data["events"]
    assert [each["data"]["status"] for each in moves] == ["running"] * (len(moves) - 1) + ["finished"]

    over = owner.get(path)
    place = {"game": game["id"], "ruleset": "thirteen", "seq": over["seq"], "status": "finished"}
    [finished] = [each for each in told if each["type"] == "game.finished"]
    assert finished["data"] == place | {"totals": over["scores"], "winners": over["winners"]}
    assert finished["timestamp"] == events[-1]["at"]
    [disputed] = [each for each in told if each["type"] == "dispute.opened"]
    claimed = {name: dispute[name] for name in ("dispute", "seat", "claim", "statement")}
    assert disputed == {"type": "dispute.opened", "timestamp": dispute["at"], "data": place | claimed}
    assert len(told) == len(moves) + 2
    assert {each["status"] for each in listed(owner, webhook)} == {"delivered"}


def test_abandoned_game_is_told(owner: Caller, receiver: Receiver, database_url: str) -> None:
    webhook = listen(owner, receiver.url, "game.abandoned", "game.finished")
    game = owner.make("soda", 2)
    owner.post(f"/v1/games/{game['id']}/abandon", {"reason": "Late."})
    deliver(database_url)
    [told] = [each.verified(webhook["secret"]) for each in receiver.all()]
    documented(owner, told)
    assert told["type"] == "game.abandoned"
    assert (told["data"]["status"], told["data"]["totals"], told["data"]["winners"]) == ("abandoned", [0, 0], [])


def test_game_that_is_over_tells_no_more_than_was_public(
    owner: Caller, receiver: Receiver, database_url: str, admin: store.Connection
) -> None:
    """What is sent late, and again, is what would have been sent at once."""
    webhook = listen(owner, receiver.url, "game.moves")
    receiver.answer = 500
    game = owner.make("wodka", 4)
    owner.play(game["id"], Random(2), most=12)
    deliver(database_url)
    at_once = {each.headers["webhook-id"]: each.body for each in receiver.all()}
    owner.post(f"/v1/games/{game['id']}/takeback", {"to": game["seq"]})
    owner.post(f"/v1/games/{game['id']}/abandon", {"reason": "Late."})
    receiver.answer = 200
    hasten(admin)
    deliver(database_url)
    late = {each.headers["webhook-id"]: each.body for each in receiver.all()}
    assert at_once.items() < late.items()
    assert len(late) == len(at_once) + 2
    assert b'"redacted":true' in b"".join(at_once.values())
    replayed = listed(owner, webhook)[-1]["id"]
    owner.post(f"/v1/webhooks/{webhook['id']}/deliveries/{replayed}/replay", {}, 202)
    deliver(database_url)
    assert [each.body for each in receiver.all()] == [at_once[replayed]]


def test_of_many_events_only_the_range_is_told(owner: Caller, receiver: Receiver, database_url: str) -> None:
    webhook = listen(owner, receiver.url, "game.moves")
    ruleset = LATEST["quadruple-war"]
    played = play(ruleset, read_config(ruleset, {"target": 10000}, 4), 4, 5, most=200)
    game = owner.make(ruleset.id, 4, dealer="client", config=played.config)
    owner.post(f"/v1/games/{game['id']}/moves", {"moves": played.events[:50]})
    owner.post(f"/v1/games/{game['id']}/moves", {"moves": played.events[50:]})
    deliver(database_url)
    told = sorted((each.verified(webhook["secret"])["data"] for each in receiver.all()), key=lambda data: data["seq"])
    assert [(data["first"], data["seq"], len(data.get("events", []))) for data in told] == [(1, 50, 50), (51, 200, 0)]
    assert [event["seq"] for event in owner.get(told[1]["more"])["events"]] == list(range(51, 151))


def test_only_what_was_asked_for_is_noted(
    owner: Caller, receiver: Receiver, database_url: str, admin: store.Connection
) -> None:
    others = owner.as_(store.create_key(admin, "other front end"))
    theirs = listen(others, receiver.url)
    finished = listen(owner, receiver.url, "game.finished")
    moves = listen(owner, receiver.url, "game.moves")
    paused = listen(owner, receiver.url)
    owner.ask("PATCH", f"/v1/webhooks/{paused['id']}", {"paused": True})
    game = owner.make("soda", 2)
    owner.play(game["id"], Random(3), most=3)
    owner.post(f"/v1/games/{game['id']}/disputes", {"totals": [0, 0], "statement": "No."})
    assert [len(listed(owner, each)) for each in (finished, moves, paused)] == [0, 3, 0]
    assert listed(others, theirs) == []


def test_refused_and_repeated_requests_tell_nothing(owner: Caller, receiver: Receiver) -> None:
    webhook = listen(owner, receiver.url)
    game = owner.make("soda", 2, client_seeds="seats")
    path = f"/v1/games/{game['id']}"
    owner.post(f"{path}/client-seed", {"seed": "heads", "seat": 0})
    owner.post(f"{path}/moves", {"moves": [{"seat": 0, "type": "pass"}]}, 422)
    assert listed(owner, webhook) == []
    named = owner.headers | {"Idempotency-Key": "the-last-seed"}
    body = {"seed": "tails", "seat": 1}
    answers = [owner.client.post(f"{path}/client-seed", json=body, headers=named) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert [each["seq"] for each in listed(owner, webhook)] == [answers[0].get_json()["seq"]]


# --- attempts -------------------------------------------------------------------------------------------------------


def test_receiver_that_fails_is_tried_for_days(
    owner: Caller, receiver: Receiver, database_url: str, admin: store.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    webhook = listen(owner, receiver.url)
    ping(owner, webhook)
    receiver.answer = 503
    waited = []
    for attempt in range(1, len(deliveries.DELAYS) + 1):
        deliver(database_url)
        [delivery] = listed(owner, webhook)
        assert (delivery["status"], delivery["attempts"], delivery["answer"]) == ("pending", attempt, 503)
        due = datetime.fromisoformat(delivery["next_attempt_at"]) - datetime.fromisoformat(delivery["attempted_at"])
        waited.append(due.total_seconds())
        # it isn't tried before
        deliver(database_url)
        hasten(admin)
    assert waited == sorted(waited)
    assert waited[0] < 10
    assert 3 < sum(waited) / 86400 < 5
    deliver(database_url)
    [delivery] = listed(owner, webhook)
    assert (delivery["status"], "next_attempt_at" in delivery) == ("failed", False)
    hasten(admin)
    deliver(database_url)
    received = receiver.all()
    assert len(received) == len(deliveries.DELAYS) + 1
    assert {each.headers["webhook-id"] for each in received} == {delivery["id"]}
    assert len({each.body for each in received}) == 1
    for each in received:
        each.verified(webhook["secret"])
    assert admin.execute("SELECT FROM procrastinate_jobs WHERE task_name = 'deliver'").fetchall() == []
    # neither the secret nor the signatures, by which others' could be known
    assert webhook["secret"].removeprefix("whsec_") not in caplog.text
    assert received[0].headers["webhook-signature"] not in caplog.text

    receiver.answer = 200
    replay = f"/v1/webhooks/{webhook['id']}/deliveries/{delivery['id']}/replay"
    again = owner.post(replay, {}, 202)
    assert (again["status"], again["attempts"]) == ("pending", 0)
    deliver(database_url)
    assert [(each["status"], each["attempts"]) for each in listed(owner, webhook)] == [("delivered", 1)]
    owner.post(replay, {}, 202)
    deliver(database_url)
    assert [each.headers["webhook-id"] for each in receiver.all()] == [delivery["id"]] * 2


def test_replay_takes_the_place_of_what_was_still_to_be_tried(
    owner: Caller, receiver: Receiver, database_url: str, admin: store.Connection
) -> None:
    webhook = listen(owner, receiver.url)
    ping(owner, webhook)
    receiver.answer = 500
    deliver(database_url)
    [delivery] = listed(owner, webhook)
    owner.post(f"/v1/webhooks/{webhook['id']}/deliveries/{delivery['id']}/replay", {}, 202)
    hasten(admin)
    deliver(database_url)
    assert len(receiver.all()) == 2
    assert [each["attempts"] for each in listed(owner, webhook)] == [1]


@pytest.mark.parametrize(
    ("answer", "status"),
    [(200, "delivered"), (204, "delivered"), (299, "delivered"), *[(n, "pending") for n in (301, 307, 400, 404, 500)]],
)
def test_only_2xx_is_success(owner: Caller, receiver: Receiver, database_url: str, answer: int, status: str) -> None:
    webhook = listen(owner, receiver.url)
    ping(owner, webhook)
    receiver.answer = answer
    deliver(database_url)
    [delivery] = listed(owner, webhook)
    assert (delivery["status"], delivery["answer"], delivery["fault"]) == (status, answer, None)
    # no redirect is followed
    assert [each.path for each in receiver.all()] == ["/"]


@pytest.mark.parametrize(("rest", "target"), [("", "/"), ("?x=1", "/?x=1"), ("//a//b/%2e?x=/?y", "//a//b/%2e?x=/?y")])
def test_target_is_the_urls(owner: Caller, receiver: Receiver, database_url: str, rest: str, target: str) -> None:
    lines: list[str] = []

    def note(handler: BaseHTTPRequestHandler) -> None:
        lines.append(handler.requestline)
        handler.send_response(200)
        handler.end_headers()

    receiver.answer = note
    ping(owner, listen(owner, receiver.url.rstrip("/") + rest))
    deliver(database_url)
    assert lines == [f"POST {target} HTTP/1.1"]


def test_410_pauses_the_webhook(owner: Caller, receiver: Receiver, database_url: str, admin: store.Connection) -> None:
    webhook = listen(owner, receiver.url, "game.abandoned")
    receiver.answer = 500
    ping(owner, webhook)
    deliver(database_url)
    receiver.answer = 410
    ping(owner, webhook)
    deliver(database_url)
    assert owner.get(f"/v1/webhooks/{webhook['id']}")["paused"]
    game = owner.make("soda", 2)
    owner.post(f"/v1/games/{game['id']}/abandon", {"reason": "Late."})
    hasten(admin)
    deliver(database_url)
    found = [(each["status"], each["answer"], each["fault"]) for each in listed(owner, webhook)]
    assert found == [("failed", 410, None), ("failed", None, "paused")]
    assert len(receiver.all()) == 2


def test_nothing_is_sent_for_a_revoked_key_or_a_deleted_webhook(
    owner: Caller, receiver: Receiver, database_url: str, admin: store.Connection
) -> None:
    deleted, kept = listen(owner, receiver.url), listen(owner, receiver.url)
    ping(owner, deleted)
    owner.client.delete(f"/v1/webhooks/{deleted['id']}", headers=owner.headers)
    ping(owner, kept)
    admin.execute("UPDATE api_keys SET revoked_at = now()")
    deliver(database_url)
    assert receiver.all() == []


def test_every_secret_signs(owner: Caller, receiver: Receiver, database_url: str) -> None:
    webhook = listen(owner, receiver.url)
    path = f"/v1/webhooks/{webhook['id']}"
    second = owner.post(f"{path}/secrets", {})

    def received() -> Received:
        ping(owner, webhook)
        deliver(database_url)
        return receiver.next()

    both = received()
    assert both.verified(webhook["secret"]) == both.verified(second["secret"])
    assert len(both.headers["webhook-signature"].split()) == 2
    owner.client.delete(f"{path}/secrets/{webhook['secrets'][0]['id']}", headers=owner.headers)
    one = received()
    one.verified(second["secret"])
    with pytest.raises(WebhookVerificationError):
        one.verified(webhook["secret"])
    third = owner.post(f"{path}/secrets", {"others_until": datetime.now(UTC).isoformat()})
    last = received()
    last.verified(third["secret"])
    with pytest.raises(WebhookVerificationError):
        last.verified(second["secret"])


def test_guide_verifies_what_is_sent(owner: Caller, receiver: Receiver, database_url: str) -> None:
    webhook = listen(owner, receiver.url)
    ping(owner, webhook)
    deliver(database_url)
    received = receiver.next()
    guide = (Path(docs.__file__).parent / "guides" / "webhooks.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        names: dict[str, Any] = {}
        exec(block, names)
        documented(owner, names["read"](webhook["secret"], received.headers, received.body))
        for headers, body in (
            (received.headers, received.body + b" "),
            (received.headers | {"webhook-id": "1"}, received.body),
            (received.headers | {"webhook-timestamp": "1"}, received.body),
        ):
            with pytest.raises((ValueError, WebhookVerificationError)):
                names["read"](webhook["secret"], headers, body)


# --- receivers that are slow, rude or elsewhere ---------------------------------------------------------------------


def drip(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in range(200):
        handler.wfile.write(b"x")
        time.sleep(0.05)


def drip_body(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    for _ in range(200):
        handler.wfile.write(b"x")
        time.sleep(0.05)


def hold(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(2)
    handler.send_response(200)
    handler.end_headers()


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def babble(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"no HTTP at all\r\n\r\n")
    handler.close_connection = True


def pour(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(10_000):
        handler.wfile.write(b"x" * 65536)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (drip, ("pending", None, "timeout")),
        (drip_body, ("pending", None, "timeout")),
        (hold, ("pending", None, "timeout")),
        (hang_up, ("pending", None, "connection")),
        (babble, ("pending", None, "connection")),
        (pour, ("delivered", 200, None)),
    ],
)
def test_receiver_without_an_answer(
    owner: Caller,
    receiver: Receiver,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[BaseHTTPRequestHandler], None],
    outcome: tuple[str, int | None, str | None],
) -> None:
    monkeypatch.setattr(deliveries, "DEADLINE", 1.0)
    webhook = listen(owner, receiver.url)
    ping(owner, webhook)
    receiver.answer = answer
    deliver(database_url)
    [delivery] = listed(owner, webhook)
    assert (delivery["status"], delivery["answer"], delivery["fault"]) == outcome


def test_nobody_there(owner: Caller, database_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
    there = [listen(owner, url), listen(owner, "http://nowhere.invalid/")]
    for webhook in there:
        ping(owner, webhook)
    deliver(database_url)
    assert [listed(owner, webhook)[0]["fault"] for webhook in there] == ["connection"] * 2


@contextmanager
def certified(folder: Path, name: str) -> Iterator[ssl.SSLContext]:
    """A server's TLS for ``name``, by an authority that is trusted for as long as this lasts."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    public = folder / "certificate.pem"
    public.write_bytes(certificate.public_bytes(Encoding.PEM))
    both = folder / "both.pem"
    both.write_bytes(public.read_bytes() + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(public))
        deliveries._tls.cache_clear()  # noqa: SLF001
        yield context
    deliveries._tls.cache_clear()  # noqa: SLF001


def resolving(monkeypatch: pytest.MonkeyPatch, name: str, *addresses: str) -> None:
    """Has ``name`` stand for one address after the other."""
    known = list(addresses)
    resolve = socket.getaddrinfo

    def answer(host: Any, *given: Any, **named: Any) -> Any:
        return resolve(known.pop(0) if host == name else host, *given, **named)

    monkeypatch.setattr(socket, "getaddrinfo", answer)


def test_certificate_is_the_names(
    owner: Caller, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with certified(tmp_path, "receiver.test") as tls, receiving(tls) as receiver:
        resolving(monkeypatch, "receiver.test", "127.0.0.1")
        webhook = listen(owner, f"https://receiver.test:{receiver.port}/hook")
        ping(owner, webhook)
        deliver(database_url)
        received = receiver.next()
        assert received.headers["host"] == f"receiver.test:{receiver.port}"
        received.verified(webhook["secret"])
        # the same one under another name
        other = listen(owner, receiver.url)
        ping(owner, other)
        deliver(database_url)
        assert listed(owner, other)[0]["fault"] == "certificate"
        assert receiver.all() == []
    with receiving(tls) as receiver:
        resolving(monkeypatch, "receiver.test", "127.0.0.1")
        untrusted = listen(owner, f"https://receiver.test:{receiver.port}/hook")
        ping(owner, untrusted)
        deliver(database_url)
        assert listed(owner, untrusted)[0]["fault"] == "certificate"


@pytest.mark.parametrize(
    "url", ["https://localhost:{}/", "https://127.1:{}/", "https://2130706433:{}/", "http://localhost:{}/"]
)
def test_private_address_is_not_connected_to(owner: Caller, receiver: Receiver, database_url: str, url: str) -> None:
    webhook = listen(owner, url.format(receiver.port))
    ping(owner, webhook)
    deliver(database_url, private=False)
    assert listed(owner, webhook)[0]["fault"] == "private-address"
    assert receiver.all() == []


def test_name_that_changes_its_address_in_between(
    owner: Caller, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address that was looked at is the one that is connected to."""
    public = webhooks.is_public
    monkeypatch.setattr(webhooks, "is_public", lambda address: address == "127.0.0.2" or public(address))
    with certified(tmp_path, "rebind.test") as tls, receiving(tls, "127.0.0.2") as looked_at:
        resolving(monkeypatch, "rebind.test", "127.0.0.2", "127.0.0.1")
        webhook = listen(owner, f"https://rebind.test:{looked_at.port}/")
        ping(owner, webhook)
        deliver(database_url, private=False)
        looked_at.next().verified(webhook["secret"])


def test_no_proxy_is_used(
    owner: Caller, receiver: Receiver, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiving() as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        ping(owner, listen(owner, receiver.url))
        deliver(database_url)
        assert len(receiver.all()) == 1
        assert proxy.all() == []


def test_receivers_that_hold_on_leave_room_for_others(
    owner: Caller, receiver: Receiver, database_url: str, admin: store.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "DEADLINE", 3.0)
    other = owner.as_(store.create_key(admin, "other front end"))
    with receiving() as holding:
        holding.answer = hold
        slow, quick = listen(owner, holding.url), listen(other, receiver.url)
        for _ in range(deliveries.AT_ONCE + 10):
            ping(owner, slow)
        ping(other, quick)
        deliver(database_url)
        assert len(holding.all()) == deliveries.SHARE
    assert listed(other, quick)[0]["status"] == "delivered"
    # the others of the slow one are still to come, and nothing counts against them
    found = [(each["status"], each["attempts"]) for each in listed(owner, slow)]
    assert sorted(set(found)) == [("delivered", 1), ("pending", 0)]


# --- housekeeping ---------------------------------------------------------------------------------------------------


def test_old_deliveries_are_removed(
    owner: Caller, receiver: Receiver, database_url: str, admin: store.Connection
) -> None:
    webhook, deleted = listen(owner, receiver.url), listen(owner, receiver.url)
    old, new = ping(owner, webhook), ping(owner, webhook)
    ping(owner, deleted)
    owner.client.delete(f"/v1/webhooks/{deleted['id']}", headers=owner.headers)
    deliver(database_url)
    admin.execute("UPDATE deliveries SET created_at = now() - interval '31 days' WHERE delivery = %s", (old["id"],))
    admin.execute("UPDATE deliveries SET created_at = now() - interval '29 days' WHERE delivery = %s", (new["id"],))
    admin.execute(
        "INSERT INTO procrastinate_jobs (queue_name, task_name, args) VALUES ('deliveries', 'clean_up', %s)",
        ('{"timestamp": 0}',),
    )
    deliver(database_url)
    assert [each["id"] for each in listed(owner, webhook)] == [new["id"]]
    assert admin.execute("SELECT delivery::text FROM deliveries").fetchall() == [(new["id"],)]
    assert admin.execute("SELECT FROM procrastinate_jobs WHERE task_name <> 'clean_up'").fetchall() == []


# --- processes ------------------------------------------------------------------------------------------------------


@contextmanager
def worker(url: str) -> Iterator[subprocess.Popen[str]]:
    """A running ``tricklog deliver``."""
    environment = ENVIRONMENT | {"DATABASE_URL": url, "TRICKLOG_WEBHOOKS_PRIVATE": "yes"}
    with subprocess.Popen([TRICKLOG, "deliver"], env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("Delivering")
            yield process
        finally:
            process.kill()


def test_killed_worker_loses_nothing(
    owner: Caller, receiver: Receiver, database_url: str, admin: store.Connection
) -> None:
    webhook = listen(owner, receiver.url)
    receiver.answer = hold
    with worker(database_url) as process:
        ping(owner, webhook)
        first = receiver.next()
        process.kill()
        process.wait()
    receiver.answer = 200
    assert listed(owner, webhook)[0]["status"] == "pending"
    # half a minute goes by
    admin.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'")
    with worker(database_url):
        again = receiver.next()
    assert again.headers["webhook-id"] == first.headers["webhook-id"]
    assert again.body == first.body


def test_worker_that_comes_round_late_takes_nothing_back(
    owner: Caller, receiver: Receiver, database_url: str, admin: store.Connection
) -> None:
    """Its delivery was another's by then, which made it."""
    webhook = listen(owner, receiver.url)
    made = ping(owner, webhook)

    def deliver_elsewhere(handler: BaseHTTPRequestHandler) -> None:
        receiver.answer = 200
        deliveries.attempt(owner.app.extensions["tricklog"].desk, True, UUID(made["id"]), 0)
        handler.send_response(500)
        handler.end_headers()

    receiver.answer = deliver_elsewhere
    deliver(database_url)
    [delivery] = listed(owner, webhook)
    assert (delivery["status"], delivery["answer"]) == ("delivered", 200)
    hasten(admin)
    deliver(database_url)
    assert len(receiver.all()) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_worker_that_is_told_to_end_leaves_its_work_to_others(
    owner: Caller, receiver: Receiver, database_url: str, number: signal.Signals
) -> None:
    webhook = listen(owner, receiver.url)
    released: list[bool] = []

    def hold_until_released(handler: BaseHTTPRequestHandler) -> None:
        while not released:
            time.sleep(0.05)
        handler.send_response(200)

    receiver.answer = hold_until_released
    with worker(database_url) as process:
        ping(owner, webhook)
        receiver.next()
        process.send_signal(number)
        assert process.wait(30) == 0
    receiver.answer = 200
    deliver(database_url)
    receiver.next()
    released.append(True)
    assert listed(owner, webhook)[0]["status"] == "delivered"


def test_worker_ends_whatever_becomes_of_a_cancellation(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is there again at that moment may swallow it; the worker would never begin anew."""

    swallowed: list[bool] = []

    async def swallow(_: JobManager, **__: Any) -> list[Any]:
        while not swallowed:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                swallowed.append(True)
        return []

    monkeypatch.setattr(JobManager, "get_stalled_jobs", swallow)
    asyncio.run(asyncio.wait_for(deliveries.work(database_url, True, wait=False), 30))
    assert swallowed


def deliverers(service: int) -> list[psutil.Process]:
    """The processes that deliver beside a service: who looks after the worker, and the worker."""
    children = psutil.Process(service).children(recursive=True)
    return [process for process in children if any("api.deliveries" in part for part in process.cmdline())]


def test_service_delivers_by_itself_and_its_worker_is_replaced(
    owner: Caller, receiver: Receiver, database_url: str
) -> None:
    webhook = listen(owner, receiver.url)
    with serving("--workers", "1", DATABASE_URL=database_url, TRICKLOG_WEBHOOKS_PRIVATE="yes") as service:
        ping(owner, webhook)
        receiver.next().verified(webhook["secret"])
        beside = deliverers(service.process.pid)
        beside[-1].kill()
        psutil.wait_procs(beside[-1:])
        ping(owner, webhook)
        receiver.next()
        beside = deliverers(service.process.pid)
        assert service.end(signal.SIGTERM) == 0
        assert psutil.wait_procs(beside, 30)[1] == []
        assert service.errors() == ""


def test_killed_service_leaves_no_worker_behind(owner: Caller, receiver: Receiver, database_url: str) -> None:
    webhook = listen(owner, receiver.url)
    with serving("--workers", "1", DATABASE_URL=database_url, TRICKLOG_WEBHOOKS_PRIVATE="yes") as service:
        ping(owner, webhook)
        receiver.next()
        beside = deliverers(service.process.pid)
        assert len(beside) == 2
        os.kill(service.process.pid, signal.SIGKILL)
        assert psutil.wait_procs(beside, 30)[1] == []


def test_service_may_leave_deliveries_to_others(database_url: str) -> None:
    with serving("--workers", "1", DATABASE_URL=database_url, TRICKLOG_DELIVER="no") as service:
        service.call("/healthz", "")
        assert deliverers(service.process.pid) == []
        assert service.end(signal.SIGTERM) == 0
