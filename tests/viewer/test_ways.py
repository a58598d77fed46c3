"""The ways through a game: every key and every control, for each of the games."""

import pytest

from tests.viewer.viewer import SEATS, Site, Viewer, cards_in, hands_of

games = pytest.mark.parametrize("ruleset", SEATS)
TAKEN = {"trick-won", "hand-won"}


def parts(site: Site, game: str) -> list[int]:
    """The events with which a trick or hand is taken."""
    return [
        seq
        for seq, frame in enumerate(site.frames(game))
        if any(effect["type"] in TAKEN for effect in frame.get("effects", ()))
    ]


def round_starts(site: Site, game: str) -> list[int]:
    frames = site.frames(game)
    rounds = [1, *(frame["state"]["round"] for frame in frames[1:])]
    return [seq for seq in range(1, len(frames)) if seq == 1 or rounds[seq - 1] != rounds[seq - 2]]


@games
def test_keys_step_through_the_game(site: Site, viewer: Viewer, ruleset: str) -> None:
    game = site.games[ruleset]["id"]
    last = site.games[ruleset]["seq"]
    ends, starts = parts(site, game), round_starts(site, game)
    viewer.open(game, "at=5")
    for key, seq in (
        ("ArrowRight", 6), ("j", 7), ("ArrowLeft", 6), ("k", 5), ("End", last), ("ArrowRight", last), ("Home", 0),
        ("k", 0), ("]", ends[0]), ("]", ends[1]), ("[", ends[0]), ("[", 0), ("End", last),
    ):  # fmt: skip
        viewer.press(key)
        viewer.arrive(seq)
    viewer.press("{")
    viewer.arrive(starts[-1])
    viewer.press("Home")
    viewer.press("}")
    viewer.arrive(starts[0])
    viewer.press("}")
    viewer.arrive(starts[1] if len(starts) > 1 else last)


@games
def test_buttons_slider_wheel_and_log_lead_to_the_same_moments(site: Site, viewer: Viewer, ruleset: str) -> None:
    game = site.games[ruleset]["id"]
    last, ends = site.games[ruleset]["seq"], parts(site, game)
    viewer.open(game, "at=0")
    for label, seq in (
        ("An event on", 1), ("An event on", 2), ("An event back", 1), ("A trick or hand on", ends[0]),
        ("A trick or hand on", ends[1]), ("A trick or hand back", ends[0]), ("To the end", last),
        ("To the beginning", 0),
    ):  # fmt: skip
        viewer.page.click(f"button[aria-label='{label}']")
        viewer.arrive(seq)
    viewer.page.fill(".slider", str(last - 3))
    viewer.arrive(last - 3)
    viewer.page.hover("card-table")
    viewer.page.mouse.wheel(0, -100)
    viewer.arrive(last - 5)
    viewer.page.mouse.wheel(0, 50)
    viewer.arrive(last - 4)
    viewer.page.click(f"game-log [data-go='{last - 1}']")
    viewer.arrive(last - 1)
    assert viewer.page.get_attribute(f"game-log [data-go='{last - 1}']", "aria-current") == "step"
    # a mark for each round but the first
    assert viewer.page.locator(".rounds i").count() == len(round_starts(site, game)) - 1


@games
def test_playing_goes_on_by_itself_and_stops_at_the_end(site: Site, viewer: Viewer, ruleset: str) -> None:
    last = site.games[ruleset]["seq"]
    viewer.open(site.games[ruleset]["id"], f"at={last - 4}")
    viewer.page.select_option(".speed", "8")
    viewer.page.focus(".slider")
    viewer.press(" ")
    assert viewer.page.get_attribute(".play", "aria-label") == "Pause"
    viewer.arrive(last)
    viewer.page.wait_for_selector(".play[aria-label='Play']")
    viewer.page.fill(".slider", "2")
    viewer.page.select_option(".speed", "0.5")
    viewer.page.click(".play")
    viewer.page.click(".play")
    assert viewer.at == 2


@games
def test_table_turns_and_seats_views_are_taken(site: Site, viewer: Viewer, ruleset: str) -> None:
    game, seats = site.games[ruleset]["id"], SEATS[ruleset][0]
    viewer.open(game, "at=8")
    lowest = (
        "[...document.querySelectorAll('card-table .plate')]"
        ".toSorted((one, other) => other.getBoundingClientRect().top - one.getBoundingClientRect().top)[0]"
        ".querySelector('.name').textContent"
    )
    players = site.games[ruleset]["players"]
    assert viewer.page.evaluate(lowest) == players[0]
    viewer.press("f")
    assert viewer.page.evaluate(lowest) == players[1]
    for seat in range(seats):
        viewer.press(str(seat + 1))
        viewer.page.wait_for_function(
            "(view) => document.querySelector('.looks select[aria-label=View]').value === view", arg=str(seat)
        )
        viewer.settle()
        assert (viewer.hash()["at"], viewer.hash()["view"]) == ("8", str(seat))
        state = site.frames(game, str(seat))[8]["state"]
        assert set(state["hands"][seat]["cards"]) <= viewer.faces
        assert viewer.backs >= sum(hand["count"] for hand in state["hands"] if "cards" not in hand)
    viewer.press("6")
    assert viewer.hash()["view"] == str(seats - 1)
    viewer.press("0")
    viewer.settle()
    assert viewer.hash()["view"] == "table"
    viewer.page.select_option("select[aria-label=View]", "public")
    viewer.settle()
    assert viewer.hash()["view"] == "public"


@games
def test_table_shows_what_the_state_says(site: Site, viewer: Viewer, ruleset: str) -> None:
    game = site.games[ruleset]["id"]
    frames = site.frames(game)
    viewer.open(game, "at=1")
    for seq in range(3, len(frames), max(1, len(frames) // 12)):
        viewer.page.fill(".slider", str(seq))
        viewer.arrive(seq)
        viewer.page.wait_for_timeout(250)
        state, table = frames[seq]["state"], frames[seq]["state"]["table"]
        lying = cards_in(table.get("trick") or table.get("laid"))
        assert set(hands_of(state)) | lying <= viewer.faces
        words = viewer.page.text_content("card-table [role=region]") or ""
        for seat, hand in enumerate(state["hands"]):
            assert f"{hand['count']} card" in words
            side = seat % 2 if len(state["scores"]) == 2 and len(state["hands"]) == 4 else seat
            plate = viewer.page.locator("card-table .plate").nth(seat)
            assert plate.locator(".score").text_content() == str(state["scores"][side])
            assert ("acts" in (plate.get_attribute("class") or "").split()) == (seat in state["to_act"])
    said = viewer.page.text_content(".heard[aria-live]") or ""
    assert said == " ".join(frames[viewer.at]["text"])


def test_signs_and_badges_are_those_of_the_game(site: Site, viewer: Viewer) -> None:
    seen: dict[str, str] = {}
    for ruleset in SEATS:
        viewer.open(site.games[ruleset]["id"], "at=0")
        texts = []
        for seq in range(1, site.games[ruleset]["seq"] + 1, 3):
            viewer.page.fill(".slider", str(seq))
            viewer.arrive(seq)
            texts.append(viewer.page.evaluate("document.querySelector('.felt').textContent"))
        seen[ruleset] = " ".join(texts)
    assert "Trumps: spades" in seen["quadruple-war"]
    assert "1/" in seen["quadruple-war"]
    assert all(word in seen["kraken"] for word in ("Trumps: ", "Turned", "Declarer", "Tricks 1"))
    assert all(word in seen["soda"] for word in ("Draw pile", "Played for", "Discards", "Last: "))
    assert all(word in seen["thirteen"] for word in ("Passed", "1st", "To beat: single"))
    assert all(word in seen["wodka"] for word in ("Passed", "1st", "Wodka"))


@pytest.mark.parametrize("held", [["Control", "Alt"], ["Alt"]])
def test_brackets_are_typed_as_other_keyboards_do(site: Site, viewer: Viewer, held: list[str]) -> None:
    game = site.games["thirteen"]["id"]
    viewer.open(game, "at=1")
    pressed = {"ctrlKey": "Control" in held, "altKey": "Alt" in held, "bubbles": True}
    for key, seq in (("]", parts(site, game)[0]), ("[", 0)):
        viewer.page.evaluate(
            "(press) => document.body.dispatchEvent(new KeyboardEvent('keydown', press))", pressed | {"key": key}
        )
        viewer.arrive(seq)


def test_keys_are_shown_and_go_away(site: Site, viewer: Viewer) -> None:
    viewer.open(site.games["soda"]["id"])
    viewer.press("?")
    assert viewer.page.is_visible("dialog.keys")
    viewer.press("Escape")
    assert not viewer.page.is_visible("dialog.keys")
    viewer.page.click("button[aria-label=Keys]")
    viewer.page.click("dialog.keys button")
    assert not viewer.page.is_visible("dialog.keys")


def test_suits_have_two_colours_or_four(site: Site, viewer: Viewer) -> None:
    viewer.open(site.games["soda"]["id"], "at=5")
    assert viewer.page.get_by_role("button", name="Four colours of suits").is_visible()
    colour = "getComputedStyle(document.querySelector('replay-viewer')).getPropertyValue('--suit-d')"
    assert viewer.page.evaluate(colour) == ""
    viewer.page.click(".suits")
    assert viewer.page.evaluate(colour) != ""
    viewer.page.reload()
    viewer.page.wait_for_selector("card-table .plate")
    assert viewer.page.evaluate(colour) != ""
