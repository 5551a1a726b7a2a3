"""Live: how large the boards are, which come first, sounds, and a match in a frame on another site's page."""

from __future__ import annotations

import asyncio
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.async_api import Page, expect
from tests.support.page import FOUR_IN_A_COLUMN, House, begin, play, seen

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIT = "async (args) => (await import('/js/parts/wall.js')).fit(...args)"
# Counts the tones that are played.
TONES = """
window.tones = [];
const param = () => ({ value: 0, setValueAtTime() {}, linearRampToValueAtTime() {} });
window.AudioContext = class {
  state = "running"; currentTime = 0; destination = {};
  resume() {}
  createGain() { return { gain: param(), connect: () => {} }; }
  createOscillator() {
    const frequency = param();
    return { frequency, connect: (next) => next, start: () => window.tones.push(frequency.value), stop() {} };
  }
};
"""


async def test_as_many_boards_as_are_on_fit_into_what_is_seen(workshop: Page) -> None:
    heights = []
    for number, flat, width, height in (
        (1, 0, 1280, 880),
        (4, 0, 1280, 880),
        (22, 0, 1680, 880),
        (22, 6, 1680, 880),
        (60, 0, 1680, 880),
    ):
        wall = await workshop.evaluate(FIT, [number, flat, width, height])
        rows = -(-(number + flat) // wall["columns"])
        assert rows * (wall["board"] + (66 if wall["dense"] else 150) + 12) - 12 <= height
        assert wall["board"] * 1.17 * wall["columns"] <= width
        heights.append(wall["board"])
    assert heights[0] > 700 > heights[1] > 250 > max(heights[2:4])
    assert min(heights[2:4]) > heights[4] >= 80
    # More than can be read at once go on below.
    crowd = await workshop.evaluate(FIT, [60, 0, 1286, 620])
    assert crowd["board"] >= 80
    lying = await workshop.evaluate(FIT, [1, 1, 1280, 880])
    assert lying["board"] * 2.44 <= 1280


async def test_who_is_followed_comes_first_and_a_game_can_be_chosen(page: Page, house: House) -> None:
    pairs = [await asyncio.to_thread(begin, house, names) for names in (("wall a", "wall b"), ("wall c", "wall d"))]
    first, second = house.join("wall e"), house.join("wall f")
    first.send(type="challenge", game="mancala", opponent="wall f", rated=False)
    for player in (first, second):
        await asyncio.to_thread(player.ready)
    await page.goto(house.web)
    cards = page.locator(".match-card:not(.over)").filter(has_text="wall")
    await expect(cards.first).to_contain_text("wall a")
    card = cards.filter(has_text="wall c")
    await card.hover()
    await card.get_by_role("button", name="Follow wall d").click()
    await expect(cards.first).to_contain_text("wall d")
    await page.reload()
    await expect(cards.first).to_contain_text("wall d")
    await page.get_by_label("Game").select_option("mancala")
    await expect(cards).to_have_count(1)
    await expect(cards).to_contain_text("wall e")
    await page.get_by_label("Game").select_option("")
    # Whoever goes on by the keyboard finds the page, and no frame around it.
    await page.locator("nav a[href='/players']").press("Enter")
    await page.locator("page-players table").wait_for()
    await expect(page.locator("main")).to_be_focused()
    await expect(page.locator("main")).to_have_css("outline-style", "none")
    await page.go_back()
    await cards.filter(has_text="wall c").get_by_role("link").click()
    await seen(page, "page-match .seat.s0").to_contain_text("wall c")
    await page.locator(".seat.s0 a.name").click()
    await page.get_by_role("button", name="Follow wall c").click()
    await expect(page.get_by_role("button", name="Follow wall c")).to_have_attribute("aria-pressed", "true")
    await asyncio.to_thread(lambda: [player.close() for player in (*pairs[0][:2], *pairs[1][:2], first, second)])


async def test_a_match_is_heard_by_who_wants_it(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("loud", "louder"))
    await page.add_init_script(TONES)
    await page.goto(f"{house.web}/match/{match}")
    await seen(page, ".seat.s0").to_contain_text("loud")
    await asyncio.to_thread(play, (first, second), [3])
    await seen(page, ".match .piece").to_have_count(1)
    assert await page.evaluate("tones") == []
    await page.get_by_role("button", name="Sound").click()
    assert await page.evaluate("tones.splice(0).length") == 3
    await page.reload()
    await seen(page, ".match .piece").to_have_count(1)
    await expect(page.get_by_role("button", name="Sound")).to_have_attribute("aria-pressed", "true")
    await asyncio.to_thread(play, (first, second), [], 1)
    turn = await asyncio.to_thread(second.until, "turn")
    second.send(type="action", match=match, ply=turn["ply"], action=0)
    await seen(page, ".match .piece").to_have_count(2)
    assert await page.evaluate("tones.splice(0)") == [440]
    second.send(type="resign", match=match)
    await seen(page, ".ending").to_contain_text("louder resigned")
    assert await page.evaluate("tones.splice(0).length") == 3
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_a_course_page_shows_a_match_and_nothing_else_of_this_site(
    page: Page, house: House, tmp_path: Path
) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("framed <b>", "framed too"))
    await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN)
    await asyncio.to_thread(lambda: (first.close(), second.close()))
    await page.goto(f"{house.web}/match/{match}")
    await page.get_by_text("Show this match in another page").click()
    code = await page.locator("details pre").inner_text()
    assert f'src="{house.web}/embed/match/{match}"' in code
    assert "<b>" not in code

    other = f'<iframe id="other" src="{house.web}/match/{match}"></iframe>'
    (tmp_path / "course.html").write_text(f"<!doctype html><title>Course</title>{code}{other}")
    served = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    course = ThreadingHTTPServer(("127.0.0.1", 0), served)
    Thread(target=course.serve_forever).start()
    try:
        await page.goto(f"http://127.0.0.1:{course.server_port}/course.html")
        await shown_in_a_frame(page)
    finally:
        course.shutdown()
        course.server_close()

    await page.goto(f"{house.web}/embed/match/{match}")
    await expect(page.locator("page-embed .seat.winner")).to_be_visible()
    async with page.expect_event("load"):  # the matches of the past can't be read just now: it asks again by itself
        await page.evaluate(
            """async () => {
                const { line } = await import(document.querySelector('script[src$="/line.js"]').src);
                line.dispatchEvent(new CustomEvent("refused", { detail: { code: "try_later" } }));
            }"""
        )
    await expect(page.locator("page-embed .seat.winner")).to_be_visible()


async def shown_in_a_frame(page: Page) -> None:
    frame = page.frame_locator("iframe >> nth=0")
    await expect(frame.locator(".piece")).to_have_count(7)
    await frame.get_by_role("button", name="First position").click()
    await expect(frame.locator(".piece")).to_have_count(0)
    await frame.get_by_role("button", name="One move on").click()
    await expect(frame.locator(".piece")).to_have_count(1)
    assert await frame.locator("nav, .top").count() == 0
    assert await page.frame_locator("#other").locator(".piece").count() == 0
    async with page.context.expect_page() as opened:
        await frame.get_by_role("link", name="Open in Palestra").click()
    there = await opened.value
    await seen(there, ".match .piece").to_have_count(1)
    await there.close()


async def test_who_makes_most_of_many_matches_is_first_among_the_players(page: Page, house: House) -> None:
    """As the server counts them: its own tests say that it is right."""
    counts = {"none": (0, 0, 0), "lost one": (0, 0, 1), "won one": (1, 0, 0), "won most": (18, 3, 2)}
    rest = {"guest": False, "group": "", "online": False, "busy": False, "ready": {}}
    players = [
        {"name": name, "played": won + drawn + lost, "won": won, "drawn": drawn, "lost": lost, **rest}
        for name, (won, drawn, lost) in counts.items()
    ]
    await page.route("**/api/v1/players", lambda route: route.fulfill(json={"players": players}))
    await page.goto(f"{house.web}/players")
    await seen(page, ".players .player-cell").to_have_text(["won most", "won one", "lost one", "none"])
    await seen(page, ".players tbody tr:first-child").to_contain_text("19½ / 23")
    await seen(page, ".players tbody .place-number").to_have_text(["1", "2", "3", "–"])
    bars = page.locator(".players .track i")
    assert [await bar.evaluate("bar => Math.round(parseFloat(bar.style.width))") for bar in await bars.all()] == [
        85,
        100,
        0,
    ]
    # Who is searched for keeps the place among all.
    await page.get_by_role("searchbox").fill("won one")
    await seen(page, ".players tbody .place-number").to_have_text(["2"])
