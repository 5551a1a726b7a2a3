"""The big screen in a real browser: each of its scenes, and the teacher's remote on a phone."""

from __future__ import annotations

import asyncio
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page
from tests.support.page import begin, play, seen, visit
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess, enrol, held_port, journalled
from websockets.exceptions import ConnectionClosed

pytestmark = pytest.mark.asyncio(loop_scope="session")

WALL = {"width": 1920, "height": 1080}
CUP = """
name = "cup"
title = "The cup"
games = ["connect4"]
format = "round-robin"
seeding = "roster"
clock = { move_ms = 600000, ready_ms = 600000 }
"""
KNOCKOUT = CUP.replace("round-robin", "elimination")

# Whatever is written and drawn: no smaller than 28 px, all of it on the screen, and no meeting over another.
FITS = """() => {
    const words = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const shown = [...document.querySelectorAll(".screen-frame *")].filter((element) =>
        element.getClientRects().length && !element.closest("svg, .only-read"));
    const small = shown.filter((element) => words(element) && parseFloat(getComputedStyle(element).fontSize) < 27.9);
    const out = shown.filter((element) => {
        const { right, bottom, left } = element.getBoundingClientRect();
        return right > innerWidth + 1 || bottom > innerHeight + 1 || left < -1;
    });
    const duels = [...document.querySelectorAll(".duel")];
    const over = duels.filter((one) => duels.some((other) => {
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
        return one !== other && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    }));
    return [...small, ...out, ...over].map((element) => element.outerHTML.slice(0, 90));
}"""


def match(pieces: int = 20, players: tuple[str, str] = ("x", "y"), **more: Any) -> dict[str, Any]:
    """A match on a grid of 42 cells, of which so many are taken."""
    cells = [{"kind": "piece" if at < pieces else "empty", "seat": None} for at in range(42)]
    view = {"kind": "grid", "cells": cells, "stores": None}
    return {"ply": pieces, "players": players, "view": view, "move_ms": [2000, 2000], **more}


def seeds(first: int, second: int) -> dict[str, Any]:
    """A match with these stores."""
    view = {"kind": "pits", "cells": [], "stores": [first, second]}
    return {"ply": 20, "players": ("x", "y"), "view": view}


async def scene(page: Page, name: str) -> None:
    await page.locator(f".screen[data-scene='{name}']").wait_for()


async def call(server: ServerProcess, method: str, path: str, body: Any = None) -> Any:
    return await asyncio.to_thread(server.api, method, path, body)


async def show(server: ServerProcess, what: str, **which: str) -> Any:
    return await call(server, "POST", "/screen", {"show": what, **which})


async def test_the_tensest_match_comes_first(workshop: Page) -> None:
    pairs = [
        ("late", match(35), match(5)),
        ("even by what the bots say", match(values=[10, -10]), match(values=[9000, -9000])),
        ("even, in numbers below 1", match(values=[0.1, None]), match(values=[0.9, None])),
        ("both say that they win", match(values=[40, 40]), match(values=[40, -40])),
        ("short of time", match(charged_ms=[1900, None]), match(charged_ms=[12, 15])),
        ("short of a time of its own", match(charged_ms=[90, 0], move_ms=[100, 2000]), match(charged_ms=[90, 0])),
        ("what more than half of the seeds decided", seeds(3, 2), seeds(26, 20)),
        ("even stores", seeds(15, 14), seeds(24, 5)),
        ("a board that is known", match(1), {**match(40), "view": None}),
    ]
    wrong = await workshop.evaluate(
        """async (pairs) => {
            const { tension } = await import("/js/tension.js");
            return pairs.filter(([, more, less]) => !(tension(more) > tension(less))).map(([why]) => why);
        }""",
        pairs,
    )
    assert wrong == []


async def test_several_matches_at_once_come_back_by_themselves_after_a_crash(page: Page, tmp_path: Path) -> None:
    data, options = tmp_path / "data", ("--guests", "--move-ms", "600000", "--away-ms", "600000")
    bots, web = held_port(), held_port()
    with ServerProcess(data, *options, port=bots, web_port=web) as server:
        matches = [await asyncio.to_thread(begin, server, (f"a{n}", f"b{n}")) for n in range(3)]
        await page.goto(f"{server.web}/screen")
        for *players, _ in matches:
            await asyncio.to_thread(play, players, [3, 0])
        await seen(page, ".at-game .piece").to_have_count(2)
        for *_, match in matches:
            await asyncio.to_thread(journalled, data, match, 9)  # as far as the second action
        server.stop(signal.SIGKILL)
        await seen(page, ".screen-foot .lost").to_be_visible()
        await seen(page, ".at-game .piece").to_have_count(2)
    with ServerProcess(data, *options, port=bots, web_port=web) as server:
        for first, second, _ in matches:
            back = [await asyncio.to_thread(RawPlayer, server.url, resume=each.session) for each in (first, second)]
            await asyncio.to_thread(lambda back=back: [player.ready() for player in back])
            await asyncio.to_thread(play, back, [3, 0, 3], 2)
        await seen(page, ".screen-foot .lost").to_have_count(0)
        await seen(page, ".at-game .piece").to_have_count(5)


async def test_both_clocks_are_beside_the_board_and_the_result_is_a_sentence(page: Page, tmp_path: Path) -> None:
    await page.set_viewport_size(WALL)
    with ServerProcess(tmp_path / "data", "--guests") as server:
        *players, match = await asyncio.to_thread(begin, server, ("ida", "oto"), 600_000)
        await asyncio.to_thread(play, players, [3])
        await page.goto(f"{server.web}/screen")
        mine, other = ".rival.s1.moves-now .time", ".rival.s0:not(.moves-now) .time"
        await seen(page, mine).to_have_text(re.compile(r"^\d+:\d\d$"))
        await seen(page, other).to_have_text("10:00")
        # Readable from the back row: a twentieth of the height, the board three quarters of it, and all of it seen.
        assert await page.locator(mine).evaluate("time => parseFloat(getComputedStyle(time).fontSize)") >= 54
        assert await page.locator("pal-board").evaluate("board => board.clientHeight") >= 0.75 * WALL["height"]
        assert await page.evaluate(FITS) == []
        players[0].send(type="resign", match=match)
        await scene(page, "result")
        await seen(page, ".verdict").to_contain_text("oto beats ida.")
        # What each got stands beside its own name.
        await seen(page, ".rival.s1.winner .time").to_have_text("1")
        await seen(page, ".rival.s0:not(.winner) .time").to_have_text("0")
        assert await page.evaluate(FITS) == []


async def test_before_a_tournament_the_field_and_a_countdown(page: Page, tmp_path: Path) -> None:
    await page.set_viewport_size(WALL)
    tokens = enrol(tmp_path / "data", *(f"student {n} of the class" for n in range(31)), "ana")
    starts = (datetime.now(UTC) + timedelta(minutes=50)).strftime("%Y-%m-%dT%H:%M:%SZ")
    with ServerProcess(tmp_path / "data") as server:
        await call(server, "POST", "/tournaments", {"toml": CUP.replace("clock", f"start = {starts}\nclock")})
        await page.goto(f"{server.web}/screen")
        await scene(page, "field")
        await seen(page, ".screen-head h1").to_have_text("The cup")
        await seen(page, ".countdown").to_have_text(re.compile(r"^(50:00|4\d:\d\d)$"))
        await seen(page, ".beside").to_contain_text("0 of 32 connected")
        player = await asyncio.to_thread(RawPlayer, server.url, None, token=tokens["ana"])
        await seen(page, ".beside").to_contain_text("1 of 32 connected")
        await seen(page, ".entrants .here").to_have_text("ana")
        await seen(page, ".entrants li").to_have_count(32)
        assert await page.evaluate(FITS) == []
        # A font of its own, which the server sends.
        assert await page.evaluate("document.fonts.check('700 40px \\'Bricolage Grotesque\\'')")
        # Hours make the figure longer; it stays beside the names.
        starts = (datetime.now(UTC) + timedelta(hours=20)).strftime("%Y-%m-%dT%H:%M:%SZ")
        late = CUP.replace("clock", f"start = {starts}\nclock").replace('"cup"', '"late"')
        await call(server, "POST", "/tournaments", {"toml": late})
        await seen(page, ".countdown").to_have_text(re.compile(r"^(20:00|19:\d\d):\d\d$"))
        assert await page.evaluate(
            """() => {
                const figure = document.createRange();
                figure.selectNodeContents(document.querySelector(".countdown"));
                const names = document.querySelector(".entrants").getBoundingClientRect();
                return figure.getBoundingClientRect().right <= names.left;
            }"""
        )
        player.close()


async def test_who_was_withdrawn_is_not_waited_for(page: Page, tmp_path: Path) -> None:
    tokens = enrol(tmp_path / "data", "ana", "ben", "cid", "eva")
    with ServerProcess(tmp_path / "data") as server:
        await call(server, "POST", "/tournaments", {"toml": CUP})
        await call(server, "POST", "/tournaments/cup/start")
        gone = await asyncio.to_thread(RawPlayer, server.url, None, token=tokens["eva"])
        await page.goto(f"{server.web}/screen")
        await scene(page, "pairings")
        await show(server, "hold")
        connected = seen(page, ".screen[data-scene='pairings'] .quiet")
        await connected.to_have_text("1 of 4 connected")
        await call(server, "POST", "/tournaments/cup/withdraw", {"player": "eva"})
        await connected.to_have_text("0 of 3 connected")
        ana = await asyncio.to_thread(RawPlayer, server.url, None, token=tokens["ana"])
        await connected.to_have_text("1 of 3 connected")
        ana.close()
        gone.close()


async def test_a_tournament_from_its_pairings_to_a_podium_that_stays(
    page: Page, browser: Browser, tmp_path: Path
) -> None:
    await page.set_viewport_size(WALL)
    tokens = enrol(tmp_path / "data", "ana", "ben", "cid", "eva")
    with ServerProcess(tmp_path / "data") as server, class_of(server, tokens) as go:
        await call(server, "POST", "/tournaments", {"toml": CUP})
        await page.goto(f"{server.web}/screen")
        await seen(page, ".countdown").to_have_text("It begins soon")
        await call(server, "POST", "/tournaments/cup/start")
        await scene(page, "pairings")
        await seen(page, ".pair").to_have_count(2)
        assert await page.evaluate(FITS) == []
        await show(server, "next")
        await scene(page, "match")
        assert await page.evaluate(FITS) == []
        go.set()
        await scene(page, "ceremony")
        order = ("cid", "ben", "ana")
        for place, name in enumerate(order):
            await show(server, "next")
            await seen(page, ".step.seen").to_have_count(place + 1)
            await seen(page, f".step.rank-{3 - place} .name").to_have_text(name)
            assert await page.evaluate(FITS) == []
        await seen(page, ".label").to_have_text("Champion")
        await page.reload()
        await seen(page, ".step.rank-1 .name").to_have_text("ana")
        async with visit(browser, locale="es") as other:
            late = await other.new_page()
            await late.goto(f"{server.web}/screen")
            await seen(late, ".label").to_have_text("Campeón")
        await show(server, "auto")
        await scene(page, "standings")
        await seen(page, "tbody tr").to_have_count(4)
        await seen(page, ".leads .name").to_have_text("ana")
        assert await page.evaluate(FITS) == []


async def test_two_screens_uncover_the_podium_together_also_when_the_server_is_killed_meanwhile(
    page: Page, browser: Browser, tmp_path: Path
) -> None:
    data, ports = tmp_path / "data", {"port": held_port(), "web_port": held_port()}
    tokens = enrol(data, "ana", "ben", "cid", "eva")
    async with visit(browser, locale="en") as other:
        screens = [page, await other.new_page()]
        with ServerProcess(data, **ports) as server:
            for each in screens:
                await each.goto(f"{server.web}/screen")
            with class_of(server, tokens) as go:
                go.set()
                await call(server, "POST", "/tournaments", {"toml": CUP})
                await call(server, "POST", "/tournaments/cup/start")
                await scene(page, "ceremony")
            for each in screens:
                await seen(each, ".step.rank-3 .name").to_have_text("cid")
            server.stop(signal.SIGKILL)
            for each in screens:
                await seen(each, ".screen-foot .lost").to_be_visible()
                await seen(each, ".step.rank-3 .name").to_have_text("cid")
        with ServerProcess(data, **ports):
            # By themselves, and nobody pressed a key.
            for rank, name in ((2, "ben"), (1, "ana")):
                for each in screens:
                    await seen(each, f".step.rank-{rank} .name").to_have_text(name)
            for each in screens:
                await seen(each, ".screen-foot .lost").to_have_count(0)
                assert await each.locator(".step.seen .name").all_inner_texts() == ["ben", "ana", "cid"]


async def test_a_knock_out_is_drawn_from_both_sides_and_its_final_is_featured(page: Page, tmp_path: Path) -> None:
    await page.set_viewport_size(WALL)
    tokens = enrol(tmp_path / "data", "ana", "ben", "cid", "eva", "ida", "oto", "pia", "zoe")
    with ServerProcess(tmp_path / "data") as server, class_of(server, tokens) as go:
        await call(server, "POST", "/tournaments", {"toml": KNOCKOUT})
        await call(server, "POST", "/tournaments/cup/start")
        await page.goto(f"{server.web}/screen")
        await scene(page, "bracket")
        await seen(page, ".left .duel").to_have_count(3)
        await seen(page, ".right .duel").to_have_count(3)
        await seen(page, ".middle .label").to_have_text("Final")
        assert await page.evaluate(FITS) == []
        await show(server, "next")
        await seen(page, ".reason").to_contain_text("a place in the semi-finals is at stake")
        go.set()
        await scene(page, "ceremony")
        await show(server, "auto")
        await show(server, "next")
        await scene(page, "bracket")
        await seen(page, ".champion").to_have_text("ana")
        assert await page.evaluate(FITS) == []


async def test_a_final_of_four_that_stays_level_goes_to_the_higher_seed_and_that_is_said(
    page: Page, tmp_path: Path
) -> None:
    await page.set_viewport_size(WALL)
    tokens = enrol(tmp_path / "data", "ana", "ben", "cid", "eva")
    with ServerProcess(tmp_path / "data") as server, class_of(server, tokens, levels=("ana", "ben")) as go:
        await call(server, "POST", "/tournaments", {"toml": KNOCKOUT})
        await call(server, "POST", "/tournaments/cup/start")
        await page.goto(f"{server.web}/screen")
        await scene(page, "bracket")
        await seen(page, ".duel").to_have_count(3)
        assert await page.evaluate(FITS) == []
        go.set()
        await scene(page, "ceremony")
        await show(server, "auto")
        await show(server, "next")
        await scene(page, "bracket")
        await seen(page, ".champion").to_have_text("ana")
        await seen(page, ".screen-foot").to_contain_text("ana – ben: level to the end; ana wins as the higher seed.")
        await page.goto(f"{server.web}/tournament/cup/?view=bracket")
        await seen(page, "main").to_contain_text("ana – ben: level to the end; ana wins as the higher seed.")


async def test_a_hidden_round_is_suspense_and_the_teacher_uncovers_the_podium_on_the_wall(
    page: Page, tmp_path: Path
) -> None:
    await page.set_viewport_size(WALL)
    cup = CUP + 'embargo = "last-round"\n'
    tokens = enrol(tmp_path / "data", "ana", "ben", "cid", "eva")
    with ServerProcess(tmp_path / "data") as server, class_of(server, tokens) as go:
        go.set()
        await call(server, "POST", "/tournaments", {"toml": cup})
        await page.goto(f"{server.web}/screen")
        await call(server, "POST", "/tournaments/cup/start")
        await seen(page, ".screen-head .aside").to_have_text("all is played")
        await scene(page, "hidden")
        await seen(page, ".countdown").to_have_text("Nobody knows")
        assert await page.evaluate(FITS) == []
        await show(server, "ceremony")
        await scene(page, "ceremony")
        await seen(page, ".step.seen").to_have_count(0)
        await show(server, "next")
        await seen(page, ".step.seen .name").to_have_text(["cid"])
        await show(server, "next")
        await show(server, "next")
        await seen(page, ".step.rank-1 .name").to_have_text("ana")


async def test_the_remote_on_a_phone(page: Page, browser: Browser, tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--guests", "--move-ms", "600000") as server:
        pairs = [await asyncio.to_thread(begin, server, names, 600_000) for names in (("ida", "oto"), ("pia", "zoe"))]
        await page.goto(f"{server.web}/screen")
        await scene(page, "match")
        async with visit(browser, locale="en", viewport={"width": 390, "height": 844}) as phone:
            remote = await phone.new_page()
            await remote.goto(f"{server.web}/remote")
            await remote.get_by_role("link", name="Sign in").click()
            await remote.get_by_label("Admin key").fill((tmp_path / "data" / "teacher.key").read_text().strip())
            await remote.get_by_role("button", name="Sign in").click()
            await remote.get_by_role("link", name="Remote", exact=True).click()
            for names in (("ida", "oto"), ("pia", "zoe"), ("ida", "oto")):
                await remote.get_by_role("button", name=" – ".join(names)).click()
                await seen(page, ".rival.s0 .name").to_have_text(names[0])
                await seen(remote, ".now").to_contain_text(f"Shows {names[0]} – {names[1]} until it is over.")
            judged = remote.get_by_role("button", name="With what the judge says")
            await judged.click()
            await seen(remote, "[aria-pressed=true]").to_contain_text(["With what the judge says", "ida – oto"])
            await judged.click()
            await seen(remote, "[aria-pressed=true]").to_have_count(1)
            await remote.get_by_role("button", name="Go through the programme").click()
            await seen(remote, ".now").to_have_text("Goes through its programme by itself.")
            await remote.get_by_role("button", name="Hold").click()
            await seen(remote, ".now").to_have_text("Stays with what it shows.")
            await remote.get_by_role("button", name="Next").click()
            await seen(page, ".rival.s0 .name").to_have_text("pia")
            assert await remote.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for *players, _ in pairs:
            for player in players:
                player.close()


@contextmanager
def class_of(server: ServerProcess, tokens: dict[str, str], levels: tuple[str, ...] = ()) -> Iterator[threading.Event]:
    """They are connected. Once the event is set, the first name in the alphabet wins; between two `levels`, seat 0."""
    go = threading.Event()
    players = [RawPlayer(server.url, token=token) for token in tokens.values()]
    threads = [threading.Thread(target=live, args=(player, go, levels)) for player in players]
    for thread in threads:
        thread.start()
    yield go
    go.set()
    for player in players:
        player.close_now()
    for thread in threads:
        thread.join()
    for player in players:
        player.close()


def live(player: RawPlayer, go: threading.Event, levels: tuple[str, ...]) -> None:
    players: dict[str, list[str]] = {}
    with suppress(ConnectionClosed):
        while True:
            message = player.receive()
            if message["type"] == "match_start":
                players[message["match"]] = message["players"]
                player.send(type="ready", match=message["match"])
            elif message["type"] == "turn":
                go.wait()
                pair = players[message["match"]]
                if (pair[0] if {*pair} <= {*levels} else min(pair)) != player.name:
                    player.send(type="resign", match=message["match"])
                else:
                    player.act(message)
