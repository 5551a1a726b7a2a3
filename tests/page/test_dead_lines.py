"""A page whose connection died without a word, perhaps while it slept: it notices, says so and comes back by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Page, WebSocket
from tests.page.deaf_proxy import DeafProxy
from tests.page.test_leaving import go
from tests.page.test_playing import come_in
from tests.page.test_watching import HOUR_MS, begin, play, seen
from tests.support.servers import ServerProcess

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

SILENCE_MS = 11_000
NO_ANSWER_MS = 7_000
ASLEEP_MS = 31_000
UNANSWERED = """import(document.querySelector("script[src*='/line.']").src).then(({ line }) => line.asked !== null)"""


@pytest.mark.parametrize("path", ["/match/{match}", "/"])
async def test_a_line_that_died_without_a_word_is_noticed_and_made_anew(
    page: Page, house: ServerProcess, path: str
) -> None:
    first, second, match = await asyncio.to_thread(begin, house.url, ("lina", "marc"), HOUR_MS)
    await page.clock.install()
    pieces = f"[data-match='{match}'] .piece" if path == "/" else ".piece"
    async with DeafProxy(house.web_port) as proxy:
        await page.goto(f"http://127.0.0.1:{proxy.port}{path.format(match=match)}")
        await asyncio.to_thread(play, (first, second), [3, 0])
        await seen(page, pieces).to_have_count(2)
        proxy.swallow()
        proxy.deaf = True
        await asyncio.to_thread(play, (first, second), [3, 0, 3], 2)
        await asyncio.to_thread(second.until, "turn")
        await page.clock.fast_forward(SILENCE_MS)
        await page.clock.fast_forward(NO_ANSWER_MS)
        await seen(page, ".pill.lost").to_be_visible()
        await seen(page, pieces).to_have_count(2)
        proxy.deaf = False
        # The socket that is being opened just now hears nothing either.
        await page.clock.fast_forward(NO_ANSWER_MS)
        await seen(page, ".pill.lost").to_have_count(0)
        await seen(page, pieces).to_have_count(5)
    first.send(type="resign", match=match)
    await asyncio.to_thread(second.until, "match_end")
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_what_is_first_asked_for_over_a_dead_line_comes_over_a_new_one(page: Page, house: ServerProcess) -> None:
    await page.clock.install()
    async with DeafProxy(house.web_port) as proxy:
        await page.goto(f"http://127.0.0.1:{proxy.port}/")
        await seen(page, "page-lobby .split:not(.waiting)").to_have_count(1)
        await go(page, "/practice", "page-practice .hole")
        proxy.swallow()
        await go(page, "/", "page-lobby .split.waiting")
        await page.clock.fast_forward(SILENCE_MS)
        await page.clock.fast_forward(NO_ANSWER_MS)
        await seen(page, "page-lobby .split:not(.waiting)").to_have_count(1)


async def test_a_page_whose_script_does_not_come_says_so_and_is_tried_again(page: Page, tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        web, bots = server.web_port, server.port
        await page.goto(server.web)
        await seen(page, "page-lobby .split:not(.waiting)").to_have_count(1)
    await page.get_by_role("link", name="Tournaments").click()
    again = page.get_by_role("button", name="Try again")
    await seen(page, "pal-unreached .say").to_contain_text("The server does not answer")
    await again.click()
    await page.locator("pal-unreached button:enabled").wait_for()
    # By itself, too.
    with ServerProcess(tmp_path / "data", "--web-port", str(web), port=bots):
        await seen(page, "page-tournaments").to_have_count(1)


async def test_a_quiet_line_is_left_as_it_is(page: Page, house: ServerProcess) -> None:
    await page.clock.install()
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    await page.goto(house.web)
    await seen(page, "page-lobby .split:not(.waiting)").to_have_count(1)
    await page.evaluate("document.querySelector('page-lobby .cards').append(document.createElement('hr'))")
    for _ in range(3):
        async with sockets[0].expect_event("framesent", lambda sent: '"from"' in sent):
            await page.clock.fast_forward(SILENCE_MS)
        while await page.evaluate(UNANSWERED):
            pass
    assert len(sockets) == 1
    # Nor is what is shown made anew.
    await seen(page, "page-lobby .cards hr").to_have_count(1)


async def test_who_plays_comes_back_to_the_table_when_the_line_died_without_a_word(
    context: BrowserContext, house: ServerProcess, random_bot: str
) -> None:
    page = await context.new_page()
    await page.clock.install()
    async with DeafProxy(house.web_port) as proxy:
        await come_in(page, f"http://127.0.0.1:{proxy.port}", "nuria")
        await page.get_by_label("Your seat").select_option("0")
        await page.locator(f"[data-opponent='{random_bot}']").click()
        await page.get_by_text("Your turn").wait_for()
        proxy.swallow()
        # The server finds that nothing comes any more, and tells those who watch: the page does by then, anew.
        async with page.expect_websocket(lambda socket: socket.url.endswith("/play")) as again:
            await page.clock.fast_forward(SILENCE_MS)
            await page.clock.fast_forward(NO_ANSWER_MS)
        socket = await again.value
        await socket.wait_for_event("framereceived", lambda frame: '"turn"' in frame)
        await page.locator(".place[data-action='3']").click()
        await seen(page, ".table .piece").to_have_count(2)
        await page.get_by_role("button", name="Resign").click()
        await page.get_by_text("You lost").wait_for()
    await page.close()


async def thawed(page: Page) -> None:
    # Headless Chromium freezes no page, also when DevTools ask for it.
    await page.evaluate("document.dispatchEvent(new Event('resume'))")


async def reached_by_the_network_again(page: Page) -> None:
    await page.context.set_offline(True)
    await page.context.set_offline(False)


async def looked_at_again(page: Page) -> None:
    hide = """hidden => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    await page.evaluate(hide, True)
    await page.clock.fast_forward(ASLEEP_MS)
    await page.evaluate(hide, False)


@pytest.mark.parametrize("wakes", [thawed, reached_by_the_network_again, looked_at_again])
async def test_who_wakes_does_not_wait_until_a_dead_line_is_noticed(
    page: Page, house: ServerProcess, wakes: Callable[[Page], Awaitable[None]]
) -> None:
    first, second, match = await asyncio.to_thread(begin, house.url, ("olga", "pau"), HOUR_MS)
    await page.clock.install()
    async with DeafProxy(house.web_port) as proxy:
        await page.goto(f"http://127.0.0.1:{proxy.port}/match/{match}")
        await asyncio.to_thread(play, (first, second), [3, 0])
        await seen(page, ".piece").to_have_count(2)
        # Time stands from here on: the silence is never long enough to be noticed.
        await page.clock.pause_at(await page.evaluate("Date.now() + 1000"))
        proxy.swallow()
        await asyncio.to_thread(play, (first, second), [3, 0, 3], 2)
        await wakes(page)
        await seen(page, ".piece").to_have_count(5)
    first.send(type="resign", match=match)
    await asyncio.to_thread(second.until, "match_end")
    await asyncio.to_thread(lambda: (first.close(), second.close()))
