"""A long game scrubbed from end to end, 60 steps a second: what each step takes of the page's own thread."""

import json
from typing import Any

from playwright.sync_api import Browser

from api.games import LATEST
from api.games.rules import read_config
from tests.games.playing import play
from tests.viewer.viewer import Site, Viewer

EVENTS = 1000
RUNS = 3
SCRUB = """async (events) => {
  const drawn = () => new Promise((done) => { requestAnimationFrame(done); });
  for (let step = 0; step < events; step++) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
    await drawn();
  }
}"""


def test_long_game_is_scrubbed_at_60_steps_a_second(site: Site, browser: Browser) -> None:
    ruleset = LATEST["quadruple-war"]
    config = read_config(ruleset, {"target": 10_000, "bags": True}, 4)
    played = play(ruleset, config, 4, 1, most=EVENTS)
    game = site.owner.post(
        "/v1/records",
        {
            "format": "tricklog/1", "ruleset": ruleset.id, "version": ruleset.version, "config": config,
            "players": ["Ann", "Ben", "Cleo", "Dan"], "dealer": "client", "events": played.events,
        },
    )  # fmt: skip
    assert game["seq"] == EVENTS
    with Viewer.opened(site, browser) as viewer:
        viewer.open(game["id"], "at=0&view=table")
        runs = []
        for _ in range(RUNS):
            viewer.press("Home")
            viewer.arrive(0)
            browser.start_tracing(page=viewer.page, categories=["toplevel", "__metadata"])
            viewer.page.evaluate(SCRUB, EVENTS)
            runs.append(main_thread(json.loads(browser.stop_tracing())["traceEvents"]))
            viewer.arrive(EVENTS)
    # in the time that the thread itself took, in the best of some runs: the machine has more to do
    assert min(max(tasks) for tasks in runs) < 50
    assert min(sum(tasks) for tasks in runs) / EVENTS < 1000 / 60


def main_thread(trace: list[dict[str, Any]]) -> list[float]:
    """What each task of the page's main thread took of a processor, in milliseconds."""
    names = {
        (event["pid"], event["tid"]): event["args"]["name"] for event in trace if event.get("name") == "thread_name"
    }
    tasks: dict[tuple[int, int], list[float]] = {}
    for event in trace:
        thread = (event["pid"], event["tid"])
        if event.get("ph") == "X" and "tdur" in event and names.get(thread) == "CrRendererMain":
            tasks.setdefault(thread, []).append(event["tdur"] / 1000)
    return max(tasks.values(), key=sum)
