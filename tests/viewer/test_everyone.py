"""For everyone: axe finds nothing, it fits phones and magnified pages, and nothing moves for who prefers that."""

import json
import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from api.games import LATEST
from tests.records import played, resealed
from tests.viewer.viewer import SEATS, Site, Viewer

AXE = next(
    (
        file
        for folder in os.environ.get("PATH", "").split(os.pathsep)
        if (file := Path(folder).parent / "axe-core" / "axe.min.js").is_file()
    ),
    None,
)
"""axe-core where npm has installed it, beside the folder of its programs."""

needs_axe = pytest.mark.skipif(AXE is None and "CI" not in os.environ, reason="axe-core of .ci/package.json is missing")


def faults(viewer: Viewer) -> list[str]:
    """What axe finds on the page: each rule, and where."""
    assert AXE is not None, "axe-core is missing"
    viewer.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = viewer.page.evaluate("async () => (await axe.run()).violations")
    return [f"{fault['id']}: {json.dumps([node['html'] for node in fault['nodes']])}" for fault in found]


@needs_axe
@pytest.mark.parametrize(
    ("ruleset", "scheme"), [*((ruleset, "light") for ruleset in SEATS), ("kraken", "dark"), ("soda", "dark")]
)
def test_axe_finds_nothing_on_a_games_page(site: Site, browser: Browser, ruleset: str, scheme: str) -> None:
    with Viewer.opened(site, browser, color_scheme=scheme) as viewer:
        viewer.open(site.games[ruleset]["id"], "at=14")
        assert faults(viewer) == []
        viewer.press("End")
        viewer.tab("score")
        viewer.page.locator("score-sheet .line summary").first.click()
        assert faults(viewer) == []
        viewer.tab("proof")
        viewer.page.click("text=Verify in this browser")
        viewer.page.wait_for_selector("proof-panel .ok >> text=deal")
        assert faults(viewer) == []
        viewer.tab("share")
        assert faults(viewer) == []
        viewer.press("?")
        assert faults(viewer) == []


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_other_pages(site: Site, browser: Browser, scheme: str) -> None:
    with Viewer.opened(site, browser, color_scheme=scheme) as viewer:
        viewer.page.goto(f"{site.base}/replay#token={site.key}")
        viewer.page.wait_for_selector(".games li")
        assert faults(viewer) == []
        viewer.page.goto(f"{site.base}/replay/nothing")
        viewer.page.wait_for_selector("#token")
        assert faults(viewer) == []
        viewer.complaints.clear()


@needs_axe
@pytest.mark.parametrize("ruleset", SEATS)
def test_axe_finds_nothing_on_a_phone(site: Site, phone: Viewer, ruleset: str) -> None:
    phone.open(site.games[ruleset]["id"], "at=12")
    assert faults(phone) == []


@pytest.mark.parametrize("ruleset", SEATS)
def test_all_of_it_fits_a_phone(site: Site, phone: Viewer, ruleset: str) -> None:
    phone.open(site.games[ruleset]["id"], "at=1")
    for seq in range(1, site.games[ruleset]["seq"], 9):
        phone.page.fill(".slider", str(seq))
        phone.arrive(seq)
        assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360
        outside = phone.page.evaluate(
            "[...document.querySelectorAll('card-table .card, card-table .plate')].filter((each) => {"
            " const {left, right} = each.getBoundingClientRect(); return left < -1 || right > 361; }).length"
        )
        assert outside == 0
    for tab in ("score", "proof", "share", "log"):
        phone.tab(tab)
        assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360
    phone.press("Home")
    phone.page.click("button[aria-label='An event on']")
    phone.arrive(1)


@pytest.mark.parametrize("width", [360, 1280])
def test_long_names_push_nothing_away(site: Site, browser: Browser, width: int) -> None:
    """Names of the greatest length, and one that reads like a card."""
    players = ["W" * 80, "Aaaaaaa" * 11, "As", "ten of hearts", "(.*", "M" * 80]
    record = played(LATEST["soda"], len(players), 3)
    game = site.owner.post("/v1/records", resealed(record | {"players": players}))
    with Viewer.opened(site, browser, viewport={"width": width, "height": 740}) as viewer:
        viewer.open(game["id"], f"at={game['seq']}")
        for control in ("[aria-label=Speed]", "[aria-label=View]", ".suits", "[aria-label='Turn the table']"):
            box = viewer.page.locator(control).bounding_box()
            stage = viewer.page.locator(".stage").bounding_box()
            assert box
            assert stage
            assert box["x"] + box["width"] <= stage["x"] + stage["width"]
        viewer.tab("score")
        assert viewer.page.evaluate("document.documentElement.scrollWidth") <= width
        head = viewer.page.locator("score-sheet thead").bounding_box()
        assert head
        assert head["height"] < 150
        viewer.tab("log")
        said = " ".join(viewer.page.locator("game-log .said").all_text_contents())
        assert "As " in said
        assert "ten of hearts " in said
        assert "(.* " in said


def test_page_magnified_to_200_percent_loses_nothing(site: Site, browser: Browser) -> None:
    with Viewer.opened(site, browser, viewport={"width": 640, "height": 400}, device_scale_factor=2) as viewer:
        viewer.open(site.games["kraken"]["id"], "at=12")
        assert viewer.page.evaluate("document.documentElement.scrollWidth") <= 640
        # what stays in sight would leave no room for the rest
        assert viewer.page.evaluate("getComputedStyle(document.querySelector('.controls')).position") == "static"
        for label in ("An event on", "To the end", "Turn the table"):
            viewer.page.click(f"button[aria-label='{label}']")
        viewer.page.goto(f"{site.base}/replay")
        viewer.page.wait_for_selector(".drop")
        assert viewer.page.evaluate("document.documentElement.scrollWidth") <= 640


@pytest.mark.parametrize(("motion", "seconds"), [("no-preference", True), ("reduce", False)])
def test_cards_move_unless_that_is_not_wanted(site: Site, browser: Browser, motion: str, seconds: bool) -> None:
    with Viewer.opened(site, browser, reduced_motion=motion) as viewer:
        viewer.open(site.games["thirteen"]["id"], "at=3")
        viewer.press("ArrowRight")
        viewer.arrive(4)
        duration = viewer.page.evaluate(
            "getComputedStyle(document.querySelector('card-table .card')).transitionDuration"
        )
        assert any(float(part.rstrip("s")) for part in duration.split(", ")) == seconds


def test_keyboard_alone_reaches_log_and_sheet(site: Site, viewer: Viewer) -> None:
    viewer.open(site.games["thirteen"]["id"], "at=3")
    viewer.page.focus("#tab-log")
    viewer.press("ArrowRight")
    assert viewer.page.evaluate("document.activeElement.id") == "tab-score"
    assert viewer.page.is_visible("score-sheet")
    viewer.press("ArrowLeft")
    viewer.press("Tab")
    assert viewer.page.evaluate("document.activeElement.id") == "panel-log"
    viewer.page.focus("game-log [data-go='6']")
    viewer.press("Enter")
    viewer.arrive(6)
