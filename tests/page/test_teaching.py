"""The teacher's way in a real browser: a class list, tokens, a tournament, the grades."""

from __future__ import annotations

import asyncio
import csv
import re
import threading
from contextlib import closing
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, Page, Route, expect
from tests.support.page import House, visit
from tests.support.played import play_tournament
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess, enrol

from palestra_server.store import Store
from palestra_tournament import example_spec, installed_formats, parse_spec
from palestra_tournament.season import example_season, parse_season

pytestmark = pytest.mark.asyncio(loop_scope="session")

CLASS = "name;email;group\nAna García;ana@school.example;A\nBenito;benito@school.example;B\n"
HIDDEN = """
name = "final"
games = ["connect4"]
format = "round-robin"
embargo = "last-round"
clock = { move_ms = 600000, ready_ms = 600000 }
"""
TOURNAMENT = """
name = "first"
title = "The first of the year"
games = ["connect4"]
format = "round-robin"
openings = false
embargo = "last-round"

[grades]
participation = { points = 5 }
"""


def play_for_ever(player: RawPlayer) -> None:
    """Every match, by the first legal action, until the connection ends."""
    try:
        while True:
            message = player.receive(600)
            if message["type"] == "match_start":
                player.send(type="ready", match=message["match"])
            elif message["type"] == "turn":
                player.act(message)
    except Exception:
        return


async def test_a_teacher_takes_a_class_in_lets_it_play_and_downloads_the_grades(page: Page, house: House) -> None:
    await page.goto(f"{house.web}/teacher")
    await page.get_by_label("Admin key").fill("no-such-key")
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("alert").wait_for()
    await page.get_by_label("Admin key").fill((house.data / "teacher.key").read_text().strip())
    await page.get_by_role("button", name="Sign in").click()

    await page.get_by_text("Import a class list").click()
    roster = page.locator("textarea[name=roster]")
    await roster.fill(CLASS + "ana garcía;nonsense;A\n")
    await page.get_by_text("Line 4:").first.wait_for()
    assert await page.get_by_role("button", name="Import").is_disabled()
    for encoding in ("windows-1252", "utf-16", "utf-8-sig"):  # what spreadsheets write
        await roster.fill("")
        await page.locator("input[type=file]").set_input_files(
            {"name": "class.csv", "mimeType": "text/csv", "buffer": CLASS.encode(encoding)}
        )
        await expect(roster).to_have_value(CLASS)
    await page.get_by_text("2 new, 0 changed").wait_for()
    await page.get_by_text("New: Ana García, Benito").wait_for()
    await page.get_by_role("button", name="Import").click()
    await page.get_by_text("Imported: 2 new").wait_for()
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Tokens for those without one").click()
    rows = list(csv.DictReader((await (await download.value).path()).read_text("utf-8-sig").splitlines()))
    assert [row["name"] for row in rows] == ["Ana García", "Benito"]
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Cards to print").click()
    cards = (await (await download.value).path()).read_text("utf-8")
    assert all(row["token"] in cards for row in rows)

    players = [await asyncio.to_thread(house.join, token=row["token"]) for row in rows]
    threads = [threading.Thread(target=play_for_ever, args=(player,), daemon=True) for player in players]
    for thread in threads:
        thread.start()
    await page.get_by_text("2 on the roster · 2 connected").wait_for()

    await page.locator(".new-tournament summary").click()
    await page.get_by_label("Tournament file (TOML)").wait_for()
    await page.locator("textarea[name=toml]").fill(TOURNAMENT.replace("round-robin", "rond-robin"))
    await page.locator(".new-tournament .say.bad").wait_for()
    await page.locator("textarea[name=toml]").fill(TOURNAMENT)
    await page.get_by_role("button", name="Create", exact=True).click()
    entry = page.locator("[data-tournament=first]")
    await entry.get_by_role("button", name="Start").click()
    await entry.get_by_text("over", exact=True).wait_for()
    await entry.get_by_role("button", name="Marks").click()
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Download").click()
    await page.get_by_text("2 marks are in the file").wait_for()
    await page.get_by_role("button", name="Close").click()
    grades = list(csv.DictReader((await (await download.value).path()).read_text("utf-8-sig").splitlines()))
    assert sorted(row["player"] for row in grades) == ["Ana García", "Benito"]

    reveal = page.get_by_role("button", name="Reveal the last round")
    await entry.locator(reveal).click()
    await page.get_by_role("dialog").locator(reveal).click()
    await entry.locator(reveal).wait_for(state="hidden")

    await entry.get_by_role("link", name="The first of the year").click()
    await page.locator(".standings tbody tr").nth(1).wait_for()
    await expect(page.locator(".podium li")).to_have_count(2)
    await page.get_by_role("tab", name="Schedule").click()
    await page.locator(".round a").first.wait_for()
    # From a number to the matches behind it, and back to all.
    await page.get_by_role("tab", name="Crosstable").click()
    await page.locator(".cross td a").first.click()
    await expect(page.locator(".whose span").first).to_have_text(re.compile("^Ana García [0-9½]+ – [0-9½]+ Benito$"))
    await page.locator(".round a").first.wait_for()
    assert "view=schedule&a=Ana+Garc%C3%ADa&b=Benito" in page.url
    await page.get_by_role("button", name="All matches").click()
    await page.locator(".whose").wait_for(state="detached")
    await page.goto(f"{house.web}/teacher")
    await page.get_by_role("button", name="Sign out").click()
    await page.get_by_label("Admin key").wait_for()
    await asyncio.to_thread(house.server.api, "POST", "/screen", {"show": "auto"})  # which ends the ceremony
    for player, thread in zip(players, threads, strict=True):
        await asyncio.to_thread(player.close_now)
        await asyncio.to_thread(thread.join)


async def test_only_the_teacher_watches_a_round_that_is_hidden(page: Page, tmp_path: Path) -> None:
    names = ("ana", "ben")
    tokens = enrol(tmp_path / "data", *names)
    with ServerProcess(tmp_path / "data") as server:
        players = [await asyncio.to_thread(RawPlayer, server.url, token=tokens[name]) for name in names]
        patient = TOURNAMENT + "[clock]\nmove_ms = 600000\nready_ms = 600000\n"
        await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": patient})
        await asyncio.to_thread(server.api, "POST", "/tournaments/first/start")
        starts = [await asyncio.to_thread(player.until, "match_start") for player in players]
        match = starts[0]["match"]
        for player in players:
            player.send(type="ready", match=match)
        by_seat = sorted(players, key=lambda player: starts[players.index(player)]["seat"])
        await page.goto(f"{server.web}/match/{match}")
        await page.get_by_text("The last round is hidden until the teacher reveals it.").wait_for()
        # Nothing is said about how it stands there; who is not in it has no matches, though it is drawn.
        await page.goto(f"{server.web}/tournament/first/?view=schedule&a=ana&b=ben")
        await expect(page.locator(".whose")).to_contain_text("ana – ben")
        await page.get_by_text("The last round is hidden until the teacher reveals it.").wait_for()
        await page.get_by_role("button", name="All matches").click()
        await expect(page.get_by_role("tab", name="Schedule")).to_be_focused()
        await page.goto(f"{server.web}/tournament/first/?view=schedule&a=cleo")
        await page.get_by_text("cleo has no match here so far.").wait_for()
        await page.goto(f"{server.web}/teacher")
        await page.get_by_label("Admin key").fill((server.data / "teacher.key").read_text().strip())
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("button", name="Sign out").wait_for()
        await page.clock.install()
        await page.goto(f"{server.web}/match/{match}")
        # Its facts come after its first position, and before that is asked for again.
        late = asyncio.Event()

        async def hold(route: Route) -> None:
            await late.wait()
            await route.continue_()

        await page.route(re.compile(f"/matches/{match}[?]hidden=show$"), hold)
        await page.clock.pause_at(await page.evaluate("Date.now() + 1000"))
        await page.get_by_role("button", name="Show hidden results").click()
        await page.locator(".match-page:not(.waiting)").wait_for()
        async with page.expect_request(f"**/matches/{match}/rulings*"):  # of whose answer the page now knows the facts
            late.set()
        await page.clock.resume()
        for plies, mover in enumerate(by_seat, 1):
            mover.act(await asyncio.to_thread(mover.until, "turn"))
            await expect(page.locator(".piece")).to_have_count(plies)
        for player in players:
            await asyncio.to_thread(player.close)


async def test_each_button_says_what_it_did_and_stays_where_it_is(page: Page, tmp_path: Path) -> None:
    enrol(tmp_path / "data", "ana", "ben", "cleo")
    with ServerProcess(tmp_path / "data") as server:
        await page.goto(f"{server.web}/teacher")
        await page.get_by_label("Admin key").fill((server.data / "teacher.key").read_text().strip())
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("button", name="Sign out").wait_for()
        absent = TOURNAMENT.replace("openings = false", 'openings = false\nabsent = "wait"')
        await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": absent})
        await page.reload()
        entry, dialog = page.locator("[data-tournament=first]"), page.get_by_role("dialog")
        assert await entry.get_by_role("link", name="Grades").count() == 0
        await entry.get_by_role("button", name="Start").click()
        await page.get_by_text("The first of the year has begun.").wait_for()
        await page.get_by_text("Not connected now, 3 of 3: ana, ben, cleo.").wait_for()

        await entry.get_by_role("button", name="Let a player back in").click()
        await page.get_by_text("Nobody has been withdrawn from it.").wait_for()
        await entry.get_by_role("button", name="Withdraw a player").click()
        await dialog.get_by_role("combobox").select_option("ben")
        await dialog.get_by_role("button", name="Withdraw a player").click()
        await page.get_by_text("ben is withdrawn from The first of the year.").wait_for()
        await entry.get_by_role("button", name="Let a player back in").click()
        await dialog.get_by_role("combobox").select_option("ben")
        await dialog.get_by_role("button", name="Let a player back in").click()
        await page.get_by_text("ben is back in The first of the year.").wait_for()

        await page.get_by_text("Import a class list").click()
        await page.locator("textarea[name=roster]").fill("dora\n")
        await page.get_by_role("button", name="Import").click()
        await page.get_by_text(
            "The first of the year began without dora: “Enrol a latecomer” lets them in, unless it has a bracket."
        ).wait_for()

        await page.locator("tr", has_text="cleo").get_by_role("button", name="Remove").click()
        await dialog.get_by_role("button", name="Remove").click()
        await page.get_by_text("cleo is off the roster.").wait_for()
        await page.get_by_text("cleo still takes part in The first of the year, which waits for cleo").wait_for()

        async def stuck(route: Route) -> None:
            answer = await route.fetch()
            told = await answer.json()
            told["tournaments"][0]["troubles"] = [
                {"code": "stuck", "message": "", "values": {"match": "m1", "first": "ana", "second": "ben"}}
            ]
            await route.fulfill(response=answer, json=told)

        await page.route("**/api/v1/tournaments", stuck)
        await entry.get_by_role("button", name="Play m1 again").click()
        await dialog.get_by_role("button", name="Play m1 again").click()
        await page.get_by_text("has no match m1 that cannot go on").wait_for()
        await page.unroute_all(behavior="wait")

        await entry.get_by_role("button", name="Pause").focus()
        async with page.expect_response("**/api/v1/tournaments"):
            pass
        async with page.expect_response("**/api/v1/tournaments"):
            pass
        await expect(entry.get_by_role("button", name="Pause")).to_be_focused()
        await asyncio.to_thread(server.api, "POST", "/tournaments/first/pause")
        await entry.get_by_role("button", name="Go on").click()
        await page.get_by_text("The first of the year goes on.").wait_for()
        await entry.get_by_role("button", name="Pause").click()
        await page.get_by_text("The first of the year is paused.").wait_for()
        await entry.get_by_role("button", name="Delete").click()
        await dialog.get_by_role("button", name="Delete").click()
        await page.get_by_text("The first of the year is deleted.").wait_for()


async def test_in_spanish_nothing_is_left_in_english(browser: Browser, tmp_path: Path) -> None:
    enrol(tmp_path / "data", "ana", "ben", "cleo")
    with ServerProcess(tmp_path / "data") as server:
        async with visit(browser, locale="es") as context:
            page = await context.new_page()
            await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": TOURNAMENT})
            await asyncio.to_thread(server.api, "POST", "/tournaments/first/start")
            await asyncio.to_thread(server.api, "POST", "/tournaments/first/pause")
            await page.goto(f"{server.web}/tournament/first/")
            await page.get_by_text("El docente lo ha puesto en pausa.").wait_for()
            await page.goto(f"{server.web}/teacher")
            await page.get_by_label("Clave de administración").fill((server.data / "teacher.key").read_text().strip())
            await page.get_by_role("button", name="Entrar").click()
            dialog, row = page.get_by_role("dialog"), page.locator("tr", has_text="cleo")
            await row.get_by_role("button", name="Vetar").click()
            await dialog.get_by_role("button", name="Vetar").click()
            await page.get_by_text("cleo sigue participando en The first of the year").wait_for()
            assert "palestra-server" not in await page.locator("#class").inner_text()
            await page.get_by_text("Torneo nuevo").click()
            file = page.locator("textarea[name=toml]")
            await expect(file).to_have_value(re.compile("Quita el # de una línea"))
            await page.get_by_text("El archivo está bien.").wait_for()
            for folded in await page.locator(".form summary").all():
                await folded.click()
            shown = await page.locator(".form").inner_text()
            assert not re.search(r"\b(the|for|match|points)\b", shown), shown


async def test_the_example_of_each_format_is_explained_in_spanish_and_means_the_same(
    browser: Browser, house: House
) -> None:
    async with visit(browser, locale="es") as context:
        page = await context.new_page()
        await page.goto(house.web)
        files = [example_season(), *(example_spec(kind) for kind in installed_formats().values())]
        spanish = await page.evaluate(
            """async (files) => {
                const { explained, loadLanguage } = await import("/js/i18n.js");
                await loadLanguage();
                return files.map(explained);
            }""",
            files,
        )
    for file, translated in zip(files, spanish, strict=True):
        parse = parse_season if file == example_season() else parse_spec
        assert parse(translated).model_dump() == parse(file).model_dump()
        for before, after in zip(file.splitlines(), translated.splitlines(), strict=True):
            # What is not translated is a key without a word about it.
            assert before != after or re.fullmatch(r"(# )?(\w+ = [^#]*)?| +[^#]*|\]", before), before


async def test_signing_out_in_one_tab_signs_out_in_all(context: BrowserContext, tmp_path: Path) -> None:
    token = enrol(tmp_path / "data", "ana")["ana"]
    with ServerProcess(tmp_path / "data") as server:
        key = (server.data / "teacher.key").read_text().strip()
        for path, field, secret, shown in (
            ("/teacher", "Admin key", key, "Your class"),
            ("/player/ana/", "Your token", token, "What went wrong with your bot"),
        ):
            here, there = await context.new_page(), await context.new_page()
            await here.goto(f"{server.web}{'/connect' if path != '/teacher' else path}")
            await there.goto(f"{server.web}{path}")
            await here.get_by_label(field).fill(secret)
            await here.locator("form button[type=submit]").click()
            # Who signs in does so everywhere, too.
            await there.get_by_role("heading", name=shown).wait_for()
            await here.get_by_role("button", name="Sign out").click()
            await there.get_by_role("heading", name=shown).wait_for(state="detached")
            await here.close()
            await there.close()


async def test_a_token_is_not_shown_to_who_comes_after(context: BrowserContext, tmp_path: Path) -> None:
    tokens = enrol(tmp_path / "data", "ana", "ben")

    async def come(page: Page, name: str) -> None:
        await page.get_by_label("Your token").fill(tokens[name])
        await page.locator("form button[type=submit]").click()
        await page.locator("pre", has_text=tokens[name]).first.wait_for()

    with ServerProcess(tmp_path / "data") as server:
        here, there = await context.new_page(), await context.new_page()
        for page in (here, there):
            await page.goto(f"{server.web}/connect")
        await come(here, "ana")
        await there.get_by_role("button", name="Sign out").click()
        await come(there, "ben")
        await here.get_by_text("ben").first.wait_for()
        assert tokens["ana"] not in await here.content()
        await there.get_by_role("button", name="Sign out").click()
        await there.get_by_label("Your token").wait_for()
        assert tokens["ben"] not in await there.content()


async def test_what_is_hidden_leaves_the_other_tabs_with_the_teacher(context: BrowserContext, tmp_path: Path) -> None:
    tokens = enrol(tmp_path / "data", "ana", "ben")
    with ServerProcess(tmp_path / "data") as server:
        here, table, board = [await context.new_page() for _ in range(3)]
        await here.goto(f"{server.web}/teacher")
        await here.get_by_label("Admin key").fill((server.data / "teacher.key").read_text().strip())
        await here.get_by_role("button", name="Sign in").click()
        await here.get_by_role("button", name="Sign out").wait_for()
        with RawPlayer(server.url, token=tokens["ana"]) as ana, RawPlayer(server.url, token=tokens["ben"]) as ben:
            await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": HIDDEN})
            await asyncio.to_thread(server.api, "POST", "/tournaments/final/start")
            match = (await asyncio.to_thread(ana.until, "match_start"))["match"]
            await asyncio.to_thread(ben.until, "match_start")
            await table.goto(f"{server.web}/tournament/final/")
            await table.locator(".standings").wait_for()
            await board.goto(f"{server.web}/match/{match}")
            await board.get_by_role("button", name="Show hidden results").click()
            await board.locator("pal-board .hole").first.wait_for()
            async with table.expect_response(lambda answer: answer.url.endswith("/standings")):
                await here.get_by_role("button", name="Sign out").click()
            await board.get_by_text("hidden until the teacher").wait_for()
            assert await board.locator("pal-board .hole:visible").count() == 0


async def test_a_key_that_no_longer_holds_closes_the_desk(page: Page, tmp_path: Path) -> None:
    enrol(tmp_path / "data", "ana")
    with ServerProcess(tmp_path / "data") as server:
        await page.goto(f"{server.web}/teacher")
        await page.get_by_label("Admin key").fill((server.data / "teacher.key").read_text().strip())
        await page.get_by_role("button", name="Sign in").click()
        row = page.locator("tr", has_text="ana")
        await row.wait_for()

        async def without_key(route: Route) -> None:
            # Not before: whatever the desk asks by itself would close it already.
            if route.request.method != "GET":
                await page.context.clear_cookies()
            await route.continue_()

        await page.route("**/api/v1/**", without_key)
        await row.get_by_role("button", name="Ban").click()
        await page.get_by_role("dialog").get_by_role("button", name="Ban").click()
        await page.get_by_label("Admin key").wait_for()


async def test_the_same_failure_is_told_once_with_how_often(page: Page, tmp_path: Path) -> None:
    tokens = enrol(tmp_path / "data", "ana", "ben")
    with ServerProcess(tmp_path / "data") as server:

        def lose(action: int | None) -> str:
            """ana loses a match to ben, by this illegal action or by resigning; its id."""
            ana, ben = (RawPlayer(server.url, token=tokens[name]) for name in ("ana", "ben"))
            with ana, ben:
                ana.challenge("ben", seat=0)
                match = ana.ready()
                ben.ready()
                ply = ana.until("turn")["ply"]
                answer = {"type": "resign"} if action is None else {"type": "action", "ply": ply, "action": action}
                ana.send(match=match, **answer)
                ben.until("match_end")
            return match

        lost = [await asyncio.to_thread(lose, action) for action in (100, None, 101, 102)]
        await page.goto(f"{server.web}/connect")
        await page.get_by_label("Your token").fill(tokens["ana"])
        await page.locator("form button[type=submit]").click()
        await page.get_by_role("link", name="My matches and failures").click()
        illegal, resigned = page.locator(".failure").nth(0), page.locator(".failure").nth(1)
        await illegal.get_by_text("· 3 times").wait_for()
        assert "action 102" in await illegal.inner_text()
        assert "times" not in await resigned.inner_text()
        await illegal.get_by_text("2 more matches lost in the same way").click()
        links = illegal.get_by_role("link", name="Look at the position")
        assert [str(await each.get_attribute("href")).split("?")[0] for each in await links.all()] == [
            f"/match/{lost[at]}" for at in (3, 2, 0)
        ]
        async with page.expect_download() as record:
            await illegal.get_by_role("link", name="Download record").last.click()
        assert (await record.value).suggested_filename == f"{lost[0]}.jsonl"


async def test_what_comes_before_a_tournament_and_what_its_early_end_leaves_out(page: Page, tmp_path: Path) -> None:
    enrol(tmp_path / "data", "ana", "ben", "cleo")
    with ServerProcess(tmp_path / "data") as server:
        await page.goto(f"{server.web}/teacher")
        await page.get_by_label("Admin key").fill((server.data / "teacher.key").read_text().strip())
        await page.get_by_role("button", name="Sign in").click()
        await page.locator(".new-tournament summary").click()
        file = TOURNAMENT.replace('embargo = "last-round"', "warm_up = true")
        await expect(page.locator("textarea[name=toml]")).not_to_have_value("")
        await page.locator("textarea[name=toml]").fill(file.replace("points = 5", "points = -5"))
        await page.get_by_text("Line 10, column 19:").wait_for()
        await page.locator("textarea[name=toml]").fill(file)
        await page.get_by_text(re.compile("6 matches: .* if every bot takes all of its time for 40 moves")).wait_for()
        await page.get_by_role("button", name="Create", exact=True).click()
        entry, dialog = page.locator("[data-tournament=first]"), page.get_by_role("dialog")
        await entry.get_by_role("button", name="Start").click()
        await page.get_by_text("The warm-up of The first of the year has begun").wait_for()
        await page.locator("[data-tournament=first-warm-up]").get_by_role("button", name="End it now").click()
        await dialog.get_by_role("button", name="End it now").click()
        await entry.get_by_text("Ready: 0 of 3.").wait_for()
        await entry.get_by_role("button", name="Start").click()
        await page.get_by_text("The first of the year has begun.").wait_for()

        await entry.get_by_role("button", name="End it now").click()
        await expect(dialog.get_by_role("listitem")).to_have_count(6)
        await expect(dialog.get_by_role("listitem").first).to_have_text(re.compile("round 1 · .+ – .+ · "))
        await dialog.get_by_role("button", name="End it now").click()
        await entry.get_by_text("from round 1 on not complete, and not counted").wait_for()
        await entry.get_by_role("button", name="Go on").click()
        await entry.get_by_role("button", name="End it now").click()
        await dialog.get_by_label("Count them all the same").check()
        await dialog.get_by_role("button", name="End it now").click()
        over = page.locator(".settled [data-tournament=first]")
        await over.wait_for()
        # Nobody has won what nobody played.
        await expect(over.locator(".champion")).to_have_text("")
        await expect(entry.get_by_text("not counted")).to_have_count(0)


async def test_a_form_and_its_file_follow_each_other_and_what_was_done_is_undone(page: Page, tmp_path: Path) -> None:
    enrol(tmp_path / "data", "ana", "ben", "cleo")
    with ServerProcess(tmp_path / "data") as server:
        await page.goto(f"{server.web}/teacher")
        await page.get_by_label("Admin key").fill((server.data / "teacher.key").read_text().strip())
        await page.get_by_role("button", name="Sign in").click()
        await page.locator(".new-tournament summary").first.click()
        file, form = page.locator("textarea[name=toml]"), page.locator(".form")
        field = lambda key: form.locator(f"[data-field='{key}']")  # noqa: E731
        await page.get_by_text("3 players: ana, ben, cleo").wait_for()

        # From the form to the file, with its comments, and back by a button that says what it takes back.
        await form.locator("summary", has_text="Clock").click()
        await field("clock.move_ms").locator("input").fill("500")
        await expect(file).to_have_value(re.compile("^move_ms = 500 +# per move$", re.MULTILINE))
        await expect(page.locator(".gutter .latest")).to_have_count(1)
        await form.locator("summary", has_text="Grades").click()
        await field("grades.beats").get_by_role("button", name="Add a rule").click()
        await field("grades.beats").get_by_text("names 'level1', which must be in 'reference'").wait_for()
        await page.get_by_role("button", name="Undo: For beating a bot").click()
        await expect(file).to_have_value(re.compile("^# beats = ", re.MULTILINE))
        await page.get_by_text("The file is fine.").wait_for()

        # From the file to the form; a fault stands at its field and at its line.
        text = await file.input_value()
        await file.fill(text.replace("# pairs = 1 ", "pairs = 99 "))
        await form.locator("summary", has_text="meeting").click()
        await field("pairs").get_by_role("alert").wait_for()
        await expect(field("pairs").locator("input")).to_have_value("99")
        line = text.splitlines().index(next(each for each in text.splitlines() if each.startswith("# pairs"))) + 1
        await expect(page.locator(".gutter .bad")).to_have_text(f"{line}\n")
        await page.get_by_role("button", name=f"Line {line}, column").click()
        assert (await page.evaluate("getSelection().toString()")).startswith("pairs = 99")
        await field("pairs").locator("input").fill("2")
        await page.get_by_text(re.compile("24 matches: .* if every bot")).wait_for()

        await page.get_by_role("button", name="Create", exact=True).click()
        await page.get_by_text("Our cup is created.").wait_for()
        await page.locator(".say .undo").click()
        await page.get_by_text("Taken back.").wait_for()
        await expect(page.locator(".tournament-row")).to_have_count(0)
        await page.get_by_role("button", name="Create", exact=True).click()
        entry = page.locator("[data-tournament=our-cup]")
        await entry.get_by_role("button", name="Start").click()
        await page.get_by_text("Our cup has begun.").wait_for()
        await entry.get_by_role("button", name="Pause").click()
        await page.locator(".say .undo").click()
        await entry.get_by_role("button", name="Pause").wait_for()

        row = page.locator("#class tr", has_text="cleo")
        await row.get_by_role("button", name="Ban").click()
        await page.get_by_role("dialog").get_by_role("button", name="Ban").click()
        await page.locator("#class .say .undo").click()
        await row.get_by_role("button", name="Ban", exact=True).wait_for()


async def test_a_ruling_needs_a_verdict_and_its_reason(page: Page, tmp_path: Path) -> None:
    with closing(Store(tmp_path / "data")) as store:
        results = [*play_tournament(store, players=3).results.values()][::-1]
    match, (first, second) = next((each.match, each.fixture.players) for each in results if each.returns == (1, -1))
    late = next(each for each in results if each.reason == "timeout")
    with ServerProcess(tmp_path / "data") as server:
        await page.goto(f"{server.web}/teacher")
        await page.get_by_label("Admin key").fill((server.data / "teacher.key").read_text().strip())
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("button", name="Sign out").wait_for()
        await page.goto(f"{server.web}/match/{match}")
        await page.get_by_role("button", name="Rule on this match").click()
        dialog = page.get_by_role("dialog")
        rule = dialog.get_by_role("button", name="Rule on this match")
        await rule.click()
        await expect(dialog.get_by_role("combobox")).to_be_focused()
        await dialog.get_by_role("combobox").select_option("void")
        await rule.click()
        await expect(dialog.get_by_role("textbox")).to_be_focused()
        await dialog.get_by_role("textbox").fill("the Wi-Fi was gone")
        await rule.click()
        await page.get_by_text(re.compile("teacher's ruling this match .*the Wi-Fi was gone")).wait_for()
        # The score that was played is struck out wherever the result is told.
        await expect(page.locator(".result b s")).to_have_text("1–0")
        await expect(page.locator(".result b")).to_have_text(f"{first} 1–0 0–0 {second}")
        await expect(page.locator(".seat .about")).to_have_text(["Cancelled", "Cancelled"])
        async with page.expect_download() as saved:
            await page.get_by_role("button", name="Moves as .txt").click()
        assert "Ruled by the teacher: does not count" in (await (await saved.value).path()).read_text()
        await page.goto(f"{server.web}/")
        recent = page.locator("page-lobby .later li", has_text="Ruled by the teacher: does not count")
        await expect(recent.locator("a")).to_have_text(f"{first} 1–0 0–0 {second}")
        won = {"match": match, "verdict": "win", "winner": second, "why": "an appeal"}
        await asyncio.to_thread(server.api, "POST", "/tournaments/cup/rule", won)
        await page.goto(f"{server.web}/player/{second}/")
        row = page.locator("page-player .plainlist li", has_text=f"Ruled by the teacher: counts as a win of {second}")
        await expect(row.locator("a")).to_have_text(f"{first} 1–0 0–1 {second}")
        await expect(row.locator("s")).to_have_text("1–0")
        await expect(row.locator(".outcome.up")).to_have_text("won")
        excused = {"match": late.match, "verdict": "draw", "why": "the Wi-Fi again"}
        await asyncio.to_thread(server.api, "POST", "/tournaments/cup/rule", excused)
        await page.goto(f"{server.web}/player/{late.fixture.players[late.returns.index(-1)]}/")
        await expect(page.locator(".failures")).to_contain_text("Ruled by the teacher: counts as a draw · ")
