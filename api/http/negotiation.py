"""Media types, and bodies of strict JSON."""

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import orjson
from flask import request
from gevent import Timeout
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header, parse_options_header

from api.http.problems import (
    LENGTH_REQUIRED,
    NOT_ACCEPTABLE,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    Problem,
    invalid,
)
from api.http.responses import JSON
from api.http.shapes import LARGEST

DEEPEST: Final = 32
MIB: Final = 1024 * 1024


# --- media types ----------------------------------------------------------------------------------------------------


def acceptable(offered: tuple[str, ...]) -> str:
    """Which of the media types ``offered`` the request likes best; a not-acceptable problem when it takes none."""
    best = _best(request.environ.get("HTTP_ACCEPT"), offered)
    if best is None:
        raise Problem(NOT_ACCEPTABLE, f"This address answers with {' or '.join(offered)}.")
    return best


# All that is offered is UTF-8, which has no need to be a media type of its own; nor have the versions of metrics.
_PARAMETERS: Final = re.compile(r';\s*(charset="?utf-8"?|version=[\d.]+|escaping=[\w-]+)', re.IGNORECASE)


@lru_cache(maxsize=1024)
def _best(accept: str | None, offered: tuple[str, ...]) -> str | None:
    if not accept:
        return offered[0]
    return parse_accept_header(_PARAMETERS.sub("", accept), MIMEAccept).best_match(offered)


@lru_cache(maxsize=256)
def _is_json(content_type: str) -> bool:
    media_type, parameters = parse_options_header(content_type)
    return media_type.lower() == JSON and parameters.get("charset", "utf-8").lower() == "utf-8"


# --- bodies ---------------------------------------------------------------------------------------------------------


def read_body(environ: Mapping[str, Any], most: int, seconds: int) -> bytes:
    """The body, said to be JSON, of at most ``most`` bytes, each MiB of which may take so many ``seconds`` to come.

    Read as WSGI hands it over: what Werkzeug puts around it costs as much as the parsing.
    """
    announced = environ.get("CONTENT_LENGTH") or ""
    if "HTTP_TRANSFER_ENCODING" in environ or not announced.isdigit():
        raise Problem(LENGTH_REQUIRED, "Send the body with its Content-Length, not in chunks.")
    length = int(announced)
    if length > most:
        raise Problem(TOO_LARGE, f"The body may be {most} bytes long at most.")
    if not _is_json(environ.get("CONTENT_TYPE", "")) or environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise Problem(UNSUPPORTED_MEDIA_TYPE, f"Send JSON in UTF-8 as {JSON}.")
    try:
        with Timeout(seconds * (length // MIB + 1), TimeoutError):
            text = environ["wsgi.input"].read(length)
    except TimeoutError:
        raise invalid({"body": ["Must come faster."]}, 408) from None
    if len(text) < length:
        raise invalid({"body": ["Must be as long as its Content-Length says."]}, 400)
    return bytes(text)


def read_object(text: bytes) -> dict[str, Any]:
    """The JSON object that ``text`` is; an invalid-request problem for whatever two readers could take differently.

    orjson judges the form (UTF-8, surrogates, control characters, NaN) and bounds the depth before the standard
    library's parser, which recurses, sees the text; that one finds a key that stands twice and the size of each number.
    """
    try:
        orjson.loads(text)
        value = _decode(text.decode())
    except RecursionError:
        raise _refused(f"nest more than {DEEPEST} levels") from None
    except ValueError as error:
        raise invalid({"body": [f"Must be JSON: {error}."]}, 400) from None
    if type(value) is not dict:
        raise invalid({"body": ["Must be an object."]}, 400)
    if text.count(b"{") + text.count(b"[") > DEEPEST and _deeper(value, DEEPEST):
        raise _refused(f"nest more than {DEEPEST} levels")
    if b"\\u0000" in text and _NUL.search(text):
        raise _refused("hold the character NUL")
    return value


def _refused(what: str) -> Problem:
    return invalid({"body": [f"Must not {what}."]}, 400)


_NUL: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _refused("name a key twice in one object")
    return found


def _integer(digits: str) -> int:
    if len(digits) > 17 or not -LARGEST <= (number := int(digits)) <= LARGEST:
        raise _refused(f"hold a whole number beyond {LARGEST}")
    return number


def _fraction(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _refused("hold a number that large")
    return number


_decode = json.JSONDecoder(object_pairs_hook=_once, parse_int=_integer, parse_float=_fraction).decode


def _deeper(value: Any, levels: int) -> bool:
    level = [value]
    for _ in range(levels):
        level = [
            part
            for each in level
            if type(each) is dict or type(each) is list
            for part in (each.values() if type(each) is dict else each)
        ]
    return any(type(each) is dict or type(each) is list for each in level)
