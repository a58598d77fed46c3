"""The documentation as web pages, made from the guides, the OpenAPI document, the types of problem and the rules; no
script, nothing from another host."""

import hashlib
import re
from base64 import b64encode
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final, NamedTuple

import orjson
from jinja2 import Environment, PackageLoader
from markdown_it import MarkdownIt
from markupsafe import Markup

from api.games import LATEST
from api.games.rules import Ruleset
from api.games.shown import COMMON_EFFECTS
from api.http.problems import PROBLEM_TYPES
from api.http.responses import PUBLIC
from api.http.shapes import said
from api.rule_texts import common_texts, disputed_game, game_texts

_GUIDES: Final = (
    "quick-start",
    "clients",
    "views",
    "streams",
    "retries",
    "webhooks",
    "limits",
    "disputes",
    "replay-viewer",
)
"""The pages in ``guides``, in the order in which they are listed."""

_STYLE: Final = (files("api.http") / "templates" / "style.css").read_text(encoding="utf-8")
_STYLE_HASH: Final = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

PAGE_HEADERS: Final = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    **PUBLIC,
}
"""The headers of a page that loads nothing."""


class Page(NamedTuple):
    """A page: what it is listed under, if it is, its title, and what it is made of."""

    group: str | None
    title: str
    template: str
    values: dict[str, Any]


# --- Markdown -------------------------------------------------------------------------------------------------------

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
_markdown.add_render_rule("table_open", lambda *_: '<div class="wide"><table>\n')
_markdown.add_render_rule("table_close", lambda *_: "</table></div>\n")


def _rendered(text: str, headings_down: int = 0) -> Markup:
    """Markdown as HTML, its headings so many levels further down, each with an id made of its words."""
    tokens = _markdown.parse(text)
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", "-".join(re.findall("[a-z0-9]+", tokens[place + 1].content.lower())))
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{int(token.tag[1]) + headings_down}"
    # The renderer escapes what it is given, and takes no HTML in its input.
    return Markup(_markdown.renderer.render(tokens, _markdown.options, {}))  # noqa: S704


def _indented(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


_templates = Environment(loader=PackageLoader("api.http"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
_templates.filters |= {"markdown": _rendered, "indented": _indented, "said": said}
_templates.globals |= {"style": Markup(_STYLE)}  # noqa: S704

# --- pages ----------------------------------------------------------------------------------------------------------

_SECTION: Final = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>', re.DOTALL)


class Published:
    """The documentation of one application, each form of it made when it is first asked for."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self._html: dict[str, bytes] = {}

    @cached_property
    def json(self) -> bytes:
        """The OpenAPI document."""
        return orjson.dumps(self.document)

    @cached_property
    def pages(self) -> dict[str, Page]:
        """Every page, by its path."""
        schemas = self.document["components"]["schemas"]
        common = {"texts": common_texts(), "common_effects": COMMON_EFFECTS}
        overview = {"document": self.document, "rulesets": LATEST.values()}
        reference = {"document": self.document, "operations": _by_tag(self.document)}
        problems = {problem.uri: problem for problem in PROBLEM_TYPES.values()}
        return {
            "/docs": Page("Start", "Overview", "overview.html", overview),
            **{f"/docs/{name}": _text("Start", files("api.http") / "guides" / f"{name}.md") for name in _GUIDES},
            "/docs/common": Page("Rules", "What every game shares", "common.html", common),
            **{f"/docs/{ruleset.id}": _game(ruleset) for ruleset in LATEST.values()},
            "/docs/reference": Page("Reference", "Operations", "reference.html", reference),
            "/docs/shapes": Page("Reference", "Shapes", "shapes.html", {"schemas": schemas}),
            "/docs/problems": Page("Reference", "Problems", "problems.html", {"problems": problems.values()}),
            **{f"/docs/{name}": _text("Proof", files("api.proofs") / f"{name}.md") for name in ("dealing", "records")},
            **{uri: Page(None, each.title, "problem.html", {"problem": each}) for uri, each in problems.items()},
        }

    def html(self, path: str) -> bytes:
        """The page at ``path``."""
        if path not in self._html:
            page = self.pages[path]
            body = Markup(_templates.get_template(page.template).render(**page.values))  # noqa: S704
            sections = {name: Markup(heading).striptags() for name, heading in _SECTION.findall(body)}  # noqa: S704
            layout = _templates.get_template("layout.html")
            text = layout.render(page=page, path=path, body=body, sections=sections, groups=_listed(self.pages))
            self._html[path] = text.encode()
        return self._html[path]


def _listed(pages: dict[str, Page]) -> dict[str, dict[str, str]]:
    """The titles of the pages by group and path."""
    groups: dict[str, dict[str, str]] = {}
    for path, page in pages.items():
        if page.group is not None:
            groups.setdefault(page.group, {})[path] = page.title
    return groups


def _text(group: str, file: Traversable) -> Page:
    """A page that is written in Markdown, with its title in the first line."""
    title, _, text = file.read_text(encoding="utf-8").removeprefix("# ").partition("\n")
    return Page(group, title, "text.html", {"text": text})


def _game(ruleset: Ruleset) -> Page:
    values = {"ruleset": ruleset, "texts": game_texts(ruleset), "disputed": disputed_game(ruleset)}
    return Page("Rules", ruleset.title, "game.html", values)


def _by_tag(document: dict[str, Any]) -> dict[str, list[tuple[str, str, dict[str, Any], list[Any]]]]:
    """The operations of each tag: method, path (a webhook's name), what the document says, all parameters."""
    found: dict[str, list[tuple[str, str, dict[str, Any], list[Any]]]] = {tag["name"]: [] for tag in document["tags"]}
    problems = document["components"]["responses"]
    for path, methods in (document["paths"] | document["webhooks"]).items():
        shared = methods.get("parameters", [])
        for method, operation in methods.items():
            if method != "parameters":
                parameters = shared + operation.get("parameters", [])
                responses = {
                    status: problems[response["$ref"].rpartition("/")[2]] if "$ref" in response else response
                    for status, response in operation["responses"].items()
                }
                told = operation | {"responses": responses}
                found[operation["tags"][0]].append((method.upper(), path, told, parameters))
    return found
