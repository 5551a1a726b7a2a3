"""Tournaments that run: every fixture once, whatever happens; who is away; starts, breaks and news."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from datetime import datetime

import pytest
from tests.runtime.conftest import Home, Player
from tests.runtime.test_runtime_watchers import Watcher

from palestra_referee import AlarmDue, event_from_line, replay
from palestra_server import helper
from palestra_server.runtime import Director, DirectorError, drawing, live_tournament, matchmaking, pairing
from palestra_server.runtime.capacity import Capacity
from palestra_server.runtime.live import drops_of
from palestra_server.store import Tournaments
from palestra_tournament import MatchStarted, Round, SpecError, event_to_record, pair_round, parse_spec, standings_csv
from palestra_tournament import event_from_record as tournament_event
from palestra_tournament import replay as replay_tournament

CUP = """
name = "cup"
games = ["connect4"]
format = "round-robin"
seed = 7
"""
NAMES = ("ana", "bob", "eva")


class NoBots:
    """Reference bots that nobody starts: a test lets them join."""

    names = frozenset()

    def want(self, names):
        self.names = names

    def missing(self):
        return "There are no bots here."

    def match_limit(self, _player):
        return 1


class Bot(Player):
    """Plays the first legal action, each answer in a turn of the loop of its own."""

    def send(self, message):
        super().send(message)
        self.home.news.set()
        soon = asyncio.get_running_loop().call_soon
        last = self.sent[-1]
        if last["type"] == "match_start":
            soon(self.ready, last["match"])
            soon(self.home.news.set)
        elif last["type"] == "turn":
            soon(self.act, last["match"], last["ply"], last["legal"][0])


class House(Home):
    """A home with a director. `wall` is UTC in ms and moved by hand."""

    def __init__(self, data, names=NAMES, skip=""):
        super().__init__(data)
        self.wall = 1_800_000_000_000
        self.news = asyncio.Event()
        for match in self.journal.unfinished():
            if match != skip:
                self.host.restore(match, self.journal.read_lines(match))
        self.director = Director(
            self.host,
            self.hub,
            self.store.tournaments,
            lambda: [(name, "A") for name in names],
            NoBots(),
            Capacity(lambda: 0.0, lambda: 0.0, lambda: 0, cores=1),
            self.past,
            self.store.readiness.put,
            lambda: self.wall,
        )
        self.director.catalogue.restore()
        self.director.on_change = lambda _live, _event: self.news.set()

    def past(self, match):
        events = [event_from_line(line) for line in self.journal.read_lines(match)]
        return (replay(events), drops_of(events)) if events else None

    def bots(self, *names):
        """They are connected and play."""
        bots = []
        for name in names:
            bots.append(Bot(self, name, False, True, "127.0.0.1"))
            self.host.on_join(bots[-1])
        return bots

    async def until(self, condition):
        """Returns when it holds; looked at whenever somebody was told something."""
        while not condition():
            self.news.clear()
            await self.news.wait()

    async def over(self, name="cup"):
        live = self.director.catalogue.get(name)
        await asyncio.wait_for(self.until(lambda: live.state == "completed"), 60)
        return live.now

    async def kept(self, name="cup"):
        """The tournament as the store has it."""
        loop, written = asyncio.get_running_loop(), asyncio.Event()
        self.store.tournaments.when_durable(lambda _error: loop.call_soon_threadsafe(written.set))
        await written.wait()
        toml, records = self.store.tournaments.read(name)
        return replay_tournament(parse_spec(toml), map(tournament_event, records))

    def stop(self):
        self.director.close()
        self.close()


@pytest.fixture
async def house(tmp_path):
    """`house()`: a new life of the same data folder; the one before must have been stopped."""
    lives = []

    def opened(**more):
        lives.append(House(tmp_path / "data", **more))
        return lives[-1]

    yield opened
    lives[-1].stop()


def fixtures_of(t):
    return sorted((fixture.game, fixture.players, fixture.opening) for fixture in t.fixtures)


async def test_a_tournament_runs_to_its_end_by_itself(house):
    home = house()
    bots = home.bots(*NAMES)
    home.director.begin()
    await home.director.create(CUP)
    home.director.start("cup")
    t = await home.over()
    assert len(t.results) == len(t.fixtures) == 6
    assert {result.reason for result in t.results.values()} <= {"rules", "ply_limit"}
    matches = home.journal.matches(tournament="cup")
    assert sorted(match.match for match in matches) == sorted(result.match for result in t.results.values())
    config = event_from_line(home.journal.read_lines(matches[0].match)[0]).config
    assert (config.fixture in t.by_id, config.rated, config.away) == (True, True, t.spec.clock.away)
    assert standings_csv(await home.kept()) == standings_csv(t)
    news = [message for message in bots[0].sent if message["type"] == "notice"]
    assert [(each["code"], each["parts"]["code"]) for each in (news[0], news[-1])] == [
        ("tournament", "begins"),
        ("tournament", "over"),
    ]
    assert news[0]["message"].endswith("begins: stay connected, your matches start by themselves.")


@pytest.mark.parametrize("actions", range(0, 60, 7))
async def test_wherever_it_stops_it_goes_on_and_plays_every_fixture_once(house, actions):
    home = house()
    home.bots(*NAMES)
    home.director.begin()
    await home.director.create(CUP)
    home.director.start("cup")
    await home.until(lambda: home.host.tally.actions >= actions)
    expected = fixtures_of(home.director.catalogue.get("cup").now)
    home.stop()
    again = house()
    again.director.begin()
    again.bots(*NAMES)
    t = await again.over()
    assert fixtures_of(t) == expected
    finished = [match for match in again.journal.matches(None, tournament="cup") if match.finished_ms is not None]
    assert sorted(match.match for match in finished) == sorted(result.match for result in t.results.values())
    assert again.journal.unfinished() == []
    assert standings_csv(await again.kept()) == standings_csv(t)


async def test_a_result_that_was_told_before_it_was_recorded_is_found_again(house, monkeypatch):
    home = house()
    home.bots(*NAMES)
    home.director.begin()
    live = await home.director.create(CUP)
    monkeypatch.setattr(live, "take_result", lambda *_: None)
    home.director.start("cup")
    await home.until(lambda: home.host.tally.ended)
    home.stop()
    again = house()
    told = again.journal.matches(tournament="cup")[-1]
    assert told.finished_ms is not None
    again.director.begin()
    result = next(iter(again.director.catalogue.get("cup").now.results.values()))
    assert (result.match, result.returns) == (told.match, told.returns)


async def test_a_match_that_was_recorded_and_never_begun_begins(house):
    home = house()
    await home.director.create(CUP)
    live = home.director.start("cup")
    fixture = live.now.fixtures[0]
    home.store.tournaments.append("cup", 1, event_to_record(MatchStarted(fixture.id, "lost", home.wall)))
    home.stop()
    again = house()
    again.bots(*NAMES)
    again.director.begin()
    t = await again.over()
    assert t.results[fixture.id].match != "lost"
    assert len(t.results) == 6


async def test_an_absent_player_holds_up_nobody_else_and_loses_in_the_end(house, monkeypatch):
    monkeypatch.setattr(matchmaking, "ABSENT_S", 0.0)
    home = house()
    home.bots("ana", "bob")
    home.director.begin()
    await home.director.create(CUP + "withdraw_after = 2\n")
    live = home.director.start("cup")
    first = []

    def waited_for():
        matches = home.host.matches.values()
        return [
            match
            for match in matches
            if "eva" in match.players and sum(match.match.ready) == 1 and not match.match.outcome
        ]

    while live.state != "completed":
        await home.until(lambda: waited_for() or live.state == "completed")
        for match in waited_for():
            first.append(len(live.now.results))
            home.now += 31 * 10**9
            match.feed(AlarmDue(match.now()))
    t = live.now
    assert first[0] == 2, "those who are there play first"
    assert list(t.withdrawn) == ["eva"]
    reasons = [result.reason for result in t.results.values() if "eva" in result.fixture.players]
    assert sorted(reasons) == ["not_ready", "not_ready", "walkover", "walkover"]
    (eva,) = home.bots("eva")
    (news,) = (message for message in eva.sent if message["type"] == "notice")
    assert (news["code"], news["tournament"], news["message"][-41:]) == (
        "withdrawn",
        "cup",
        "in time. Ask the host to let you back in.",
    )
    assert news["parts"] == {"code": "withdrawn_absent", "values": {"tournament": "cup", "count": 2}}


async def test_where_the_file_says_so_an_absent_player_is_waited_for(house, monkeypatch):
    monkeypatch.setattr(matchmaking, "ABSENT_S", 0.0)
    home = house()
    home.bots("ana", "bob")
    home.director.begin()
    await home.director.create(CUP + 'absent = "wait"\n')
    live = home.director.start("cup")
    await home.until(lambda: len(live.now.results) == 2)
    home.director.fill()
    assert home.host.matches == {}
    assert live.snapshot()["missing"] == ["eva"]
    home.bots("eva")
    assert len((await home.over()).results) == 6


async def test_it_starts_at_its_time_and_rests_in_its_breaks(house):
    home = house()
    noon = datetime(2027, 3, 1, 12).timestamp() * 1000
    home.wall = int(noon) - 1
    home.director.begin()
    live = await home.director.create(CUP + 'start = 2027-03-01T12:00:00\nbreaks = ["22:00-07:00"]\n')
    home.director.look()
    assert live.state == "waiting"
    home.wall += 1
    home.director.look()
    assert live.state == "running"
    for hours, state in [(9, "running"), (10, "paused"), (18, "paused"), (19, "running")]:
        home.wall = int(noon) + hours * 3_600_000
        home.director.look()
        assert live.state == state
        parts = live.summary()["why_paused_parts"]
        assert (parts and parts["values"]) == ({"begin": "22:00", "end": "07:00"} if state == "paused" else None)
    home.wall = int(noon) + 34 * 3_600_000
    home.director.look()
    home.director.resume("cup")
    home.director.look()
    assert live.state == "running", "the host may play through a break"


async def test_a_pause_of_the_hosts_outlasts_a_break(house):
    home = house()
    home.director.begin()
    live = await home.director.create(CUP + 'breaks = ["00:00-12:00", "12:00-23:59"]\n')
    home.director.start("cup")
    home.director.pause("cup")
    for _ in range(3):
        home.wall += 9 * 3_600_000
        home.director.look()
    assert live.now.why_paused == "The host paused it."
    assert live.summary()["why_paused_parts"]["code"] == "host"


async def test_a_player_with_fixtures_left_is_needed(house):
    home = house()
    await home.director.create(CUP)
    assert home.director.needed("ana") is None
    home.director.start("cup")
    assert (home.director.needed("ana"), home.director.needed("stranger")) == ("cup", None)
    home.director.pause("cup")
    assert home.director.needed("ana") is None


async def test_a_warm_up_comes_first_and_says_who_is_ready(house):
    home = house()
    bots = home.bots(*NAMES, "random", "level1")
    home.director.begin()
    live = await home.director.create(CUP + 'warm_up = true\nbreaks = ["03:00-03:01"]\n[clock]\nmove_ms = 900\n')
    assert list(home.director.tournaments) == ["cup-warm-up", "cup"]
    home.director.start("cup")
    with pytest.raises(DirectorError, match="cup begins by itself after it"):
        home.director.start("cup")
    before = await home.over("cup-warm-up")
    assert (before.spec.clock.move_ms, before.spec.breaks, len(before.results)) == (900, live.spec.breaks, 12)
    home.director.look()
    assert live.state == "running"
    assert len((await home.over()).results) == 6
    await home.kept()
    ready = home.store.readiness.list()
    assert [(each.player, each.passed) for each in ready] == [(name, True) for name in NAMES]
    assert [message["code"] for message in bots[0].sent if message["type"] == "notice"].count("ready") == 1


async def test_what_does_not_fit_is_one_sentence(house):
    home = house(names=("ana",))
    await home.director.create(CUP)
    for action in ("start", "pause", "resume", "reveal"):
        with pytest.raises(DirectorError, match=r"\.$"):
            getattr(home.director, action)("cup")
    with pytest.raises(DirectorError, match="no tournament"):
        home.director.catalogue.get("none")
    with pytest.raises(DirectorError, match="already"):
        await home.director.create(CUP)
    for made in (home.director.check, home.director.create):
        with pytest.raises(SpecError, match="no reference bot level9: choose among random"):
            await made(CUP.replace("cup", "cup-2") + 'reference = ["level1", "level9"]\n')
    await home.director.delete("cup")
    assert home.store.tournaments.listed() == []


async def test_what_comes_too_late_is_told_that_it_is_over(house):
    home = house()
    home.bots(*NAMES)
    home.director.begin()
    await home.director.create(CUP)
    home.director.start("cup")
    with pytest.raises(DirectorError, match="did not withdraw ana"):
        home.director.reinstate("cup", "ana")
    home.director.withdraw("cup", "ana")
    await home.over()
    with pytest.raises(DirectorError, match=r"^cup is over\.$"):
        home.director.reinstate("cup", "ana")
    with pytest.raises(DirectorError, match="hides no results"):
        home.director.reveal("cup")


def test_room_follows_from_what_a_move_was_measured_to_cost():
    wall, cpu, actions = 0.0, 0.0, 0
    capacity = Capacity(lambda: wall, lambda: cpu, lambda: actions, cores=2)
    before = capacity.look(10)
    wall, cpu, actions = 100.0, 1.0, 1000  # 10 matches, one action a second each, 1 ms of the processor
    assert (before, capacity.look(10)) == (64, 500)
    wall, cpu, actions = 110.0, 6.0, 2000  # 10 actions a second each, 5 ms: 50 ms a second for each match
    assert capacity.look(10) == 10
    wall, cpu, actions = 111.0, 7.0, 3000
    assert capacity.look(1) == 2, "as many as there are cores, whatever it costs"


async def test_of_a_round_under_embargo_the_lobby_tells_nothing_until_it_is_revealed(house):
    home = house()
    home.director.begin()
    live = await home.director.create(CUP + 'embargo = "last-round"\n')
    home.director.start("cup")
    eva = Watcher(home, "lobby")
    bots = home.bots(*NAMES)
    t = await home.over()
    hidden = {result.match for result in t.results.values() if result.fixture.round == 3}
    assert (len(hidden), live.hidden) == (2, hidden)
    told = {event["match"] for event in eva.heard() if "match" in event}
    assert told == {result.match for result in t.results.values()} - hidden
    ends = {message["match"] for bot in bots for message in bot.sent if message["type"] == "match_end"}
    assert hidden < ends, "those who played hear their result at once"
    home.stop()
    again = house()
    assert again.director.hidden == hidden, "after a restart, too"
    assert again.store.tournaments.listed() == [("cup", None)], "it is not over for good"
    again.director.reveal("cup")
    assert not again.director.hidden
    await again.kept()
    assert again.store.tournaments.listed() == [("cup", again.director.tournaments["cup"].summary())]


async def test_a_match_that_is_on_comes_into_the_lobby_when_it_is_revealed(house):
    home = house(names=("ana", "bob"))
    await home.director.create(CUP + 'embargo = "last-round"\n')
    live = home.director.start("cup")
    match = live.play(live.now.fixtures[0]).id
    eva = Watcher(home, "lobby")
    assert eva.heard()[0]["matches"] == []
    home.director.reveal("cup")
    assert [event["match"] for event in eva.heard("match_start")] == [match]


SWISS = """
name = "cup"
games = ["connect4"]
format = "swiss"
rounds = 3
seed = 7
"""
FOUR = ("ana", "bob", "eva", "ida")


@pytest.fixture
def slow_pairing(monkeypatch):
    """Every round is paired apart, and not before the test lets it: (somebody asks, go on)."""
    asked, go_on = threading.Semaphore(0), threading.Semaphore(0)

    class Slow(pairing.PairingApart):
        def __call__(self, of):
            asked.release()
            assert go_on.acquire(timeout=60)
            return pair_round(of)

    monkeypatch.setattr(live_tournament, "HERE", 2)
    monkeypatch.setattr(drawing, "PairingApart", Slow)
    return asked, go_on


async def test_what_happens_while_a_round_is_paired_is_taken_in_its_order(house, slow_pairing):
    asked, go_on = slow_pairing
    home = house(names=FOUR)
    home.bots(*FOUR)
    home.director.begin()
    live = await home.director.create(SWISS)
    home.director.start("cup")
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    home.director.look()
    for verb, why in (("start", "has begun already"), ("pause", "has not begun yet")):
        with pytest.raises(DirectorError, match=why):
            getattr(home.director, verb)("cup")
    assert (live.now, live.is_drawing) == (None, True), "the first round, too"
    go_on.release()
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    home.director.pause("cup")
    home.director.resume("cup")
    home.director.withdraw("cup", "ida")
    assert (live.state, live.now.round, dict(live.now.withdrawn)) == ("running", 1, {}), "the loop is free, and waits"
    for _ in range(3):
        go_on.release()
    t = await home.over()
    assert standings_csv(await home.kept()) == standings_csv(t)
    _, records = home.store.tournaments.read("cup")
    kinds = [type(tournament_event(record)).__name__ for record in records]
    others = [kind for kind in kinds if kind not in ("MatchStarted", "Ended")]
    assert others == ["Began", "Paused", "Resumed", "Withdrew"]
    at = kinds.index("Paused")
    assert kinds[at - 1 : at + 3] == ["Ended", *others[1:]]


async def test_a_tournament_is_not_taken_away_while_a_round_is_paired(house, slow_pairing):
    asked, go_on = slow_pairing
    home = house(names=FOUR)
    home.director.begin()
    live = await home.director.create(SWISS)
    go_on.release()
    home.director.start("cup")
    await live.drawn()
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    for name in live.now.fixtures[0].players[0], live.now.fixtures[-1].players[0]:
        home.director.withdraw("cup", name)  # nobody is there: these are walkovers, and the round is over
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    assert (live.now.playing, live.now.round) == ({}, 1)
    with pytest.raises(DirectorError, match="delete it once its matches are over"):
        await home.director.delete("cup")
    go_on.release()
    await live.drawn()
    assert (live.now.round, len(live.now.withdrawn)) == (2, 2)
    await home.director.delete("cup")
    live = await home.director.create(SWISS)
    go_on.release()
    home.director.start("cup")
    await live.drawn()
    assert standings_csv(await home.kept()) == standings_csv(home.director.catalogue.get("cup").now)


async def test_a_round_that_was_being_paired_when_the_server_stopped(house, slow_pairing):
    asked, go_on = slow_pairing
    home = house(names=FOUR)
    home.bots(*FOUR)
    home.director.begin()
    await home.director.create(SWISS)
    go_on.release()
    home.director.start("cup")
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    home.stop()
    for _ in range(9):
        go_on.release()
    again = house(names=FOUR)
    again.bots(*FOUR)
    again.director.begin()
    t = await again.over()
    assert len(t.results) == len(t.fixtures) == 12
    assert standings_csv(await again.kept()) == standings_csv(t)


def a_round(count):
    met = tuple((place, place + 1, 1) for place in range(0, count - 1, 3))
    points = tuple(sorted((place % 7 for place in range(count)), reverse=True))
    seats = tuple(place % 3 - 1 for place in range(count))
    return Round(3, 2, 1, tuple(f"p{place}" for place in range(count)), points, seats, (0,) * count, met)


def test_another_process_pairs_a_round_the_same(monkeypatch, tmp_path):
    rounds = [a_round(11), a_round(14), a_round(6)]
    here = [pair_round(each) for each in rounds]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random.py").write_text("raise SystemExit('a bot, which numpy must not get to see')")
    monkeypatch.setattr(pairing, "HERE", 10)
    with monkeypatch.context() as only_there, pairing.PairingApart() as pair:
        only_there.setattr(pairing, "pair_round", lambda of: len(of.players))
        assert [pair(each) for each in rounds] == [*here[:2], 6], "one process for all, and none for a small round"
    monkeypatch.setattr(helper.sys, "executable", "/nowhere/python")
    with pairing.PairingApart() as pair:
        assert pair(a_round(11)) == here[0], "what can't be paired there is paired here"


def test_a_round_is_paired_here_when_its_process_was_killed_and_the_next_one_apart_again(monkeypatch):
    first, second = a_round(11), a_round(14)
    here = []
    monkeypatch.setattr(pairing, "HERE", 10)
    monkeypatch.setattr(pairing, "pair_round", lambda of: here.append(of) or pair_round(of))
    with pairing.PairingApart() as pair:
        assert pair(first) == pair_round(first)
        pair._helper._process.kill()
        pair._helper._process.wait()
        assert pair(second) == pair_round(second)
        assert here == [second]
        assert pair(first) == pair_round(first)
        assert here == [second]


def damage(home, sql, *values):
    with closing(sqlite3.connect(home.data / "palestra.sqlite3")) as db, db:
        db.execute("DROP TRIGGER IF EXISTS journal_no_update")
        assert db.execute(sql, values).rowcount


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE tournaments SET toml = 'name = cup' WHERE name = 'cup'",
        "DELETE FROM tournament_events WHERE tournament = 'cup' AND seq = 1",
        "UPDATE tournament_events SET record = CAST('{\"kind\":' AS BLOB) WHERE tournament = 'cup' AND seq = 0",
        "UPDATE tournament_events SET record = CAST('{}' AS BLOB) WHERE tournament = 'cup' AND seq = 0",
    ],
)
async def test_a_tournament_that_cannot_be_read_is_named_and_the_others_go_on(house, sql):
    home = house()
    home.bots(*NAMES)
    home.director.begin()
    await home.director.create(CUP)
    await home.director.create(CUP.replace('"cup"', '"other"'))
    home.director.start("cup")
    await home.over("cup")
    home.stop()
    damage(home, sql)
    again = house()
    again.bots(*NAMES)
    again.director.begin()
    again.director.start("other")
    await again.over("other")
    with pytest.raises(DirectorError, match="choose another name"):
        await again.director.create(CUP)
    with pytest.raises(DirectorError, match="'palestra-server tournament delete cup'") as refused:
        await again.director.catalogue.fetch("cup")
    assert refused.value.code == "damaged"
    assert again.director.troubles == [str(refused.value)]
    cup, other = again.director.catalogue.listed()
    assert other.keys() == cup.keys()
    assert (other["trouble"], cup["state"], cup["trouble"]) == ("", "damaged", str(refused.value))
    assert (
        again.director.catalogue.damaged["cup"].snapshot().keys()
        == again.director.tournaments["other"].snapshot().keys()
    )
    await again.kept("other")
    again.stop()
    last = house()
    assert last.director.troubles == [str(refused.value)], "the next start says so by itself"
    await last.director.delete("cup")
    with pytest.raises(DirectorError, match="The matches of an earlier tournament 'cup' are kept: choose another name"):
        await last.director.create(CUP)
    await last.director.create(CUP.replace('"cup"', '"cup-2"'))
    assert last.director.troubles == []


async def house_after_its_cup(house):
    """A house in which all of CUP was played, and is on disk."""
    home = house()
    home.bots(*NAMES)
    home.director.begin()
    await home.director.create(CUP)
    home.director.start("cup")
    await home.over()
    await home.kept()
    return home


async def test_what_is_over_is_listed_by_its_summary_and_read_when_somebody_asks(house, monkeypatch):
    home = await house_after_its_cup(house)
    table = standings_csv(await home.over())
    (listed,) = home.director.catalogue.listed()
    home.stop()
    reads, read = [], Tournaments.read
    monkeypatch.setattr(Tournaments, "read", lambda book, name: reads.append(name) or read(book, name))
    again = house()
    again.director.begin()
    assert (again.director.catalogue.listed(), listed["state"], listed["played"]) == ([listed], "completed", 6)
    assert reads == []
    first, second = await asyncio.gather(*(again.director.catalogue.fetch("cup") for _ in range(2)))
    assert first is second
    assert standings_csv(first.now) == table
    frame = await again.director.catalogue.past_frame("tournament:cup", binary=False)
    assert b'"state":"completed"' in frame
    assert await again.director.catalogue.past_frame("tournament:cup", binary=False) is frame, "made once for all"
    assert reads == ["cup"], "once"
    assert await again.director.catalogue.past_frame("tournament:none", binary=False) is None
    for verb, why in (("start", "has begun already"), ("pause", "is over"), ("finish", "is over")):
        with pytest.raises(DirectorError, match=why):
            getattr(again.director, verb)("cup")
    with pytest.raises(DirectorError, match="choose another name"):
        await again.director.create(CUP)
    await again.director.delete("cup")
    assert (again.director.catalogue.listed(), again.store.tournaments.listed()) == ([], [])


async def test_of_what_is_over_only_what_was_asked_for_lately_is_kept(house, monkeypatch):
    home = await house_after_its_cup(house)
    for name in ("cap", "cop"):
        await home.director.create(CUP.replace("cup", name))
        home.director.start(name)
        await home.over(name)
        await home.kept(name)
    home.stop()
    reads, read = [], Tournaments.read
    monkeypatch.setattr(Tournaments, "read", lambda book, name: reads.append(name) or read(book, name))
    again = house()
    catalogue = again.director.catalogue
    events = (await catalogue.fetch("cup")).recorded
    monkeypatch.setattr("palestra_server.runtime.catalogue.KEPT_EVENTS", 2 * events)
    frame = await catalogue.past_frame("tournament:cup", binary=True)
    for name in ("cap", "cup", "cop", "cup"):
        await catalogue.fetch(name)
    assert reads == ["cup", "cap", "cop"]
    assert await catalogue.past_frame("tournament:cup", binary=True) is frame
    assert (await catalogue.fetch("cap")).state == "completed", "it was let go, and is read again"
    assert reads == ["cup", "cap", "cop", "cap"]
    monkeypatch.setattr("palestra_server.runtime.catalogue.KEPT_EVENTS", 1)
    for _ in range(2):
        assert (await catalogue.fetch("cop")).name == "cop", "one is kept, however large"
    assert reads == ["cup", "cap", "cop", "cap", "cop"]
    assert list(catalogue._past) == ["cop"]


async def test_what_is_asked_for_while_it_is_deleted_is_gone_not_damaged(house, monkeypatch):
    home = await house_after_its_cup(house)
    home.stop()
    again = house()
    again.director.begin()
    asked, go_on, read = threading.Semaphore(0), threading.Semaphore(0), Tournaments.read

    def slow_read(book, name):
        asked.release()
        assert go_on.acquire(timeout=60)
        return read(book, name)

    monkeypatch.setattr(Tournaments, "read", slow_read)
    asking = asyncio.create_task(again.director.catalogue.past_frame("tournament:cup", binary=False))
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    await again.director.delete("cup")
    go_on.release()
    assert await asking is None
    with pytest.raises(DirectorError, match="There is no tournament cup"):
        await again.director.catalogue.fetch("cup")
    assert again.director.troubles == []


@pytest.mark.parametrize(
    "sql", ["DELETE FROM tournament_summaries", "UPDATE tournament_summaries SET events = events - 1, summary = '{}'"]
)
async def test_a_summary_that_is_missing_or_out_of_date_is_made_anew(house, sql):
    home = await house_after_its_cup(house)
    (summary,) = home.store.tournaments.listed()
    home.stop()
    damage(home, sql)
    again = house()
    assert again.director.catalogue.listed() == [summary[1]]
    await again.kept()
    assert again.store.tournaments.listed() == [summary]


async def test_a_warm_up_that_was_over_before_the_start_lets_its_tournament_begin(house):
    home = house()
    home.bots(*NAMES, "random", "level1")
    home.director.begin()
    await home.director.create(CUP + "warm_up = true\n")
    home.director.start("cup")
    await home.over("cup-warm-up")
    await home.kept("cup-warm-up")
    home.stop()
    again = house()
    again.director.begin()
    assert list(again.director.tournaments) == ["cup"]
    again.director.look()
    assert again.director.tournaments["cup"].state == "running"


async def test_a_match_that_cannot_be_read_is_named_and_played_again_when_the_host_says_so(house):
    home = house()
    home.bots(*NAMES)
    home.director.begin()
    live = await home.director.create(CUP)
    home.director.start("cup")
    await home.until(lambda: home.host.tally.actions >= 5)
    lost = next(iter(live.now.playing.values()))
    home.stop()
    damage(home, "UPDATE journal SET records = CAST('[{}]' AS BLOB) WHERE match_id = ?", lost)
    again = house(skip=lost)
    again.bots(*NAMES)
    again.director.begin()
    live = again.director.catalogue.get("cup")
    await again.until(lambda: len(live.now.results) == 5)
    assert list(live.now.playing.values()) == [lost]
    assert f"Match {lost} (" in live.trouble
    assert "tournament repeat cup MATCH" in live.trouble
    stuck, repair = live.summary()["trouble_parts"]
    assert (stuck["code"], stuck["values"]["match"], repair["code"]) == ("stuck", lost, "repair")
    assert live.trouble == f"{stuck['message']} {repair['message']}"
    assert again.director.troubles == [live.trouble]
    with pytest.raises(DirectorError, match="no match x that cannot go on"):
        again.director.repeat("cup", "x")
    again.director.repeat("cup", lost)
    t = await again.over()
    assert (len(t.results), live.trouble, again.director.troubles) == (6, "", [])
    assert lost not in {result.match for result in t.results.values()}


GAUNTLET = 'name = "cup"\ngames = ["connect4"]\nformat = "gauntlet"\nseed = 7\nreference = ["level1"]\n'


async def of(home, player):
    """The next match of this player, as soon as it has begun."""

    def begun():
        return next((match for match in home.host.matches.values() if player in match.players), None)

    await home.until(lambda: begun() is not None and begun().match.outcome is None)
    return begun()


async def alarm(home, match):
    """Half a minute later the match is over."""
    home.now += 31 * 10**9
    match.feed(AlarmDue(match.now()))
    return await asyncio.wait_for(asyncio.shield(match.finished), 120)


async def test_nobody_wins_by_a_bot_of_this_server_that_is_not_ready(house):
    home = house(names=("ana",))
    home.bots("ana")
    slow = Player(home, "level1", False, True, "127.0.0.1")
    home.director.begin()
    await home.director.create(GAUNTLET)
    home.host.on_join(slow)
    live = home.director.start("cup")
    match = await of(home, "ana")
    await home.until(lambda: any(match.match.ready))
    outcome = await alarm(home, match)
    assert (outcome.reason, outcome.returns) == ("void", (0.0, 0.0))
    assert outcome.why == {"code": "house_late", "player": "level1"}
    again = await of(home, "ana")
    assert live.now.by_id[again.match.config.fixture] == live.now.by_id[match.match.config.fixture]
    assert not live.now.results
    slow.leave()
    home.bots("level1")
    for each in home.host.matches.values():
        await home.until(lambda each=each: any(each.match.ready))
        each.ready("level1", home.arrival())
    t = await home.over()
    assert {result.reason for result in t.results.values()} == {"rules"}


async def test_ready_too_late_and_giving_up_too_late_lose_nothing_either(open_home):
    home = open_home()
    home.host.is_ours = lambda player: player == "level1"
    ana, bot = home.join("ana", guest=False), home.join("level1", guest=False)
    for late in (bot.ready, ana.resign):
        match = ana.challenge("level1", opening=[])
        ana.ready(match)
        home.now += 31 * 10**9
        late(match)
        outcome = await home.over(match)
        assert (outcome.reason, outcome.why["code"]) == ("void", "house_late")


@pytest.mark.parametrize("comes", [False, True], ids=["away", "warming up"])
async def test_after_a_restart_nobody_wins_by_a_bot_of_this_server_that_is_slow_to_start(open_home, comes):
    home = open_home()
    ana, bot = home.join("ana", guest=False), home.join("level1", guest=False)
    match = bot.challenge("ana", seat=0)
    ana.ready(match)
    bot.ready(match)
    assert home.host.matches[match].match.phase == "playing"
    home.close()
    again = Home(home.data)
    try:
        again.host.is_ours = lambda player: player == "level1"
        live = again.host.restore(match, again.journal.read_lines(match))
        again.join("ana", guest=False)
        if comes:
            again.join("level1", guest=False)
        outcome = await alarm(again, live)
    finally:
        again.close()
    assert (outcome.reason, outcome.why) == ("void", {"code": "house_late", "player": "level1"})


async def test_a_student_still_loses_to_a_bot_of_this_server_by_not_being_ready(open_home):
    home = open_home()
    home.host.is_ours = lambda player: player == "level1"
    ana, bot = home.join("ana", guest=False), home.join("level1", guest=False)
    match = ana.challenge("level1", seat=0)
    bot.ready(match)
    outcome = await alarm(home, home.host.matches[match])
    assert (outcome.reason, outcome.returns) == ("not_ready", (-1.0, 1.0))


async def test_the_teacher_is_told_of_a_bot_of_this_server_that_does_not_come(house, monkeypatch):
    monkeypatch.setattr(matchmaking, "ABSENT_S", 0.0)
    home = house(names=("ana", "bob"))
    home.bots("ana", "bob")
    home.director.begin()
    await home.director.create(GAUNTLET)
    live = home.director.start("cup")
    watcher = Watcher(home, "tournament:cup")
    home.director.fill()
    assert home.host.matches == {}, "it is waited for"
    assert live.trouble == ""
    monkeypatch.setattr(matchmaking, "LATE_S", 0.0)
    home.director.fill()
    assert live.trouble.startswith("level1, one of this server's bots, has not connected; its matches wait")
    assert "'palestra-server tournament withdraw cup level1'" in live.trouble
    assert home.director.troubles == [live.trouble]
    home.director.fill()
    assert [event["trouble"] for event in watcher.heard("state")] == [live.trouble], "told once"
    home.bots("level1")
    home.director.fill()
    assert live.trouble == ""
    assert len((await home.over()).results) == 4


class Unpaired(Exception):
    """What a test has the pairing of a round raise."""


@pytest.fixture
def broken(monkeypatch):
    """`broken(apart)`: while its `off` is not set, no round after the first can be drawn, beside the loop or in it."""
    broken = threading.Event()
    there = live_tournament.step

    def broken_step(t, event, *pair):
        after = there(t, event, *pair)
        if after[0].round > max(1, t.round) and not broken.is_set():
            raise Unpaired("nobody meets anybody.")
        return after

    monkeypatch.setattr(live_tournament, "step", broken_step)
    return broken


async def standing_still(home, live):
    """Returns when a round could not be drawn."""
    tell = live._drawing._stuck
    live._drawing._stuck = lambda: (tell(), home.news.set())
    await asyncio.wait_for(home.until(lambda: live.is_undrawn), 60)
    live._drawing._stuck = tell


@pytest.mark.parametrize("apart", [True, False], ids=["beside the loop", "in the loop"])
@pytest.mark.parametrize("then", ["resume", "finish"])
async def test_a_round_that_cannot_be_drawn_pauses_the_tournament_until_the_host_says_so(
    house, broken, monkeypatch, apart, then
):
    if apart:
        monkeypatch.setattr(live_tournament, "HERE", 2)
        monkeypatch.setattr(pairing, "HERE", 1000)
    home = house(names=FOUR)
    home.bots(*FOUR)
    home.director.begin()
    live = await home.director.create(SWISS)
    watcher = Watcher(home, "tournament:cup")
    home.director.start("cup")
    await standing_still(home, live)
    told = live.summary()
    assert told["state"] == "paused"
    assert told["why_paused"].startswith("A round could not be drawn (Unpaired: nobody meets anybody). Nothing is lost")
    assert told["why_paused_parts"]["code"] == "undrawn"
    assert told["why_paused_parts"]["values"] == {"name": "cup", "why": "Unpaired: nobody meets anybody"}
    assert watcher.heard("state")[-1]["why_paused"] == told["why_paused"]
    home.director.look()
    with pytest.raises(DirectorError, match="cup is not running"):
        home.director.pause("cup")
    with pytest.raises(DirectorError, match="cup has no player eve that is still in it"):
        home.director.withdraw("cup", "eve")
    assert live.is_undrawn
    home.director.withdraw("cup", "ida")
    await live.drawn()
    assert list((await home.kept()).withdrawn) == ["ida"], "at once: a restart would not know of it otherwise"
    assert live.is_undrawn, "it was tried again"
    assert home.director.resume("cup") is live
    await live.drawn()
    assert live.is_undrawn, "it was tried again"
    broken.set()
    getattr(home.director, then)("cup")
    t = await home.over()
    assert list(t.withdrawn) == ["ida"]
    assert t.round == (3 if then == "resume" else 1)
    assert all(fixture.id in t.results for fixture in t.fixtures if fixture.round == 1)
    assert standings_csv(await home.kept()) == standings_csv(t)


async def test_what_cannot_be_drawn_at_all_may_be_deleted_and_goes_on_after_a_restart(house, broken):
    home = house(names=FOUR)
    home.bots(*FOUR)
    home.director.begin()
    live = await home.director.create(SWISS)
    home.director.start("cup")
    await standing_still(home, live)
    home.stop()
    again = house(names=FOUR)
    again.bots(*FOUR)
    again.director.begin()
    assert again.director.catalogue.get("cup").is_undrawn, "its last result is found again, and draws"
    broken.set()
    again.director.resume("cup")
    assert len((await again.over()).results) == 12
    broken.clear()
    other = await again.director.create(SWISS.replace("cup", "cap"))
    again.director.start("cap")
    await standing_still(again, other)
    await again.director.delete("cap")
    assert "cap" not in again.director.catalogue
