"""The games that can be played."""

from functools import cache
from typing import Any, Final

import orjson
from flask import Response

from api.games import LATEST
from api.games.rules import Ruleset
from api.http.conditions import tagged
from api.http.declare import Blueprint
from api.http.problems import NOT_FOUND, Problem
from api.http.responses import PUBLIC
from api.http.schemas import RulesetSchema, RulesetsSchema
from api.http.shapes import chance_shapes, config_shape, move_shapes, standalone
from api.rule_texts import common_texts, game_texts, table_description

blueprint: Final = Blueprint("rulesets", "The games: what they take, and their rules in words.")


@blueprint.route("/v1/rulesets")
@blueprint.caches(RulesetsSchema)
def list_rulesets() -> Response:
    """List the games

    Every ruleset at its newest version, with what a front end needs to offer the game, to play it and to explain it.
    """
    return tagged(_all(), headers=PUBLIC)


@blueprint.route("/v1/rulesets/<ruleset>")
@blueprint.caches(RulesetSchema)
@blueprint.fails(NOT_FOUND)
def get_ruleset(ruleset: str) -> Response:
    """Get a game

    One ruleset at its newest version.
    """
    if ruleset not in LATEST:
        raise Problem(NOT_FOUND, "There is no such ruleset.")
    return tagged(_one(LATEST[ruleset]), headers=PUBLIC)


@cache
def _all() -> bytes:
    return orjson.dumps({"rulesets": [describe(ruleset) for ruleset in LATEST.values()]})


@cache
def _one(ruleset: Ruleset) -> bytes:
    return orjson.dumps(describe(ruleset))


def describe(ruleset: Ruleset) -> dict[str, Any]:
    """What a front end needs to offer a game, to play it and to explain it."""
    texts = game_texts(ruleset)
    return {
        "id": ruleset.id,
        "version": ruleset.version,
        "title": ruleset.title,
        "summary": ruleset.summary,
        "seats": ruleset.seats,
        "sides": ruleset.sides,
        "phases": ruleset.phases,
        "config": standalone(config_shape(ruleset)),
        "moves": {kind: standalone(shape) for kind, shape in move_shapes(ruleset).items()},
        "chance_events": {kind: standalone(shape) for kind, shape in chance_shapes(ruleset).items()},
        "table": table_description(ruleset),
        "introduction": texts.introduction,
        "rules": [{"id": rule, "text": text} for rule, text in (texts.rules | common_texts().rules).items()],
    }
