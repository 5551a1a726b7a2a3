"""What a node makes of the others, and of a database that does not answer."""

from __future__ import annotations

import asyncio
import threading
from itertools import pairwise

import pytest
import structlog
from tests.support.databases import postgresql_schema
from tests.support.director import CUP, House
from tests.support.homes import Watcher
from tests.support.sabotage import Saboteur

from palestra_server.cli.records import verify_folder
from palestra_server.runtime import machines as module
from palestra_server.runtime.machines import Machines
from palestra_server.store import (
    Cluster,
    NameTaken,
    Node,
    SeenNode,
    StoreAway,
    open_archive,
    open_nodes,
    wall_clock_ms,
)

GAMES = ("connect4", "mancala")


def node(name, *, version="1.2", games=GAMES, key="key"):
    return Node(name, f"http://{name}", f"ws://{name}", version, games, key)


class Book:
    """The table of nodes. `fault`: what saying something raises; `hangs`: it takes until the node gives up."""

    def __init__(self, *nodes, referee=None):
        self.nodes, self.referee = nodes, referee
        self.fault = None
        self.hangs = False
        self.gave_up = threading.Event()
        self.said = []
        self.ago_s = 0.0
        self.drained = False
        self.now_s = None

    def say(self, _me, trouble, load=0.0):
        if self.hangs:
            assert self.gave_up.wait(60)
        if self.fault is not None:
            raise self.fault
        self.said.append(trouble)
        self.load = load

    def seen(self):
        seen = tuple(SeenNode(each, each.name == self.referee, self.drained, self.ago_s, "") for each in self.nodes)
        return Cluster(seen, self.referee, self.now_s)

    def give_up(self):
        self.gave_up.set()
        return StoreAway("The database can't be reached (it does not answer): bring it back.")


def beside(me, referee, **more):
    return Machines(Book(me, referee, referee=referee.name), me, **more)


@pytest.mark.parametrize(
    ("me", "referee", "said"),
    [
        (node("a"), node("b"), ""),
        (node("a", version="1.10"), node("b", version="1.9"), ""),
        (node("a", version="1.9"), node("b", version="1.10"), "It has Palestra 1.9, and b has 1.10: update it."),
        (node("a", games=(*GAMES, "nim")), node("b"), ""),
        (node("a", games=("mancala",)), node("b"), "It lacks connect4, which b has: install the same games."),
        (node("a", key="other"), node("b"), "It has another teacher's key than b: give both the same"),
    ],
)
async def test_who_has_less_than_the_referee_does_not_take_over_and_says_so(me, referee, said):
    machines = beside(me, referee)
    await machines.look()
    await machines.look()  # what the first one found is said to the others
    assert machines.trouble.startswith(said)
    assert machines._nodes.said[-1] == machines.trouble
    machines._nodes.referee = None
    machines._nodes.nodes = (me,)  # it died
    await machines.look()
    assert machines.is_next is (said == "")


async def test_whom_its_own_addresses_do_not_lead_to_does_not_take_over():
    machines = Machines(Book(node("a")), node("a"))
    machines.astray = "ws://a leads elsewhere."
    await machines.look()
    assert (machines.is_next, machines.trouble) == (False, "ws://a leads elsewhere.")
    machines.astray = ""
    await machines.look()
    assert machines.is_next


async def test_a_second_node_of_its_name_keeps_it_from_refereeing():
    me, other = node("a"), node("a")
    machines = Machines(Book(other, referee="a"), me, pause=lambda _: asyncio.sleep(0))
    machines._nodes.fault = NameTaken("A node called a is running already: give this one another --node NAME.")
    with pytest.raises(NameTaken):
        await machines.enter()
    await machines.look()
    machines.cluster = machines._nodes.seen()
    assert "running already" in machines.trouble
    assert (machines.referees, machines.referee, machines.is_next) == (False, other, False)


async def test_one_of_its_name_that_was_killed_is_waited_for():
    book = Book(node("a"))
    book.fault = NameTaken("A node called a is running already.")

    async def pause(seconds):
        book.ago_s += seconds
        if book.ago_s > 5:
            book.fault = None

    await Machines(book, node("a"), pause).enter()
    assert (book.said, book.ago_s > 5) == ([""], True)


async def test_a_database_that_says_nothing_is_given_up(monkeypatch):
    monkeypatch.setattr(module, "ANSWER_S", 0.0)
    machines = Machines(Book(node("a")), node("a"))
    machines._nodes.hangs = True
    await machines.look()
    assert machines._nodes.gave_up.is_set()
    assert (machines.is_next, "it does not answer" in machines.trouble) == (False, True)
    machines._nodes.gave_up.clear()
    machines._nodes.leave = lambda _: machines._nodes.gave_up.wait(60)
    with pytest.raises(StoreAway):
        await machines.leave()


async def test_while_another_is_about_to_referee_it_looks_more_often():
    me, other = node("a"), node("b")
    pauses = []

    async def pause(seconds):
        pauses.append(seconds)
        if len(pauses) == 1:
            book.drained = True
        elif len(pauses) == 2:
            book.drained, book.ago_s = False, 3 * module.LOOK_S
        elif len(pauses) == 3:
            book.ago_s, book.referee = 0.0, None
        elif len(pauses) == 4:
            book.referee = "b"
        else:
            raise asyncio.CancelledError

    book = Book(me, other, referee="b")
    with pytest.raises(asyncio.CancelledError):
        await Machines(book, me, pause).keep()
    assert pauses == [module.LOOK_S, *[module.HURRY_S] * 3, module.LOOK_S]


async def test_who_hands_over_waits_for_the_next_but_not_for_ever(monkeypatch):
    me, other = node("a"), node("b")
    machines = Machines(Book(me, other, referee="a"), me)
    await machines.look()
    waiting = asyncio.ensure_future(machines.next_referee())
    await machines.look()
    machines._nodes.referee = "b"
    await machines.look()
    assert await waiting == other
    machines._nodes.referee = None
    await machines.look()
    monkeypatch.setattr(module, "NEXT_S", 0.0)
    assert await machines.next_referee() is None


async def test_what_it_used_of_a_core_is_said(monkeypatch):
    used, now = [5.0], [100.0]
    monkeypatch.setattr(module.time, "process_time", lambda: used[0])
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    machines = Machines(Book(node("a")), node("a"))
    for share, lasts_s, said in ((0.4, 2 * module.LOAD_S, 0.4), (0.0, module.LOAD_S / 2, 0.2)):
        used[0], now[0] = used[0] + share * lasts_s, now[0] + lasts_s
        machines._say_and_see()
        assert machines._nodes.load == pytest.approx(said)


async def test_a_clock_that_is_set_wrong_is_not_used_and_that_is_said_once():
    now = [1_000_000]
    machines = Machines(Book(node("a")), node("a"), clock_ms=lambda: now[0])
    with structlog.testing.capture_logs() as logged:
        for ahead_s, read in ((0.5, 1_000_000), (3600.5, 4_600_500), (3600.0, 4_600_500), (1.0, 1_000_000)):
            machines._nodes.now_s = 1000.0 + ahead_s
            await machines.look()
            assert machines.wall_ms() == read
    whys = [entry["why"] for entry in logged if entry["event"] == "the clock of this machine is not used"]
    assert whys == ["it is 3600 s behind the database's: set it", "it is right again"]


async def test_a_database_that_answers_late_says_nothing_about_the_clock():
    now = [1_000_000]
    machines = Machines(Book(node("a")), node("a"), clock_ms=lambda: now[0])
    seen = machines._nodes.seen

    def late():
        now[0] += 10_000
        return seen()

    machines._nodes.seen, machines._nodes.now_s = late, 1007.0
    await machines.look()
    assert machines.wall_ms() == 1_010_000


@pytest.mark.process
@pytest.mark.parametrize("hours", [1, -1])
async def test_a_machine_whose_clock_is_an_hour_off_goes_on_in_the_middle_of_a_match(tmp_path, supervisor, hours):
    began = wall_clock_ms()
    with postgresql_schema() as database, open_nodes(tmp_path / "nodes", database) as nodes:
        numbers, late_ms = [], 0
        for name, off in (("one", -hours), ("two", hours)):
            machines = Machines(nodes, node(name), clock_ms=lambda off=off: wall_clock_ms() + off * 3_600_000)
            asked_ms = wall_clock_ms()
            await machines.look()
            late_ms += wall_clock_ms() - asked_ms  # by no more than that its clock is fast from now on
            assert await machines.take()
            home = House(tmp_path / name, supervisor, ("ana", "bob"), machines=machines, database=database)
            lobby = Watcher(home, "lobby")
            numbers.append(home.hub._topics["lobby"].seq)
            if name == "one":
                await home.director.create(CUP.replace("seed = 7", "seed = 7\ncycles = 2"))
                home.director.start("cup")
            home.timetable.begin()
            home.bots("ana", "bob")
            live = home.catalogue.get("cup")
            if name == "one":
                await home.until(lambda live=live, home=home: len(live.tournament.results) == 1 and home.matches)
                (match,) = home.matches.values()
                await home.until(lambda match=match: match.match.ply > 2)
                assert (live._predicted_end(live.tournament) or began) < began + 600_000
            else:
                over = await home.over()
            assert lobby.frames
            home.close()
        until = wall_clock_ms()
        assert verify_folder(tmp_path / "two", database).ok
        with open_archive(tmp_path / "two", database) as archive:
            played = archive.matches(100)
        times = [began, *(each.at_ms for each in over.results.values()), until]
        assert all(one <= other + late_ms for one, other in pairwise(times))
        for each in played:
            assert began <= each.created_ms <= each.finished_ms + late_ms <= until + 2 * late_ms
            assert each.reason == "rules"
        assert numbers[0] <= numbers[1] + late_ms


async def test_looking_that_fails_once_goes_on():
    supervisor = await Saboteur.open()
    supervisor.target = "nodes"
    machines = Machines(Book(node("a")), node("a"), pause=lambda _: asyncio.sleep(0))
    looking = supervisor.keep("nodes", supervisor, machines.keep)
    while not machines.is_next:
        await machines.next_look()
    assert (supervisor.struck, "nodes" in supervisor.troubles, looking.done()) == (True, True, False)
    await supervisor.close()
