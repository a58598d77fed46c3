"""What a move costs without Tricklog: a Flask route that checks the body's form and does the same transaction."""

import os
import weakref
from datetime import UTC, datetime
from typing import Any

from flask import Flask, request
from marshmallow import Schema, fields

from api import store

HEAD = bytes(32)


class Moves(Schema):
    """The form of the body."""

    moves = fields.List(fields.Dict(), required=True)


def create_app() -> Flask:
    """The application: ``POST /<game>/<seq>`` appends one event after ``seq``."""
    app = Flask(__name__)
    pool = store.open_pool(os.environ["DATABASE_URL"], 16)
    weakref.finalize(app, pool.close)
    schema = Moves()
    summary = '{"scores":[0,0,0,0],"to_act":[0],"chance":null,"winners":[]}'

    @app.post("/<int:game>/<int:seq>")
    def moves(game: int, seq: int) -> tuple[dict[str, Any], int]:
        schema.load(request.get_json())
        with store.connection(pool) as conn:
            event = store.Entry(datetime.now(UTC), '2,"play","Qs"', HEAD)
            store.append(conn, game, store.Standing(seq, HEAD), store.Addition([event], HEAD, "running", summary))
        return {"seq": seq + 1, "to_act": [0], "status": "running"}, 201

    return app
