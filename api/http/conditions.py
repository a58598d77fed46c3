"""Conditional requests: tags, and what callers have by them."""

import hashlib
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from flask import Response, request

from api.http.headers import TAGS_MOST
from api.http.problems import invalid
from api.http.responses import JSON, REVALIDATED, respond

_TAG: Final = r'(?:W/)?"[!#-~\x80-\xff]*"'
_TAGS: Final = re.compile(rf"\s*(?:\*|{_TAG}(?:\s*,\s*{_TAG})*)\s*")


def expected_tags() -> frozenset[str] | None:
    """The tags that ``If-Match`` names, None where it leaves any; an invalid-request problem for what is no list of
    tags.
    """
    header = request.environ.get("HTTP_IF_MATCH")
    if header is None:
        return None
    if len(header) > TAGS_MOST or not _TAGS.fullmatch(header):
        told = f'Must be a list of tags such as "17", or *, in {TAGS_MOST} characters at most.'
        raise invalid({"If-Match": [told]}, 400)
    if header.strip() == "*":
        return None
    # A weak tag never matches here: all of the service's are strong.
    return frozenset(re.findall(_TAG, header))


def tagged(
    text: bytes, tag: str | None = None, content_type: str = JSON, headers: Mapping[str, str] = REVALIDATED
) -> Response:
    """``text``, unless the caller has it already by its ``tag``, which is derived from it where none is given."""
    if tag is None:
        tag = f'"{hashlib.sha256(text).hexdigest()[:32]}"'
    headers = {"ETag": tag, **headers}
    if _has(tag):
        return respond(None, HTTPStatus.NOT_MODIFIED, None, headers)
    return respond(text, HTTPStatus.OK, content_type, headers)


def _has(tag: str) -> bool:
    header = request.environ.get("HTTP_IF_NONE_MATCH")
    if header is None:
        return False
    if len(header) > TAGS_MOST:
        raise invalid({"If-None-Match": [f"Must be {TAGS_MOST} characters long at most."]}, 400)
    return header.strip() == "*" or tag in (each.removeprefix("W/") for each in re.findall(_TAG, header))
