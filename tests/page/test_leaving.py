"""What a page leaves behind when another one is shown: no timer, no listener, no topic, and one socket for all."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from playwright.async_api import Page
from tests.support.page import PAGES, PATIENCE_MS, House, begin, go, play, seen

pytestmark = pytest.mark.asyncio(loop_scope="session")

COUNT = """(() => {
    const open = (window.open_now = { timers: new Map(), sockets: new Set(), listeners: 0 });
    const [set, clear, every, stop] = [setTimeout, clearTimeout, setInterval, clearInterval];
    window.setTimeout = (act, ms, ...rest) => {
        const id = set(() => { open.timers.delete(id); act(...rest); }, ms);
        open.timers.set(id, `${ms} ms: ${act}`);
        return id;
    };
    window.clearTimeout = (id) => { open.timers.delete(id); clear(id); };
    window.setInterval = (act, ms) => {
        const id = every(act, ms);
        open.timers.set(id, `every ${ms} ms: ${act}`);
        return id;
    };
    window.clearInterval = (id) => { open.timers.delete(id); stop(id); };
    const Real = WebSocket;
    window.WebSocket = class extends Real {
        constructor(...all) {
            super(...all);
            open.sockets.add(this);
            this.addEventListener("close", () => open.sockets.delete(this));
        }
    };
    // The window, the document, and the objects that outlive a page.
    const shared = (target) => target === window || target === document ||
        ["Line", "EventTarget"].includes(target?.constructor?.name);
    const { addEventListener, removeEventListener } = EventTarget.prototype;
    EventTarget.prototype.addEventListener = function (...all) {
        if (shared(this ?? window)) {
            open.listeners++;
            all[2]?.signal?.addEventListener("abort", () => open.listeners--);
        }
        return addEventListener.apply(this ?? window, all);
    };
    EventTarget.prototype.removeEventListener = function (...all) {
        if (shared(this ?? window)) open.listeners--;
        return removeEventListener.apply(this ?? window, all);
    };
})()"""
LEFT = """async () => {
    const { line } = await import("/js/line.js");
    const { timers, sockets, listeners } = window.open_now;
    return { timers: [...timers.values()], sockets: sockets.size, listeners, topics: [...line.topics.keys()] };
}"""


@pytest.fixture(autouse=True)
def _no_ceremony(house: House) -> None:
    """What has been over since another test does not fill the big screen."""
    house.server.api("POST", "/screen", {"show": "auto"})


async def rests(page: Page) -> dict[str, Any]:
    """What is left once the timers that go off by themselves have done so."""
    await page.wait_for_function("window.open_now.timers.size === 0", timeout=PATIENCE_MS)
    return await page.evaluate(LEFT)


async def test_no_page_leaves_anything_behind(page: Page, house: House) -> None:
    await page.add_init_script(COUNT)
    first, second, match = await asyncio.to_thread(begin, house, ("kurt", "leo"))
    await asyncio.to_thread(play, (first, second), [3, 0, 3])
    await page.goto(f"{house.web}/teacher")
    await page.get_by_label("Admin key").fill((house.data / "teacher.key").read_text().strip())
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("button", name="Sign out").wait_for()
    rounds = []
    for _ in range(2):
        signed_in = {"/teacher": "page-teacher #class"}
        for path, shown in {
            **PAGES,
            **signed_in,
            f"/match/{match}": ".moves button",
            "/screen": "page-screen pal-board .piece",
        }.items():
            await go(page, path, shown)
        await go(page, "/practice", "page-practice .hole")
        rounds.append(await rests(page))
    assert rounds[1] == rounds[0]
    assert rounds[1]["timers"] == rounds[1]["topics"] == []
    assert rounds[1]["sockets"] == 1
    first.send(type="resign", match=match)
    await asyncio.to_thread(second.until, "match_end")
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_no_clock_runs_on_the_big_screen_however_early_a_match_ends(page: Page, house: House) -> None:
    await page.add_init_script(COUNT)
    first, second, match = await asyncio.to_thread(begin, house, ("mia", "nils"))
    await page.goto(f"{house.web}/screen")
    await seen(page, "page-screen").to_contain_text("mia")
    first.send(type="resign", match=match)
    await asyncio.to_thread(second.until, "match_end")
    await seen(page, ".rival.winner .time").to_be_visible()
    timers = (await page.evaluate(LEFT))["timers"]
    left = [timer.partition("()=>")[2] for timer in timers if timer.startswith("every") and "#listen" not in timer]
    assert sorted(left) == ["this.#look()", "this.again()"], timers  # the programme's, and none of a clock
    await asyncio.to_thread(lambda: (first.close(), second.close()))
