"""Every page at phone, laptop and projector size, in both themes: `python -m benchmarks.screenshots FOLDER`.

A class of eight has finished a league and is in the middle of a cup; their bots are the reference bots, slowed down
so that there is something to see.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import SupportsIndex

from playwright.async_api import Page, async_playwright
from tests.support.servers import ServerProcess, enrol

import palestra_bots
from palestra_client import Bot, Turn, play

SIZES = {"phone": (390, 844), "laptop": (1366, 768), "projector": (1920, 1080)}
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
STUDENTS = {
    "Torre de Hércules": palestra_bots.level4,
    "zorro": palestra_bots.level3,
    "hormiga": palestra_bots.level2,
    "sembrador": palestra_bots.level2,
    "noche": palestra_bots.level1,
    "null pointer": palestra_bots.level1,
    "codo": palestra_bots.greedy,
    "pila": palestra_bots.random,
}
GAMES = ("connect4", "connect4-8x8", "desconecta4", "mancala")
LEAGUE = """
name = "liga"
title = "Liga de otoño"
games = ["connect4", "desconecta4", "mancala"]
format = "swiss"
rounds = 3
per_bot = 2
clock = { move_ms = 2000, ready_ms = 120000 }
"""
CUP = """
name = "copa"
title = "Copa de la clase"
games = ["connect4", "connect4-8x8", "desconecta4", "mancala"]
format = "round-robin"
per_bot = 2
clock = { move_ms = 4000, ready_ms = 120000 }
"""


def slowed(make: Callable[[], Bot], pace: Callable[[], float]) -> Callable[[], Bot]:
    """Make the bot think longer."""

    def begin() -> Bot:
        bot = make()
        choose = bot.choose

        def choose_later(turn: Turn) -> SupportsIndex:
            chosen = choose(turn)
            time.sleep(pace())
            return chosen

        bot.choose = choose_later  # type: ignore[method-assign]
        return bot

    return begin


async def run(folder: Path, only: str) -> None:
    """Run the tournaments and take the screenshots meanwhile."""
    data = Path(tempfile.mkdtemp()) / "data"
    tokens = enrol(data, *STUDENTS)
    slow = asyncio.Event()

    def pace() -> float:
        return random.uniform(0.6, 2.2) if slow.is_set() else 0.0

    with ServerProcess(data, "--guests", "--bot", "level1", "--bot", "level3") as server:
        bots = [
            asyncio.create_task(play(slowed(make, pace), server=server.url, token=tokens[name]))
            for name, make in STUDENTS.items()
        ]
        try:
            await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": LEAGUE})
            await until(lambda: len(server.api("GET", "/players")["players"]) >= 8)
            await asyncio.to_thread(server.api, "POST", "/tournaments/liga/start")
            await until(lambda: server.api("GET", "/tournaments/liga")["state"] == "completed")
            await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": CUP})
            await asyncio.to_thread(server.api, "POST", "/tournaments/copa/start")
            await asyncio.sleep(1)
            slow.set()
            await asyncio.sleep(15)
            print(server.web, data, flush=True)
            await take(server, folder, only)
            if only == "stay":
                await asyncio.Event().wait()
        finally:
            for bot in bots:
                bot.cancel()
            await asyncio.gather(*bots, return_exceptions=True)
            # Stopped rather than killed, so that the server ends its reference bots.
            await asyncio.to_thread(server.stop)
    shutil.rmtree(data.parent)


async def until(done: Callable[[], bool]) -> None:
    """Wait until `done`, which queries the server, returns true."""

    def ask() -> None:
        while not done():
            time.sleep(1)

    await asyncio.to_thread(ask)


async def take(server: ServerProcess, folder: Path, only: str) -> None:
    """Take the screenshots; with `only`, those whose name contains it."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        matches = (await asyncio.to_thread(server.api, "GET", "/matches?limit=200"))["matches"]
        for size, (width, height) in SIZES.items():
            context = await browser.new_context(
                viewport={"width": width, "height": height}, locale="en", device_scale_factor=1
            )
            page = await context.new_page()
            for name, path in pages(matches).items():
                if only not in ("", "stay") and only not in name:
                    continue
                if name == "teacher":
                    await sign_in(page, server)
                await page.goto(server.web + path)
                await page.wait_for_timeout(2500)
                await both_themes(page, folder / f"{name}-{size}", whole=size == "phone")
            if only in ("", "stay") or only in "table":
                await sit_down(page, server.web, size)
                await both_themes(page, folder / f"table-{size}", whole=size == "phone")
                await page.get_by_role("button", name="Resign").click()
            await context.close()
        await browser.close()


async def both_themes(page: Page, path: Path, *, whole: bool) -> None:
    for theme in ("light", "dark"):
        await page.emulate_media(color_scheme=theme)
        await page.wait_for_timeout(150)
        await page.screenshot(path=f"{path}-{theme}.png", full_page=whole)


async def sit_down(page: Page, address: str, name: str) -> None:
    """Start a match of a person against level3, with a hint."""
    await page.goto(f"{address}/play?game=desconecta4")
    await page.get_by_label("Your name").fill(name)
    await page.get_by_role("button", name="Come in").click()
    await page.locator("select[name=seat]").select_option("0")
    await page.locator("[data-opponent=level3]").click()
    for key in "43":
        await page.get_by_text("Your turn").wait_for()
        await page.keyboard.press(key)
    await page.get_by_text("Your turn").wait_for()
    await page.get_by_role("button", name="Hint").click()
    await page.wait_for_timeout(500)


def pages(matches: list[dict]) -> dict[str, str]:
    live = next(m for m in matches if m["live"])
    over = {
        game: next((m for m in matches if not m["live"] and m["game"] == game and m["plies"] > 8), None)
        for game in GAMES
    }
    desco = over["desconecta4"] or live
    mancala = over["mancala"] or live
    return {
        "lobby": "/",
        "match-live": f"/match/{live['match']}",
        "match-over": f"/match/{desco['match']}",
        "match-mancala": f"/match/{mancala['match']}?ply=9",
        "tournaments": "/tournaments",
        "standings": "/tournament/liga/",
        "crosstable": "/tournament/liga/?view=crosstable",
        "schedule": "/tournament/copa/?view=schedule",
        "players": "/players",
        "player": "/player/zorro/",
        "play": "/play",
        "practice": "/practice?game=desconecta4",
        "connect": "/connect",
        "screen": "/screen",
        "teacher": "/teacher",
    }


async def sign_in(page: Page, server: ServerProcess) -> None:
    await page.goto(server.web + "/teacher")
    await page.get_by_label("Admin key").fill((server.data / "teacher.key").read_text().strip())
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("button", name="Sign out").wait_for()


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    asyncio.run(run(target, sys.argv[2] if len(sys.argv) > 2 else ""))
