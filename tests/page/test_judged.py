"""What the judge says, in a real browser: on the page of the match, of the player, and on the big screen."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Page, expect
from tests.support.page import FOUR_IN_A_COLUMN, House, begin, play, seen

pytestmark = pytest.mark.asyncio(loop_scope="session")


def analysis(match: str) -> dict[str, object]:
    """As of a judge: the second player let the first have four in a column with its third move."""
    worth = [(0, "good"), (0, "good"), (0, "good"), (0, "good"), (0, "good"), (0, "blunder"), (1, "only")]
    moves = [
        {"ply": ply, "seat": ply % 2, "action": action, "value": value, "best": 3, "class": kind, "plies": 7 - ply}
        for ply, (action, (value, kind)) in enumerate(zip(FOUR_IN_A_COLUMN, worth, strict=True))
    ]
    decisive = {"ply": 5, "seat": 1, "action": 0, "better": 3, "line": [3, 2, 0], "refutation": [0, 3]}
    horizon = {"code": "horizon", "seat": 1, "ply": 5, "values": {"depth": 1, "needed": 2}, "line": [0, 3]}
    accuracy = [{"kept": [1, 1, 1], "choices": [1, 1, 1]}, {"kept": [1, 1, 0], "choices": [1, 1, 1]}]
    return {
        "match": match,
        "game": "connect4",
        "exact": True,
        "moves": moves,
        "decisive": decisive,
        "accuracy": accuracy,
        "diagnoses": [horizon],
        "nodes": 1,
    }


async def test_the_judge_is_read_where_a_match_was_lost(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("waltraud", "fermin"))
    await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN)
    await asyncio.to_thread(first.until, "match_end")
    failed: list[str] = []
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    await page.goto(f"{house.web}/match/{match}")
    await seen(page, ".moves button").to_have_count(7)
    await page.locator(".evidence summary").click()
    await seen(page, ".evidence td").not_to_have_count(0)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "its table scrolls by itself"
    await seen(page, ".judged").to_have_count(0)
    await asyncio.to_thread(house.server.api, "POST", "/judging", {"games": ["connect4"]})
    await page.reload()
    await seen(page, "page-match").to_contain_text("The judge is at work on it: what it says comes by itself.")
    await asyncio.to_thread(house.server.api, "PUT", f"/matches/{match}/analysis", analysis(match))
    await seen(page, ".judged").to_contain_text("Decided at move 5: fermin played PUT 1, which loses; PUT 4 does not.")
    await seen(page, ".judged").to_contain_text("Moves that mattered: fermin chose well in 2 of 3")
    await seen(page, ".moves .blunder").to_have_text("??")
    await page.locator(".judged").get_by_role("button", name="Look there").first.click()
    await seen(page, "pal-board .pieces .piece").to_have_count(5)
    await seen(page, ".worth").to_contain_text("The judge: drawn.")
    # The better line, numbered where its pieces would fall.
    await seen(page, ".step text").to_have_text(["1", "2", "3"])
    await page.locator(".judged").get_by_role("button", name="On the board").nth(1).click()
    await seen(page, ".step text").to_have_text(["1", "2"])
    await page.keyboard.press("ArrowRight")
    await seen(page, ".step").to_have_count(0)
    await seen(page, ".worth").to_contain_text("The judge: waltraud can win in 1 move. The last move was a blunder.")
    await page.set_viewport_size({"width": 768, "height": 1024})
    box = await page.locator(".graph").bounding_box()
    assert box is not None
    await page.locator(".graph").click(position={"x": 0.3 * box["width"], "y": 20})
    await seen(page, "pal-board .pieces .piece").to_have_count(4)
    cursor = await page.locator(".cursor").evaluate("(line) => line.getBoundingClientRect().x")
    assert abs(cursor - box["x"] - 0.3 * box["width"]) < box["width"] / 12
    assert failed == [], "nothing is asked for that is not there"

    await page.get_by_role("link", name="Against each other").click()
    await seen(page, ".head-to-head h2").to_have_text("Against each other: waltraud – fermin")
    await seen(page, ".head-to-head tbody tr").to_contain_text(["Connect 4"])
    await seen(page, ".head-to-head .plainlist > li").to_have_count(1)
    await page.get_by_role("link", name="All about fermin").click()
    await seen(page, ".accuracy").to_contain_text("In 1 of 1 lost matches: did not look far enough.")
    await seen(page, ".accuracy tbody td").to_have_text(["Connect 4", "100 %", "100 %", "0 %", "67 %"])
    await page.get_by_label("Matches").select_option("By opponent")
    await page.locator(".group > summary").click()
    await seen(page, ".group li").to_contain_text(["waltraud 1–0 fermin"])
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_the_big_screen_shows_what_the_judge_said_a_move_ago(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("isidor", "gundula"))
    await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN[:2])
    order = {"show": "match", "match": match, "judged": True}
    await asyncio.to_thread(house.server.api, "POST", "/screen", order)
    await page.goto(f"{house.web}/screen")
    await seen(page, ".at-game pal-board .pieces .piece").to_have_count(2)
    for ply, chance in ((1, 0.7), (2, 0.2)):
        value = {"ply": ply, "chance": chance, "proved": False}
        await asyncio.to_thread(house.server.api, "PUT", f"/matches/{match}/value", value)
    await seen(page, ".screen-foot .news").to_have_text(
        "The judge, a move ago: a chance of about 70 % for isidor, an estimate"
    )
    await seen(page, ".truth-bar").to_be_visible()
    await asyncio.to_thread(house.server.api, "POST", "/screen", {"show": "auto"})
    await seen(page, ".truth-bar").to_have_count(0)
    first.send(type="resign", match=match)
    await asyncio.to_thread(second.until, "match_end")
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_a_note_stands_beside_its_move_for_whom_it_is_meant(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("noemi", "notker"))
    await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN)
    await asyncio.to_thread(first.until, "match_end")
    notes = {"notes": [{"ply": 4, "seat": 0, "note": "three of them"}]}
    await page.route(f"**/matches/{match}/notes", lambda route: route.fulfill(json=notes))
    await page.goto(f"{house.web}/match/{match}?ply=5")
    await seen(page, ".moves button").to_have_count(7)
    await seen(page, ".moves [title='three of them']").to_have_count(0)
    player = {"role": "player", "player": "noemi", "teacher": "", "runs": False}
    await page.route("**/api/v1/session", lambda route: route.fulfill(json=player))
    await page.reload()
    await seen(page, ".moves [title='three of them']").to_have_text("✎")
    await seen(page, ".replay").to_contain_text("noemi noted: three of them")
    # The class may look at the teacher's screen.
    await page.unroute("**/api/v1/session")
    teacher = {"role": "teacher", "player": None, "teacher": "", "runs": True}
    await page.route("**/api/v1/session", lambda route: route.fulfill(json=teacher))
    await page.reload()
    show = page.get_by_role("button", name="Show the bots' notes")
    await seen(page, ".moves button").to_have_count(7)
    await expect(show).to_have_attribute("aria-pressed", "false")
    await seen(page, ".moves [title='three of them']").to_have_count(0)
    await show.click()
    await seen(page, ".moves [title='three of them']").to_have_count(1)
    await show.click()
    await seen(page, ".moves [title='three of them']").to_have_count(0)


async def test_a_note_comes_with_its_move(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("nora", "norbert"))
    player = {"role": "player", "player": "nora", "teacher": "", "runs": False}
    await page.route("**/api/v1/session", lambda route: route.fulfill(json=player))
    notes: dict[str, list[dict[str, object]]] = {"notes": []}
    await page.route(f"**/matches/{match}/notes", lambda route: route.fulfill(json=notes))
    await page.goto(f"{house.web}/match/{match}")
    await seen(page, ".strip, .seat").not_to_have_count(0)
    for ply, mover in enumerate((first, second)):
        notes["notes"].append({"ply": ply, "seat": 0, "note": f"thought {ply}"})
        turn = await asyncio.to_thread(mover.until, "turn")
        mover.send(type="action", match=match, ply=ply, action=turn["legal"][0])
        await seen(page, f".moves [title='thought {ply}']").to_have_count(1)
    first.send(type="resign", match=match)
    await asyncio.to_thread(second.until, "match_end")
    await asyncio.to_thread(lambda: (first.close(), second.close()))
