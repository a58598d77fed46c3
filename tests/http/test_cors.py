"""Web pages of other origins: who may call, and what they may read."""

from collections.abc import Callable

import pytest
from werkzeug.test import TestResponse

from tests.http.client import Api

OURS = "https://cards.example"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization, if-match"}


def allowed(answer: TestResponse) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.startswith("Access-Control-")}


def listed(text: str) -> set[str]:
    return {part.strip() for part in text.split(",")}


def test_without_origins_no_page_is_let_in(api: Api) -> None:
    for method, more in (("GET", {}), ("OPTIONS", PREFLIGHT)):
        answer = api.call(method, "/v1/rulesets", headers={"Origin": OURS, **more})
        assert allowed(answer) == {}
        assert "Origin" not in answer.headers.get("Vary", "")


def test_page_of_an_origin_that_is_named(api_with: Callable[..., Api]) -> None:
    api = api_with(TRICKLOG_ORIGINS=f"{OURS}, http://localhost:3000", TRICKLOG_RATE_ADDRESS="7/day")
    key = api.new_key()
    game = api.new_game(key)
    path = f"/v1/games/{game['id']}"
    for origin in (OURS, "http://localhost:3000"):
        answers = [
            api.call("GET", path, key, headers={"Origin": origin}),
            api.call("GET", "/nowhere", headers={"Origin": origin}),
            api.call("POST", f"{path}/moves", key, {"moves": []}, headers={"Origin": origin}),
            api.call("GET", path, "nothing", headers={"Origin": origin}),
        ]
        assert [answer.status_code for answer in answers] == [200, 404, 422, 401]
        for answer in answers:
            found = allowed(answer)
            assert found.keys() == {"Access-Control-Allow-Origin", "Access-Control-Expose-Headers"}
            assert found["Access-Control-Allow-Origin"] == origin
            assert {"ETag", "Link", "Location", "RateLimit", "Retry-After", "X-Request-Id"} <= listed(
                found["Access-Control-Expose-Headers"]
            )
            assert "Origin" in listed(answer.headers["Vary"])
    for other in ("https://evil.example", "null", OURS.upper(), f"{OURS}.evil.example", f"{OURS}:8443", ""):
        answer = api.call("GET", path, key, headers={"Origin": other} if other else {})
        assert allowed(answer) == {}
        assert listed(answer.headers["Vary"]) == {"Authorization", "Accept", "Origin"}
    for _ in range(20):
        # what the browser asks first is asked without a credential, and costs nothing
        before = api.call("OPTIONS", f"{path}/moves", headers={"Origin": OURS, **PREFLIGHT})
        assert before.status_code == 200
        found = allowed(before)
        assert "Access-Control-Allow-Credentials" not in found
        assert listed(found["Access-Control-Allow-Methods"]) == {"OPTIONS", "POST"}
        assert {"Authorization", "Content-Type", "If-Match", "Idempotency-Key", "Last-Event-ID"} <= listed(
            found["Access-Control-Allow-Headers"]
        )
    assert allowed(api.call("OPTIONS", path, headers={"Origin": "https://evil.example", **PREFLIGHT})) == {}
    answers = [api.call("GET", "/v1/rulesets", headers={"Origin": OURS}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert allowed(answers[-1])["Access-Control-Allow-Origin"] == OURS


def test_page_of_any_origin(api_with: Callable[..., Api]) -> None:
    api = api_with(TRICKLOG_ORIGINS="*")
    for headers in ({"Origin": OURS}, {"Accept": "*/*"}):
        answer = api.call("GET", "/v1/rulesets", headers=headers)
        assert allowed(answer)["Access-Control-Allow-Origin"] == "*"
        assert "Origin" not in answer.headers.get("Vary", "")


def test_fault_of_the_service_can_be_read(api_with: Callable[..., Api], monkeypatch: pytest.MonkeyPatch) -> None:
    api = api_with(TRICKLOG_ORIGINS=OURS)

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("api.service.list_games", fail)
    monkeypatch.setattr("api.service.authenticate", fail)
    answer = api.call("GET", "/v1/games", api.new_key(), headers={"Origin": OURS})
    assert answer.status_code == 500
    assert allowed(answer)["Access-Control-Allow-Origin"] == OURS


@pytest.mark.parametrize("origins", ["cards.example", "https://cards.example/", "https://Cards.example", "https://*.x"])
def test_what_is_no_origin_is_refused(api_with: Callable[..., Api], origins: str) -> None:
    with pytest.raises(ValueError, match="TRICKLOG_ORIGINS must be origins"):
        api_with(TRICKLOG_ORIGINS=origins)
