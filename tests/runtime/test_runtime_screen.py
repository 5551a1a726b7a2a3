"""The big screen's state: what the teacher has it show, and the ceremony, by itself or at the teacher's key."""

from __future__ import annotations

import json

import pytest
from tests.support.director import CUP, NAMES, House
from tests.support.homes import Watcher

from palestra_server.runtime import DirectorError
from palestra_server.runtime.screen import podium
from palestra_tournament import Row, standings

HIDDEN = CUP + 'embargo = "last-round"\n'


@pytest.fixture
def due(supervisor, monkeypatch):
    """What waits for the pause between two places, in order."""
    waiting, later = [], supervisor.later

    def noted(work, owner, delay_s, call):
        if work == "ceremony":
            waiting.append(call)
        return later(work, owner, delay_s, call)

    monkeypatch.setattr(supervisor, "later", noted)
    return waiting


@pytest.fixture
async def house(tmp_path, supervisor):
    """`house()`: a new life of the same data folder; the one before must have been stopped."""
    lives = []

    def opened():
        lives.append(House(tmp_path / "data", supervisor))
        return lives[-1]

    yield opened
    lives[-1].close()


async def played(home, toml=CUP):
    home.bots(*NAMES)
    home.timetable.begin()
    await home.director.create(toml)
    home.director.start("cup")
    await home.over()


def screen_of(home):
    return home.house.screen


def seen(home):
    """The players that are uncovered, the lowest place first."""
    return [[place["player"] for place in step] for step in screen_of(home).state()["podium"]]


def steps_of(home, name="cup"):
    rows = standings(home.catalogue.get(name).tournament, rated=False)
    return [[place["player"] for place in step] for step in podium(rows)]


def row(rank, player, **more):
    values = {"group": "", "reference": False, "withdrawn": False, "points": 1.0, "tiebreaks": (), "played": 4}
    return Row(rank, player, **{**values, "wins": 1, "draws": 0, "losses": 0, "byes": 0, **more})


def test_a_podium_has_a_step_for_each_place_and_none_for_a_crowd():
    bot, away = row(None, "level5", reference=True), row(5, "zoe", played=0)
    four = [row(rank, name) for rank, name in enumerate("abcd", 1)]
    assert [[each["player"] for each in step] for step in podium([*four, away, bot])] == [["c"], ["b"], ["a"]]
    shared = [row(1, "a"), row(2, "b"), row(3, "c"), row(3, "d")]
    assert [[each["player"] for each in step] for step in podium(shared)] == [["c", "d"], ["b"], ["a"]]
    crowd = [row(1, "a"), row(2, "b"), row(2, "c"), row(2, "d")]
    assert [[each["player"] for each in step] for step in podium(crowd)] == [["a"]]
    assert podium([row(1, name) for name in "abc"]) == podium([]) == ()


async def test_a_ceremony_comes_by_itself_and_stays_over_a_restart_until_the_teacher_ends_it(house, due):
    home = house()
    watcher = Watcher(home, "screen")
    await played(home)
    await home.until(lambda: screen_of(home).state()["ceremony"] == "cup")
    steps = steps_of(home)
    for uncovered in range(len(steps)):
        assert seen(home) == steps[:uncovered]
        assert not screen_of(home).state()["is_whole"]
        if uncovered == 1:
            home.close()
            due.clear()
            home = house()
            watcher = Watcher(home, "screen")
            home.timetable.begin()
            home.timetable.look()
            assert seen(home) == steps[:uncovered], "a server that was started again goes on where it was"
        due.pop(0)()
    assert seen(home) == steps
    assert screen_of(home).state()["is_whole"]
    assert due == []
    home.hub.finish()
    assert watcher.heard()[-1] == json.loads(json.dumps(screen_of(home).state()))
    screen_of(home).next()
    assert seen(home) == steps
    home.close()

    home = house()
    home.timetable.begin()
    home.timetable.look()
    assert seen(home) == steps
    screen_of(home).auto()
    home.timetable.look()
    assert (screen_of(home).state()["ceremony"], seen(home)) == (None, [])
    await screen_of(home).ceremony(None)
    assert screen_of(home).state()["ceremony"] == "cup"


async def test_what_begins_ends_the_ceremony_of_another(house):
    home = house()
    await played(home)
    await home.until(lambda: screen_of(home).state()["ceremony"] == "cup")
    await home.director.create(CUP.replace('"cup"', '"next"'))
    home.director.start("next")
    await home.until(lambda: screen_of(home).state()["ceremony"] is None)
    await home.over("next")
    await home.until(lambda: screen_of(home).state()["ceremony"] == "next")


async def test_a_hidden_podium_waits_for_the_teachers_key_and_is_everybodys_once_it_is_whole(house, due):
    home = house()
    await played(home, HIDDEN)
    home.timetable.look()
    assert screen_of(home).state()["ceremony"] is None
    live = home.catalogue.get("cup")
    await screen_of(home).ceremony("cup")
    assert due == []
    steps = steps_of(home)
    for place in range(len(steps)):
        assert live.hides, "until the first place is uncovered"
        assert len(seen(home)) == place
        screen_of(home).next()
    assert not live.hides
    home.timetable.look()
    assert screen_of(home).state()["is_whole"], "and it does not begin again"


async def test_there_is_no_ceremony_of_what_is_not_over(house):
    home = house()
    with pytest.raises(DirectorError, match="nobody to honour"):
        await screen_of(home).ceremony(None)
    await home.director.create(CUP)
    for name, why in (("cup", "not over yet"), ("none", "no tournament none")):
        with pytest.raises(DirectorError, match=why):
            await screen_of(home).ceremony(name)
