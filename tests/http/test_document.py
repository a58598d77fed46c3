"""What the service says of itself: complete, true, and the same everywhere."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
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
    tags = {tag["name"] for tag in api.document["tags"] if tag["description"]}
    for method, path, operation in operations(api.document):
        where = f"{method} {path}"
        ids.append(operation["operationId"])
        for field in ("summary", "description", "security"):
            assert operation.get(field), f"{where} has no {field}"
        assert set(operation["tags"]) <= tags, where
        assert {"400", "401", "429", "500"} <= operation["responses"].keys(), where
        assert ("requestBody" in operation) == (method in ("POST", "PATCH")), where
        for parameter in operation["parameters"]:
            assert parameter.get("description"), f"{where}: {parameter['name']}"
    assert len(set(ids)) == len(ids)


def schemas(shape: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A JSON Schema and all that it is made of, each with the path to it."""
    yield where, shape
    for name, part in shape.get("properties", {}).items():
        yield from schemas(part, f"{where}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(shape.get(key), dict):
            yield from schemas(shape[key], f"{where}.{key}")
    for key in ("anyOf", "oneOf", "allOf"):
        for part in shape.get(key, ()):
            yield from schemas(part, f"{where}.{key}")


def all_schemas(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every JSON Schema of a document."""
    components = document["components"]
    for name, shape in components["schemas"].items():
        yield from schemas(shape, name)
    for name, header in components["headers"].items():
        yield from schemas(header["schema"], name)
    for method, path, operation in operations(document):
        for parameter in operation["parameters"]:
            yield from schemas(parameter["schema"], f"{method} {path} {parameter['name']}")
        answers = [operation.get("requestBody", {}), *operation["responses"].values()]
        for media_type, content in [each for answer in answers for each in answer.get("content", {}).items()]:
            yield from schemas(content["schema"], f"{method} {path} {media_type}")


def test_every_field_is_described(api: Api) -> None:
    lacks = [name for name, shape in api.document["components"]["schemas"].items() if not shape.get("description")]
    lacks += [name for name, header in api.document["components"]["headers"].items() if not header.get("description")]
    lacks += [
        f"{where}.{name}"
        for where, shape in all_schemas(api.document)
        for name, part in shape.get("properties", {}).items()
        if not part.get("description") and "$ref" not in part
    ]
    assert lacks == []


def unbounded(shape: dict[str, Any]) -> bool:
    """Whether a schema leaves open how long or how large a value may be, or what a text looks like."""
    kinds = shape.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return (
        ("string" in kinds and not shape.keys() & {"enum", "const"} and "maxLength" not in shape)
        or ("string" in kinds and not shape.keys() & {"enum", "const", "pattern", "format"})
        or ("integer" in kinds and not {"minimum", "maximum", "format"} <= shape.keys())
        or ("number" in kinds and not {"minimum", "maximum"} <= shape.keys())
        or ("array" in kinds and not {"items", "maxItems"} <= shape.keys())
        or (isinstance(shape.get("additionalProperties"), dict) and "maxProperties" not in shape)
    )


def test_every_value_has_its_limits(api: Api) -> None:
    assert [where for where, shape in all_schemas(api.document) if unbounded(shape)] == []


def test_everything_has_an_example(api: Api) -> None:
    lacks = [name for name, header in api.document["components"]["headers"].items() if "example" not in header]
    for method, path, operation in operations(api.document):
        lacks += [
            f"{method} {path} {parameter['name']}"
            for parameter in operation["parameters"]
            if not {**parameter["schema"], **parameter}.keys() & {"example", "examples", "enum", "$ref"}
        ]
        answers = {"body": operation.get("requestBody", {}), **operation["responses"]}
        for status, answer in answers.items():
            lacks += [
                f"{method} {path} {status} {media_type}"
                for media_type, content in answer.get("content", {}).items()
                if not {**content["schema"], **content}.keys() & {"example", "examples"}
            ]
    assert lacks == []


def test_nothing_is_described_that_is_not_used(api: Api) -> None:
    text = orjson.dumps(api.document).decode()
    for kind in ("schemas", "responses", "headers"):
        for name in api.document["components"][kind]:
            assert f'"#/components/{kind}/{name}"' in text


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
