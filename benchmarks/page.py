"""How long a spectator waits for the first board, and the size of the page.

Uses headless Chromium with a fresh profile for each load; server and browser share this machine. Time is the browser's
`performance.now()`, from the start of navigation until the first live board is painted.
"""

from __future__ import annotations

import gzip
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess

import palestra_server.web

LOADS = 10
STATIC = Path(palestra_server.web.__file__).parent / "static"
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
FETCHED = """performance.getEntriesByType("resource")
    .filter(({ name, transferSize }) => /\\.(js|css)$/.test(name) && transferSize > 0).length"""


def run() -> list[tuple[str, str]]:
    """Rows of (label, figure): the size of all files, then the time to the first board."""
    rows = [("weight of all files, gzip", f"{weight() / 1000:.1f} kB")]
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
        browser.close()
        for player in players:
            player.close()
    for at, visit in enumerate(("first visit", "second visit")):
        times = sorted(load[at][0] for load in loads)
        figure = f"{statistics.median(times):.0f} ms (median of {LOADS}; {times[0]:.0f} to {times[-1]:.0f} ms)"
        rows.append((f"time to first board, {visit}", figure))
        rows.append((f"files fetched for it, {visit}", str(max(load[at][1] for load in loads))))
    return rows


def weight() -> int:
    """Bytes of the whole page as transferred, in every language."""
    return sum(len(gzip.compress(path.read_bytes())) for path in STATIC.rglob("*") if path.is_file())


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
