"""A match watched on a phone: fingers, a slow line that breaks, a link to a ply, and the way back."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page
from tests.support.page import FOUR_IN_A_COLUMN, HOUR_MS, House, begin, come_in, go, play, seen, visit
from tests.support.servers import ServerProcess, held_port, journalled

pytestmark = pytest.mark.asyncio(loop_scope="session")

SMALL = """(least) => [...document.querySelectorAll("button, select, .top nav a, .button, input[type=text]")]
    .filter((each) => each.checkVisibility() && !each.closest(".only-read"))
    .filter((each) => Math.min(each.offsetHeight, each.offsetWidth) < least || each.offsetHeight < 44)
    .map((each) => `${each.outerHTML.slice(0, 80)} ${each.offsetWidth} x ${each.offsetHeight}`)"""
CUT = """[...document.querySelectorAll(".top nav a")]
    .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)"""
SHIFTS = """new PerformanceObserver((list) => {
    for (const each of list.getEntries()) {
        if (!each.hadRecentInput) window.shifted = (window.shifted ?? 0) + each.value;
    }
}).observe({ type: "layout-shift", buffered: true })"""

# iOS enlarges the page for who writes in a field with letters of less than 16 px.
ENLARGED = """[...document.querySelectorAll("main :is(input, select)")].map((each) => getComputedStyle(each).fontSize)
    .filter((size) => parseFloat(size) < 16)"""


@pytest_asyncio.fixture(loop_scope="session")
async def phone(browser: Browser) -> AsyncIterator[Page]:
    """A phone on a slow line."""
    size = {"width": 390, "height": 844}
    async with visit(browser, locale="en", viewport=size, is_mobile=True, has_touch=True) as context:
        page = await context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        line = await context.new_cdp_session(page)
        slow = {"latency": 300, "downloadThroughput": 100_000, "uploadThroughput": 50_000, "offline": False}
        await line.send("Network.enable")
        await line.send("Network.emulateNetworkConditions", slow)
        await page.add_init_script(SHIFTS)
        yield page
        assert faults == []


async def test_what_a_finger_should_hit_is_large_and_nothing_is_wider_than_the_phone(phone: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("olga", "pau"))
    await asyncio.to_thread(play, (first, second), [3, 0, 3])
    # In another game, so that the first page has one to choose.
    others = [await asyncio.to_thread(house.join, name) for name in ("mila", "nico")]
    others[0].send(type="challenge", game="mancala", opponent="nico", rated=False, seat_ms=[HOUR_MS, HOUR_MS])
    (beside, _) = [await asyncio.to_thread(other.ready) for other in others]
    pages = {
        "/": ".match-card",
        f"/match/{match}": ".moves button",
        "/practice": ".place",
        "/connect": ".copy",
        "/play": "form",
        "/players": "table",
        "/teacher": "form",
        "/tournaments": "h1",
    }
    await phone.goto(house.web)
    for path, shown in pages.items():
        await go(phone, path, shown)
        await phone.locator(shown).first.wait_for()
        assert await phone.evaluate(SMALL, 36) == [], path
        assert await phone.evaluate(CUT) == [], path
        assert await phone.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert await phone.evaluate(ENLARGED) == [], path
    first.send(type="resign", match=match)
    await asyncio.to_thread(second.until, "match_end")
    others[0].send(type="resign", match=beside)
    await asyncio.to_thread(others[1].until, "match_end")
    await asyncio.to_thread(lambda: [each.close() for each in (first, second, *others)])


async def test_a_finger_pins_a_player_and_hits_a_name_in_a_crosstable(phone: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("oona", "quirin"))
    await phone.goto(house.web)
    card = phone.locator(f".match-card[data-match='{match}']")
    assert await card.locator(".star").first.evaluate("(star) => getComputedStyle(star).opacity") == "1"
    await card.get_by_role("button", name="oona").tap()
    await seen(phone, f".match-card.pinned[data-match='{match}']").to_have_count(1)
    assert phone.url == f"{house.web}/"
    hit = await phone.evaluate("""async () => {
        const { crossTable } = await import("/js/parts/standings.js");
        const { h, render } = await import("/js/view.js");
        const cells = [[null, [1, 2]], [[1, 2], null]];
        const table = crossTable({ players: ["a", "b"], cells }, "cup");
        render(h("div", { class: "card" }, table), document.querySelector("main"));
        const { left, top, height } = document.querySelector(".cross tbody th").getBoundingClientRect();
        return [height, document.elementFromPoint(left + 4, top + height - 4).tagName];
    }""")
    assert hit[0] >= 44
    assert hit[1] == "A"
    first.send(type="resign", match=match)
    await asyncio.to_thread(second.until, "match_end")
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def at_focus(phone: Page) -> float:
    """How far down on the board the place with the focus is, wherever the page is scrolled to."""
    return await phone.evaluate("Number(document.activeElement.getAttribute('y'))")


@pytest.mark.parametrize("language", ["en", "es"])
async def test_on_the_smallest_phone_nothing_covers_anything(phone: Page, house: House, language: str) -> None:
    first, second, match = await asyncio.to_thread(begin, house, (f"nora-{language}", f"otto-{language}"))
    await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN)
    await asyncio.to_thread(first.until, "match_end")
    await phone.set_viewport_size({"width": 320, "height": 568})
    await phone.add_init_script(f"localStorage.setItem('palestra-language', '{language}')")
    await phone.goto(f"{house.web}/match/{match}")
    await seen(phone, f"html[lang={language}] .ending").to_be_visible()
    steps = await phone.locator(".steps button").last.bounding_box()
    speed = await phone.locator(".scrubber select").bounding_box()
    assert steps is not None
    assert speed is not None
    assert steps["x"] + steps["width"] <= speed["x"] or steps["y"] + steps["height"] <= speed["y"]
    await phone.goto(f"{house.web}/player/nora-{language}/")
    await seen(phone, ".record tbody tr").to_have_count(1)
    assert await phone.evaluate(
        "[...document.querySelectorAll('.card')].every((card) => card.scrollWidth <= card.clientWidth)"
    )
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_a_pit_is_as_large_as_a_finger(phone: Page, house: House) -> None:
    await phone.goto(f"{house.web}/practice?game=mancala")
    pit = phone.locator(".place").first
    for width, height in ((390, 844), (360, 640)):
        await phone.set_viewport_size({"width": width, "height": height})
        await seen(phone, "pal-board.upright").to_have_count(1)
        box = await pit.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    # The first player's pit beside the own store: its seeds go into that and on to the other side.
    await phone.locator(".place[data-action='0']").tap()
    await seen(phone, ".store-count.s0").to_have_text("1")
    below, above = (
        await phone.locator(".store-count.s0").bounding_box(),
        await phone.locator(".store-count.s1").bounding_box(),
    )
    assert below is not None
    assert above is not None
    assert below["y"] > above["y"]
    # The arrows go where they point, on the second player's side, too, whose pits are counted upwards.
    places = phone.locator(".place")
    assert await places.count() == 6
    await places.nth(2).focus()
    start = await at_focus(phone)
    await phone.keyboard.press("ArrowUp")
    assert await at_focus(phone) < start
    await phone.keyboard.press("ArrowDown")
    assert await at_focus(phone) == start
    # Turned on its side, the phone has the board lie.
    await phone.set_viewport_size({"width": 640, "height": 360})
    await seen(phone, "pal-board.upright").to_have_count(0)


async def test_a_link_to_a_ply_the_replay_by_touch_and_the_way_back(phone: Page, house: House) -> None:
    first, second, _ = await asyncio.to_thread(begin, house, ("quim", "rudi"))
    await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN)
    await asyncio.to_thread(first.until, "match_end")
    await phone.goto(house.web)
    await phone.get_by_role("link", name="quim 1–0 rudi").tap()
    await seen(phone, ".ring.won").to_have_count(4)
    await phone.get_by_role("button", name="One move back").tap()
    await seen(phone, ".piece").to_have_count(6)
    link = phone.url
    assert link.endswith("?ply=6")
    await phone.go_back()
    await seen(phone, "page-lobby .split").to_be_visible()
    await phone.goto(link)
    await seen(phone, ".piece").to_have_count(6)
    await seen(phone, ".move[aria-current]").to_contain_text("PUT 1")
    # The board and what is under it stay where they are while the rest arrives.
    assert await phone.evaluate("window.shifted ?? 0") < 0.1
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_a_person_wins_with_a_finger(phone: Page, house: House) -> None:
    other = await asyncio.to_thread(house.join, "stays left")
    await come_in(phone, house, "has a thumb")
    await phone.get_by_label("Your seat").select_option("0")
    await phone.locator("[data-opponent='stays left']").tap()
    match = await asyncio.to_thread(other.ready)
    for ply in range(7):
        if ply % 2 == 0:
            await phone.get_by_text("Your turn: tap your move.").wait_for()
            await phone.locator(".table .place[data-action='3']").tap()
        else:
            turn = await asyncio.to_thread(other.until, "turn")
            other.send(type="action", match=match, ply=turn["ply"], action=0)
    await phone.get_by_text("You won, 1–0.").wait_for()
    await seen(phone, ".table .ring.won").to_have_count(4)
    # The words, the board, and what to do next are seen at once, and nothing is wider than the phone.
    for what in (".table .say", ".table pal-board", ".table .row"):
        box = await phone.locator(what).first.bounding_box()
        assert box is not None
        assert box["y"] >= 0, what
        assert box["y"] + box["height"] <= 844, what
    assert await phone.evaluate(SMALL, 36) == []
    assert await phone.evaluate("document.documentElement.scrollWidth") <= 390
    await phone.get_by_role("button", name="Again", exact=True).tap()
    await asyncio.to_thread(other.ready)
    await phone.get_by_text("Your turn: tap your move.").wait_for()
    await seen(phone, ".table .piece").to_have_count(0)
    await asyncio.to_thread(other.close)


async def test_why_a_name_is_refused_stands_apart_from_the_form(phone: Page, house: House) -> None:
    await phone.goto(f"{house.web}/play")
    await phone.get_by_label("Your name").fill("=ana")
    await phone.get_by_role("button", name="Come in").tap()
    await phone.get_by_text("choose another one").wait_for()
    said, door = [await phone.locator(f"page-play > {what}").first.bounding_box() for what in (".say", ".say + *")]
    assert said is not None
    assert door is not None
    assert said["y"] + said["height"] + 8 <= door["y"]


async def test_what_is_played_comes_first_in_a_tournament_on_a_phone(phone: Page, house: House) -> None:
    fixture = {"players": ["ana", "ben"], "game": "connect4", "match": "0123456789ab", "round": 1}
    cup = {
        **{"name": "cup", "title": "The cup", "state": "running", "format": "swiss", "format_title": "", "games": []},
        **{"players": 2, "played": 0, "total": 9, "views": ["standings"], "troubles": [], "playing": [fixture] * 9},
    }
    await phone.route("**/api/v1/tournaments/cup", lambda route: route.fulfill(json=cup))
    await phone.route("**/api/v1/tournaments/cup/standings", lambda route: route.fulfill(json={"rows": []}))
    await phone.goto(f"{house.web}/tournament/cup/")
    await seen(phone, "#part .empty").to_be_visible()
    line, part = await phone.locator(".on-now").bounding_box(), await phone.locator("#part").bounding_box()
    assert line is not None
    assert part is not None
    assert line["y"] + line["height"] <= part["y"]
    assert line["height"] < 100
    assert await phone.evaluate("document.documentElement.scrollWidth") <= 390


async def test_the_server_starts_again_while_a_phone_watches(phone: Page, tmp_path: Path) -> None:
    data = tmp_path / "data"
    options = ["--guests", "--move-ms", "60000", "--away-ms", "600000"]
    bots, web = held_port(), held_port()
    with ServerProcess(data, *options, port=bots, web_port=web) as server:
        first, second, match = await asyncio.to_thread(begin, server, ("sara", "toni"))
        await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN[:2])
        await phone.goto(f"{server.web}/match/{match}?ply=1")
        await seen(phone, ".moves button").to_have_count(2)
        await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN[2:4], 2)
        await seen(phone, ".moves button").to_have_count(4)
        # Who looks at an earlier position stays there while the match goes on.
        await seen(phone, ".piece").to_have_count(1)
        await phone.get_by_role("button", name="Live").tap()
        await seen(phone, ".piece").to_have_count(4)
        await asyncio.to_thread(journalled, data, match, 13)  # as far as the fourth action
        server.stop(signal.SIGKILL)
        await seen(phone, ".pill.lost").to_be_visible()
        await seen(phone, ".piece").to_have_count(4)
    with ServerProcess(data, *options, port=bots, web_port=web) as server:
        await seen(phone, ".pill.lost").to_have_count(0)
        await seen(phone, ".piece").to_have_count(4)


async def test_a_bracket_of_four_is_seen_to_the_final_s_points(phone: Page, house: House) -> None:
    await phone.goto(house.web)
    cut = await phone.evaluate("""async () => {
        const { bracketTree } = await import("/js/parts/schedule.js");
        const { h, render, scrolling } = await import("/js/view.js");
        const tie = (...players) => ({ players, points: [1.5, 0.5], winner: players[0] });
        const semifinals = [tie("alejandra", "wolfeschlegelsteinhausen"), tie("cristobal.m", "dorotea")];
        const tree = bracketTree({ rounds: [semifinals, [tie("alejandra", "cristobal.m")]] }, "cup");
        render(h("div", { class: "card" }, scrolling(tree)), document.querySelector("main"));
        const end = (element) => element.getBoundingClientRect().right;
        return [...document.querySelectorAll(".meeting .num")].map((points) =>
            end(points) - Math.min(end(points.closest(".meeting")), end(document.querySelector(".scroll"))));
    }""")
    assert len(cut) == 6
    assert max(cut) < 0
