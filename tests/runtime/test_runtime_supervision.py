"""Whatever fails is logged, told to the teacher, and keeps nobody else from playing."""

from __future__ import annotations

import asyncio
import shutil
import threading
from dataclasses import dataclass

import pytest
import structlog
from tests.support.director import CUP, FOUR, SWISS, House
from tests.support.homes import Home, Player, Watcher
from tests.support.sabotage import Saboteur, calls, supervised, trees

from palestra_games import get_game, installed_games
from palestra_server.runtime import VISITOR, Viewer, live_tournament, lobby, screen
from palestra_server.store import NOTHING
from palestra_server.supervision import Supervisor
from palestra_tournament import pair_round

pytestmark = pytest.mark.slow

TEACHER = Viewer("teacher")
SMALL = CUP + 'who = { players = ["ana", "bob"] }\n'
WORK = supervised()
# Started by the process around the house: tests/hosting/test_hosting.py.
OF_HOSTING = {"web server", "reference bot", "judge"}
# Of a node that stands by: test_runtime_machines.py, gateway/test_gateway_relay.py, web/test_web_standing_by.py,
# e2e/test_nodes.py.
OF_NODES = {"nodes", "relay", "own addresses", "players are sent on"}
# The event loop of sockets, and the hub's rounds between the players' frames: the gateway logs, and goes on.
BY_PROTOCOLS = {
    "gateway/hub.py",
    "gateway/places.py",
    "gateway/players.py",
    "gateway/relay.py",
    "gateway/standing_by.py",
    "gateway/websocket/connection.py",
    "web/pacing.py",
    "web/requests.py",
}
# Commands that wait, themselves, for what they start.
BY_COMMANDS = {"cli/cluster.py", "cli/demo.py", "cli/rehearse.py"}


def test_nothing_runs_on_without_a_supervisor():
    on_its_own = ("create_task", "ensure_future", "call_soon", "call_soon_threadsafe", "call_later", "call_at")
    found = {
        path
        for path, tree in trees()
        for _, method, _ in calls(tree)
        if method in (*on_its_own, "add_done_callback") and path != "supervision.py"
    }
    assert found == BY_PROTOCOLS | BY_COMMANDS


@pytest.fixture
async def supervisor():
    supervisor = await Saboteur.open()
    yield supervisor
    await supervisor.close()


class Listener(Watcher):
    def __init__(self, home, topic):
        self.news = home.news
        super().__init__(home, topic)

    def send_frames(self, frame):
        super().send_frames(frame)
        self.news.set()


class Party(House):
    """A house with work of every kind in it. `told`: what the teacher read while a round could not be drawn."""

    told = ()

    async def past(self):
        """A tournament that was over before the last start, and one of its matches."""
        self.bots(*FOUR)
        self.timetable.begin()
        await self.director.create(SMALL.replace("cup", "past"))
        self.director.start("past")
        t = await self.over("past")
        await self.director.create(CUP.replace("cup", "draft"))
        await self.kept("past")
        return next(iter(t.results.values())).match

    async def everything(self, match):
        """Everything that the runtime does happens at least once; `match` is one of the past."""
        asked, go_on = threading.Semaphore(0), threading.Semaphore(0)

        def slow(of):
            asked.release()
            assert go_on.acquire(timeout=60)
            return pair_round(of)

        self.pair = slow
        for topic in ("lobby", f"match:{match}", "tournament:past"):
            self.watch(topic)
        Listener(self, "screen")
        self.house.supervisor.on_strike = self.news.set
        self.timetable.begin()
        self.bots(*FOUR)
        live = await self.director.create(SWISS)
        self.watch("tournament:cup")
        self.director.start("cup")
        go_on.release()
        await self.drawn(live)
        for _ in range(2):  # that it was asked for the first round, and for the second
            assert await asyncio.to_thread(asked.acquire, timeout=60)
        self.director.withdraw("cup", "ida")
        for _ in range(9):
            go_on.release()
        await self.drawn(live)
        await self.casual("p1", "p2")
        await self.house.ratings.of("p1", lambda: NOTHING)
        waits = self.join("late").challenge("later") if self.join("later") else None
        alarm = self.matches[waits]
        self.watch(f"match:{waits}")
        self.now += 31 * 10**9
        alarm._arm(alarm._alarm)
        await self.until(lambda: waits not in self.matches)
        for why in ("The disk is full.", None):
            await asyncio.to_thread(self.store._writer._tell, why)
        self.store.tournaments.append("cup", 0, {"another": "event"}, live._refused)
        await self.kept("cup")
        await self.over_at_last(live)
        await self.until(lambda: self.house.supervisor.struck or self.house.screen.state()["podium"])

    async def drawn(self, live):
        """A round is drawn; one that could not be is drawn when the teacher says so."""
        await live.drawn()
        if live.is_undrawn:
            self.told = [*self.catalogue.troubles(TEACHER), live.summary(TEACHER)["why_paused"]["message"]]
            self.director.resume(live.name)
            await live.drawn()

    async def over_at_last(self, live):
        while live.state != "completed":
            self.news.clear()
            await self.drawn(live)
            if live.state != "completed":
                await self.news.wait()

    def watch(self, topic):
        Watcher(self, topic)

    async def casual(self, first, second):
        """Two players who have just come play a match to its end."""
        one, two = self.bots(first, second)
        match = one.challenge(second) or one.challenge(second)
        live = self.matches[match]
        self.watch(f"match:{match}")
        one.ready(match)
        two.ready(match)
        await self.until(lambda: match not in self.matches)
        return live


@pytest.fixture(scope="module")
def past(tmp_path_factory):
    """The data folder of a house that was used before, and a match in it."""
    data = tmp_path_factory.mktemp("past") / "data"

    async def play():
        supervisor = await Supervisor.open()
        party = Party(data, supervisor, FOUR)
        match = await party.past()
        party.close()
        await supervisor.close()
        return match

    return data, asyncio.run(play())


@pytest.mark.parametrize("work", [*sorted(WORK.keys() - OF_HOSTING - OF_NODES - {"storage failed"}), "nothing"])
async def test_what_fails_once_is_told_and_everybody_plays_on(tmp_path, past, supervisor, monkeypatch, work):
    monkeypatch.setattr(live_tournament, "HERE", 2)
    monkeypatch.setattr(lobby, "TICK_S", 0.0)
    monkeypatch.setattr(screen, "PAUSE_S", 0.0)
    data, match = past
    shutil.copytree(data, tmp_path / "data")
    home = Party(tmp_path / "data", supervisor, FOUR)
    supervisor.target = work
    try:
        with structlog.testing.capture_logs() as logs:
            await asyncio.wait_for(home.everything(match), 120)
        assert supervisor.struck == (work != "nothing")
        failed = [entry for entry in logs if entry["event"] == "work failed"]
        told = [
            sentence
            for sentence in (*home.told, *home.catalogue.troubles(TEACHER))
            if "Injected: on purpose" in sentence
        ]
        assert {entry["work"] for entry in failed} == ({work} if supervisor.struck else set())
        assert bool(told) == supervisor.struck
        assert (await asyncio.wait_for(home.casual("q1", "q2"), 60)).finished.result().reason == "rules"
        other = await home.director.create(SMALL.replace("cup", "last"))
        home.director.start("last")
        await asyncio.wait_for(home.over_at_last(other), 60)
        assert {result.reason for result in other.tournament.results.values()} == {"rules"}
    finally:
        home.close()


async def test_when_nothing_can_be_written_any_more_the_next_start_plays_on(tmp_path, supervisor):
    supervisor.target = "storage failed"
    home = Party(tmp_path / "data", supervisor, FOUR)
    with structlog.testing.capture_logs() as logs:
        await asyncio.to_thread(home.store._writer._break, "The disk is gone.")
        await asyncio.to_thread(home.store.close)
        await asyncio.sleep(0)
    assert [entry["work"] for entry in logs if entry["event"] == "work failed"] == ["storage failed"]
    assert any("Injected" in sentence for sentence in home.catalogue.troubles(TEACHER))
    assert [each["values"]["work"] for each in home.house.gate.of(TEACHER).failed()] == ["storage failed"]
    assert not any("on purpose" in sentence for sentence in home.catalogue.troubles()), "its words are not for visitors"
    assert home.house.gate.of(VISITOR).failed() == []
    home.close()
    again = Party(tmp_path / "data", supervisor, FOUR)
    assert (await again.casual("q1", "q2")).finished.result().reason == "rules"
    again.close()


@dataclass(frozen=True)
class Broken:
    """A game, or a position of it, in which one thing fails: from the fourth ply on, if it is asked of a position."""

    _game: object
    _fails: str
    _ply: int = 4

    name = "broken"

    def __getattr__(self, what):
        if what == self._fails and self._ply >= 4:
            raise ZeroDivisionError(what)
        found = getattr(self._game, what)
        if what == "initial_state":
            return lambda: Broken(found(), self._fails, 0)
        if what == "apply":
            return lambda action: Broken(found(action), self._fails, self._ply + 1)
        return found

    def view(self, state):
        if self._fails == "view" and state._ply >= 4:
            raise ZeroDivisionError("view")
        return self._game.view(state._game)

    def __str__(self):
        return str(self._game)


@pytest.mark.parametrize("fails", ["apply", "to_wire", "to_move", "legal_actions", "returns", "action_name", "view"])
async def test_a_game_that_fails_ends_its_match_and_nobody_elses(tmp_path, supervisor, monkeypatch, fails):
    games = {**installed_games._games(), "broken": Broken(get_game("connect4"), fails)}
    monkeypatch.setattr(installed_games, "_games", lambda: games)
    monkeypatch.setattr(lobby, "TICK_S", 0.0)
    home = Party(tmp_path / "data", supervisor, ("ana", "bob"))
    try:
        home.bots("ana", "bob")
        home.watch("lobby")
        home.timetable.begin()
        live = await home.director.create(CUP.replace('["connect4"]', '["broken"]'))
        with structlog.testing.capture_logs() as logs:
            home.director.start("cup")
            t = await home.over("cup")
        assert {type(entry["exc_info"]) for entry in logs if "exc_info" in entry} == {ZeroDivisionError}
        assert {result.reason for result in t.results.values()} == {"void"}
        assert any("ZeroDivisionError" in sentence for sentence in home.catalogue.troubles(TEACHER))
        ends = {match.reason for match in home.journal.matches(None, NOTHING, tournament="cup")}
        assert (await home.casual("p1", "p2")).finished.result().reason == "rules"
        assert home.matches == {}
        assert ends <= {"void", None}
        await home.director.delete(live.name)
    finally:
        home.close()


async def test_a_match_that_is_given_up_before_its_result_is_saved_is_over_for_everybody(tmp_path, supervisor):
    home = Party(tmp_path / "data", supervisor, ())
    try:
        ana, bob = (Player(home, name, False, True, "127.0.0.1") for name in ("ana", "bob"))
        for each in (ana, bob):
            home.host.on_join(each)
        lobby = Watcher(home, "lobby")
        match = ana.challenge("bob")
        live = home.matches[match]
        ana.resign(match)
        for _ in range(4):
            live.failed("a test", ZeroDivisionError())
        assert (live.finished.cancelled(), home.matches, home.house.challenges._started) == (True, {}, {})
        saved, loop = asyncio.Event(), asyncio.get_running_loop()
        home.journal.when_durable(lambda _error: loop.call_soon_threadsafe(saved.set))
        await saved.wait()
        assert (ana.kinds[-1], bob.kinds[-1], home.tally.ended) == ("match_end", "match_end", {"resign": 1})
        assert [event["match"] for event in lobby.heard("match_end")] == [match]
        assert ana.challenge("bob")
    finally:
        home.close()


async def test_a_game_that_fails_in_a_replay_keeps_no_server_from_starting(tmp_path, supervisor, monkeypatch):
    def with_game(fails):
        games = {**installed_games._games(), "broken": Broken(get_game("connect4"), fails)}
        monkeypatch.setattr(installed_games, "_games", lambda: games)

    with_game("nothing")
    home = Home(tmp_path / "data", supervisor)
    ana, _ = home.join("ana"), home.join("bob")
    match = ana.challenge("bob", game="broken", opening=(0, 1, 2, 3, 4))
    assert match in home.matches
    home.close()
    with_game("apply")
    again = Home(tmp_path / "data", supervisor)
    try:
        with structlog.testing.capture_logs() as logs:
            again.house.restore()
        assert [entry["match"] for entry in logs if entry["event"] == "match cannot be resumed"] == [match]
        assert again.matches == {}
    finally:
        again.close()
