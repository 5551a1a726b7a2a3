"""One real Chromium for all tests of the page, and one server that they share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Error, Page, Request, async_playwright
from tests.support.page import PATIENCE_MS, House, visit
from tests.support.plugins import install_plugin
from tests.support.servers import ServerProcess

BROWSERS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
"""The headless shell first: a visit costs it a quarter of the processor time."""
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium-headless-shell (or chromium)")
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS, timeout=PATIENCE_MS)
        yield chromium
        await chromium.close()


@pytest_asyncio.fixture(loop_scope="session")
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    """A browser as it is on the first visit, in English, with little motion."""
    async with visit(browser, locale="en", accept_downloads=True) as context:
        yield context


@pytest_asyncio.fixture(loop_scope="session")
async def page(context: BrowserContext) -> AsyncIterator[Page]:
    """A tab; a fault in any script of the page fails the test."""
    page = await context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    assert faults == []


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def _workshop(browser: Browser) -> AsyncIterator[Page]:
    async with visit(browser, locale="en") as context:
        yield await context.new_page()


LEFT = """async () => {
    const left = [...Object.keys(localStorage), ...Object.keys(sessionStorage), ...await caches.keys(),
        ...(await indexedDB.databases()).map((each) => each.name)];
    localStorage.clear();
    sessionStorage.clear();
    return left;
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def workshop(_workshop: Page, house: House) -> AsyncIterator[Page]:
    """A document of this site that loads no script, for who asks modules of the page and uses nothing else of it.

    It takes a fifth of what a visit costs, because the tab serves every test. Each has a new document with new modules,
    and whoever leaves anything else behind fails.
    """
    address = f"{house.web}/docs/"
    faults: list[str] = []
    asked: list[str] = []

    def hear(error: Error) -> None:
        faults.append(str(error))

    def note(request: Request) -> None:
        asked.extend([request.url] if request.resource_type != "script" else [])

    await _workshop.goto(address)
    size = _workshop.viewport_size
    _workshop.on("pageerror", hear)
    _workshop.on("request", note)
    yield _workshop
    _workshop.remove_listener("pageerror", hear)
    _workshop.remove_listener("request", note)
    assert faults == []
    assert asked == []
    assert await _workshop.evaluate(LEFT) == []
    assert await _workshop.context.cookies() == []
    assert (_workshop.context.pages, _workshop.url, _workshop.viewport_size) == ([_workshop], address, size)


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server that lets guests in, with a game that no script of the page knows."""
    site = install_plugin(tmp_path_factory.mktemp("plugin"))
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    data = tmp_path_factory.mktemp("house") / "data"
    with ServerProcess(data, "--guests", env={"PYTHONPATH": str(site)}) as server:
        yield House(server, shared / "names")


@pytest.fixture(scope="session")
def random_bot(house: House, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The reference bot `random`, as a student would start it; the name under which it plays."""
    log = tmp_path_factory.mktemp("bot") / "random.log"
    command = [sys.executable, "-m", "palestra_client", "join", "palestra_bots:random"]
    with log.open("w") as out:
        bot = subprocess.Popen(
            [*command, "--server", house.server.url, "--name", "rolf"], stdout=out, stderr=out, cwd=Path(log).parent
        )
    yield "rolf"
    bot.terminate()
    bot.wait()
