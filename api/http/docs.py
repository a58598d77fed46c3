"""The documentation as web pages, made from the OpenAPI document, the types of problem and the rules; no script,
nothing from another host."""

import hashlib
from base64 import b64encode
from functools import cached_property
from importlib.resources import files
from typing import Any, Final

import orjson
from flask import Response
from jinja2 import Environment, PackageLoader
from markdown_it import MarkdownIt
from markupsafe import Markup

from api.games import LATEST
from api.http.problems import PROBLEM_TYPES, ProblemType
from api.http.responses import HTML, respond
from api.rule_texts import common_texts, disputed_game, game_texts

_STYLE: Final = (files("api.http") / "templates" / "style.css").read_text(encoding="utf-8")
_STYLE_HASH: Final = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


def _rendered(text: str, headings_down: int = 0) -> Markup:
    """Markdown as HTML, its headings so many levels further down."""
    tokens = _markdown.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{int(token.tag[1]) + headings_down}"
    # The renderer escapes what it is given, and takes no HTML in its input.
    return Markup(_markdown.renderer.render(tokens, _markdown.options, {}))  # noqa: S704


def _indented(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


_templates = Environment(loader=PackageLoader("api.http"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
_templates.filters |= {"markdown": _rendered, "indented": _indented}
_templates.globals |= {"style": Markup(_STYLE)}  # noqa: S704


class Published:
    """The documentation of one application, each form of it made when it is first asked for."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    @cached_property
    def json(self) -> bytes:
        """The OpenAPI document."""
        return orjson.dumps(self.document)

    @cached_property
    def html(self) -> str:
        """All of it as a page."""
        operations: dict[str, list[tuple[str, str, dict[str, Any], list[Any]]]] = {
            tag["name"]: [] for tag in self.document["tags"]
        }
        for path, methods in self.document["paths"].items():
            shared = methods.get("parameters", [])
            for method, operation in methods.items():
                if method != "parameters":
                    parameters = shared + operation.get("parameters", [])
                    operations[operation["tags"][0]].append((method.upper(), path, operation, parameters))
        return _templates.get_template("docs.html").render(
            document=self.document,
            operations=operations,
            problems=PROBLEM_TYPES.values(),
            proofs=_proofs(),
            common=common_texts(),
            games=[(ruleset, game_texts(ruleset), disputed_game(ruleset)) for ruleset in LATEST.values()],
        )


def _proofs() -> dict[str, str]:
    """The pages on proof, by what leads to them."""
    pages = files("api.proofs")
    return {name: (pages / f"{name}.md").read_text(encoding="utf-8") for name in ("dealing", "records")}


def problem_page(problem: ProblemType) -> str:
    """The page about one type of problem."""
    return _templates.get_template("problem.html").render(problem=problem)


def page(html: str) -> Response:
    """A web page that loads nothing."""
    headers = {
        "Content-Security-Policy": _POLICY,
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "public, max-age=300",
    }
    return respond(html, 200, f"{HTML}; charset=utf-8", headers)
