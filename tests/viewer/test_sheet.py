"""The score sheet, disputes, and the proof."""

import json
import re
from importlib.resources import files
from random import Random
from typing import Any

import pytest

from tests.viewer.viewer import SEATS, Site, Viewer

VERIFY = "import(new URL('verify.js', document.querySelector('script[type=module]').src).href)"


@pytest.mark.parametrize("ruleset", SEATS)
def test_sheet_is_the_ledger_of_the_moment(site: Site, viewer: Viewer, ruleset: str) -> None:
    game, last = site.games[ruleset]["id"], site.games[ruleset]["seq"]
    viewer.open(game, "at=0")
    viewer.tab("score")
    for at in (last, last // 2, last - 1, 0):
        viewer.page.fill(".slider", str(at))
        viewer.arrive(at)
        viewer.page.wait_for_timeout(300)
        ledger = site.owner.get(f"/v1/games/{game}/ledger?at={at}")
        totals = viewer.page.locator("score-sheet .totals td").all_inner_texts()
        assert totals == [str(total) for total in ledger["totals"]]
        given = viewer.page.locator("score-sheet .line .given").all_inner_texts()
        assert sorted(int(points) for points in given) == sorted(line["points"] for line in ledger["lines"])


@pytest.mark.parametrize("ruleset", SEATS)
def test_line_unfolds_to_its_rule_and_leads_to_its_events(site: Site, viewer: Viewer, ruleset: str) -> None:
    game = site.games[ruleset]["id"]
    line = site.owner.get(f"/v1/games/{game}/ledger")["lines"][0]
    rules = {rule["id"]: rule["text"] for rule in site.owner.get(f"/v1/rulesets/{ruleset}")["rules"]}
    viewer.open(game, f"at={site.games[ruleset]['seq']}")
    viewer.tab("score")
    folds = viewer.page.locator("score-sheet section").last.locator("details.line").first
    folds.locator("summary").click()
    assert folds.locator("code").first.inner_text() == line["rule"]
    start = re.split(r"[`*|\n]", rules[line["rule"]])[0].strip()
    assert start in folds.locator(".rule").inner_text()
    assert (
        folds.locator("[data-go]").evaluate_all("(all) => all.map((link) => Number(link.dataset.go))") == line["events"]
    )
    folds.locator("[data-go]").last.click()
    viewer.arrive(line["events"][-1])


def test_dispute_shows_claim_and_ledger_side_by_side(site: Site, viewer: Viewer) -> None:
    game = site.games["quadruple-war"]["id"]
    ledger = site.owner.get(f"/v1/games/{game}/ledger")
    claimed = [ledger["totals"][0] + 7, *ledger["totals"][1:]]
    site.owner.post(f"/v1/games/{game}/disputes", {"totals": claimed, "statement": "I had <b>more</b>."})
    viewer.open(game, "at=3")
    viewer.tab("score")
    dispute = viewer.page.locator(".dispute")
    assert "I had <b>more</b>." in dispute.inner_text()
    rows = dispute.locator("tbody tr")
    assert rows.nth(0).locator("td").all_inner_texts() == [str(points) for points in claimed]
    assert rows.nth(1).locator("td").all_inner_texts() == [str(points) for points in ledger["totals"]]
    assert dispute.locator(".parts").all_inner_texts() == [str(ledger["totals"][0])]


def checks(viewer: Viewer) -> dict[str, str]:
    """What the proof found: each check's title, and whether it holds, fails or was not made."""
    viewer.page.click("text=Verify in this browser")
    viewer.page.wait_for_function("() => document.querySelector('proof-panel .main').disabled === false")
    found = viewer.page.locator("proof-panel .checks > li").evaluate_all(
        "(all) => all.map((each) => [each.querySelector('strong').textContent, each.className])"
    )
    return {re.sub(r"^\d+ ", "", title): outcome for title, outcome in found}


@pytest.mark.parametrize("ruleset", SEATS)
def test_browser_verifies_a_whole_record(site: Site, viewer: Viewer, ruleset: str) -> None:
    viewer.open(site.games[ruleset]["id"])
    viewer.tab("proof")
    held = checks(viewer)
    deals = held.pop("deals", None) or held.pop("deal")
    assert deals == "ok"
    assert held == {
        "digests": "ok", "What this page shows": "ok", "The head": "ok", "No receipts": "open", "The commitment": "ok",
    }  # fmt: skip
    viewer.page.click("text=Ask for the service's audit")
    viewer.page.wait_for_selector("text=everything holds")


def changed(record: dict[str, Any], what: str) -> None:
    match what:
        case "event":
            record["events"][1]["at"] = "2020-01-01T00:00:00.000000Z"
        case "deal":
            hands = record["events"][0]["hands"]
            hands[0][0], hands[1][0] = hands[1][0], hands[0][0]
        case "seed":
            record["seed"] = "00" * 32
        case "head":
            record["head"] = "00" * 32


@pytest.mark.parametrize(
    ("what", "found"),
    [
        ("event", {"digests", "What this page shows"}),
        ("deal", {"digests", "What this page shows", "deal"}),
        ("seed", {"The commitment", "deal"}),
        ("head", {"The head"}),
    ],
)
def test_browser_finds_what_was_changed(site: Site, viewer: Viewer, what: str, found: set[str]) -> None:
    game = site.games["thirteen"]["id"]
    record = site.owner.get(f"/v1/games/{game}/record")
    changed(record, what)
    viewer.page.route("**/record", lambda route: route.fulfill(json=record))
    viewer.open(game)
    viewer.tab("proof")
    assert {title for title, outcome in checks(viewer).items() if outcome == "bad"} == found


def test_receipts_are_held_against_the_record(site: Site, viewer: Viewer) -> None:
    game = site.owner.make("thirteen", 2)
    receipts = site.owner.play(game["id"], Random(2))
    viewer.open(game["id"])
    viewer.tab("proof")
    viewer.page.fill("#receipts", "\n".join(receipts))
    held = checks(viewer)
    assert held["receipts"] == "ok"
    forged = receipts[0][:-6] + ("AAAAAA" if not receipts[0].endswith("AAAAAA") else "BBBBBB")
    viewer.page.fill("#receipts", forged)
    assert checks(viewer)["receipt"] == "bad"
    other = site.owner.make("thirteen", 2)
    viewer.page.fill("#receipts", site.owner.play(other["id"], Random(2), 1)[0])
    assert checks(viewer)["receipt"] == "bad"


def test_running_games_receipts_hold_for_the_digests_that_are_shown(site: Site, viewer: Viewer) -> None:
    game = site.owner.make("soda", 3)
    receipts = site.owner.play(game["id"], Random(2), 6)
    viewer.open(game["id"], "", game["seat_tokens"][0])
    viewer.tab("proof")
    viewer.page.fill("#receipts", receipts[-1])
    # the browser says of the record that it is refused
    held = checks(viewer)
    viewer.complaints.clear()
    assert held["receipt"] == "ok"
    assert held["The record is not public yet"] == "open"


def vectors(page: str) -> Any:
    text = (files("api.proofs") / f"{page}.md").read_text(encoding="utf-8")
    return json.loads(re.findall(r"```json\n(.*?)```", text, re.DOTALL)[-1])


def test_browser_deals_the_test_vectors(site: Site, viewer: Viewer) -> None:
    viewer.open(site.games["soda"]["id"])
    dealt = vectors("dealing")
    seed = bytes(range(32)).hex()
    assert viewer.page.evaluate(f"async (seed) => (await {VERIFY}).commitmentOf(seed)", seed) == dealt["commitment"]
    stream = dealt["stream"]
    assert stream["numbers"] == viewer.page.evaluate(
        f"async ([seed, chance, many]) => {{ const proof = await {VERIFY};"
        " return proof.firstNumbers(await proof.streamKey(seed), chance, many); }",
        [seed, stream["chance"], len(stream["numbers"])],
    )
    for game in dealt["games"]:
        table = site.owner.get(f"/v1/rulesets/{game['ruleset']}")["table"]
        config = {"jokers": True, **game["config"]}
        assert viewer.page.evaluate(
            f"async ([table, seed, game, config]) => {{ const proof = await {VERIFY};"
            " const key = await proof.streamKey(seed, game.client_seeds);"
            " const held = game.events.map((event, chance) =>"
            " proof.dealsAgain(table, key, chance, event, {config, seats: game.seats}));"
            " return proof.hex(key) === game.key && (await Promise.all(held)).every(Boolean); }",
            [table, seed, game, config],
        ), game["ruleset"]
    again = dealt["reshuffle"]
    assert again["event"]["stock"] == viewer.page.evaluate(
        f"async ([key, chance, items]) => {{ const proof = await {VERIFY};"
        " return proof.shuffle(proof.bytesOf(key), chance, items); }",
        [again["key"], again["chance"], again["items"]],
    )


def test_browser_chains_the_test_vector(site: Site, viewer: Viewer) -> None:
    viewer.open(site.games["soda"]["id"])
    record = vectors("records")
    event = {name: value for name, value in record["event"].items() if name != "seq"} | {"salt": record["salt"]}
    assert viewer.page.evaluate(
        f"async ([facts, event, seq]) => {{ const proof = await {VERIFY};"
        " const digest = await proof.digestOf(event, seq);"
        " return [await proof.headsOf(facts, []), digest, proof.canonical({...event, seq, salt: undefined})]; }",
        [record["facts"], event, record["event"]["seq"]],
    )[:2] == [[record["start"]], record["digest"]]
    assert (
        viewer.page.evaluate(
            f"async ([facts, digest]) => (await (await {VERIFY}).headsOf(facts, [digest])).at(-1)",
            [record["facts"], record["digest"]],
        )
        == record["head"]
    )
    assert viewer.page.evaluate(
        f"async ([receipt, key]) => (await {VERIFY}).readReceipt(receipt, {{keys: [key]}})",
        [record["receipt"], record["key"]],
    ) == {"game": record["facts"]["game"], "seq": 7, "head": record["head"]}
