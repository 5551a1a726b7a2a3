"""The tables that visitors see: the same bytes wherever they are made, once for all who ask."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

import pytest

from palestra_server import helper
from palestra_server.runtime import shown
from palestra_server.runtime.live_tournament import Made
from palestra_server.runtime.shown import Shown
from palestra_server.tables import TABLES, MakingStopped, TablesApart, apart, make
from palestra_tournament import Ended, Entrant, MatchStarted, Reinstated, Withdrew, begin, parse_spec, playable, step

CUP = """
name = "cup"
games = ["connect4", "mancala"]
format = "{format}"
seed = 7
embargo = "last-round"
[grades]
rating = [{{ at_least = 10, points = 2 }}]
participation = {{ points = 2 }}
"""


def states(format="swiss", players=7):
    """A tournament after every result; somebody is withdrawn in between and comes back."""
    t, _ = begin(parse_spec(CUP.format(format=format)), [Entrant(f"p{number}") for number in range(players)], 7, 1)
    number = 0
    while (fixture := next(playable(t), None)) is not None:
        number += 1
        t, _ = step(t, MatchStarted(fixture.id, f"m{number}", 2))
        first = sum(map(ord, "".join(fixture.players))) % 3 - 1.0
        moves = tuple((number + place) % 6 for place in range(9))
        t, _ = step(
            t, Ended(fixture.id, f"m{number}", (first, -first), "rules", 9, moves, moves, 1000 * number, (0, 0))
        )
        yield t
        if number in (5, 8):
            t, effects = step(t, Withdrew("p1", "a test", 3) if number == 5 else Reinstated("p1", 3))
            assert effects
            yield t


@pytest.fixture
def process():
    made = TablesApart()
    yield made
    made.close()
    made.end()


@pytest.mark.parametrize("format", ["swiss", "elimination"])
def test_another_process_makes_the_same_bytes(process, format, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random.py").write_text("raise SystemExit('a bot, which numpy must not get to see')")
    played = list(states(format))
    asked = [*played[::9], played[-1], played[2]]  # the last: what is older than what it was told before
    wanted = {(id(t), table, all_): make(table, t, all_) for t in asked for table in TABLES for all_ in (True, False)}
    monkeypatch.setattr(apart, "make", lambda *_: pytest.fail("it was made here"))
    for t in asked:
        for table in TABLES:
            for everything in (True, False):
                assert process("cup", table, t, everything) == wanted[id(t), table, everything], table


def test_it_is_told_only_what_is_new_and_keeps_a_few_tournaments(process, monkeypatch):
    played = list(states())
    told = []
    parts = process._parts
    monkeypatch.setattr(process, "_parts", lambda *asked: told.append(list(parts(*asked))) or told[-1])
    process("cup", "standings", played[-2], True)
    process("cup", "standings", played[-1], True)
    assert [len(part) for part in told[1][1:]] == [1], "the last result"
    for number in range(apart.KEPT):
        process(f"cup-{number}", "standings", played[0], True)
    process("cup", "standings", played[-1], True)
    assert len(told[-1][0].known) == apart.KEPT
    assert sum(map(len, told[-1][1:])) == len(played[-1].fixtures) + len(played[-1].results), "it was forgotten"


def test_what_cannot_be_made_there_is_made_here(process, monkeypatch):
    t = list(states())[-1]
    wanted = make("standings", t, True)
    assert process("cup", "standings", t, True) == wanted
    process._helper._process.kill()
    process._helper._process.wait()
    assert process("cup", "standings", t, True) == wanted
    assert process._helper._process is None
    assert process("cup", "standings", t, True) == wanted
    assert process._helper._process is not None, "the next is started"
    process.end()
    monkeypatch.setattr(helper.sys, "executable", "/nowhere/python")
    assert process("cup", "standings", t, True) == wanted
    process.close()
    with pytest.raises(MakingStopped):
        process("cup", "standings", t, True)


class Live:
    """What `Shown` looks at, with the states of a tournament to go through."""

    name = "cup"

    def __init__(self):
        self.made = Made()
        self._states = list(states())
        self.recorded = 3

    @property
    def now(self):
        return self._states[self.recorded]


@pytest.fixture
def slow(monkeypatch):
    """Every table waits until the test lets it be made: what was asked for, somebody asks, go on."""
    slow = SimpleNamespace(made=[], asked=threading.Semaphore(0), go_on=threading.Semaphore(0))

    def make_slowly(table, t, everything):
        slow.made.append((table, len(t.results), everything))
        slow.asked.release()
        assert slow.go_on.acquire(timeout=60)
        return make(table, t, everything)

    monkeypatch.setattr(shown, "make", make_slowly)
    return slow


async def test_one_at_a_time_the_newest_wins_and_all_who_ask_meanwhile_share_it(slow):
    live, tables = Live(), Shown(apart=lambda: False)
    first = [asyncio.create_task(tables.table(live, "standings", True)) for _ in range(3)]
    await asyncio.to_thread(slow.asked.acquire, timeout=60)
    old, asks = live.now, []
    for _ in range(5):  # a result, and somebody looks
        live.recorded += 1
        asks.append(asyncio.create_task(tables.table(live, "standings", True)))
        await asyncio.sleep(0)
    newest = live.now
    slow.go_on.release()
    await asyncio.to_thread(slow.asked.acquire, timeout=60)
    live.recorded += 1  # while the second is being made
    slow.go_on.release()
    assert set(await asyncio.gather(*first)) == {make("standings", old, True)}
    assert set(await asyncio.gather(*asks)) == {make("standings", newest, True)}
    assert slow.made == [("standings", len(old.results), True), ("standings", len(newest.results), True)]
    slow.go_on.release()
    assert await tables.table(live, "standings", True) == make("standings", live.now, True), "and the next is asked"
    assert len(slow.made) == 3
    await asyncio.to_thread(tables.close)


async def test_what_is_hidden_is_made_for_the_public_and_for_the_teacher(slow):
    live, tables = Live(), Shown(apart=lambda: False)
    live.recorded = len(live._states) - 1
    for _ in range(4):
        slow.go_on.release()
    ends = [await tables.table(live, "schedule", everything) for everything in (True, False, True, False)]
    assert ends[:2] == ends[2:]
    assert ends[0] != ends[1]
    assert [everything for _, _, everything in slow.made] == [True, False]
    live._states[-1] = live.now.but(revealed=True)
    live.recorded = len(live._states)
    live._states.append(live._states[-1])
    shown_to = [await tables.table(live, "schedule", everything) for everything in (False, True)]
    assert shown_to[0] == shown_to[1]
    assert len(slow.made) == 3, "once for both"
    await asyncio.to_thread(tables.close)


async def test_large_tables_are_made_apart_while_the_house_is_open(slow, monkeypatch):
    monkeypatch.setattr(shown, "HERE", 6)
    live, tables = Live(), Shown(apart=lambda: True)
    assert await tables.table(live, "standings", True) == make("standings", live.now, True)
    assert slow.made == []
    await asyncio.to_thread(tables.close)
    live.recorded += 1
    with pytest.raises(MakingStopped):
        await tables.table(live, "standings", True)
