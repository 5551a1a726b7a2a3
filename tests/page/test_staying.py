"""Who reads or plays by keyboard stays where they are while the page moves under them."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from tests.support.page import House, begin, come_in, lose, play, resign, seen
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess, enrol

pytestmark = pytest.mark.asyncio(loop_scope="session")

CUP = """
name = "cup"
title = "The cup of spring"
games = ["connect4", "desconecta4"]
format = "round-robin"
openings = false
absent = "wait"
clock = { move_ms = 3600000, ready_ms = 3600000 }
"""


async def focused(page: Page, what: str) -> None:
    """Waits until one element has the focus, which is this one."""
    await seen(page, f":is({what}):focus").to_have_count(1)


async def test_the_keyboard_stays_on_the_column_that_was_played(page: Page, house: House) -> None:
    await page.goto(f"{house.web}/practice?game=connect4")
    await page.locator(".place").first.focus()
    for _ in range(3):
        await page.keyboard.press("ArrowRight")
    for plies in range(1, 7):
        await page.keyboard.press("Enter")
        await seen(page, ".piece").to_have_count(plies)
    # The column is full: the next one has the focus.
    await focused(page, "[data-action='4']")
    await page.keyboard.press("ArrowLeft")
    await focused(page, "[data-action='2']")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Shift+Tab")
    await focused(page, "[data-action='2']")


async def test_the_keyboard_stays_on_the_board_while_seeds_are_sown(page: Page, house: House) -> None:
    await page.emulate_media(reduced_motion="no-preference")
    await page.goto(f"{house.web}/practice?game=mancala")
    await page.locator(".place").first.focus()
    for plies in range(1, 5):
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(re.compile(rf"actions=\d+(%2C\d+){{{plies - 1}}}$"))
        await focused(page, ".place")


async def test_the_keyboard_comes_back_to_its_column_when_the_other_has_moved(page: Page, house: House) -> None:
    other = await asyncio.to_thread(house.join, "quiet opponent")
    await come_in(page, house, "by keys alone")
    await page.get_by_label("Your seat").select_option("0")
    await page.get_by_label("Clock").select_option("both")
    challenge = page.locator("[data-opponent='quiet opponent']")
    await challenge.focus()
    # The list is drawn anew when somebody comes.
    newcomer = await asyncio.to_thread(house.join, "a newcomer")
    await page.locator("[data-opponent='a newcomer']").wait_for()
    await expect(challenge).to_be_focused()
    await page.keyboard.press("Enter")
    await asyncio.to_thread(other.ready)
    await page.locator(".place").first.focus()
    await page.keyboard.press("ArrowRight")
    for plies in (2, 4):
        await page.keyboard.press("Enter")
        await focused(page, "pal-board")
        turn = await asyncio.to_thread(other.until, "turn")
        other.act(turn, 1)
        await seen(page, ".piece").to_have_count(plies)
        await focused(page, ".place[data-action='1']")
    await resign(page)
    await asyncio.to_thread(other.until, "match_end")
    await asyncio.to_thread(lambda: (other.close(), newcomer.close()))


async def test_a_link_keeps_the_focus_while_the_lobby_and_a_match_move(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("marta steady", "nadia steady"))
    await page.goto(house.web)
    await page.locator(".match-card", has_text="marta steady").get_by_role("link").focus()
    newcomer = await asyncio.to_thread(house.join, "another newcomer")
    await page.locator(".names a", has_text="another newcomer").wait_for()
    name = page.locator(".names a", has_text="nadia steady")
    await name.focus()
    await asyncio.to_thread(newcomer.close)
    await seen(page, ".names a:text('another newcomer')").to_have_count(0)
    await expect(name).to_be_focused()
    await page.goto(f"{house.web}/match/{match}")
    copy = page.get_by_role("button", name="Copy link")
    await copy.focus()
    await asyncio.to_thread(play, (first, second), [3, 0])
    await seen(page, ".moves button").to_have_count(2)
    await expect(copy).to_be_focused()
    first.send(type="resign", match=match)
    await seen(page, ".ending").to_contain_text("marta steady resigned")
    await expect(copy).to_be_focused()
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_a_tournament_moves_under_its_readers_and_its_teacher(page: Page, tmp_path: Path) -> None:
    names = ("ana", "ben")
    tokens = enrol(tmp_path / "data", *names)
    await page.set_viewport_size({"width": 900, "height": 320})
    with ServerProcess(tmp_path / "data") as server:
        await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": CUP})
        await asyncio.to_thread(server.api, "POST", "/tournaments/cup/start")
        players = [await asyncio.to_thread(RawPlayer, server.url, token=tokens[name]) for name in names]

        await page.goto(f"{server.web}/tournament/cup/?view=schedule")
        summary = page.locator(".round summary").first
        await summary.focus()
        await page.keyboard.press("Enter")
        await seen(page, ".round[open]").to_have_count(0)
        await page.evaluate("scrollTo(0, 1000)")
        down = await page.evaluate("scrollY")
        assert down > 0
        await asyncio.to_thread(lose, players)
        await expect(page.locator(".round .score").first).not_to_have_text("–")
        await expect(summary).to_be_focused()
        await seen(page, ".round[open]").to_have_count(0)
        assert await page.evaluate("scrollY") == down

        await page.goto(f"{server.web}/tournament/cup/")
        name = page.locator(".standings a", has_text="ana").first
        await name.focus()
        await asyncio.to_thread(lose, players)
        await seen(page, ".standings a.number:has-text('/ 2')").to_have_count(2)
        await expect(name).to_be_focused()

        await page.goto(f"{server.web}/teacher")
        await page.get_by_label("Admin key").fill((server.data / "teacher.key").read_text().strip())
        await page.get_by_role("button", name="Sign in").click()
        entry = page.locator("[data-tournament=cup]")
        await entry.get_by_role("button", name="Pause").focus()
        await page.keyboard.press("Enter")
        await entry.get_by_role("button", name="Go on").wait_for()
        # What was pressed is gone: not on another button, and not at the top of the page.
        await focused(page, "[data-tournament=cup]")
        await page.keyboard.press("Tab")
        await expect(entry.get_by_role("link", name="The cup of spring")).to_be_focused()
        token = page.locator("tr", has_text="ana").get_by_role("button", name="New token")
        await token.focus()
        await asyncio.to_thread(players[0].close)
        await seen(page, ".class .presence.on").to_have_count(1)
        await expect(token).to_be_focused()
        await asyncio.to_thread(players[1].close)
