"""People play in a real browser: against a bot, by mouse and by keyboard, and against each other."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect
from tests.support.deaf_proxy import DeafProxy
from tests.support.page import House, challenge, come_in, resign, visit
from tests.support.servers import ServerProcess

from palestra_games import State, get_game

WORDS = re.compile("^(Your turn|You won|You lost|A draw)")

pytestmark = pytest.mark.asyncio(loop_scope="session")


def good_action(state: State) -> int:
    """A move that wins at once, or keeps the other from winning at once, or stands in the middle."""
    legal = state.legal_actions()
    after = {action: state.apply(action) for action in legal}
    for action, next_state in after.items():
        if next_state.returns() is not None:
            return action
    safe = [a for a in legal if all(after[a].apply(reply).returns() is None for reply in after[a].legal_actions())]
    return min(safe or legal, key=lambda action: (abs(action - 3), action))


async def play_to_the_end(page: Page) -> str:
    """Plays well enough to beat `random` nearly always, by the mouse and by the keyboard in turn; how it ended, in the
    words of the page.
    """
    say = page.locator(".table .say")
    while True:
        await expect(say).to_have_text(WORDS)
        words = await say.inner_text()
        if not words.startswith("Your turn"):
            return words
        cells = await page.evaluate(
            "[...document.querySelectorAll('.table .piece')]"
            ".map(piece => [Number(piece.dataset.cell), piece.classList.contains('s0') ? 1 : 2])"
        )
        board = [0] * 42
        for cell, colour in cells:
            board[cell] = colour
        wire = {"rows": 6, "cols": 7, "cells": board, "to_move": len(cells) % 2}
        action = good_action(get_game("connect4").from_wire(wire))
        if len(cells) % 4 == 0:
            await page.keyboard.press(str(action + 1))
        else:
            await page.locator(f".place[data-action='{action}']").click()
        await expect(page.locator(".table .piece")).not_to_have_count(len(cells))


async def test_a_person_beats_random_by_clicking_and_by_keyboard(page: Page, house: House, random_bot: str) -> None:
    await come_in(page, house, "mouse and keys")
    await page.get_by_label("Your seat").select_option("0")
    await page.locator(f"[data-opponent='{random_bot}']").click()
    # A draw or a loss against random is as rare as it is possible: then once more.
    for _ in range(5):
        words = await play_to_the_end(page)
        if words.startswith("You won"):
            break
        await page.get_by_role("button", name="Again", exact=True).click()
        await page.locator(".table .piece").first.wait_for(state="detached")
    assert words.startswith("You won, 1–0.")


async def test_who_is_chosen_at_the_door_is_played_as_soon_as_there_is_a_name(
    page: Page, house: House, random_bot: str
) -> None:
    await page.goto(f"{house.web}/play")
    await page.get_by_label("Game").select_option("Mancala")
    chosen = page.locator(f"[data-opponent='{random_bot}']")
    await chosen.click()
    await expect(page.get_by_label("Your name")).to_be_focused()
    await page.keyboard.type(house.called("knows whom"))
    await page.get_by_role("button", name=f"Play against {random_bot}").click()
    await page.get_by_role("heading", name=f"Mancala against {random_bot}").wait_for()
    await resign(page)
    await page.get_by_text("You lost").wait_for()


async def test_at_the_door_a_name_from_before_is_enough(page: Page, house: House, random_bot: str) -> None:
    await page.add_init_script(f"localStorage.setItem('palestra-name', '{house.called('comes again')}')")
    await page.goto(f"{house.web}/play")
    await page.locator(f"[data-opponent='{random_bot}']").click()
    await page.get_by_role("heading", name=f"Connect 4 against {random_bot}").wait_for()
    await resign(page)
    await page.get_by_text("You lost").wait_for()


async def test_the_seat_outlives_the_page_a_reload_and_the_tab(
    context: BrowserContext, page: Page, house: House, random_bot: str
) -> None:
    await come_in(page, house, "nomad")
    await page.get_by_label("Your seat").select_option("0")
    await page.locator(f"[data-opponent='{random_bot}']").click()
    await page.get_by_text("Your turn").wait_for()
    await page.keyboard.press("4")
    await expect(page.locator(".table .piece")).to_have_count(2)
    back = page.get_by_role("link", name="Back to your match")
    await expect(back).to_be_hidden()
    await page.locator("nav a[href='/']").click()
    await back.wait_for()
    await page.reload()
    await back.click()
    await expect(page.locator(".table .piece")).to_have_count(2)
    await page.keyboard.press("4")
    await expect(page.locator(".table .piece")).to_have_count(4)
    other = await context.new_page()
    await other.goto(f"{house.web}/play")
    await other.get_by_text("A match of nomad is in progress").wait_for()
    await other.get_by_role("button", name="Go on with it here").click()
    await expect(other.locator(".table .piece")).to_have_count(4)
    await page.get_by_role("button", name="Come in").wait_for()
    await other.get_by_text("Your turn").wait_for()
    await resign(other)
    await other.get_by_text("You lost").wait_for()
    await other.goto(f"{house.web}/")
    await other.locator(".top").wait_for()
    await expect(other.get_by_role("link", name="Back to your match")).to_be_hidden()


async def test_two_people_play_without_a_clock(context: BrowserContext, page: Page, house: House) -> None:
    other = await context.new_page()
    await come_in(page, house, "vera")
    await come_in(other, house, "wim")
    await page.get_by_label("Your seat").select_option("0")
    await challenge(page, other, "wim")
    await expect(page.locator(".table .seat .about")).to_have_text(["no clock", "you · no clock"])
    await page.get_by_text("whoever is gone for ten minutes").wait_for()
    for ply, column in enumerate([1, 2, 1, 2, 1, 2, 1]):
        mover = (page, other)[ply % 2]
        await mover.get_by_text("Your turn").wait_for()
        await mover.keyboard.press(str(column))
    await page.get_by_text("You won, 1–0.").wait_for()
    await other.get_by_text("You lost, 0–1.").wait_for()
    await page.get_by_role("button", name="Again", exact=True).click()
    await other.get_by_role("button", name="Accept").click()
    await page.get_by_text("Your turn").wait_for()
    await page.keyboard.press("1")
    await other.get_by_text("Your turn").wait_for()
    async with other.expect_event("dialog") as asked:
        await other.close(run_before_unload=True)
    leaving = await asked.value
    assert leaving.type == "beforeunload"
    async with other.expect_event("close"):
        await leaving.accept()
    # Who waits is told for how long.
    await page.get_by_text("wim has lost the connection, and loses unless it is back in time.").wait_for()
    await expect(page.locator(".table .seat.gone .time")).to_have_text(re.compile("^(20:00|1[5-9]:)"))


async def test_a_person_is_asked_before_a_match_begins(context: BrowserContext, page: Page, house: House) -> None:
    other = await context.new_page()
    await come_in(page, house, "asks first")
    await come_in(other, house, "is asked")
    row = page.locator("[data-opponent='is asked']")
    await row.click()
    await other.get_by_role("heading", name="asks first challenges you").wait_for()
    await other.get_by_text("no clock").wait_for()
    await other.get_by_role("button", name="Decline").click()
    await page.get_by_text("is asked refused the challenge. You can ask again after a minute.").wait_for()
    await other.get_by_role("heading", name="Against whom?").wait_for()
    await row.click()
    await page.get_by_text("refused your challenge: challenge again in").wait_for()
    # The other way round, and for nobody.
    await other.locator("[data-opponent='asks first']").click()
    await page.get_by_role("button", name="Not now").click()
    await other.get_by_text("asks first refused the challenge.").wait_for()
    await expect(page.get_by_label("Others may challenge me")).not_to_be_checked()
    third = await asyncio.to_thread(house.join, "asks, too")
    third.send(type="challenge", game="connect4", opponent="asks first", seat=0, rated=False)
    assert (await asyncio.to_thread(third.until, "error"))["code"] == "challenges_off"
    await page.get_by_label("Others may challenge me").check()
    await page.get_by_role("heading", name="Against whom?").wait_for()
    await asyncio.to_thread(third.close)
    await other.close()


async def test_a_move_made_without_a_connection_is_sent_when_it_is_back(
    context: BrowserContext, page: Page, house: House, random_bot: str
) -> None:
    await come_in(page, house, "in a tunnel")
    await page.get_by_label("Your seat").select_option("0")
    await page.locator(f"[data-opponent='{random_bot}']").click()
    await page.get_by_text("Your turn").wait_for()
    await context.set_offline(True)
    await page.locator(".pill.lost").wait_for()
    await page.keyboard.press("4")
    await page.get_by_text("No connection: your move is sent as soon as it is back.").wait_for()
    await context.set_offline(False)
    await expect(page.locator(".table .piece")).to_have_count(2)
    await page.get_by_text("Your turn").wait_for()
    await resign(page)
    await page.get_by_text("You lost, 0–1.").wait_for()


async def test_a_move_that_came_too_late_is_said_to_be(page: Page, tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--guests", "--move-ms", "6000") as server:
        house = House(server, tmp_path / "names")
        other = await asyncio.to_thread(house.join, "on time")
        async with DeafProxy(server.web_port) as proxy:
            await come_in(page, house, "in a long tunnel", f"http://127.0.0.1:{proxy.port}")
            await page.get_by_label("Your seat").select_option("0")
            await page.get_by_label("Clock").select_option("server")
            await page.locator("[data-opponent='on time']").click()
            await asyncio.to_thread(other.ready)
            await page.get_by_text("Your turn").wait_for()
            proxy.swallow()
            proxy.deaf = True
            await page.keyboard.press("4")
            await asyncio.to_thread(other.until, "match_end")
            await page.locator(".pill.lost").wait_for()
            proxy.deaf = False
            await expect(page.locator(".table .say")).to_contain_text(
                "You lost, 0–1. The connection was lost, and your move came too late. in a long tunnel did not answer"
            )
            await expect(page.locator("page-play > .say")).to_be_hidden()
        other.close()


async def test_a_guests_server_asks_for_a_name_and_not_for_a_token(page: Page, house: House) -> None:
    await page.goto(f"{house.web}/connect")
    await page.locator("page-connect .copyable").first.wait_for()
    who = "async (guest) => (await import('/js/parts/connecting.js')).connection(null, '', guest).who"
    assert [(await page.evaluate(who, guest)).split()[0] for guest in (True, False)] == ["--name", "--token"]


async def test_a_person_may_have_more_time_than_the_bot_and_sees_both_budgets(
    page: Page, house: House, random_bot: str
) -> None:
    await come_in(page, house, "slow thinker")
    await page.get_by_label("Your seat").select_option("0")
    await page.get_by_label("Clock").select_option(label="30 s a move for me; a bot keeps its own")
    await page.locator(f"[data-opponent='{random_bot}']").click()
    mine, other = page.locator(".table .seat.s0"), page.locator(".table .seat.s1")
    await expect(mine).to_contain_text("you · 30 s a move")
    await expect(other).to_contain_text("10 min a move")
    board, below = await page.locator(".table pal-board svg").bounding_box(), await mine.bounding_box()
    assert board is not None
    assert below is not None
    assert board["y"] + board["height"] <= below["y"], "the board is not over what is beside it"
    # On a machine slow enough the 30 s are over by now: lost either way.
    give_up = "[...document.querySelectorAll('.table .danger, dialog .main')].at(-1)?.click()"
    await page.evaluate(give_up)
    await page.evaluate(give_up)
    await page.get_by_text("You lost").wait_for()


async def test_taking_back_goes_on_from_the_position_before(page: Page, house: House, random_bot: str) -> None:
    await come_in(page, house, "undo")
    await page.get_by_label("Your seat").select_option("0")
    await page.locator(f"[data-opponent='{random_bot}']").click()
    await page.get_by_text("Your turn").wait_for()
    await page.keyboard.press("4")
    await expect(page.locator(".table .piece")).to_have_count(2)
    async with page.expect_response(lambda answer: "/api/v1/matches?" in answer.url) as answer:
        await page.get_by_role("button", name="Take back").click()
        await expect(page.locator(".table .piece")).to_have_count(0)
        await page.get_by_text("Your turn").wait_for()
        await page.evaluate("fetch('/api/v1/matches?player=undo')")
    # What was left behind is no result.
    [left] = [match for match in (await (await answer.value).json())["matches"] if not match["live"]]
    assert (left["reason"], left["returns"], left["why"]["code"]) == ("void", [0, 0], "taken_back")
    # Without a clock the match would not end by itself, and the bot plays one at a time.
    await resign(page)
    await page.get_by_text("You lost,").wait_for()


async def test_a_hint_is_what_the_opponent_expects_also_after_taking_back(page: Page, house: House) -> None:
    oracle = await asyncio.to_thread(house.join, "oracle")

    def answer(pv: list[int] | None) -> None:
        turn = oracle.until("turn")
        info = None if pv is None else {"pv": pv}
        oracle.send(type="action", match=turn["match"], ply=turn["ply"], action=0, info=info)

    hint, say = page.get_by_role("button", name="Hint"), page.locator(".table .say")
    await come_in(page, house, "asks")
    await page.get_by_label("Your seat").select_option("0")
    await page.locator("[data-opponent='oracle']").click()
    await asyncio.to_thread(oracle.ready)
    for column, pv, plies in (("4", [0, 5], 2), ("5", None, 4)):
        await page.get_by_text("Your turn").wait_for()
        await page.keyboard.press(column)
        await asyncio.to_thread(answer, pv)
        await expect(page.locator(".table .piece")).to_have_count(plies)
    await hint.click()
    await expect(say).to_contain_text("No hint: oracle did not say")
    await page.get_by_role("button", name="Take back").click()
    await asyncio.to_thread(oracle.ready)
    await expect(page.locator(".table .piece")).to_have_count(2)
    await page.get_by_text("Your turn").wait_for()
    await hint.click()
    await expect(say).to_have_text("oracle expects PUT 6 from you.")
    await resign(page)
    await page.get_by_text("You lost,").wait_for()
    await asyncio.to_thread(oracle.close)


async def test_a_game_of_a_plug_in_is_played_from_its_view_alone(page: Page, house: House) -> None:
    await page.goto(f"{house.web}/practice?game=nim")
    await page.locator(".piece").nth(20).wait_for()
    await page.locator(".place[data-action='2']").click()
    await expect(page.locator(".piece")).to_have_count(18)
    assert page.url.endswith("?game=nim&actions=2")


async def test_the_news_of_the_server_are_in_the_language_of_who_plays(browser: Browser, house: House) -> None:
    rita = await asyncio.to_thread(house.join, "rita")
    simon = await asyncio.to_thread(house.join, "simon")
    rita.send(type="challenge", game="connect4", opponent="simon", seat_ms=[3_600_000, 3_600_000])
    match = await asyncio.to_thread(rita.ready)
    await asyncio.to_thread(simon.ready)
    async with visit(browser, locale="es") as context:
        page = await context.new_page()
        await page.goto(f"{house.web}/play")
        await page.get_by_label("Tu nombre").fill(house.called("espera"))
        await page.get_by_role("button", name="Entrar").click()
        await page.locator("[data-opponent='rita']").click()
        await page.get_by_text("Tu reto espera a que rita quede libre: es el número 1 de la cola.").wait_for()
    simon.send(type="resign", match=match)
    await asyncio.to_thread(rita.until, "match_end")
    await asyncio.to_thread(lambda: (rita.close(), simon.close()))
