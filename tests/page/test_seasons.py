"""A season on the page, as its teacher, an assistant and a phone see it."""

import asyncio
import json

import httpx
import pytest
from playwright.async_api import Page
from tests.support.page import House, seen

pytestmark = pytest.mark.asyncio(loop_scope="session")

LEAGUE = 'name = "{0}"\ntitle = "League of {0}"\ntournaments = ["{0}-1", "{0}-2"]\n'


def ask(house: House, path: str, body: dict[str, str]) -> dict[str, str]:
    said = json.loads((house.data / "server.json").read_text())
    headers = {"authorization": f"Bearer {said['key']}"}
    answer = httpx.post(f"{house.web}/api/v1{path}", json=body, headers=headers, verify=False)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def enter(page: Page, house: House, key: str) -> None:
    await page.goto(f"{house.web}/teacher")
    await page.locator("input[name=key]").fill(key)
    await page.locator("input[name=key]").press("Enter")
    await seen(page, "#tournaments").to_be_visible()


async def test_the_teacher_makes_a_season_and_deletes_it(page: Page, house: House) -> None:
    await enter(page, house, json.loads((house.data / "server.json").read_text())["key"])
    await page.goto(f"{house.web}/seasons")
    await page.get_by_label("Season file").fill("name = 'x'\n")
    await page.get_by_role("button", name="Create the season").click()
    await seen(page, ".say.bad").to_contain_text("'tournaments' is missing.")
    await page.get_by_label("Season file").fill(LEAGUE.format("autumn"))
    await page.get_by_role("button", name="Create the season").click()
    await seen(page, ".say.ok").to_contain_text("League of autumn is created.")
    await seen(page, ".say.ok").to_contain_text("There is no tournament autumn-2 yet; create it before it is to count.")
    await page.get_by_role("link", name="League of autumn").click()
    await seen(page, "page-seasons").to_contain_text("None of its tournaments has begun yet.")
    await page.get_by_role("button", name="Delete").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await seen(page, ".seasons .card").to_have_count(0)


async def test_the_owner_gives_a_key_out_and_takes_it_back(page: Page, house: House) -> None:
    await enter(page, house, json.loads((house.data / "server.json").read_text())["key"])
    await page.get_by_label("Name, such as gomez").fill("gomez")
    await page.get_by_label("Rights").select_option("run")
    await page.get_by_role("button", name="Make a key").click()
    await seen(page, "#keys .say.ok").to_contain_text("The key of gomez")
    key = await page.locator("#keys code").inner_text()
    asked = {"url": f"{house.web}/api/v1/roster", "headers": {"authorization": f"Bearer {key}"}, "verify": False}
    assert (await asyncio.to_thread(httpx.get, **asked)).status_code == 200
    line = page.locator("#keys li", has_text="gomez")
    await line.get_by_role("button", name="Take back").click()
    await page.get_by_role("dialog").get_by_role("button", name="Take back").click()
    await seen(page, "#keys .say.ok").to_have_text("The key of gomez opens nothing any more.")
    assert (await asyncio.to_thread(httpx.get, **asked)).status_code == 401
    await page.locator(".acts summary").click()
    await seen(page, ".acts tr >> nth=0").to_contain_text("Keys: removed")


async def test_an_assistant_is_named_and_told_that_the_key_only_reads(page: Page, house: House) -> None:
    key = (await asyncio.to_thread(ask, house, "/teachers", {"name": "helper", "rights": "read"}))["key"]
    await asyncio.to_thread(ask, house, "/seasons", {"toml": LEAGUE.format("winter")})
    await enter(page, house, key)
    await seen(page, "header a.pill[href='/teacher']").to_contain_text("helper")
    await seen(page, "page-teacher > .say").to_contain_text("The key of helper only reads")
    await seen(page, "#keys").to_contain_text("helper · only reads")
    acts = [
        "Start",
        "Pause",
        "Delete",
        "Withdraw a player",
        "Make a key",
        "Take back",
        "Ban",
        "New tokens for everybody",
    ]
    for act in acts:
        assert await page.get_by_role("button", name=act, exact=True).count() == 0, act
    for gone in (".new-tournament", ".import", "a[href='/remote']"):
        assert await page.locator(gone).count() == 0, gone
    await page.locator(".acts summary").click()
    await seen(page, ".acts table").to_contain_text("Keys: added")
    await page.goto(f"{house.web}/seasons")
    await seen(page, ".seasons").to_contain_text("League of winter")
    assert await page.get_by_role("button", name="Create the season").count() == 0


async def test_the_table_of_a_season_strikes_out_what_does_not_count(page: Page, house: House) -> None:
    """As the server tells it: its own tests say that it is right."""
    leg = {"place": 1, "students": 2, "points": 2.0, "came": True, "score": 100.0, "counts": True}
    rating = {"elo": 80.0, "low": -20.0, "high": 180.0, "rank_low": 1, "rank_high": 2}
    row = {
        "rank": 1,
        "player": "ana",
        "group": "A",
        "total": 100.0,
        "legs": [leg, {**leg, "score": 40.0, "counts": False}],
    }
    legs = [{"name": name, "title": name, "weight": 1.0, "state": "completed"} for name in ("w1", "w2")]
    season = {
        "name": "s",
        "title": "S",
        "tournaments": legs,
        "scoring": "place",
        "best": 1,
        "graded": False,
        "hides": False,
    }
    await page.route("**/api/v1/seasons", lambda route: route.fulfill(json={"seasons": [season], "example": ""}))
    await page.route("**/api/v1/seasons/s", lambda route: route.fulfill(json=season))
    rows = {
        "rows": [{**row, "rating": rating}, {**row, "rank": 2, "player": "bob", "legs": [leg, None], "rating": None}]
    }
    await page.route("**/api/v1/seasons/s/standings", lambda route: route.fulfill(json=rows))
    await page.goto(f"{house.web}/seasons/s/")
    await seen(page, ".season s").to_have_text("40")
    await seen(page, ".season .sparkline circle").to_have_count(3)
    await seen(page, ".season tbody tr:first-child .ranks").to_have_text("1–2")
    for path in ("s/", ""):  # and in the list of all seasons
        await page.goto(f"{house.web}/seasons/{path}")
        await seen(page, ".season tbody tr").to_have_count(2)
        await page.set_viewport_size({"width": 360, "height": 700})
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
    await seen(page, ".seasons .card").to_contain_text("2 of 2 tournaments are over")
