"""Every page in three sizes, two themes and two languages: `python -m benchmarks._screenshots FOLDER [NAME]`.

A class of eight has finished a league, a knock-out, groups and a gauntlet and is in the middle of a cup; their bots are
the reference bots, slowed down so that there is something to see. With NAME only the pages whose name contains it;
with `stay` the server goes on afterwards.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import SupportsIndex

from playwright.async_api import Browser, BrowserContext, Page, async_playwright
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
SHORT = """
name = "{name}"
title = "{title}"
games = ["connect4"]
format = "{format}"
clock = {{ move_ms = 2000, ready_ms = 120000 }}
per_bot = 2
"""
SHORT_ONES = {
    "eliminatoria": ("Eliminatoria", "elimination", ""),
    "grupos": ("Grupos y final", "groups", ""),
    "reto": ("Reto", "gauntlet", 'reference = ["level1"]'),
}
LANGUAGES = ("en", "es")
SEASON = 'name = "curso"\ntitle = "El curso"\ntournaments = ["liga", "eliminatoria", "copa"]\n'
TOMORROW = """
name = "manana"
title = "Torneo de mañana"
games = ["connect4", "mancala"]
format = "swiss"
start = {start}
grades = {{ base = 2, participation = {{ points = 5 }}, top = [{{ places = 3, points = 1 }}] }}
"""
DRAFT = SHORT.format(name="escalera", title="Escalera", format="ladder")
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
    """Run the tournaments, taking screenshots as they go."""
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
            for name, (title, form, more) in SHORT_ONES.items():
                toml = SHORT.format(name=name, title=title, format=form) + more
                await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": toml})
                await asyncio.to_thread(server.api, "POST", f"/tournaments/{name}/start")
                await until(lambda name=name: server.api("GET", f"/tournaments/{name}")["state"] == "completed")
            start = (datetime.now().astimezone() + timedelta(hours=20)).isoformat(timespec="seconds")
            for toml in (DRAFT, TOMORROW.format(start=start)):
                await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": toml})
            await asyncio.to_thread(server.api, "POST", "/seasons", {"toml": SEASON})
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
    only = "" if only == "stay" else only
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        matches = (await asyncio.to_thread(server.api, "GET", "/matches?limit=200"))["matches"]
        for size, language in product(SIZES, LANGUAGES):
            context = await seat(browser, size, language)
            page = await context.new_page()
            for name, path in pages(matches).items():
                if only not in name:
                    continue
                if name == "teacher":
                    await sign_in(page, server)
                await shoot(page, server.web + path, folder / f"{name}-{size}-{language}", size)
            if only in "form":
                await sign_in(page, server)
                await page.locator(".new-tournament summary").first.click()
                await page.locator(".form summary").last.click()
                await page.locator("[data-field='clock.move_ms'] input").wait_for(state="attached")
                await both_themes(page, folder / f"form-{size}-{language}", whole=True)
            if only in "ceremony" and size == "projector":
                await ceremony(page, server, folder / f"ceremony-{language}")
            if only in "table" and language == "en":
                await sit_down(page, server.web, size)
                await both_themes(page, folder / f"table-{size}", whole=size == "phone")
                await page.get_by_role("button", name="Resign").click()
            await context.close()
        await browser.close()


async def take_empty(folder: Path, only: str) -> None:
    """The pages of a server where nothing has happened yet."""
    data = Path(tempfile.mkdtemp()) / "data"
    with ServerProcess(data) as server:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
            for size in ("phone", "laptop"):
                context = await seat(browser, size, "en")
                page = await context.new_page()
                for name, path in EMPTY.items():
                    if name == "empty-teacher":
                        await sign_in(page, server)
                    if only in name:
                        await shoot(page, server.web + path, folder / f"{name}-{size}", size)
                await context.close()
            await browser.close()
    shutil.rmtree(data.parent)


async def seat(browser: Browser, size: str, language: str) -> BrowserContext:
    width, height = SIZES[size]
    phone = size == "phone"
    return await browser.new_context(
        viewport={"width": width, "height": height}, locale=language, is_mobile=phone, has_touch=phone
    )


async def shoot(page: Page, address: str, path: Path, size: str) -> None:
    await page.goto(address)
    await page.wait_for_timeout(1500)
    await both_themes(page, path, whole=size == "phone")


async def both_themes(page: Page, path: Path, *, whole: bool) -> None:
    size = page.viewport_size
    if whole and size is not None:
        # Not `full_page`, after which Chromium no longer passes for a phone.
        height = await page.evaluate("document.documentElement.scrollHeight")
        await page.set_viewport_size({"width": size["width"], "height": max(height, size["height"])})
    for theme in ("light", "dark"):
        await page.emulate_media(color_scheme=theme)
        await page.wait_for_timeout(150)
        await page.screenshot(path=f"{path}-{theme}.png")
    if size is not None:
        await page.set_viewport_size(size)


async def ceremony(page: Page, server: ServerProcess, path: Path) -> None:
    """The podium of the knock-out as it is uncovered, and its bracket on the big screen."""

    async def show(**what: str) -> None:
        await asyncio.to_thread(server.api, "POST", "/screen", what)

    await page.goto(server.web + "/screen")
    await show(show="ceremony", tournament="eliminatoria")
    for step in range(4):
        await page.wait_for_timeout(1000)
        await both_themes(page, path.with_name(f"{path.name}-{step}"), whole=False)
        await show(show="next")
    await show(show="auto")


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
    ended = {f"match-{game}": f"/match/{(match or live)['match']}" for game, match in over.items()}
    return {
        "lobby": "/",
        "match-live": f"/match/{live['match']}",
        **ended,
        "match-replay": f"{ended['match-mancala']}?ply=9",
        "match-missing": "/match/0123456789ab",
        "tournaments": "/tournaments",
        "standings": "/tournament/liga/",
        "crosstable": "/tournament/liga/?view=crosstable",
        "schedule": "/tournament/copa/?view=schedule",
        "bracket": "/tournament/eliminatoria/?view=bracket",
        "groups": "/tournament/grupos/",
        "groups-bracket": "/tournament/grupos/?view=bracket",
        "gauntlet": "/tournament/reto/",
        "draft": "/tournament/escalera/",
        "before": "/tournament/manana/",
        "tournament-missing": "/tournament/nothing/",
        "players": "/players",
        "player": "/player/zorro/",
        "player-missing": "/player/nobody/",
        "play": "/play",
        "practice": "/practice?game=desconecta4",
        "connect": "/connect",
        "screen": "/screen",
        "seasons": "/seasons",
        "season": "/seasons/curso/",
        "door": "/teacher",
        "teacher": "/teacher",
        "remote": "/remote",
    }


EMPTY = {
    "empty-lobby": "/",
    "empty-tournaments": "/tournaments",
    "empty-players": "/players",
    "empty-play": "/play",
    "empty-connect": "/connect",
    "empty-screen": "/screen",
    "empty-teacher": "/teacher",
}


async def sign_in(page: Page, server: ServerProcess) -> None:
    await page.goto(server.web + "/teacher")
    if not await page.context.cookies():
        await page.locator("input[name=key]").fill((server.data / "teacher.key").read_text().strip())
        await page.locator("page-teacher form button.main").click()
    await page.locator(".new-tournament").wait_for()


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    if wanted != "stay":
        asyncio.run(take_empty(target, wanted))
    asyncio.run(run(target, wanted))
