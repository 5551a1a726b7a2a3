"""The server that the page's tests of a worker share, in whatever order they run, and what they do on the page."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from playwright.async_api import Browser, BrowserContext, Page, expect
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess

PATIENCE_MS = 120_000
"""Longest wait for something to appear: what a machine that is ten times slower and busy needs."""
expect.set_options(timeout=PATIENCE_MS)

PAGES = {
    "/": "page-lobby .split",
    "/players": "page-players table",
    "/player/random/": "page-player h1",
    "/tournaments": "page-tournaments h1",
    "/seasons": "page-seasons .seasons",
    "/practice": "page-practice .place",
    "/connect": "page-connect form",
    "/teacher": "page-teacher form",
    "/screen": "page-screen .stage > *",
    "/remote": "page-remote h1",
}
HOUR_MS = 3_600_000
FOUR_IN_A_COLUMN = [3, 0, 3, 0, 3, 0, 3]


class House:
    """`taken` is a folder that the workers of a run share: who uses a name twice fails in every order."""

    def __init__(self, server: ServerProcess, taken: Path) -> None:
        self.server = server
        self.web, self.web_port, self.data = server.web, server.web_port, server.data
        self._taken = taken
        taken.mkdir(exist_ok=True)

    def called(self, name: str) -> str:
        """`name`, with which the running test comes in; AssertionError if another test has done so."""
        test = quote(os.environ["PYTEST_CURRENT_TEST"].removesuffix(" (call)"), safe="")
        mine = self._taken / quote(name, safe="")
        try:
            mine.symlink_to(test)
        except FileExistsError:
            assert os.readlink(mine) == test, f"{name!r} plays in another test, too: {unquote(os.readlink(mine))}"
        return name

    def join(self, name: str | None = None, *, token: str = "") -> RawPlayer:
        return RawPlayer(self.server.url, None if name is None else self.called(name), token=token)


@asynccontextmanager
async def visit(browser: Browser, **how: Any) -> AsyncIterator[BrowserContext]:
    context = await browser.new_context(reduced_motion="reduce", **how)
    context.set_default_timeout(PATIENCE_MS)
    yield context
    await context.close()


def seen(page: Page, what: str) -> expect:
    """Expect something of the elements that `what` selects, with patience."""
    return expect(page.locator(what))


def begin(
    server: House | ServerProcess, names: tuple[str, str], move_ms: int = HOUR_MS
) -> tuple[RawPlayer, RawPlayer, str]:
    """Two players, ready in a match of connect4; the first has seat 0. With an hour a move no clock is shown."""
    first, second = server.join(names[0]), server.join(names[1])
    first.send(type="challenge", game="connect4", opponent=second.name, seat=0, rated=False, seat_ms=[move_ms, move_ms])
    match = first.ready()
    second.ready()
    return first, second, match


def play(players: tuple[RawPlayer, RawPlayer], actions: list[int], start: int = 0) -> None:
    """These actions in turn, from the ply `start` on."""
    for ply, action in enumerate(actions, start):
        mover = players[ply % 2]
        turn = mover.until("turn")
        info = {"depth": 4, "nodes": 1200 + ply, "value": 0.5 - ply % 2, "pv": [action, 0]}
        mover.send(type="action", match=turn["match"], ply=turn["ply"], action=action, info=info)


async def come_in(page: Page, house: House, name: str, web: str | None = None) -> None:
    """`web` is another way to the house."""
    await page.goto(f"{web or house.web}/play")
    await page.get_by_role("heading", name="Who is here").wait_for()
    await page.get_by_label("Your name").fill(house.called(name))
    await page.get_by_role("button", name="Come in").click()
    await page.get_by_role("heading", name="Against whom?").wait_for()


async def resign(page: Page) -> None:
    await page.get_by_role("button", name="Resign").click()
    await page.get_by_role("dialog").get_by_role("button", name="Resign").click()


async def challenge(page: Page, opponent: Page, name: str) -> None:
    """One person challenges another, who accepts."""
    await page.locator(f"[data-opponent='{name}']").click()
    await opponent.get_by_role("button", name="Accept").click()


GO = """async (address) => { (await import("/js/addresses.js")).go(address); }"""


async def go(page: Page, address: str, shown: str) -> None:
    """Another page, without loading the document again."""
    await page.evaluate(GO, address)
    await page.locator(shown).first.wait_for(state="attached", timeout=PATIENCE_MS)


def lose(players: list[RawPlayer]) -> None:
    """The next match of these two begins, and whoever is to move resigns."""
    starts = [player.until("match_start") for player in players]
    for player, start in zip(players, starts, strict=True):
        player.send(type="ready", match=start["match"])
    mover = players[[start["seat"] for start in starts].index(0)]
    mover.until("turn")
    mover.send(type="resign", match=starts[0]["match"])
