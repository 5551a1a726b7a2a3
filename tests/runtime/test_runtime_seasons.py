"""Seasons in the house: what they carry over into the next tournament, and tables that are never stale."""

import asyncio
import json
import threading

import pytest
from tests.support.homes import Home

from palestra_server.runtime import seasons as seasons_module
from palestra_server.runtime.embargo import VISITOR
from palestra_tournament import Ended, MatchStarted, Ruled, SpecError, playable

CUP = 'name = "{0}"\ngames = ["connect4"]\nformat = "round-robin"\nseeding = "roster"\n'
SEASON = 'name = "spring"\ntournaments = ["week-1", "week-2"]\nseeding = "ratings"\n'


async def begun(home: Home, name: str, more: str = ""):
    await home.director.create(CUP.format(name) + more)
    live = home.director.start(name)
    await live.drawn()
    return live


def play_out(live):
    """The last of the alphabet wins everything."""
    while (fixture := next(playable(live.tournament), None)) is not None:
        returns = (1.0, -1.0) if fixture.players[0] > fixture.players[1] else (-1.0, 1.0)
        match = f"{live.name}-{fixture.id}"
        live.feed(MatchStarted(fixture.id, match, 1))
        live.feed(Ended(fixture.id, match, returns, "rules", 1, (len(match),), (5,), 2))


async def rows(home, name="spring"):
    return json.loads(await home.house.seasons.table(name, "standings", VISITOR))["rows"]


async def test_what_is_over_seeds_the_next_tournament_of_the_season(open_home):
    home = open_home()
    for name in ("ana", "bob", "eva"):
        home.house.roster.add(name)
    await home.house.seasons.create(SEASON)
    first = await begun(home, "week-1", 'title = "First week"\n')
    assert first.tournament.carried is None, "nothing came before"
    play_out(first)
    home.house.roster.add("new")
    second = await begun(home, "week-2")
    assert second.tournament.seeds == ("eva", "bob", "ana", "new")
    earlier = {"name": "week-1", "events": first.recorded, "title": "First week"}
    assert second.snapshot()["carried"]["tournaments"] == [earlier]


async def test_no_tournament_is_seeded_by_two_seasons(open_home):
    home = open_home()
    await home.house.seasons.create(SEASON)
    other = SEASON.replace("spring", "year").replace("week-2", "final")
    with pytest.raises(SpecError, match="week-1 is seeded by the ratings of the season spring already"):
        await home.house.seasons.check(other)
    with pytest.raises(SpecError):
        await home.house.seasons.create(other)
    await home.house.seasons.create(other.replace("ratings", "own"))


async def test_a_season_says_that_its_rubric_replaces_those_of_its_tournaments(open_home):
    home = open_home()
    for name, more in (("week-1", "[grades]\nbase = 1\n"), ("week-2", "")):
        await home.director.create(CUP.format(name) + more)
    (own,) = (await home.house.seasons.check(SEASON + "[grades]\nbase = 2\n"))[1]
    assert own.sentence == "The rules under [grades] in week-1 give no points here: only those of this file do."
    (none,) = (await home.house.seasons.check(SEASON))[1]
    assert none.sentence == "This season gives no marks: the rules under [grades] in week-1 do not count here."
    assert (await home.house.seasons.check(SEASON.replace("week-1", "week-2").replace(', "week-2"', "")))[1] == []


async def test_a_student_who_is_renamed_in_mid_season_is_one_student(open_home):
    home = open_home()
    for name in ("anna", "bob"):
        home.house.roster.add(name)
    await home.house.seasons.create(SEASON)
    play_out(await begun(home, "week-1"))
    home.house.roster.change("anna", called="ana")
    await home.house.seasons.delete("spring")
    remarks = (await home.house.seasons.create(SEASON + 'renamed = { "anna" = "ana", eva = "Eva" }\n'))[1]
    assert "'renamed': nobody in these tournaments was called eva." in [each.sentence for each in remarks]
    assert [row["player"] for row in await rows(home)] == ["bob", "ana"]
    play_out(await begun(home, "week-2"))
    assert [[leg["came"] for leg in row["legs"]] for row in await rows(home)] == [[True, True], [True, True]]


async def test_a_tournament_that_goes_on_or_hides_something_seeds_nothing(open_home):
    home = open_home()
    for name in ("ana", "bob", "eva"):
        home.house.roster.add(name)
    await home.house.seasons.create(SEASON)
    play_out(await begun(home, "week-1", 'embargo = "last-round"\n'))
    assert home.catalogue.hides("week-1")
    second = await begun(home, "week-2")
    assert second.tournament.seeds == ("ana", "bob", "eva")


async def test_the_table_follows_a_ruling_and_another_tournament_of_the_same_name(open_home):
    home = open_home()
    for name in ("ana", "bob"):
        home.house.roster.add(name)
    await home.house.seasons.create(SEASON)
    live = await begun(home, "week-1")
    assert [row["player"] for row in await rows(home)] == ["ana", "bob"]
    await home.director.delete("week-1")
    home.house.roster.add("eva")
    live = await begun(home, "week-1")
    assert [row["player"] for row in await rows(home)] == ["ana", "bob", "eva"], (
        "as many events, and another tournament"
    )
    play_out(live)
    assert (await rows(home))[0]["player"] == "eva"
    for result in list(live.tournament.results.values()):
        if "eva" in result.fixture.players:
            other = next(name for name in result.fixture.players if name != "eva")
            live.feed(Ruled(result.match, "win", other, "an appeal", 3))
    assert (await rows(home))[0]["player"] == "bob"


async def test_a_table_that_is_made_while_its_season_is_deleted_is_not_the_next_ones(open_home, monkeypatch):
    home = open_home()
    for name in ("ana", "bob"):
        home.house.roster.add(name)
    seasons, go_on, begun_making = home.house.seasons, threading.Event(), asyncio.Event()
    await seasons.create(SEASON)
    play_out(await begun(home, "week-1"))
    loop, make = asyncio.get_running_loop(), seasons_module.make_season

    def slowly(*about):
        loop.call_soon_threadsafe(begun_making.set)
        assert go_on.wait(60)
        return make(*about)

    monkeypatch.setattr(seasons_module, "make_season", slowly)
    old = asyncio.create_task(rows(home))
    await begun_making.wait()
    await seasons.delete("spring")
    go_on.set()
    assert (await old)[0]["total"] != 0
    await seasons.create(SEASON.replace('["week-1", "week-2"]', '[{ name = "week-1", weight = 0.5 }, "week-2"]'))
    assert (await rows(home))[0]["total"] == (await old)[0]["total"] / 2
