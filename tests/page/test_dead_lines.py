"""A page whose connection died without a word, perhaps while it slept: it notices, says so and comes back by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, Page, WebSocket
from tests.support.deaf_proxy import DeafProxy
from tests.support.page import House, begin, come_in, go, play, resign, seen, visit
from tests.support.servers import ServerProcess, held_port

pytestmark = pytest.mark.asyncio(loop_scope="session")

SILENCE_MS = 11_000
NO_ANSWER_MS = 7_000
ASLEEP_MS = 31_000
UNANSWERED = """import(document.querySelector("script[src*='/line.']").src).then(({ line }) => line.asked !== null)"""


@pytest.mark.parametrize(("path", "names"), [("/match/{match}", ("lina", "marc")), ("/", ("loli", "max"))])
async def test_a_line_that_died_without_a_word_is_noticed_and_made_anew(
    page: Page, house: House, path: str, names: tuple[str, str]
) -> None:
    first, second, match = await asyncio.to_thread(begin, house, names)
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
        # The socket that is being opened just now hears nothing either, and has longer to open.
        await page.clock.fast_forward(2 * NO_ANSWER_MS)
        await seen(page, ".pill.lost").to_have_count(0)
        await seen(page, pieces).to_have_count(5)
    first.send(type="resign", match=match)
    await asyncio.to_thread(second.until, "match_end")
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_what_is_first_asked_for_over_a_dead_line_comes_over_a_new_one(page: Page, house: House) -> None:
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


async def test_a_network_that_is_slow_is_waited_for(page: Page, house: House) -> None:
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    await page.clock.install()
    async with DeafProxy(house.web_port) as proxy:
        await page.goto(f"http://127.0.0.1:{proxy.port}/")
        await seen(page, "page-lobby .split:not(.waiting)").to_have_count(1)
        proxy.swallow()
        proxy.through.clear()
        await page.clock.fast_forward(SILENCE_MS)
        await page.clock.fast_forward(NO_ANSWER_MS)
        await seen(page, ".pill.lost").to_be_visible()
        await page.clock.fast_forward(NO_ANSWER_MS)
        proxy.through.set()
        await seen(page, ".pill.lost").to_have_count(0)
    assert len(sockets) == 2


async def test_a_page_whose_script_does_not_come_says_so_and_is_tried_again(page: Page, tmp_path: Path) -> None:
    bots, web = held_port(), held_port()
    with ServerProcess(tmp_path / "data", port=bots, web_port=web) as server:
        await page.goto(server.web)
        await seen(page, "page-lobby .split:not(.waiting)").to_have_count(1)
    await page.get_by_role("link", name="Tournaments").click()
    again = page.get_by_role("button", name="Try again")
    await seen(page, "pal-unreached .say").to_contain_text("The server does not answer")
    await again.click()
    await page.locator("pal-unreached button:enabled").wait_for()
    # By itself, too.
    with ServerProcess(tmp_path / "data", port=bots, web_port=web):
        await seen(page, "page-tournaments").to_have_count(1)


HEARD = """async () => {
    const { line } = await import("/js/line.js");
    window.told = 0;
    await new Promise((snapshot) => line.watch("lobby", (event) => {
        if (event.type === "snapshot") snapshot();
        if (event.player !== "passer-by") return;
        // Whatever is written because of it stands there by then.
        setTimeout(() => document.body.dataset.heard = "yes");
    }));
    const said = document.querySelector("pal-unreached .say");
    new MutationObserver((list) => window.told += list.length).observe(said, { childList: true });
}"""


async def test_a_script_that_is_missing_while_the_server_answers_is_told_of_once(page: Page, house: House) -> None:
    await page.route("**/js/pages/tournaments.js", lambda route: route.fulfill(status=404))
    await page.goto(f"{house.web}/tournaments")
    await seen(page, "pal-unreached .say").to_contain_text("part of this page did not load")
    await page.evaluate("document.body.dataset.same = 'yes'")
    # Something else is heard from the server meanwhile: no reason to load the document anew, nor to have it read aloud.
    await page.evaluate(HEARD)
    guest = await asyncio.to_thread(house.join, "passer-by")
    await seen(page, "body[data-heard]").to_have_count(1)
    assert await page.evaluate("window.told") == 0
    await page.get_by_role("link", name="Players").click()
    await seen(page, "page-players").to_contain_text("passer-by")
    assert await page.evaluate("document.body.dataset.same") == "yes"
    await asyncio.to_thread(guest.close)


@pytest.mark.parametrize("script", ["main.js", "view.js"])
async def test_a_page_whose_first_script_is_missing_is_not_white(page: Page, house: House, script: str) -> None:
    await page.route(f"**/js/{script}", lambda route: route.abort())
    await page.goto(house.web)
    await seen(page, ".late").to_be_visible()
    await seen(page, ".late").to_contain_text("Palestra no ha aparecido")
    await page.unroute_all()
    await page.get_by_role("link", name="Load again").click()
    await seen(page, "page-lobby .split:not(.waiting)").to_have_count(1)
    await seen(page, ".late").to_have_count(0)


async def test_without_its_catalogue_the_page_is_in_english(browser: Browser, house: House) -> None:
    async with visit(browser, locale="es") as context:
        page = await context.new_page()
        await page.route("**/js/lang/es.js", lambda route: route.abort())
        await page.goto(house.web)
        await seen(page, "page-lobby h1").to_have_text("Live matches")
        await seen(page, "html[lang=en]").to_have_count(1)


async def test_a_quiet_line_is_left_as_it_is(page: Page, house: House) -> None:
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


PLAYER = """async () => {
    const sockets = [], timers = [];
    window.setTimeout = (call) => timers.push(call);
    window.clearTimeout = (id) => { timers[id - 1] = () => {}; };
    window.WebSocket = class {
        static CONNECTING = 0;
        static OPEN = 1;
        readyState = 0;
        sent = [];
        constructor() { sockets.push(this); }
        send(text) { this.sent.push(JSON.parse(text)); }
        close() { this.readyState = 3; }
    };
    const { PlayLine } = await import("/js/play_line.js");
    const opened = (...messages) => {
        const socket = sockets.at(-1);
        socket.readyState = 1;
        socket.onopen();
        messages.forEach((message) => socket.onmessage({ data: JSON.stringify(message) }));
        return socket;
    };
    const lost = (socket) => { socket.close(); socket.onclose({ code: 1006, reason: "" }); };
    const welcome = { type: "welcome", player: "ana", session: "s", matches: ["m"] };
    const start = { type: "match_start", match: "m", seat: 0, players: ["ana", "bob"], tournament: "cup" };
    window.at = { sockets, timers, opened, lost, welcome, start, play: new PlayLine({ name: "ana" }) };
}"""
"""A player whose sockets and timers are the test's."""
LEFT = "at.play.close(); localStorage.clear(); sessionStorage.clear();"


async def test_who_is_back_by_another_way_does_not_connect_once_more_when_the_pause_is_over(workshop: Page) -> None:
    await workshop.evaluate(PLAYER)
    # The second connection would take over from the first, and the page take that for another tab.
    assert await workshop.evaluate(f"""() => {{
        at.lost(at.opened(at.welcome, at.start));
        const pause = at.timers.length - 1;
        at.play.return();
        at.opened(at.welcome, at.start);
        at.timers[pause]();
        const open = at.sockets.filter((socket) => socket.readyState < 2).length;
        {LEFT}
        return [at.sockets.length, open];
    }}""") == [2, 1]


async def test_a_challenge_made_without_a_connection_is_made_when_it_is_back_and_no_more_once_there_is_a_match(
    workshop: Page,
) -> None:
    await workshop.evaluate(PLAYER)
    assert await workshop.evaluate(f"""() => {{
        at.play.shown = true;
        const between = {{ ...at.welcome, matches: [] }};
        at.lost(at.opened(between));
        at.play.challenge({{ opponent: "bob", game: "mancala" }});
        at.timers.at(-1)();
        const back = at.opened(between, {{ ...at.start, tournament: null }}, {{ type: "match_end", match: "m" }});
        at.lost(back);
        at.timers.at(-1)();
        const again = at.opened(between);
        {LEFT}
        return [back, again].map(({{ sent }}) => sent.filter(({{ type }}) => type === "challenge"));
    }}""") == [[{"type": "challenge", "opponent": "bob", "game": "mancala"}], []]


async def test_a_match_given_up_without_a_connection_is_given_up_when_it_is_back(workshop: Page) -> None:
    await workshop.evaluate(PLAYER)
    gave_up = {"type": "resign", "match": "m", "takes_back": True}
    assert await workshop.evaluate(f"""() => {{
        at.lost(at.opened(at.welcome, at.start));
        at.play.resign("m", {{ takes_back: true }});
        at.timers.at(-1)();
        const back = at.opened(at.welcome, at.start, {{ ...at.start, match: "n" }});
        {LEFT}
        return back.sent.filter(({{ type }}) => type === "resign");
    }}""") == [gave_up]


async def test_a_player_returns_to_the_table_when_the_connection_died_silently(
    context: BrowserContext, house: House, random_bot: str
) -> None:
    page = await context.new_page()
    await page.clock.install()
    async with DeafProxy(house.web_port) as proxy:
        await come_in(page, house, "nuria", f"http://127.0.0.1:{proxy.port}")
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
        await resign(page)
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


WAKES: list[tuple[Callable[[Page], Awaitable[None]], list[int]]] = [
    (thawed, [1, 2, 1]),
    (reached_by_the_network_again, [2, 5, 6]),
    (looked_at_again, [5, 6, 0]),
]
"""How a device wakes, and what was played meanwhile."""


async def test_a_woken_device_does_not_wait_until_a_dead_connection_is_noticed(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("oscar", "petra"))
    await page.clock.install()
    async with DeafProxy(house.web_port) as proxy:
        await page.goto(f"http://127.0.0.1:{proxy.port}/match/{match}")
        await asyncio.to_thread(play, (first, second), [3, 0])
        await seen(page, ".piece").to_have_count(2)
        # Time stands from here on: the silence is never long enough to be noticed.
        await page.clock.pause_at(await page.evaluate("Date.now() + 3_600_000"))
        plies = 2
        for wakes, actions in WAKES:
            while await page.evaluate(UNANSWERED):
                pass
            proxy.swallow()
            await asyncio.to_thread(play, (first, second), actions, plies)
            await wakes(page)
            plies += len(actions)
            await seen(page, ".piece").to_have_count(plies)
    first.send(type="resign", match=match)
    await asyncio.to_thread(second.until, "match_end")
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_a_player_on_a_slow_network_is_waited_for(page: Page, house: House) -> None:
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    await page.clock.install()
    async with DeafProxy(house.web_port) as proxy:
        await page.goto(f"http://127.0.0.1:{proxy.port}/play")
        await page.get_by_label("Your name").fill(house.called("far away"))
        proxy.through.clear()
        async with page.expect_websocket(lambda socket: socket.url.endswith("/play")):
            await page.get_by_role("button", name="Come in").click()
        await page.clock.fast_forward(NO_ANSWER_MS)
        await page.clock.fast_forward(NO_ANSWER_MS)
        proxy.through.set()
        await page.get_by_role("heading", name="Against whom?").wait_for()
    assert sum(url.endswith("/play") for url in sockets) == 2
