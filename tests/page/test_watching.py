"""Watching a match in a real browser: live, through a crash of the server, and again afterwards."""

from __future__ import annotations

import asyncio
import re
import signal
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect
from tests.support.page import FOUR_IN_A_COLUMN, HOUR_MS, PAGES, House, begin, go, play, seen, visit
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess, enrol, held_port, journalled

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_match_is_watched_to_its_end_through_a_crash_of_the_server(page: Page, tmp_path: Path) -> None:
    data = tmp_path / "data"
    options, bots, web = ("--guests", "--away-ms", "600000"), held_port(), held_port()
    with ServerProcess(data, *options, port=bots, web_port=web) as server:
        first, second, match = await asyncio.to_thread(begin, server, ("ana", "ben"))
        await page.goto(f"{server.web}/match/{match}")
        await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN[:4])
        await seen(page, ".moves button").to_have_count(4)
        await seen(page, ".piece").to_have_count(4)
        await asyncio.to_thread(journalled, data, match, 13)  # as far as the fourth action
        server.stop(signal.SIGKILL)
        await seen(page, ".pill.lost").to_be_visible()
    with ServerProcess(data, *options, port=bots, web_port=web) as server:
        first = await asyncio.to_thread(RawPlayer, server.url, resume=first.session)
        second = await asyncio.to_thread(RawPlayer, server.url, resume=second.session)
        await asyncio.to_thread(lambda: (first.ready(), second.ready()))
        await seen(page, ".pill.lost").to_have_count(0)
        done = len(await page.locator(".moves button").all())
        await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN[done:], done)
        await seen(page, ".ending").to_contain_text("ana got four in a row after 7 moves.")
        await seen(page, ".moves button").to_have_count(7)
        await seen(page, ".ring.won").to_have_count(4)
        await seen(page, ".seat.winner .name").to_have_text("ana")
        await seen(page, ".decided .piece.decides").to_have_count(4)


async def test_a_match_that_is_over_is_replayed_by_keys_and_by_its_link(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("carla", "dani"))
    await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN)
    await asyncio.to_thread(first.until, "match_end")
    await page.goto(f"{house.web}/match/{match}?ply=3")
    await seen(page, ".piece").to_have_count(3)
    await page.keyboard.press("Home")
    await seen(page, ".piece").to_have_count(0)
    await page.keyboard.press("ArrowRight")
    await seen(page, ".piece").to_have_count(1)
    await page.keyboard.press("Space")
    await seen(page, ".ring.won").to_have_count(4)
    await page.locator(".moves button").nth(1).click()
    await seen(page, ".piece").to_have_count(2)
    assert page.url.endswith("?ply=2")
    await seen(page, ".reports tbody").to_contain_text("1.2K")
    async with page.expect_download() as record:
        await page.get_by_role("link", name="Download record").click()
    lines = (await (await record.value).path()).read_text().splitlines()
    assert len(lines) >= 9


async def test_what_plays_by_itself_stops_at_the_move_that_somebody_clicks(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("rosa", "saul"))
    await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN)
    await asyncio.to_thread(first.until, "match_end")
    await page.clock.install(time=0)
    await page.goto(f"{house.web}/match/{match}?ply=0")
    await seen(page, ".moves button").to_have_count(7)
    await page.clock.pause_at(HOUR_MS)
    await page.keyboard.press("Space")
    await page.clock.run_for(2000)
    await seen(page, ".piece").to_have_count(3)
    await page.locator(".moves button").nth(0).click()
    await page.clock.run_for(60_000)
    await seen(page, ".piece").to_have_count(1)
    await page.get_by_role("button", name="Play", exact=True).click()
    await page.clock.run_for(60_000)
    await seen(page, ".piece").to_have_count(7)
    await page.get_by_role("button", name="Play", exact=True).wait_for()
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_the_lobby_counts_on_for_how_long_a_match_is_on(page: Page, house: House) -> None:
    await page.clock.install()
    first, second, match = await asyncio.to_thread(begin, house, ("gala", "hugo"))
    await page.goto(house.web)
    elapsed = page.locator(f"[data-match='{match}'] .elapsed")
    await expect(elapsed).to_have_text(re.compile(r"^\d+:\d\d$"))
    await page.clock.fast_forward(3_600_000)
    await expect(elapsed).to_have_text(re.compile(r"^1:\d\d:\d\d$"))
    first.send(type="resign", match=match)
    await asyncio.to_thread(second.until, "match_end")
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_an_end_is_told_exactly_in_spanish(browser: Browser, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("iris", "joan"))

    def finish() -> None:
        turn = first.until("turn")
        first.send(type="action", match=match, ply=turn["ply"], action=200)
        second.until("match_end")

    async with visit(browser, locale="es") as context:
        page = await context.new_page()
        await page.goto(f"{house.web}/match/{match}")
        await seen(page, ".seat.s0").to_contain_text("iris")
        await asyncio.to_thread(finish)
        sentence = "iris respondió en la jugada 0 con la acción 200, que ahí no es legal."
        await seen(page, ".ending").to_have_text(sentence)
        await page.reload()
        await seen(page, ".ending").to_have_text(sentence)


async def test_a_match_that_is_over_says_where_it_turned_and_what_is_played_now(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("kira", "leon"))

    def lose() -> None:
        values = iter([2, 1.5, -9])
        for ply, action in enumerate(FOUR_IN_A_COLUMN):
            mover = (first, second)[ply % 2]
            turn = mover.until("turn")
            info = {"value": next(values)} if ply % 2 else None
            mover.send(type="action", match=match, ply=turn["ply"], action=action, info=info)
        first.until("match_end")

    await asyncio.to_thread(lose)
    await asyncio.to_thread(second.close)
    await page.goto(f"{house.web}/match/{match}")
    await seen(page, ".turned").to_contain_text("at move 3, leon gave itself +1.5; at move 5, −9.")
    await page.get_by_role("button", name="Look there").click()
    await seen(page, ".piece").to_have_count(3)
    for name, row in (("leon", "kira 1–0 leon"), ("kira", "No result yet.")):
        await page.goto(f"{house.web}/player/{name}/")
        await page.get_by_label("Matches").select_option("Lost")
        await seen(page, ".listed + .card li").to_have_count(1)
        await seen(page, ".listed + .card").to_contain_text(row)
    await page.goto(f"{house.web}/match/{match}")
    # Of all that is on, what one of these two plays.
    pairs = (("mar", "noa"), ("leon", "omar"))
    others = [await asyncio.to_thread(begin, house, names) for names in pairs]
    await seen(page, "a.next").to_contain_text("leon – omar")
    await page.locator("a.next").click()
    await seen(page, ".seat.s1").to_contain_text("omar")
    for one, other, begun in others:
        one.send(type="resign", match=begun)
        await asyncio.to_thread(other.until, "match_end")
        await asyncio.to_thread(lambda pair=(one, other): [each.close() for each in pair])
    await asyncio.to_thread(first.close)


# The values that a bot gave itself, and which two the match is said to have turned between.
TURNS = [
    ([2, 1.5, -9], [1.5, -9]),
    ([5, -5, -5.5], [5, -5]),
    ([-1, -2, -900, -901], [-2, -900]),
    ([-5, -5.5, -6], None),
    ([3, -7, 8], None),
    ([3, -7, 8, -9], [8, -9]),
    ([4, 3, 2], None),
    ([1e12, -1e12], [1e12, -1e12]),
    ([0, 0], None),
    ([-3], None),
    ([], None),
]


async def test_where_a_match_turned_is_said_only_of_a_fall_that_lost_it(workshop: Page) -> None:
    found = await workshop.evaluate(
        """async (all) => {
            const { turningPoint } = await import("/js/turn.js");
            const moves = (values) => values.flatMap((value, at) => [
                { ply: 2 * at, seat: 0, info: null },
                { ply: 2 * at + 1, seat: 1, info: { value } },
            ]);
            return all.map((values) => turningPoint(moves(values), [1, -1])?.map((move) => move.info.value) ?? null);
        }""",
        [values for values, _ in TURNS],
    )
    assert found == [between for _, between in TURNS]


HOSTILE = "<img src=x onerror=boom()>"


async def test_what_bots_say_is_text_and_never_markup(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, (HOSTILE, "<b>bold</b>"))

    def finish() -> None:
        turn = first.until("turn")
        info = {"text": f"<script>boom()</script>{HOSTILE}"}
        first.send(type="action", match=match, ply=turn["ply"], action=3, info=info)
        turn = second.until("turn")
        second.send(type="action", match=match, ply=turn["ply"], action=200)
        second.until("match_end")

    await asyncio.to_thread(finish)
    await page.goto(f"{house.web}/match/{match}")
    await seen(page, ".ending").to_contain_text("<b>bold</b>")
    await seen(page, ".pv").to_contain_text("<script>boom()</script>")
    await page.goto(f"{house.web}/")
    await seen(page, "page-lobby .split").to_contain_text(HOSTILE)
    await page.get_by_role("link", name=f"{HOSTILE} 1–0").click()
    await page.get_by_role("link", name=HOSTILE, exact=True).click()
    await seen(page, "page-player h1").to_have_text(HOSTILE)
    assert await page.evaluate("document.querySelectorAll('main img, main script, main b b').length") == 0
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_a_page_asks_for_all_its_modules_at_once_and_on_the_second_visit_for_none(
    page: Page, house: House
) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("eva", "fran"))
    from_the_line = """performance.getEntriesByType('resource').filter((each) => each.transferSize > 0)
        .map((each) => new URL(each.name).pathname).filter((path) => path.endsWith('.js'))"""
    known: set[str] = set()
    for path, shown in {**PAGES, f"/match/{match}": ".match .board-box"}.items():
        asked: list[str] = []
        note = asked.append
        page.on("request", lambda request, note=note: note(request.url))
        text = await (await page.goto(house.web + path)).text()
        await page.locator(shown).first.wait_for()
        scripts = {url.removeprefix(house.web) for url in asked if url.endswith(".js")}
        assert scripts == set(re.findall(r'"(/[^"]+[.]js)"', text)), path
        # What an earlier page had is not fetched again.
        fetched = set(await page.evaluate(from_the_line))
        assert not fetched & known, path
        known |= fetched
        assert scripts <= known, path
    await page.reload()
    await page.locator(".match .board-box").first.wait_for()
    assert await page.evaluate(from_the_line) == []
    first.send(type="resign", match=match)
    await asyncio.to_thread(second.until, "match_end")
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_a_match_that_does_not_exist_is_said_to_be_missing(page: Page, house: House) -> None:
    await page.goto(f"{house.web}/match/0123456789ab")
    await seen(page, ".say.bad").to_contain_text("There is no such match on this server")


async def test_an_address_that_leads_nowhere_says_so(page: Page, house: House) -> None:
    await page.goto(f"{house.web}/no/such/page")
    await seen(page, "h1").to_have_text("There is no such page")
    await page.locator("page-missing").get_by_role("link", name="Live").click()
    await seen(page, "page-lobby h1").to_have_text("Live matches")


async def test_a_match_names_its_tournament_as_people_call_it(page: Page, tmp_path: Path) -> None:
    tokens = enrol(tmp_path / "data", "ana", "ben")
    title = "The cup of the lower yard"
    cup = f'name = "cup"\ntitle = "{title}"\ngames = ["connect4"]\nformat = "round-robin"\nopenings = false\n'
    clock = "clock = { move_ms = 3600000, ready_ms = 3600000 }\n"
    with ServerProcess(tmp_path / "data") as server:
        await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": cup + clock})
        await asyncio.to_thread(server.api, "POST", "/tournaments/cup/start")
        await page.goto(server.web)
        players = [await asyncio.to_thread(RawPlayer, server.url, token=token) for token in tokens.values()]
        match, _ = [await asyncio.to_thread(player.ready) for player in players]
        # From the event that a match begins, and from a snapshot.
        await seen(page, ".match-card .cup").to_have_text(title)
        await page.reload()
        await seen(page, ".match-card .cup").to_have_text(title)
        await go(page, "/screen", "page-screen h1")
        await seen(page, "page-screen h1").to_contain_text(title)
        named = f".about-match a[href='/tournament/cup/']:text-is('{title}')"
        await go(page, f"/match/{match}", named)
        await seen(page, named).to_be_visible()
        players[0].send(type="resign", match=match)
        await asyncio.to_thread(players[1].until, "match_end")
        await go(page, "/player/ana/", ".page-of-player .plainlist li")
        await seen(page, ".page-of-player .plainlist").to_contain_text(title)
        await go(page, f"/match/{match}", named)
        await seen(page, named).to_be_visible()
        # A tournament that was deleted since has no title any more.
        match, _ = [await asyncio.to_thread(player.ready) for player in players]
        players[0].send(type="resign", match=match)
        await page.goto(f"{server.web}/tournament/cup/")
        await seen(page, ".state.completed").to_be_visible()
        await asyncio.to_thread(server.api, "DELETE", "/tournaments/cup")
        await page.goto(f"{server.web}/player/ana/")
        await seen(page, ".page-of-player .plainlist").to_contain_text("· cup ·")
        await asyncio.to_thread(lambda: [player.close() for player in players])
