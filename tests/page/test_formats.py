"""The page knows no format by name: what it shows of one, it learns from the server."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from tests.support.plugins import environment_with, install_plugin
from tests.support.servers import ServerProcess, enrol

pytestmark = pytest.mark.asyncio(loop_scope="session")

CUP = 'name = "{name}"\ngames = ["connect4"]\nseeding = "roster"\nformat = "{format}"\n'


async def test_a_format_that_no_script_knows_is_offered_and_shown(page: Page, tmp_path: Path) -> None:
    data = tmp_path / "data"
    enrol(data, "ana", "bob", "eva", "fay")
    env = environment_with(install_plugin(tmp_path / "plugin", "palestra_hill"))
    with ServerProcess(data, env=env) as server:
        await page.goto(f"{server.web}/teacher")
        await page.get_by_label("Admin key").fill((data / "teacher.key").read_text().strip())
        await page.get_by_role("button", name="Sign in").click()
        await page.locator(".new-tournament summary").click()
        file, choice = page.locator("textarea[name=toml]"), page.locator("select[name=format]")
        await expect(file).to_have_value(re.compile('format = "swiss"'))
        await choice.select_option(label="King of the hill")
        await expect(file).to_have_value(re.compile('format = "king-of-the-hill"\n# laps = 1 '))
        # Its own key is a field, too.
        await page.locator("[data-field=laps] input").fill("3")
        await expect(file).to_have_value(re.compile("^laps = 3 ", re.MULTILINE))
        for name, kind in (("hill", "king-of-the-hill"), ("four", "groups")):
            more = "group_size = 2\n" if kind == "groups" else ""
            server.api("POST", "/tournaments", {"toml": CUP.format(name=name, format=kind) + more})
            assert server.api("POST", f"/tournaments/{name}/start")["state"] == "running"

        await page.goto(f"{server.web}/tournament/hill?view=groups")
        tabs = page.get_by_role("tab")
        await expect(tabs).to_have_text(["Standings", "Schedule", "Crosstable", "Bracket"])
        await expect(page.locator("[role=tab][aria-selected=true]")).to_have_text("Standings")
        await expect(page.locator(".facts")).to_contain_text("King of the hill")
        await expect(page.locator("th", has_text="reigns")).to_have_count(1)
        await tabs.filter(has_text="Bracket").click()
        await expect(page.locator(".bracket .meeting span:first-child")).to_have_text(["ana", "bob"])

        await page.goto(f"{server.web}/tournament/four?view=groups")
        await expect(tabs).to_have_text(["Standings", "Schedule", "Crosstable", "Group stage", "Bracket"])
        await expect(page.locator("#part h3")).to_have_text(["Group 1", "Group 2"])
        await expect(page.locator("#part li")).to_have_text(["ana", "fay", "bob", "eva"])
