"""The big screen: which match it shows first, and that it tells nothing that is hidden."""

from __future__ import annotations

import asyncio
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page
from tests.support.page import House, begin, play, seen
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess, enrol, held_port, journalled

pytestmark = pytest.mark.asyncio(loop_scope="session")

GAME_MS = 26_000
PAGE_MS = 13_000
CUP = """
name = "cup"
games = ["connect4"]
format = "round-robin"
clock = { move_ms = 2000 }
"""
STANDINGS = [{"player": name, "points": points} for name, points in (("ana", 5), ("ben", 4.5), ("cid", 2), ("eva", 2))]


def match(pieces: int = 20, players: tuple[str, str] = ("x", "y"), **more: Any) -> dict[str, Any]:
    """A match on a grid of 42 cells, of which so many are taken."""
    cells = [{"kind": "piece" if at < pieces else "empty", "seat": None} for at in range(42)]
    view = {"kind": "grid", "cells": cells, "stores": None}
    return {"ply": pieces, "players": players, "view": view, "move_ms": [2000, 2000], **more}


def seeds(first: int, second: int) -> dict[str, Any]:
    """A match with these stores."""
    view = {"kind": "pits", "cells": [], "stores": [first, second]}
    return {"ply": 20, "players": ("x", "y"), "view": view}


async def test_the_tensest_match_comes_first(page: Page, house: House) -> None:
    await page.goto(house.web)
    pairs = [
        ("late", match(35), match(5)),
        ("even by what the bots say", match(values=[10, -10]), match(values=[9000, -9000])),
        ("even, in numbers below 1", match(values=[0.1, None]), match(values=[0.9, None])),
        ("both say that they win", match(values=[40, 40]), match(values=[40, -40])),
        ("short of time", match(charged_ms=[1900, None]), match(charged_ms=[12, 15])),
        ("short of a time of its own", match(charged_ms=[90, 0], move_ms=[100, 2000]), match(charged_ms=[90, 0])),
        ("the lead", match(players=("ben", "ana")), match(players=("cid", "eva"))),
        ("who can draw level", match(players=("ana", "ben")), match(players=("ana", "cid"))),
        ("a tournament", match(players=("cid", "eva")), match(players=("guest", "eva"))),
        ("what more than half of the seeds decided", seeds(3, 2), seeds(26, 20)),
        ("even stores", seeds(15, 14), seeds(24, 5)),
        ("a board that is known", match(1), {**match(40), "view": None}),
    ]
    wrong = await page.evaluate(
        """async ([pairs, standings]) => {
            const { tension } = await import("/js/tension.js");
            return pairs.filter(([, more, less]) => !(tension(more, standings) > tension(less, standings)))
                .map(([why]) => why);
        }""",
        [pairs, STANDINGS],
    )
    assert wrong == []


async def test_several_matches_at_once_come_back_by_themselves_after_a_crash(page: Page, tmp_path: Path) -> None:
    data, options = tmp_path / "data", ("--guests", "--move-ms", "600000", "--away-ms", "600000")
    bots, web = held_port(), held_port()
    with ServerProcess(data, *options, port=bots, web_port=web) as server:
        matches = [await asyncio.to_thread(begin, server, (f"a{n}", f"b{n}")) for n in range(3)]
        await page.clock.install()
        await page.goto(f"{server.web}/screen")
        for *players, _ in matches:
            await asyncio.to_thread(play, players, [3, 0])
        await seen(page, ".screen-game .piece").to_have_count(2)
        for *_, match in matches:
            await asyncio.to_thread(journalled, data, match, 4)
        server.stop(signal.SIGKILL)
        await seen(page, ".screen-foot .lost").to_be_visible()
        # Nor does it go on to a match of which nothing comes.
        await page.clock.fast_forward(GAME_MS)
        await seen(page, ".screen-game .piece").to_have_count(2)
    with ServerProcess(data, *options, port=bots, web_port=web) as server:
        for first, second, _ in matches:
            back = [await asyncio.to_thread(RawPlayer, server.url, resume=each.session) for each in (first, second)]
            await asyncio.to_thread(lambda back=back: [player.ready() for player in back])
            await asyncio.to_thread(play, back, [3, 0, 3], 2)
        await seen(page, ".screen-foot .lost").to_have_count(0)
        await seen(page, ".screen-game .piece").to_have_count(5)


async def test_both_clocks_are_beside_the_board_as_they_run(page: Page, tmp_path: Path) -> None:
    await page.set_viewport_size({"width": 1920, "height": 1080})
    with ServerProcess(tmp_path / "data", "--guests") as server:
        *players, match = await asyncio.to_thread(begin, server, ("ida", "oto"), 600_000)
        await asyncio.to_thread(play, players, [3])
        await page.clock.install()
        await page.goto(f"{server.web}/screen")
        mine, other = ".side.s1.moves-now .time", ".side.s0:not(.moves-now) .time"
        await seen(page, mine).to_have_text(re.compile(r"^\d+\.\d$"))
        await seen(page, other).to_have_text("600.0")
        begun = float(await page.locator(mine).inner_text())
        await page.clock.run_for(10_000)
        assert float(await page.locator(mine).inner_text()) <= begun - 10
        await seen(page, other).to_have_text("600.0")
        # Readable from the back row: a twentieth of the height, and nothing is pushed off the screen.
        assert await page.locator(mine).evaluate("time => parseFloat(getComputedStyle(time).fontSize)") >= 54
        assert await page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        players[0].send(type="resign", match=match)
        await seen(page, ".side.s1.winner .time").to_have_text("won")
        await seen(page, other).to_have_text("")


async def test_the_tables_and_the_address_below_them_have_their_place_on_the_screen(page: Page, tmp_path: Path) -> None:
    names = [f"student {n} of the class" for n in range(11)]
    enrol(tmp_path / "data", *names)
    await page.set_viewport_size({"width": 1920, "height": 1080})
    await page.clock.install()
    with ServerProcess(tmp_path / "data") as server:
        await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": CUP})
        await asyncio.to_thread(server.api, "POST", "/tournaments/cup/start")
        await page.goto(f"{server.web}/screen")
        # Each two once, however often they meet.
        for shown in (".num", ".quiet:text('2 matches · Connect 4')"):
            await seen(page, ".screen-table tr").to_have_count(10)
            await page.locator(f".screen-table {shown}").first.wait_for()
            assert await page.evaluate("document.documentElement.scrollHeight <= innerHeight")
            await page.clock.fast_forward(PAGE_MS)
