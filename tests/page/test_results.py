"""What came of matches is the same wherever it is shown, and nowhere too early."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, WebSocketRoute
from tests.support.page import House, lose, seen
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess, enrol

pytestmark = pytest.mark.asyncio(loop_scope="session")

CUP = """
name = "cup"
games = ["connect4"]
format = "round-robin"
openings = false
absent = "wait"
clock = { move_ms = 3600000, ready_ms = 3600000 }
"""


# A line of the standings in which nothing was played.
ROW: dict[str, Any] = {
    **{"rank": 1, "group": "", "reference": False, "withdrawn": False, "points": 0, "tiebreaks": {}, "played": 0},
    **{"wins": 0, "draws": 0, "losses": 0, "rating": None, "rating_low": None, "rating_high": None},
}


def fixture(returns: list[int] | None, reason: str | None, state: str = "ended", seat: int = 0) -> dict[str, Any]:
    players = ["ana", "ben"] if seat == 0 else ["ben", "ana"]
    return {
        "round": 1,
        "game": "connect4",
        "players": players,
        "state": state,
        "match": "m",
        "returns": returns,
        "reason": reason,
    }


async def test_a_meeting_counts_as_the_standings_do(workshop: Page) -> None:
    meetings = [
        ([fixture([1, -1], "rules"), fixture([0, 0], "rules", seat=1)], "1½–½", "", ["1", "½"]),
        ([fixture([0, 0], "not_ready"), fixture([0, 0], "void")], "0–0", "Not ready in time · Cancelled", ["0", "0"]),
        ([fixture([-1, 1], "walkover"), fixture([0, 0], "walkover")], "0–1", "Walkover", ["0", "0"]),
        ([fixture([1, -1], "rules", seat=1), fixture(None, None, "playing")], "1–0", "", ["1", "●"]),
        ([fixture(None, None, "waiting")] * 2, "–", "", []),
    ]
    shown = await workshop.evaluate(
        """async meetings => {
            const { meetingList } = await import("/js/parts/schedule.js");
            const { render } = await import("/js/view.js");
            return meetings.map(([fixtures]) => {
                const round = document.createElement("div");
                render(meetingList(fixtures), round);
                const text = what => [...round.querySelectorAll(what)].map(one => one.textContent);
                const faults = round.querySelector(".waiting") ? [""] : text(".legs > .whole");
                return [text(".score")[0], faults[0] ?? "", text(".chip").map(chip => chip.replace(/\\s/g, ""))];
            });
        }""",
        meetings,
    )
    assert shown == [list(meeting[1:]) for meeting in meetings]


async def test_a_long_name_leaves_room_for_the_points_and_a_bye_is_told(page: Page, house: House) -> None:
    await page.goto(house.web)
    rows = [{**ROW, "player": "W" * 64, "points": 3.5, "wins": 2, "played": 2}, {**ROW, "player": "ana"}]
    await page.evaluate(
        """async (rows) => {
            const { standingsTable } = await import("/js/parts/standings.js");
            const { render } = await import("/js/view.js");
            document.body.innerHTML = "<main><div class='card'></div></main>";
            render(standingsTable(rows, "cup"), document.querySelector(".card"));
        }""",
        rows,
    )
    told = page.locator("a.number").first
    assert "2" in await told.get_attribute("title")
    assert "1½" in await told.get_attribute("title")
    name = page.locator(".player-cell a").first
    assert await name.get_attribute("title") == "W" * 64
    for width in (390, 1366):
        await page.set_viewport_size({"width": width, "height": 768})
        box = await told.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width, width
        assert await name.evaluate("(link) => link.getBoundingClientRect().height < 60"), width


async def test_who_shares_a_place_with_the_fourth_is_not_on_the_podium(workshop: Page) -> None:
    ranks = {(1, 2, 3): "123", (1, 2, 3, 3): "12", (1, 1, 3, 4): "113", (1, 2, 2, 2): "1", (1, 1, 1, 1): "", (1,): "1"}
    for some, steps in ranks.items():
        rows = [
            {"player": f"p{at}", "rank": rank, "reference": False, "played": 1, "points": 1}
            for at, rank in enumerate(some)
        ]
        shown = await workshop.evaluate(
            """async rows => {
                const { podium } = await import("/js/parts/leaders.js");
                const { render } = await import("/js/view.js");
                const shown = document.createElement("div");
                render(podium(rows), shown);
                return [...shown.querySelectorAll(".place")].map(place => place.textContent).join("");
            }""",
            rows,
        )
        assert shown == steps, some


async def test_a_result_stays_between_names_that_are_written_from_the_right(page: Page, house: House) -> None:
    def play() -> None:
        with house.join("דנה") as dana, house.join("who plays dana") as other:
            dana.send(type="challenge", opponent="who plays dana", game="connect4", seat=0)
            match, _ = (player.ready() for player in (dana, other))
            dana.until("turn")  # before, it would be a challenge that was declined
            other.send(type="resign", match=match)
            dana.until("match_end")

    await asyncio.to_thread(play)
    await page.goto(house.web)
    result = page.locator(".tight b", has_text="דנה 1–0 who plays dana").first
    await result.wait_for()
    first, second, score = await result.evaluate(
        """result => {
            const range = document.createRange();
            range.selectNode([...result.childNodes].find(node => node.textContent.includes("1–0")));
            return [...result.children, range].map(part => part.getBoundingClientRect().left);
        }"""
    )
    assert first < score < second


async def test_the_podium_is_that_of_the_end(page: Page, tmp_path: Path) -> None:
    names = ("ana", "W" * 32)
    tokens = enrol(tmp_path / "data", *names)
    with ServerProcess(tmp_path / "data") as server:
        await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": CUP + "cycles = 2\n"})
        await asyncio.to_thread(server.api, "POST", "/tournaments/cup/start")
        players = [await asyncio.to_thread(RawPlayer, server.url, token=tokens[name]) for name in names]
        await asyncio.to_thread(give_up, players, 0)
        await page.goto(f"{server.web}/tournament/cup/")
        await seen(page, ".standings a.number:has-text('/ 1')").to_have_count(2)
        await page.get_by_role("tab", name="Schedule").click()
        await page.locator(".round").first.wait_for()
        for _ in range(3):
            await asyncio.to_thread(give_up, players, 1)
        await seen(page, ".podium .first").to_have_text("1ana3 / 4")
        # The longest name has no place to break.
        for width in (360, 1280):
            await page.set_viewport_size({"width": width, "height": 740})
            await page.goto(server.web)
            await seen(page, ".leaders tr").to_have_count(2)
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        for player in players:
            await asyncio.to_thread(player.close)


async def test_the_teachers_browser_shows_nothing_hidden_on_a_wall(page: Page, tmp_path: Path) -> None:
    names = ("ana", "ben")
    tokens = enrol(tmp_path / "data", *names)
    with ServerProcess(tmp_path / "data") as server:
        await page.goto(f"{server.web}/teacher")
        await page.get_by_label("Admin key").fill((server.data / "teacher.key").read_text().strip())
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("button", name="Sign out").wait_for()
        await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": CUP + 'embargo = "last-round"\n'})
        await asyncio.to_thread(server.api, "POST", "/tournaments/cup/start")
        players = [await asyncio.to_thread(RawPlayer, server.url, token=tokens[name]) for name in names]
        await asyncio.to_thread(lose, players)
        for player in players:
            await asyncio.to_thread(player.until, "match_end")
        # The desk's own pages show it if they are asked: a laptop may be on the projector.
        await page.goto(f"{server.web}/tournament/cup/")
        one = seen(page, ".standings a.number:has-text('/ 1')")
        await page.get_by_role("button", name="Show hidden results").click()
        await one.to_have_count(2)
        await page.get_by_role("button", name="Hide them again").click()
        await one.to_have_count(0)
        await page.goto(f"{server.web}/screen")
        await seen(page, ".screen[data-scene='hidden'] .reach .points").to_have_text(["0", "0"])
        async with page.expect_response(lambda answer: "/api/v1/matches?" in answer.url) as answer:
            await page.goto(server.web)
        assert (await (await answer.value).json())["matches"] == []
        await seen(page, ".leaders td b").to_have_text(["0", "0"])
        for player in players:
            await asyncio.to_thread(player.close)


def give_up(players: list[RawPlayer], seat: int) -> None:
    """The next match of these two begins, and this one of them resigns."""
    starts = [player.until("match_start") for player in players]
    for player, start in zip(players, starts, strict=True):
        player.send(type="ready", match=start["match"])
    players[seat].send(type="resign", match=starts[0]["match"])
    for player in players:
        player.until("match_end")


async def missing_events(page: Page, topic: str) -> Callable[[], Awaitable[None]]:
    """What gives the page the first snapshot of a topic again, as after a connection that was lost for long."""
    kept: asyncio.Future[tuple[WebSocketRoute, str | bytes]] = asyncio.get_running_loop().create_future()

    def between(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def come(frame: str | bytes) -> None:
            told = json.loads(frame)
            if told.get("topic") == topic and told["event"]["type"] == "snapshot" and not kept.done():
                kept.set_result((socket, frame))
            socket.send(frame)

        server.on_message(come)

    await page.route_web_socket("**/watch", between)

    async def again() -> None:
        socket, frame = await kept
        socket.send(frame)

    return again


async def test_the_lobby_asks_for_results_again_after_it_missed_events(page: Page, house: House) -> None:
    again = await missing_events(page, "lobby")
    async with page.expect_response(lambda answer: "/api/v1/matches?" in answer.url):
        await page.goto(house.web)
    await seen(page, ".split.waiting").to_have_count(0)
    async with page.expect_response(lambda answer: "/api/v1/matches?" in answer.url):
        await again()


async def test_a_tournament_asks_for_its_tables_again_after_it_missed_events(page: Page, tmp_path: Path) -> None:
    enrol(tmp_path / "data", "ana", "ben")
    with ServerProcess(tmp_path / "data") as server:
        await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": CUP})
        await asyncio.to_thread(server.api, "POST", "/tournaments/cup/start")
        again = await missing_events(page, "tournament:cup")
        await page.goto(f"{server.web}/tournament/cup/")
        await seen(page, ".standings tbody tr").to_have_count(2)
        async with page.expect_response(lambda answer: answer.url.endswith("/standings")):
            await again()


async def test_of_more_than_a_hundred_the_first_are_shown_until_all_are_asked_for(page: Page, tmp_path: Path) -> None:
    enrol(tmp_path / "data", *(f"student-{number}" for number in range(101)))
    with ServerProcess(tmp_path / "data") as server:
        swiss = 'name = "cup"\ngames = ["connect4"]\nformat = "swiss"\nabsent = "wait"\n'
        await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": swiss})
        await asyncio.to_thread(server.api, "POST", "/tournaments/cup/start")
        await page.goto(f"{server.web}/tournament/cup/")
        await seen(page, ".standings tbody tr").to_have_count(100)
        await page.get_by_role("button", name="Show all 101").click()
        await seen(page, ".standings tbody tr").to_have_count(101)


async def test_a_large_tournament_is_shown_a_page_at_a_time(page: Page, tmp_path: Path) -> None:
    names = [f"student-{number}" for number in range(45)]
    enrol(tmp_path / "data", *names)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.partition("/api/v1/tournaments/cup/")[2]))
    with ServerProcess(tmp_path / "data") as server:
        games = CUP.replace('["connect4"]', '["connect4", "mancala", "desconecta4"]')
        await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": games})
        await asyncio.to_thread(server.api, "POST", "/tournaments/cup/start")
        await page.goto(f"{server.web}/tournament/cup/?view=schedule")
        await seen(page, ".round").to_have_count(45)
        await seen(page, ".round[open] .fixture").to_have_count(16)  # of the 100 matches, those of whole meetings
        more = page.get_by_role("button", name="More")
        await more.click()
        await seen(page, ".round[open] .fixture").to_have_count(22)
        await more.wait_for(state="detached")
        await page.locator(".round summary").nth(2).click()
        await seen(page, ".round[open] .fixture").to_have_count(38)
        pages = [url.partition("?")[2] for url in asked if url.startswith("schedule?")]
        assert pages == [f"start=0&limit={limit}&round={round}" for round, limit in ((1, 100), (1, 200), (3, 100))]
        await page.goto(f"{server.web}/tournament/cup/?view=schedule&a=student-7")
        for count in (16, 33):
            await seen(page, ".round .fixture").to_have_count(count)
            await more.click()
        await seen(page, ".round .fixture").to_have_count(44)
        await page.get_by_role("tab", name="Crosstable").click()
        await seen(page, ".cross tbody tr").to_have_count(40)
        await page.get_by_role("button", name="Show all 45").click()
        await seen(page, ".cross tbody tr").to_have_count(45)
