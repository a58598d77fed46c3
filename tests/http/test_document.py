"""What the service says of itself: complete, true, and the same everywhere."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from api.games import LATEST
from api.games.rules import COMMON_RULES, Ruleset, read_config
from api.http import openapi_yaml
from api.rule_texts import common_texts, game_texts
from tests.http.client import Api, closed, operations
from tests.records import played

COMMITTED = Path(__file__).parents[2] / "openapi.yaml"


def test_committed_document_is_what_the_code_serves(api: Api) -> None:
    text = COMMITTED.read_text(encoding="utf-8")
    assert text == openapi_yaml(), "run: tricklog openapi > openapi.yaml"
    assert yaml.safe_load(text) == api.ok("GET", "/openapi.json")


def test_document_is_valid(api: Api) -> None:
    assert list(OpenAPIV31SpecValidator(api.document).iter_errors()) == []


def test_every_route_is_documented(api: Api) -> None:
    routes = {
        (method, re.sub(r"<(\w+)>", r"{\1}", rule.rule))
        for rule in api.app.url_map.iter_rules()
        for method in rule.methods or ()
        if method not in ("HEAD", "OPTIONS")
    }
    assert routes == {(method, path) for method, path, _ in operations(api.document)}


def test_every_operation_is_described_whole(api: Api) -> None:
    ids = []
    for method, path, operation in operations(api.document):
        ids.append(operation["operationId"])
        for field in ("summary", "description", "tags", "security", "responses"):
            assert field in operation, f"{method} {path} has no {field}"
        for parameter in operation["parameters"]:
            assert parameter["description"], f"{method} {path}: {parameter['name']}"
        assert ("requestBody" in operation) == (method in ("POST", "PATCH"))
    assert len(set(ids)) == len(ids)


def described(shape: Any, where: str) -> list[str]:
    """The properties somewhere in ``shape`` that nothing is said about."""
    if isinstance(shape, list):
        return [lack for part in shape for lack in described(part, where)]
    if not isinstance(shape, dict):
        return []
    lacks = []
    properties = shape.get("properties")
    if isinstance(properties, dict) and "type" in shape:
        lacks = [
            f"{where}.{name}" for name, part in properties.items() if not part.keys() & {"description", "const", "$ref"}
        ]
    return lacks + [lack for name, part in shape.items() for lack in described(part, f"{where}.{name}")]


def test_every_field_of_requests_and_answers_is_described(api: Api) -> None:
    lacks = [
        lack
        for name, shape in api.document["components"]["schemas"].items()
        if not name.endswith(("Move", "Event"))
        for lack in described(shape, name)
    ]
    assert lacks == []


def test_every_example_is_one(api: Api) -> None:
    components = closed(api.document["components"])
    found = 0
    for method, path, operation in operations(api.document):
        contents = [(operation["requestBody"]["content"], "examples")] if "requestBody" in operation else []
        contents += [(response.get("content", {}), "example") for response in operation["responses"].values()]
        for content, field in contents:
            for each in content.values():
                examples = [each[field]] if field == "example" and field in each else []
                examples += [example["value"] for example in each.get("examples", {}).values()]
                validator = Draft202012Validator({**each["schema"], "components": components})
                for example in examples:
                    found += 1
                    errors = [f"{error.json_path} {error.message}" for error in validator.iter_errors(example)]
                    assert errors == [], f"{method} {path}"
    assert found > len(LATEST)


def test_answers_have_examples(api: Api) -> None:
    for method, path, operation in operations(api.document):
        for status, response in operation["responses"].items():
            content = response.get("content", {}).get("application/json")
            if content and path.startswith("/v1/") and "rulesets" not in path and status in ("200", "201", "202"):
                assert "example" in content, f"{method} {path} {status}"


def parts(document: dict[str, Any], union: str) -> list[dict[str, Any]]:
    """The schemas of which a value of this one has exactly one."""
    schemas = document["components"]["schemas"]
    return [schemas[part["$ref"].rpartition("/")[2]] for part in schemas[union]["oneOf"]]


@pytest.mark.parametrize("ruleset", LATEST.values(), ids=LATEST)
def test_moves_and_events_of_every_type_are_documented(api: Api, key: str, ruleset: Ruleset) -> None:
    state = ruleset.start(read_config(ruleset, {}, ruleset.seats[0]), ruleset.seats[0])
    for union in ("Move", "Event"):
        assert state.moves.keys() | state.chances.keys() <= {
            part["properties"]["type"]["const"] for part in parts(api.document, union)
        }
    assert ruleset.id in api.document["components"]["schemas"]["NewGame"]["discriminator"]["mapping"]
    # What is answered is held to the document.
    record = played(ruleset, ruleset.seats[0], 1)
    game = api.ok("POST", "/v1/records", key, record)["id"]
    for view in ("public", "0", "table"):
        assert api.ok("GET", f"/v1/games/{game}/events?view={view}", key)["events"]
    components = closed(api.document["components"])
    sent = Draft202012Validator({**components["schemas"]["Moves"], "components": components})
    added = {"at", "digest", "salt"}
    moves = [{name: value for name, value in each.items() if name not in added} for each in record["events"][:1000]]
    assert [error.message for error in sent.iter_errors({"moves": moves})] == []


# --- rules in words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", LATEST.values(), ids=LATEST)
def test_every_rule_of_a_game_has_a_text(ruleset: Any) -> None:
    texts = game_texts(ruleset)
    assert tuple(texts.rules) == ruleset.rules
    assert all(texts.rules.values())
    assert texts.introduction
    # a heading that looks like the id of a rule is one
    assert not re.search(rf"^## {ruleset.id}\.", texts.introduction, re.MULTILINE)


def test_every_common_rule_has_a_text() -> None:
    assert tuple(common_texts().rules) == COMMON_RULES
    assert all(common_texts().rules.values())


def test_rulesets_are_listed_with_all_that_a_front_end_needs(api: Api) -> None:
    listed = api.ok("GET", "/v1/rulesets")["rulesets"]
    assert [each["id"] for each in listed] == list(LATEST)
    for each in listed:
        assert each == api.ok("GET", f"/v1/rulesets/{each['id']}")
        assert [rule["id"] for rule in each["rules"]] == [*LATEST[each["id"]].rules, *COMMON_RULES]
        for shape in [each["config"], *each["moves"].values(), *each["chance_events"].values()]:
            Draft202012Validator.check_schema(shape)
            assert shape["additionalProperties"] is False
    api.refused(404, "not-found", "GET", "/v1/rulesets/bridge")


def test_schema_of_a_config_takes_the_defaults_and_no_unknown_option(api: Api) -> None:
    for each in api.ok("GET", "/v1/rulesets")["rulesets"]:
        validator = Draft202012Validator(each["config"])
        defaults = {name: shape["default"] for name, shape in each["config"]["properties"].items()}
        assert validator.is_valid(defaults)
        assert validator.is_valid({})
        assert not validator.is_valid({"unheard_of": 1})


def test_schema_of_a_move_takes_its_fields_and_no_other(api: Api) -> None:
    shape = api.ok("GET", "/v1/rulesets/quadruple-war")["moves"]["play"]
    validator = Draft202012Validator(shape)
    assert validator.is_valid({"type": "play", "card": "Qs"})
    assert validator.is_valid({"seat": 4, "type": "play", "card": "BJ"})
    for wrong in (
        {"type": "play"},
        {"type": "play", "card": "1s"},
        {"type": "bid", "card": "Qs"},
        {"type": "play", "card": "Qs", "tricks": 1},
        {"seat": 5, "type": "play", "card": "Qs"},
    ):
        assert not validator.is_valid(wrong), wrong
