"""The tables that visitors see: the same bytes wherever they are made, once for all who ask."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import threading
from contextlib import closing
from types import SimpleNamespace

import pytest

from palestra_server.helper import Helper, HelperStopped
from palestra_server.runtime import VISITOR, Viewer, table_cache
from palestra_server.runtime.table_cache import TableCache
from palestra_server.tables import TABLES, Asked, TablesApart, apart
from palestra_server.tables import make as make_part
from palestra_tournament import (
    Ended,
    Entrant,
    MatchStarted,
    Reinstated,
    Revealed,
    Withdrew,
    begin,
    hides,
    parse_spec,
    playable,
    public,
    step,
)

pytestmark = pytest.mark.process
TEACHER, ASKS = Viewer("teacher"), Viewer("teacher", asks_for_hidden=True)
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


STANDINGS, SCHEDULE = Asked("standings"), Asked("schedule")


def make(table, t):
    return make_part(Asked(table), t)


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
            t, effects = step(t, Withdrew("p1", 3) if number == 5 else Reinstated("p1", 3))
            assert effects
            yield t


@pytest.fixture
def process():
    with closing(Helper()) as helper:
        yield TablesApart(helper)


@pytest.mark.parametrize("format", ["swiss", "elimination"])
@pytest.mark.slow
def test_another_process_makes_the_same_bytes(process, format, monkeypatch):
    played = list(states(format))
    asked = [*played[::9], played[-1], played[2]]  # the last: what is older than what it was told before
    wanted = {(id(t), table): make(table, t) for t in asked for table in TABLES}
    monkeypatch.setattr(apart, "make", lambda *_: pytest.fail("it was made here"))
    for t in asked:
        for table in TABLES:
            assert process("cup", Asked(table), t) == wanted[id(t), table], table


def test_it_is_sent_only_what_is_new_and_keeps_a_few_tournaments(process, monkeypatch):
    played = list(states())
    sent, run = [], process._helper.run
    monkeypatch.setattr(
        process._helper, "run", lambda work, *given: (work is apart._add and sent.extend(given[1])) or run(work, *given)
    )
    process("cup", STANDINGS, played[-2])
    assert len(sent) == len(played[-2].fixtures) + len(played[-2].results)
    sent.clear()
    process("cup", STANDINGS, played[-1])
    assert sent == [list(played[-1].results.values())[-1]]
    for number in range(apart.KEPT):
        process(f"cup-{number}", STANDINGS, played[0])
    sent.clear()
    process("cup", STANDINGS, played[-1])
    assert len(sent) == len(played[-1].fixtures) + len(played[-1].results), "it was forgotten"


def test_a_new_process_is_sent_everything(process):
    played = list(states())
    assert process("cup", STANDINGS, played[-2]) == make("standings", played[-2])
    os.kill(process._helper.run(os.getpid), signal.SIGKILL)
    assert process("cup", STANDINGS, played[-1]) == make("standings", played[-1])


class Live:
    """What `TableCache` looks at, with the states of a tournament to go through."""

    name = "cup"

    def __init__(self):
        self._states = list(states())
        self.recorded = 3

    @property
    def tournament(self):
        return self._states[self.recorded]

    @property
    def hides(self):
        return hides(self.tournament)

    def seen_by(self, viewer):
        return viewer.tournament(self.tournament)


@pytest.fixture
def slow(monkeypatch):
    """Every table waits until the test lets it be made: what was asked for, somebody asks, go on."""
    slow = SimpleNamespace(made=[], asked=threading.Semaphore(0), go_on=threading.Semaphore(0))

    def make_slowly(asked, t):
        slow.made.append((asked.table, len(t.results)))
        slow.asked.release()
        assert slow.go_on.acquire(timeout=60)
        return make_part(asked, t)

    monkeypatch.setattr(table_cache, "make", make_slowly)
    return slow


async def test_one_at_a_time_the_newest_wins_and_all_who_ask_meanwhile_share_it(slow):
    live, tables = Live(), TableCache(is_apart=lambda: False)
    first = [asyncio.create_task(tables.table(live, STANDINGS, ASKS)) for _ in range(3)]
    await asyncio.to_thread(slow.asked.acquire, timeout=60)
    old, asks = live.tournament, []
    for _ in range(5):  # a result, and somebody looks
        live.recorded += 1
        asks.append(asyncio.create_task(tables.table(live, STANDINGS, ASKS)))
        await asyncio.sleep(0)
    newest = live.tournament
    slow.go_on.release()
    await asyncio.to_thread(slow.asked.acquire, timeout=60)
    live.recorded += 1  # while the second is being made
    slow.go_on.release()
    assert set(await asyncio.gather(*first)) == {make("standings", old)}
    assert set(await asyncio.gather(*asks)) == {make("standings", newest)}
    assert slow.made == [("standings", len(old.results)), ("standings", len(newest.results))]
    slow.go_on.release()
    assert await tables.table(live, STANDINGS, ASKS) == make("standings", live.tournament), "and the next is asked"
    assert len(slow.made) == 3
    await asyncio.to_thread(tables.close)


async def test_what_is_hidden_is_made_for_the_public_and_for_the_teacher(slow):
    live, tables = Live(), TableCache(is_apart=lambda: False)
    live.recorded = len(live._states) - 1
    for _ in range(4):
        slow.go_on.release()
    ends = [await tables.table(live, SCHEDULE, viewer) for viewer in (ASKS, TEACHER, ASKS, VISITOR)]
    assert ends[:2] == ends[2:]
    assert ends[0] != ends[1]
    assert [count for _, count in slow.made] == [len(t.results) for t in (live.tournament, public(live.tournament))]
    live._states[-1] = step(live.tournament, Revealed(4))[0]
    live.recorded = len(live._states)
    live._states.append(live._states[-1])
    shown_to = [await tables.table(live, SCHEDULE, viewer) for viewer in (VISITOR, ASKS)]
    assert shown_to[0] == shown_to[1]
    assert len(slow.made) == 3, "once for both"
    await asyncio.to_thread(tables.close)


@pytest.mark.slow
async def test_large_tables_are_made_apart_while_the_house_is_open(slow, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(table_cache, "HERE", 6)
    live, tables = Live(), TableCache(lambda: True, every_s=0)
    assert await tables.table(live, STANDINGS, ASKS) == make("standings", live.tournament)
    assert slow.made == []
    csv = await tables.table(live, Asked("schedule.csv"), ASKS)
    assert csv.read(0, csv.size) == make("schedule.csv", live.tournament)
    assert os.fstat(csv._handle).st_mode & 0o777 == 0o600
    live.recorded += 1
    again = await tables.table(live, Asked("schedule.csv"), ASKS)
    assert again.read(0, again.size) == make("schedule.csv", live.tournament)
    assert os.listdir(tmp_path) == [], "no file has a name once it is written"
    await asyncio.to_thread(tables.close)
    live.recorded += 1
    with pytest.raises(HelperStopped):
        await tables.table(live, STANDINGS, ASKS)


@pytest.mark.slow
async def test_a_crowd_has_a_large_table_made_once_in_a_while(monkeypatch):
    monkeypatch.setattr(table_cache, "HERE", 6)
    live, tables = Live(), TableCache(lambda: True)
    pauses, made, there = [], [], tables._apart

    async def pause(kept):
        pauses.append(kept.due_s - asyncio.get_running_loop().time())
        live.recorded += 1  # and meanwhile there is another result

    def make_apart(*asked):
        made.append(len(asked[2].results))
        return there(*asked)

    monkeypatch.setattr(tables, "_pause", pause)
    monkeypatch.setattr(tables, "_apart", make_apart)
    for _ in range(2):
        live.recorded += 1
        crowd = [tables.table(live, STANDINGS, ASKS) for _ in range(9)]
        assert len(set(await asyncio.gather(*crowd))) == 1
    assert len(made) == len(pauses) == 2
    assert pauses[0] <= 0 < 0.5 < pauses[1]
    assert made[1] == len(live.tournament.results), "with the result that came in the pause"
    await asyncio.to_thread(tables.close)
