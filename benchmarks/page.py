"""How long a spectator waits for the first board, and for the pages of a Swiss tournament of 300; and the page's size.

Uses headless Chromium with a fresh profile for each load; server and browser share this machine. Time is the browser's
`performance.now()`, from the start of navigation until the first live board is painted.
"""

from __future__ import annotations

import random
import shutil
import statistics
import tempfile
from contextlib import closing
from itertools import count
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from tests.support.played import play_out, settle
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess

from palestra_server.store import Store
from palestra_server.web.assets import read_assets
from palestra_tournament import Entrant

LOADS = 10
LARGE = 300
CUP = 'name = "cup"\ngames = ["connect4"]\nformat = "swiss"\n'
PARTS = {"standings": ".standings tbody tr", "crosstable": ".cross tbody tr", "schedule": ".round .fixture"}
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
FIRST_BOARD = """
window.firstBoard = new Promise((resolve) => {
  new MutationObserver((_, observer) => {
    if (!document.querySelector(".match-card svg .piece")) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  }).observe(document, { childList: true, subtree: true });
});
"""
DRAWN = "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"
FETCHED = """performance.getEntriesByType("resource")
    .filter(({ name, transferSize }) => /\\.(js|css)$/.test(name) && transferSize > 0).length"""


def run() -> list[tuple[str, str]]:
    """Rows of (label, figure): the size of all files, then the time to the first board."""
    rows = [("weight of all files, as sent", f"{weight() / 1000:.1f} kB")]
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        return [*rows, ("time to first board", "not measured: apt-get install chromium")]
    with (
        tempfile.TemporaryDirectory() as folder,
        ServerProcess(Path(folder) / "data", "--guests", "--move-ms", "600000") as server,
        sync_playwright() as playwright,
    ):
        players = begin(server.url)
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        first_board(browser, server.web)  # the server's one-time work isn't part of a spectator's wait
        loads = [first_board(browser, server.web) for _ in range(LOADS)]
        for player in players:
            player.close()
        large = large_tournament(browser)
        browser.close()
    for at, visit in enumerate(("first visit", "second visit")):
        times = sorted(load[at][0] for load in loads)
        figure = f"{statistics.median(times):.0f} ms (median of {LOADS}; {times[0]:.0f} to {times[-1]:.0f} ms)"
        rows.append((f"time to first board, {visit}", figure))
        rows.append((f"files fetched for it, {visit}", str(max(load[at][1] for load in loads))))
    return [*rows, *large]


def large_tournament(browser: Browser) -> list[tuple[str, str]]:
    """The first visit to each part of a Swiss tournament of 300 that is over: its time, and elements on the page."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with closing(Store(data)) as store:
            entrants = [Entrant(f"player {number}", "AB"[number % 2]) for number in range(LARGE)]
            how = {"ends": "resign", "dull": True}
            play_out(store, CUP, entrants, random.Random(1), count(1_000_000, 10), count(1), lambda *_: how)
            settle(store)
        with ServerProcess(data) as server:
            for part, there in PARTS.items():
                times = []
                for _ in range(LOADS):
                    context = browser.new_context(locale="en")
                    page = context.new_page()
                    page.goto(f"{server.web}/tournament/cup/?view={part}")
                    page.locator(there).first.wait_for()
                    drawn = DRAWN
                    times.append(float(page.evaluate(drawn)))
                    elements = page.evaluate("document.querySelectorAll('*').length")
                    context.close()
                figure = (
                    f"{statistics.median(times):.0f} ms (median of {LOADS}; {min(times):.0f} to {max(times):.0f} ms)"
                )
                rows.append((f"{part} of {LARGE}, first visit", f"{figure}, {elements:,} elements"))
    return rows


def weight() -> int:
    """Bytes of the whole page as it is sent, in every language; no browser loads licences."""
    files = [asset for path, asset in read_assets().files.items() if not path.endswith(".txt")]
    return sum(len(asset.zipped or asset.plain) for asset in files)


def begin(url: str) -> tuple[RawPlayer, RawPlayer]:
    """Start a match that waits for its second ply; return its players."""
    first, second = RawPlayer(url, "ana"), RawPlayer(url, "ben")
    first.challenge(second.name)
    match = first.ready()
    second.ready()
    turn = first.until("turn")
    first.send(type="action", match=match, ply=turn["ply"], action=3)
    second.until("turn")
    return first, second


def first_board(browser: Browser, address: str) -> list[tuple[float, int]]:
    """Milliseconds until a live board is visible, and the files fetched: first visit, second visit."""
    context = browser.new_context(locale="en")
    page = context.new_page()
    page.add_init_script(FIRST_BOARD)
    visits = []
    for _ in range(2):
        page.goto(address)
        visits.append((float(page.evaluate("window.firstBoard")), 1 + int(page.evaluate(FETCHED))))
    context.close()
    return visits
