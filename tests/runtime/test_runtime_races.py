"""Whatever two people do to a tournament at once, and whatever is being played: one comes after the other."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.director import CUP, NAMES, House

from palestra_server.runtime import DirectorError, RosterError
from palestra_server.supervision import Supervisor

PLANNED = CUP + "start = 2020-01-01T00:00:00\n"
FILE = {False: CUP, True: PLANNED}


async def rename(home):
    """There and back again."""
    with home.director.renaming("ana"), home.director.renaming("zoe"):
        for name, called in (("ana", "zoe"), ("zoe", "ana")):
            await asyncio.to_thread(home.house.roster.change, name, called=called)


def rule(home):
    """On a match that is over, if there is one."""
    live = home.catalogue.get("cup")
    over = (result.match for result in live.tournament.results.values()) if live.tournament else ()
    home.director.rule("cup", next(filter(None, over), "x"), "draw", "", "a storm")


def add(home):
    """A fourth comes late."""
    if "ivo" not in home.house.roster.names:
        home.house.roster.add("ivo", "", "A")
    home.director.add("cup", ["ivo"])


ACTS = {
    "add": add,
    "create": lambda home: home.director.create(CUP),
    "plan": lambda home: home.director.create(PLANNED),
    "delete": lambda home: home.director.delete("cup"),
    "start": lambda home: home.director.start("cup"),
    "pause": lambda home: home.director.pause("cup"),
    "resume": lambda home: home.director.resume("cup"),
    "finish": lambda home: home.director.finish("cup"),
    "reveal": lambda home: home.director.reveal("cup"),
    "withdraw": lambda home: home.director.withdraw("cup", "ana"),
    "reinstate": lambda home: home.director.reinstate("cup", "ana"),
    "repeat": lambda home: home.director.repeat("cup", "x"),
    "planned start": lambda home: home.timetable.look(),
    "rename": rename,
    "rule": rule,
    "come": lambda home: home.bots(*NAMES),
}


async def act(home, name, turns):
    """Does it after so many turns of the loop; what is refused is refused in a sentence."""
    for _ in range(turns):
        await asyncio.sleep(0)
    with contextlib.suppress(DirectorError, RosterError):  # whoever comes too late
        done = ACTS[name](home)
        if asyncio.iscoroutine(done):
            await done


async def race(rounds, folder):
    supervisor = await Supervisor.open()
    home = House(folder, supervisor)
    try:
        home.timetable.begin()
        for pair in rounds:
            await asyncio.gather(*(act(home, name, turns) for name, turns in pair))
        for name, live in tuple(home.catalogue.tournaments.items()):
            if live.tournament is not None:
                t = known = None
                while known is not live.tournament:  # it is played on meanwhile
                    known = live.tournament
                    t = await home.kept(name)
                assert (t.results, t.withdrawn) == (live.tournament.results, live.tournament.withdrawn)
                assert t.entrants == live.tournament.entrants
        assert {name for name, _ in home.store.tournaments.listed()} == {
            each["name"] for each in home.catalogue.listed()
        }
        assert (home.journal.broken, home.catalogue.troubles(), supervisor.troubles) == (None, [], {})
        everybody = tuple(home.house.roster.names)
        home.bots(*everybody)
        await home.director.create(CUP.replace("cup", "last"))
        home.director.start("last")
        assert len((await home.over("last")).results) == len(everybody) * (len(everybody) - 1)
    finally:
        home.close()
        await supervisor.close()


PAIRS = st.tuples(*[st.tuples(st.sampled_from(sorted(ACTS)), st.integers(0, 8))] * 2)


@settings(max_examples=25, deadline=None)
@given(st.lists(PAIRS, max_size=5).map(lambda pairs: [(("create", 0),), *pairs]))
@pytest.mark.slow
def test_no_two_acts_race(rounds):
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(race(rounds, Path(folder) / "data"))


def test_what_comes_while_it_is_deleted_writes_nothing(tmp_path):
    """As it was found: `start` while `delete` waits for the disk, and the same name again."""
    rounds = [
        (("create", 0),),
        (("delete", 0), ("start", 2)),
        (("create", 0), ("create", 1)),
        (("start", 0), ("delete", 0)),
    ]
    asyncio.run(race(rounds, tmp_path / "data"))
