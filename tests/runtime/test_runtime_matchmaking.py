"""Which match begins next: who is full, who is absent, who is late, and for how many there is room."""

from __future__ import annotations

import asyncio
import os
from types import SimpleNamespace

import pytest
from tests.support.homes import Bots

from palestra_server.runtime.matchmaking import Capacity, Matchmaker

ABSENT_S, LATE_S = 5.0, 60.0  # stated again: players and teachers notice a change
FIRST, ENOUGH, MOST, SHARE = 64, 400, 500, 0.5


class Live:
    """A tournament whose matches, pairs of names, are to be played in this order. Its students play one at a time."""

    def __init__(self, *pairs, absent="lose", bots=(), state="running"):
        self.todo, self.state, self.begun, self.late = list(pairs), state, [], None
        self.spec = SimpleNamespace(absent=absent)
        names = dict.fromkeys(name for pair in pairs for name in pair)
        self.tournament = SimpleNamespace(active=list(names), pending=names, references=frozenset(bots))
        self.began, self.plays = lambda _pair: None, True

    def waiting(self, among):
        free = among - ({name for pair in self.begun for name in pair} - self.tournament.references)
        return (pair for pair in self.todo if free.issuperset(pair))

    def play(self, pair):
        self.begun.append(pair)
        if self.plays:
            self.todo.remove(pair)
            self.began(pair)
        return self.plays

    def waits_for(self, bots):
        self.late = bots


class Desk:
    """A matchmaker and what it reads. `now` in seconds."""

    def __init__(self, *here, bots=(), limits=(), cores=2, room=FIRST):
        self.now = 100.0
        self.players = dict.fromkeys(here)
        self.references = Bots()
        self.references.names, self.references.limits = frozenset(bots), dict(limits)
        self.matches = {}
        self.saving = SimpleNamespace(fault=asyncio.Future())
        self.journal = SimpleNamespace(trouble=None)
        self.capacity = SimpleNamespace(local=cores, look=lambda playing: self.looked.append(playing) or room)
        self.looked = []
        self.maker = Matchmaker(
            players=self.players,
            playing=SimpleNamespace(matches=self.matches),
            references=self.references,
            capacity=self.capacity,
            saving=self.saving,
            journal=self.journal,
            supervisor=SimpleNamespace(run=lambda _work, _owner, act, *args: act(*args)),
            now_s=lambda: self.now,
        )

    def plays(self, *players):
        self.matches[len(self.matches)] = SimpleNamespace(players=players)

    def fill(self, *tournaments):
        for live in tournaments:
            live.began = lambda pair: self.plays(*pair)
        self.maker.fill(iter(tournaments))
        return tournaments[0].begun


async def test_matches_begin_in_order_between_those_who_are_here():
    live = Live(("ana", "gone"), ("bob", "eva"), ("ana", "bob"), ("ana", "ida"))
    assert Desk("ana", "bob", "eva", "ida").fill(live) == [("bob", "eva"), ("ana", "ida")]


async def test_after_one_that_could_not_begin_no_other_is_tried():
    live = Live(("ana", "bob"), ("eva", "ida"))
    live.plays = False
    assert Desk("ana", "bob", "eva", "ida").fill(live) == [("ana", "bob")]


@pytest.mark.parametrize("state", ["draft", "waiting", "paused", "completed"])
async def test_nothing_begins_in_a_tournament_that_does_not_run(state):
    assert Desk("ana", "bob").fill(Live(("ana", "bob"), state=state)) == []


async def test_nothing_begins_while_nothing_can_be_kept():
    desk, live = Desk("ana", "bob"), Live(("ana", "bob"))
    desk.journal.trouble = "the disk is full"
    assert desk.fill(live) == []
    desk.journal.trouble = None
    desk.saving.fault.set_result(None)
    assert desk.fill(live) == []
    desk.saving.fault = asyncio.Future()
    assert desk.fill(live) == [("ana", "bob")]


async def test_as_many_matches_begin_as_there_is_room_for():
    pairs = [(f"a{n}", f"b{n}") for n in range(5)]
    desk = Desk(*(name for pair in pairs for name in pair), room=3)
    desk.plays("casual", "other")
    assert desk.fill(Live(*pairs)) == pairs[:2]
    assert desk.looked == [1, 2, 3], "in progress each time"


async def test_a_bot_plays_as_many_matches_as_it_may_while_its_processors_last():
    pairs = [(name, "level1") for name in ("ana", "bob", "eva", "ida")]
    here = ("ana", "bob", "eva", "ida", "level1")
    for limit, cores, begin in ((1, 4, 1), (2, 4, 2), (3, 4, 3), (5, 5, 4), (4, 1, 1), (4, 3, 3)):
        desk = Desk(*here, bots=["level1"], limits={"level1": limit}, cores=cores)
        assert len(desk.fill(Live(*pairs, bots=["level1"]))) == begin, (limit, cores)


async def test_all_bots_together_have_the_processors():
    bots = ["level1", "level2"]
    desk = Desk("ana", "bob", "eva", "ida", *bots, bots=bots, limits=dict.fromkeys(bots, 4), cores=2)
    live = Live(("ana", "level1"), ("bob", "level2"), ("level2", "eva"), ("eva", "ida"), bots=bots)
    assert desk.fill(live) == [("ana", "level1"), ("bob", "level2"), ("eva", "ida")], "students need no processor here"


async def test_a_match_between_two_bots_takes_one_processor():
    bots = ["level1", "level2", "level3"]
    desk = Desk("ana", *bots, bots=bots, limits=dict.fromkeys(bots, 4), cores=2)
    live = Live(("level1", "level2"), ("level3", "level2"), ("ana", "level3"), bots=bots)
    assert desk.fill(live) == [("level1", "level2"), ("level3", "level2")]
    again = Desk("ana", *bots, bots=bots, limits={"level1": 1, "level2": 1, "level3": 1}, cores=9)
    live = Live(("level1", "level2"), ("ana", "level1"), ("ana", "level2"), bots=bots)
    assert again.fill(live) == [("level1", "level2"), ("ana", "level2")], "it counts for the first of the two"


async def test_other_peoples_matches_take_no_processor():
    desk = Desk("ana", "level1", bots=["level1"], cores=1)
    desk.plays("bob", "eva")
    assert desk.fill(Live(("ana", "level1"))) == [("ana", "level1")]


async def test_who_is_absent_for_long_enough_loses_after_all_others():
    live = Live(("ana", "gone"), ("lost", "away"), ("eva", "bob"))
    desk = Desk("ana", "bob", "eva")
    assert desk.fill(live) == [("eva", "bob")], "lost connections are back before"
    desk.now += ABSENT_S - 0.001
    assert len(desk.fill(live)) == 1
    desk.now += 0.001
    assert desk.fill(live)[1:] == [("ana", "gone"), ("lost", "away")]


async def test_absence_is_counted_from_when_it_was_noticed_and_ends_with_a_visit():
    live, desk = Live(("ana", "bob")), Desk("ana")
    desk.fill(live)
    desk.now += ABSENT_S / 2
    desk.players["bob"] = None
    live.todo.clear()
    desk.fill(live)
    del desk.players["bob"]
    live.todo.append(("ana", "bob"))
    desk.fill(live)
    desk.now += ABSENT_S - 0.001
    assert desk.fill(live) == []
    desk.now += 0.001
    assert desk.fill(live) == [("ana", "bob")]


async def test_absence_is_counted_through_a_pause_and_by_every_tournament():
    live, other = Live(("ana", "bob"), state="paused"), Live(("bob", "eva"), state="completed")
    desk = Desk("ana")
    desk.fill(other)
    desk.now += ABSENT_S
    desk.fill(live)
    desk.now += ABSENT_S
    live.state = "running"
    assert desk.fill(live) == [("ana", "bob")]
    assert desk.maker._missing_since.keys() == {"bob"}, "nobody counts for what is over"
    undrawn = Live(("ana", "bob"))
    undrawn.tournament.references, undrawn.tournament = frozenset(), None
    undrawn.waiting = lambda _among: iter(())
    assert desk.fill(undrawn) == []


async def test_where_absent_players_are_waited_for_they_are():
    live, desk = Live(("ana", "gone"), absent="wait"), Desk("ana")
    desk.fill(live)
    desk.now += 100 * ABSENT_S
    assert desk.fill(live) == []


async def test_a_bot_of_this_server_is_waited_for_in_any_case():
    live, desk = Live(("ana", "level1"), bots=["level1"]), Desk("ana", bots=["level1"])
    desk.fill(live)
    desk.now += LATE_S - 0.001
    assert (desk.fill(live), live.late) == ([], ())
    desk.now += 0.001
    assert (desk.fill(live), live.late) == ([], ("level1",))
    desk.players["level1"] = None
    assert (desk.fill(live), live.late) == ([("ana", "level1")], ())


@pytest.mark.parametrize(("state", "late"), [("running", 2), ("paused", 2), ("completed", 0), ("draft", 0)])
async def test_bots_are_late_where_something_is_to_be_played(state, late):
    live = Live(("level2", "level1"), ("ana", "level3"), bots=["level1", "level2", "level3"])
    desk = Desk("level3", bots=["level1", "level2", "level3"])
    desk.fill(live)
    desk.now += LATE_S
    desk.maker._note_absences([live])
    live.state = state
    assert desk.maker._late_bots(live) == ("level1", "level2")[:late]
    live.tournament.pending = {"ana": None}
    assert desk.maker._late_bots(live) == ()
    live.tournament = None
    assert desk.maker._late_bots(live) == ()


# Capacity:


class Clocks:
    wall = cpu = 0.0
    actions = 0

    def capacity(self, cores=2):
        return Capacity(lambda: self.wall, lambda: self.cpu, lambda: self.actions, cores=cores)


def test_without_a_measurement_there_is_room_for_a_usual_number():
    clocks = Clocks()
    capacity = clocks.capacity()
    assert (capacity.look(0), capacity.local, capacity.matches) == (FIRST, 2, FIRST)
    clocks.wall, clocks.cpu, clocks.actions = 1.0, 1.0, ENOUGH
    assert capacity.look(0) == FIRST, "nothing was being played"


@pytest.mark.parametrize(("known", "cores", "local"), [(8, 3, 3), (8, None, 8), (None, None, 1), (None, 1, 1)])
def test_bots_have_as_many_processors_as_there_are(monkeypatch, known, cores, local):
    monkeypatch.setattr(os, "cpu_count", lambda: known)
    assert Clocks().capacity(cores).local == local


def test_a_moment_of_play_is_measurement_enough_and_each_begins_at_nothing():
    clocks = Clocks()
    capacity = clocks.capacity()
    for _ in range(2):
        clocks.wall, clocks.cpu, clocks.actions = clocks.wall + 1, clocks.cpu + 0.005, clocks.actions + ENOUGH
        assert capacity.look(1) == int(SHARE / 0.005) == 100


def test_room_is_what_keeps_the_share_of_a_core():
    clocks = Clocks()
    clocks.wall, clocks.cpu, clocks.actions = 50.0, 7.0, 30  # before the measurement: none of it counts
    capacity = clocks.capacity()
    clocks.wall, clocks.cpu, clocks.actions = 60.0, 7.2, 30 + ENOUGH - 1
    assert capacity.look(4) == FIRST, "too few to judge by"
    # 8 matches for 10 s after 4 for 10 s: 120 s of matches, 400 actions, 0.6 s of the processor.
    clocks.wall, clocks.cpu, clocks.actions = 70.0, 7.6, 30 + ENOUGH
    busy_by_match = (0.6 / ENOUGH) * (ENOUGH / 120)
    assert capacity.look(8) == int(SHARE / busy_by_match) == 100
    # From here on anew: twice as dear.
    clocks.wall, clocks.cpu, clocks.actions = 80.0, 8.6, 30 + 2 * ENOUGH
    assert capacity.look(10) == 50
    clocks.wall, clocks.cpu, clocks.actions = 90.0, 8.6, 30 + 3 * ENOUGH
    assert capacity.look(10) == MOST, "for nothing"
    clocks.wall, clocks.cpu, clocks.actions = 100.0, 98.6, 30 + 4 * ENOUGH
    assert capacity.look(10) == capacity.local, "whatever it costs"
