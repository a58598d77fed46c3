"""The viewer in a browser's window, as those who look at games use it."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Self

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response

from tests.serving import Caller

SEATS: Final[Mapping[str, tuple[int, dict[str, Any]]]] = {
    "kraken": (4, {"rounds": 2, "trump": "random"}),
    "quadruple-war": (3, {"target": 20, "bags": True}),
    "soda": (4, {}),
    "thirteen": (4, {}),
    "wodka": (4, {"target": 3}),
}
"""The games that the tests look at: seats and config by ruleset."""

_WATCH: Final = """
  window.violations = [];
  document.addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective));
"""
_CARDS: Final = (
    "[...document.querySelectorAll('card-table .cards .card')].filter((card) => !card.dataset.state.includes('faint'))"
)


@dataclass(frozen=True)
class Site:
    """The service at ``base``, its one ``key``, whose ``owner`` calls with it, and his games by ruleset."""

    base: str
    key: str
    owner: Caller
    games: Mapping[str, Mapping[str, Any]]

    def frames(self, game: str, view: str = "table") -> list[Mapping[str, Any]]:
        """All frames of a game of the owner, with the one before the first event."""
        listed: list[Mapping[str, Any]] = self.owner.get(f"/v1/games/{game}/replay?view={view}")["frames"]
        return [{}, *listed]


@dataclass
class Viewer:
    """A window, what it has asked for and been given, and what the browser complained of."""

    site: Site
    page: Page
    complaints: list[str] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)
    given: list[Response] = field(default_factory=list)

    @classmethod
    @contextmanager
    def opened(cls, site: Site, browser: Browser, **options: Any) -> Iterator[Self]:
        """A window that at its end has had nothing to complain of: no error, no breach of the security policy."""
        whole: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "accept_downloads": True} | options
        context = browser.new_context(**whole)
        context.add_init_script(_WATCH)
        page = context.new_page()
        page.set_default_timeout(15_000)
        viewer = cls(site, page)
        page.on("console", viewer._hear)
        page.on("pageerror", lambda error: viewer.complaints.append(str(error)))
        page.on("request", viewer._ask)
        page.on("response", viewer._take)
        yield viewer
        assert page.evaluate("window.violations") == []
        assert viewer.complaints == []
        context.close()

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _ask(self, request: Request) -> None:
        self.asked.append(request)

    def _take(self, response: Response) -> None:
        self.given.append(response)

    def open(self, game: str, fragment: str = "", token: str | None = None) -> None:
        """Opens a game, with the owner's key unless another token is named (``""``: none)."""
        token = self.site.key if token is None else token
        parts = "&".join(part for part in (fragment, f"token={token}" if token else "") if part)
        self.page.goto(f"{self.site.base}/replay/{game}#{parts}")
        self.page.wait_for_selector("card-table .plate")
        self.settle()

    def settle(self) -> None:
        """Waits until all frames are there and what follows a step has been done."""
        self.page.wait_for_function(
            "() => { const viewer = document.querySelector('replay-viewer');"
            " return viewer.story && viewer.story.told === viewer.story.last; }"
        )
        self.page.wait_for_timeout(300)

    @property
    def at(self) -> int:
        """The moment that is shown."""
        return int(self.page.inner_text(".where").split()[0])

    @property
    def last(self) -> int:
        return int(self.page.inner_text(".where").split()[2])

    def arrive(self, seq: int) -> None:
        """Waits until the moment ``seq`` is shown."""
        self.page.wait_for_function(
            "(seq) => document.querySelector('.where').textContent.startsWith(`${seq} /`)", arg=seq
        )

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def tab(self, name: str) -> None:
        self.page.click(f"#tab-{name}")

    @property
    def faces(self) -> set[str]:
        """The cards that lie face up, those of another pack apart."""
        return set(
            self.page.evaluate(
                f"{_CARDS}.filter((card) => !card.classList.contains('back'))"
                ".map((card) => card.querySelector('use').getAttribute('href').slice(3))"
            )
        )

    @property
    def backs(self) -> int:
        """How many cards lie face down."""
        number: int = self.page.evaluate(f"{_CARDS}.filter((card) => card.classList.contains('back')).length")
        return number

    def hash(self) -> dict[str, str]:
        """What the address says behind its #."""
        return dict(part.split("=", 1) for part in self.page.evaluate("location.hash").removeprefix("#").split("&"))


def cards_in(value: Any) -> set[str]:
    """Every card that a JSON value names."""
    return set(re.findall(r'"([2-9TJQKA][cdhs]|[BL]J)"', json.dumps(value)))


def hands_of(state: Mapping[str, Any]) -> Iterable[str]:
    return (card for hand in state["hands"] for card in hand.get("cards", ()))
