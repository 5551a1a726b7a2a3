"""Tournaments that run: every fixture once, whatever happens; who is away; starts, breaks and news."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import threading
from contextlib import closing, suppress
from datetime import datetime
from hashlib import sha256

import pytest
import structlog
from tests.support.director import CUP, FOUR, NAMES, SWISS, House
from tests.support.helping import without_time
from tests.support.homes import Home, Player, Watcher
from tests.support.played import new_tournament

from palestra_referee import AlarmDue, event_from_line
from palestra_server.helper import Helper
from palestra_server.runtime import DirectorError, director, live_tournament, matchmaking, round_drawing
from palestra_server.runtime.catalogue import Damaged
from palestra_server.runtime.embargo import Viewer
from palestra_server.runtime.matchmaking import Capacity
from palestra_server.store import NOTHING, StoreError, Tournaments
from palestra_tournament import (
    Ended,
    MatchStarted,
    Round,
    SpecError,
    event_to_record,
    pair_round,
    parse_spec,
    standings_csv,
)
from palestra_tournament import event_from_record as tournament_event


@pytest.fixture
async def house(tmp_path, supervisor):
    """`house()`: a new life of the same data folder; the one before must have been stopped."""
    lives = []

    def opened(**more):
        lives.append(House(tmp_path / "data", supervisor, **more))
        return lives[-1]

    yield opened
    lives[-1].close()


def fixtures_of(t):
    return sorted((fixture.game, fixture.players, fixture.opening) for fixture in t.fixtures)


async def test_a_tournament_runs_to_its_end_by_itself(house):
    home = house()
    bots = home.bots(*NAMES)
    home.timetable.begin()
    await home.director.create(CUP)
    home.director.start("cup")
    t = await home.over()
    assert len(t.results) == len(t.fixtures) == 6
    assert {result.reason for result in t.results.values()} <= {"rules", "ply_limit"}
    matches = home.journal.matches(50, NOTHING, tournament="cup")
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
    home.timetable.begin()
    await home.director.create(CUP)
    home.director.start("cup")
    await home.until(lambda: home.tally.actions >= actions)
    expected = fixtures_of(home.catalogue.get("cup").tournament)
    home.close()
    again = house()
    again.timetable.begin()
    again.bots(*NAMES)
    t = await again.over()
    assert fixtures_of(t) == expected
    finished = [
        match for match in again.journal.matches(50, NOTHING, tournament="cup") if match.finished_ms is not None
    ]
    assert sorted(match.match for match in finished) == sorted(result.match for result in t.results.values())
    assert again.journal.unfinished() == {}
    assert standings_csv(await again.kept()) == standings_csv(t)


async def test_a_result_that_was_told_before_it_was_recorded_is_found_again(house, monkeypatch):
    home = house()
    home.bots(*NAMES)
    home.timetable.begin()
    live = await home.director.create(CUP)
    monkeypatch.setattr(live, "take_result", lambda *_: None)
    home.director.start("cup")
    await home.until(lambda: home.tally.ended)
    home.close()
    again = house()
    told = again.journal.matches(50, NOTHING, tournament="cup")[-1]
    assert told.finished_ms is not None
    again.timetable.begin()
    result = next(iter(again.catalogue.get("cup").tournament.results.values()))
    assert (result.match, result.returns) == (told.match, told.returns)


async def test_a_match_that_was_recorded_and_never_begun_begins_under_its_id(house):
    home = house()
    await home.director.create(CUP)
    live = home.director.start("cup")
    fixture = live.tournament.fixtures[0]
    home.store.tournaments.append("cup", 2, event_to_record(MatchStarted(fixture.id, "lost", home.wall)), pytest.fail)
    home.close()
    again = house()
    again.bots(*NAMES)
    again.timetable.begin()
    t = await again.over()
    assert t.results[fixture.id].match == "lost"
    assert len(t.results) == 6
    _, events = again.store.tournaments.read("cup")
    assert [event["match"] for event in events if event.get("fixture") == fixture.id] == ["lost", "lost"]


async def test_an_absent_player_holds_up_nobody_else_and_loses_in_the_end(house, monkeypatch):
    monkeypatch.setattr(matchmaking, "ABSENT_S", 0.0)
    home = house()
    home.bots("ana", "bob")
    home.timetable.begin()
    await home.director.create(CUP + "withdraw_after = 2\n")
    live = home.director.start("cup")
    first = []

    def waited_for():
        matches = home.matches.values()
        return [
            match
            for match in matches
            if "eva" in match.players and sum(match.match.ready) == 1 and not match.match.outcome
        ]

    while live.state != "completed":
        await home.until(lambda: waited_for() or live.state == "completed")
        for match in waited_for():
            first.append(len(live.tournament.results))
            home.now += 31 * 10**9
            match.feed(AlarmDue(match.now()))
    t = live.tournament
    assert first[0] == 2, "those who are there play first"
    assert list(t.withdrawn) == ["eva"]
    reasons = [result.reason for result in t.results.values() if "eva" in result.fixture.players]
    assert sorted(reasons) == ["not_ready", "not_ready", "walkover", "walkover"]
    (eva,) = home.bots("eva")
    (news,) = (message for message in eva.sent if message["type"] == "notice")
    assert (news["code"], news["tournament"], news["message"][-41:]) == (
        "withdrawn",
        "cup",
        "here. Ask the teacher to let you back in.",
    )
    assert news["parts"] == {"code": "withdrawn_absent", "values": {"tournament": "cup", "count": 2}}


async def test_where_the_file_says_so_an_absent_player_is_waited_for(house, monkeypatch):
    monkeypatch.setattr(matchmaking, "ABSENT_S", 0.0)
    home = house()
    home.bots("ana", "bob")
    home.timetable.begin()
    await home.director.create(CUP + 'absent = "wait"\n')
    live = home.director.start("cup")
    await home.until(lambda: len(live.tournament.results) == 2)
    home.timetable.fill()
    assert home.matches == {}
    assert live.snapshot()["missing"] == ["eva"]
    home.bots("eva")
    assert len((await home.over()).results) == 6


async def test_it_starts_at_its_time_and_rests_in_its_breaks(house):
    home = house()
    noon = datetime(2027, 3, 1, 12).timestamp() * 1000
    home.wall = int(noon) - 1
    home.timetable.begin()
    live = await home.director.create(CUP + 'start = 2027-03-01T12:00:00\nbreaks = ["22:00-07:00"]\n')
    home.timetable.look()
    assert live.state == "waiting"
    home.wall += 1
    home.timetable.look()
    assert live.state == "running"
    for hours, state in [(9, "running"), (10, "paused"), (18, "paused"), (19, "running")]:
        home.wall = int(noon) + hours * 3_600_000
        home.timetable.look()
        assert live.state == state
        parts = live.summary()["why_paused"]
        assert (parts and parts["values"]) == ({"begin": "22:00", "end": "07:00"} if state == "paused" else None)
    home.wall = int(noon) + 34 * 3_600_000
    home.timetable.look()
    home.director.resume("cup")
    home.timetable.look()
    assert live.state == "running", "the host may play through a break"


async def test_a_pause_of_the_hosts_outlasts_a_break(house):
    home = house()
    home.timetable.begin()
    live = await home.director.create(CUP + 'breaks = ["00:00-12:00", "12:00-23:59"]\n')
    home.director.start("cup")
    home.director.pause("cup")
    for _ in range(3):
        home.wall += 9 * 3_600_000
        home.timetable.look()
    assert live.tournament.why_paused == {"code": "host"}
    assert live.summary()["why_paused"]["code"] == "host"


async def test_a_player_with_fixtures_left_is_needed(house):
    home = house()
    ana, stranger = home.join("ana", guest=False), home.join("stranger", guest=False)
    await home.director.create(CUP)
    assert home.house.claims.of(ana) is None
    home.director.start("cup")
    assert (home.house.claims.of(ana), home.house.claims.of(stranger)) == ("cup", None)
    home.director.pause("cup")
    assert home.house.claims.of(ana) is None


@pytest.mark.parametrize("then", ["wait", "start"])
async def test_a_warm_up_comes_first_and_says_who_is_ready(house, then):
    home = house()
    bots = home.bots(*NAMES, "random", "level1")
    home.timetable.begin()
    keys = f'warm_up = true\nafter_warm_up = "{then}"\nbreaks = ["03:00-03:01"]\nstart = 2020-01-01T00:00:00\n'
    live = await home.director.create(CUP + keys + "[clock]\nmove_ms = 900\n")
    assert list(home.catalogue.tournaments) == ["cup-warm-up", "cup"]
    home.timetable.look()
    with pytest.raises(DirectorError, match="cup-warm-up is being played, and comes first"):
        home.director.start("cup")
    before = await home.over("cup-warm-up")
    assert (before.spec.clock.move_ms, before.spec.breaks, len(before.results)) == (900, live.spec.breaks, 12)
    home.timetable.look()
    if then == "wait":
        assert live.state == "draft"
        home.director.start("cup")
    assert live.state == "running"
    assert len((await home.over()).results) == 6
    await home.kept()
    assert home.store.readiness.passed() == {name: {"connect4": True} for name in NAMES}
    assert [message["code"] for message in bots[0].sent if message["type"] == "notice"].count("ready") == 1


async def test_what_does_not_fit_is_one_sentence(house):
    home = house(names=("ana",))
    await home.director.create(CUP)
    for action in ("start", "pause", "resume", "reveal"):
        with pytest.raises(DirectorError, match=r"\.$"):
            getattr(home.director, action)("cup")
    with pytest.raises(DirectorError, match="no tournament"):
        home.catalogue.get("none")
    with pytest.raises(DirectorError, match="already"):
        await home.director.create(CUP)
    for made in (home.director.check, home.director.create):
        with pytest.raises(SpecError, match="no reference bot level9: choose among random"):
            await made(CUP.replace("cup", "cup-2") + 'reference = ["level1", "level9"]\n')
    await home.director.delete("cup")
    assert home.store.tournaments.listed() == []


async def test_a_name_that_nobody_has_and_who_may_be_meant(house):
    home = house(names=("Ana Ruiz", "bob"))
    remarks = (await home.director.check(CUP + 'who = { players = ["ana rüiz", "bob", "zoe"] }\n'))[1]
    assert [str(each) for each in remarks] == [
        "ana rüiz is not on the roster; did you mean Ana Ruiz?",
        "zoe is not on the roster.",
    ]


@pytest.mark.process
async def test_a_file_that_takes_long_to_read_holds_up_nobody(house, monkeypatch):
    """A process of its own reads it, and is ended when its time is up: here, at once."""
    home = house(names=("ana",))
    with closing(home.house.files) as files:
        without_time(monkeypatch, files)
        for made in (home.director.check, home.director.create):
            sentence = r"^The file could not be checked\. It took longer than 0 s\. Make it simpler\.$"
            with pytest.raises(DirectorError, match=sentence) as refused:
                await made(CUP + "#" * director.HERE)
            assert refused.value.code == "bad_tournament"
        monkeypatch.undo()
        with pytest.raises(SpecError, match="no reference bot level9: choose among random"):
            await home.director.check(CUP + 'reference = ["level1", "level9"]\n' + "#" * director.HERE)
        many = CUP + f"who = {{ players = {[f'p{number}' for number in range(200)]} }}\nwarm_up = true\n"
        live = await home.director.create(many)
        os.kill(files.run(os.getpid), signal.SIGKILL)
        assert (await home.director.fill(CUP, [("title", "Copa")])).values["title"] == "Copa", "by another process"
    assert (live.toml, live.spec) == (many, parse_spec(many))
    before = home.catalogue.tournaments["cup-warm-up"]
    assert before.spec == parse_spec(before.toml)


async def test_of_six_who_create_the_same_at_once_five_are_told_that_it_is_there(house):
    home = house(names=("ana",))
    made = await asyncio.gather(*(home.director.create(CUP) for _ in range(6)), return_exceptions=True)
    refused = [each for each in made if isinstance(each, Exception)]
    assert [getattr(each, "code", each) for each in refused] == ["name_taken"] * 5
    assert len(home.catalogue.listed()) == 1


async def test_what_comes_too_late_is_told_that_it_is_over(house):
    home = house()
    home.bots(*NAMES)
    home.timetable.begin()
    await home.director.create(CUP)
    home.director.start("cup")
    with pytest.raises(DirectorError, match="did not withdraw ana"):
        home.director.reinstate("cup", "ana")
    home.director.withdraw("cup", "ana")
    await home.over()
    home.director.reinstate("cup", "ana")
    t = await home.over()
    assert {result.reason for result in t.results.values()} == {"rules"}
    with pytest.raises(DirectorError, match=r"^cup is over\.$"):
        home.director.withdraw("cup", "ana")
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
    home.timetable.begin()
    live = await home.director.create(CUP + 'embargo = "last-round"\n')
    home.director.start("cup")
    eva = Watcher(home, "lobby")
    bots = home.bots(*NAMES)
    t = await home.over()
    hidden = {result.match for result in t.results.values() if result.fixture.round == 3}
    assert (len(hidden), live.tournament.hidden) == (2, hidden)
    told = {event["match"] for event in eva.heard() if "match" in event}
    assert told == {result.match for result in t.results.values()} - hidden
    ends = {message["match"] for bot in bots for message in bot.sent if message["type"] == "match_end"}
    assert hidden < ends, "those who played hear their result at once"
    home.close()
    again = house()
    assert again.house.embargo.hidden.matches == hidden, "after a restart, too"
    assert again.store.tournaments.listed() == [("cup", None)], "it is not over for good"
    again.director.reveal("cup")
    assert not again.house.embargo.hidden.matches
    await again.kept()
    assert again.store.tournaments.listed() == [("cup", again.catalogue.tournaments["cup"].summary())]


async def test_a_match_that_is_on_comes_into_the_lobby_when_it_is_revealed(house):
    home = house(names=("ana", "bob"))
    await home.director.create(CUP + 'embargo = "last-round"\n')
    live = home.director.start("cup")
    live.play(live.tournament.fixtures[0])
    (match,) = live.tournament.playing.values()
    eva = Watcher(home, "lobby")
    assert eva.heard()[0]["matches"] == []
    home.director.reveal("cup")
    assert [event["match"] for event in eva.heard("match_start")] == [match]


@pytest.fixture
def slow_pairing(monkeypatch):
    """Every round is paired apart, and not before the test lets it: (somebody asks, go on)."""
    asked, go_on = threading.Semaphore(0), threading.Semaphore(0)

    def slow(of):
        asked.release()
        assert go_on.acquire(timeout=60)
        return pair_round(of)

    monkeypatch.setattr(live_tournament, "HERE", 2)
    monkeypatch.setattr(Home, "pair", staticmethod(slow))
    return asked, go_on


async def test_what_happens_while_a_round_is_paired_is_taken_in_its_order(house, slow_pairing):
    asked, go_on = slow_pairing
    home = house(names=FOUR)
    home.bots(*FOUR)
    home.timetable.begin()
    live = await home.director.create(SWISS)
    home.director.start("cup")
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    home.timetable.look()
    for verb, why in (("start", "has begun already"), ("pause", "has not begun yet")):
        with pytest.raises(DirectorError, match=why):
            getattr(home.director, verb)("cup")
    assert (live.tournament, live.is_drawing) == (None, True), "the first round, too"
    go_on.release()
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    home.director.pause("cup")
    home.director.resume("cup")
    home.director.withdraw("cup", "ida")
    assert (live.state, live.tournament.round, dict(live.tournament.withdrawn)) == ("running", 1, {}), (
        "the loop is free, and waits"
    )
    for _ in range(3):
        go_on.release()
    t = await home.over()
    assert standings_csv(await home.kept()) == standings_csv(t)
    _, records = home.store.tournaments.read("cup")
    kinds = [type(tournament_event(record)).__name__ for record in records]
    others = [kind for kind in kinds if kind not in ("MatchStarted", "Ended")]
    assert others == ["Created", "Began", "Paused", "Resumed", "Withdrew"]
    at = kinds.index("Paused")
    assert kinds[at - 1 : at + 3] == ["Ended", *others[2:]]


async def test_a_tournament_is_not_taken_away_while_a_round_is_paired(house, slow_pairing):
    asked, go_on = slow_pairing
    home = house(names=FOUR)
    home.timetable.begin()
    live = await home.director.create(SWISS)
    go_on.release()
    home.director.start("cup")
    await live.drawn()
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    for name in live.tournament.fixtures[0].players[0], live.tournament.fixtures[-1].players[0]:
        home.director.withdraw("cup", name)  # nobody is there: these are walkovers, and the round is over
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    assert (live.tournament.playing, live.tournament.round) == ({}, 1)
    with pytest.raises(DirectorError, match="delete it once its matches are over"):
        await home.director.delete("cup")
    go_on.release()
    await live.drawn()
    assert (live.tournament.round, len(live.tournament.withdrawn)) == (2, 2)
    await home.director.delete("cup")
    live = await home.director.create(SWISS)
    go_on.release()
    home.director.start("cup")
    await live.drawn()
    assert standings_csv(await home.kept()) == standings_csv(home.catalogue.get("cup").tournament)


async def test_a_round_that_was_being_paired_when_the_server_stopped(house, slow_pairing):
    asked, go_on = slow_pairing
    home = house(names=FOUR)
    home.bots(*FOUR)
    home.timetable.begin()
    await home.director.create(SWISS)
    go_on.release()
    home.director.start("cup")
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    home.close()
    for _ in range(9):
        go_on.release()
    again = house(names=FOUR)
    again.bots(*FOUR)
    again.timetable.begin()
    t = await again.over()
    assert len(t.results) == len(t.fixtures) == 12
    assert standings_csv(await again.kept()) == standings_csv(t)


def a_round(count):
    met = tuple((place, place + 1, 1) for place in range(0, count - 1, 3))
    points = tuple(sorted((place % 7 for place in range(count)), reverse=True))
    seats = tuple(place % 3 - 1 for place in range(count))
    return Round(3, 2, tuple(f"p{place}" for place in range(count)), points, seats, (0,) * count, met)


@pytest.mark.process
def test_another_process_pairs_a_large_round_the_same(monkeypatch):
    rounds = [a_round(11), a_round(14), a_round(6)]
    here = []
    monkeypatch.setattr(round_drawing, "HERE", 10)
    with closing(Helper()) as helper:
        pair = round_drawing.paired_by(helper)
        run = helper.run
        monkeypatch.setattr(helper, "run", lambda work, of: here.append(of) or run(work, of))
        assert [pair(each) for each in rounds] == [pair_round(each) for each in rounds]
    assert here == rounds[:2]


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
    home.timetable.begin()
    await home.director.create(CUP)
    await home.director.create(CUP.replace('"cup"', '"other"'))
    home.director.start("cup")
    await home.over("cup")
    home.close()
    damage(home, sql)
    again = house()
    again.bots(*NAMES)
    again.timetable.begin()
    again.director.start("other")
    await again.over("other")
    with pytest.raises(DirectorError, match="choose another name"):
        await again.director.create(CUP)
    with pytest.raises(DirectorError, match="'palestra-server tournament delete cup'") as refused:
        await again.catalogue.fetch("cup")
    assert refused.value.code == "damaged"
    assert again.catalogue.troubles() == [str(refused.value)]
    cup, other = again.catalogue.listed()
    assert other.keys() == cup.keys()
    assert (other["troubles"], cup["state"], cup["troubles"][0]["message"]) == ([], "damaged", str(refused.value))
    assert again.catalogue.damaged["cup"].snapshot().keys() == again.catalogue.tournaments["other"].snapshot().keys()
    await again.kept("other")
    again.close()
    last = house()
    assert last.catalogue.troubles() == [str(refused.value)], "the next start says so by itself"
    if last.catalogue.hides("cup"):  # its file can't be read either
        with pytest.raises(DirectorError, match="reveal it, and delete it then"):
            await last.director.delete("cup")
        last.director.reveal("cup")
    await last.director.delete("cup")
    with pytest.raises(DirectorError, match="The matches of an earlier tournament 'cup' are kept: choose another name"):
        await last.director.create(CUP)
    await last.director.create(CUP.replace('"cup"', '"cup-2"'))
    assert last.catalogue.troubles() == []


async def house_after_its_cup(house):
    """A house in which all of CUP was played, and is on disk."""
    home = house()
    home.bots(*NAMES)
    home.timetable.begin()
    await home.director.create(CUP)
    home.director.start("cup")
    await home.over()
    await home.kept()
    return home


async def test_what_is_over_is_listed_by_its_summary_and_read_when_somebody_asks(house, monkeypatch):
    home = await house_after_its_cup(house)
    table = standings_csv(await home.over())
    (listed,) = home.catalogue.listed()
    home.close()
    reads, read = [], Tournaments.read
    monkeypatch.setattr(Tournaments, "read", lambda book, name: reads.append(name) or read(book, name))
    again = house()
    again.timetable.begin()
    assert (again.catalogue.listed(), listed["state"], listed["played"]) == ([listed], "completed", 6)
    assert reads == []
    first, second = await asyncio.gather(*(again.catalogue.fetch("cup") for _ in range(2)))
    assert first is second
    assert standings_csv(first.tournament) == table
    frame = await again.catalogue.past_topic("tournament:cup", binary=False)
    assert b'"state":"completed"' in frame
    assert await again.catalogue.past_topic("tournament:cup", binary=False) is frame, "made once for all"
    assert reads == ["cup"], "once"
    assert await again.catalogue.past_topic("tournament:none", binary=False) is None
    for verb, why in (("start", "has begun already"), ("pause", "is over"), ("finish", "is over")):
        with pytest.raises(DirectorError, match=why):
            getattr(again.director, verb)("cup")
    with pytest.raises(DirectorError, match="choose another name"):
        await again.director.create(CUP)
    await again.director.delete("cup")
    assert (again.catalogue.listed(), again.store.tournaments.listed()) == ([], [])


async def test_of_what_is_over_only_what_was_asked_for_lately_is_kept(house, monkeypatch):
    home = await house_after_its_cup(house)
    for name in ("cap", "cop"):
        await home.director.create(CUP.replace("cup", name))
        home.director.start(name)
        await home.over(name)
        await home.kept(name)
    home.close()
    reads, read = [], Tournaments.read
    monkeypatch.setattr(Tournaments, "read", lambda book, name: reads.append(name) or read(book, name))
    again = house()
    catalogue = again.catalogue
    events = (await catalogue.fetch("cup")).recorded
    monkeypatch.setattr("palestra_server.runtime.catalogue.KEPT_EVENTS", 2 * events)
    frame = await catalogue.past_topic("tournament:cup", binary=True)
    for name in ("cap", "cup", "cop", "cup"):
        await catalogue.fetch(name)
    assert reads == ["cup", "cap", "cop"]
    assert await catalogue.past_topic("tournament:cup", binary=True) is frame
    assert (await catalogue.fetch("cap")).state == "completed", "it was let go, and is read again"
    assert reads == ["cup", "cap", "cop", "cap"]
    monkeypatch.setattr("palestra_server.runtime.catalogue.KEPT_EVENTS", 1)
    for _ in range(2):
        assert (await catalogue.fetch("cop")).name == "cop", "one is kept, however large"
    assert reads == ["cup", "cap", "cop", "cap", "cop"]
    assert list(catalogue._past) == ["cop"]


async def test_what_is_asked_for_while_it_is_deleted_is_gone_not_damaged(house, monkeypatch):
    home = await house_after_its_cup(house)
    home.close()
    again = house()
    again.timetable.begin()
    asked, go_on, read = threading.Semaphore(0), threading.Semaphore(0), Tournaments.read

    def slow_read(book, name):
        asked.release()
        assert go_on.acquire(timeout=60)
        return read(book, name)

    monkeypatch.setattr(Tournaments, "read", slow_read)
    asking = again.catalogue.past_topic("tournament:cup", binary=False)
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    await again.director.delete("cup")
    go_on.release()
    assert await asking is None
    with pytest.raises(DirectorError, match="There is no tournament cup"):
        await again.catalogue.fetch("cup")
    assert again.catalogue.troubles() == []


@pytest.mark.parametrize(
    "sql", ["DELETE FROM tournament_summaries", "UPDATE tournament_summaries SET events = events - 1, summary = '{}'"]
)
async def test_a_summary_that_is_missing_or_out_of_date_is_made_anew(house, sql):
    home = await house_after_its_cup(house)
    (summary,) = home.store.tournaments.listed()
    home.close()
    damage(home, sql)
    again = house()
    assert again.catalogue.listed() == [summary[1]]
    await again.kept()
    assert again.store.tournaments.listed() == [summary]


async def test_a_warm_up_that_was_over_before_the_start_lets_its_tournament_begin(house):
    home = house()
    home.bots(*NAMES, "random", "level1")
    home.timetable.begin()
    await home.director.create(CUP + 'warm_up = true\nafter_warm_up = "start"\n')
    home.director.start("cup")
    await home.over("cup-warm-up")
    await home.kept("cup-warm-up")
    home.close()
    again = house()
    again.timetable.begin()
    assert list(again.catalogue.tournaments) == ["cup"]
    again.timetable.look()
    assert again.catalogue.tournaments["cup"].state == "running"


async def test_a_match_that_cannot_be_read_is_named_and_played_again_when_the_host_says_so(house):
    home = house()
    home.bots(*NAMES)
    home.timetable.begin()
    live = await home.director.create(CUP)
    home.director.start("cup")
    await home.until(lambda: home.tally.actions >= 5)
    lost = next(iter(live.tournament.playing.values()))
    home.close()
    damage(home, "UPDATE journal SET records = CAST('[{}]' AS BLOB) WHERE match_id = ?", lost)
    again = house(skip=lost)
    again.bots(*NAMES)
    again.timetable.begin()
    live = again.catalogue.get("cup")
    await again.until(lambda: len(live.tournament.results) == 5)
    assert list(live.tournament.playing.values()) == [lost]
    assert f"Match {lost} (" in " ".join(live.troubles())
    assert "tournament repeat cup MATCH" in " ".join(live.troubles())
    stuck, repair = live.summary()["troubles"]
    assert (stuck["code"], stuck["values"]["match"], repair["code"]) == ("stuck", lost, "repair")
    assert live.troubles() == [stuck["message"], repair["message"]]
    assert again.catalogue.troubles() == live.troubles()
    with pytest.raises(DirectorError, match="no match x that cannot go on"):
        again.director.repeat("cup", "x")
    again.director.repeat("cup", lost)
    t = await again.over()
    assert (len(t.results), live.troubles(), again.catalogue.troubles()) == (6, [], [])
    assert lost not in {result.match for result in t.results.values()}


GAUNTLET = 'name = "cup"\ngames = ["connect4"]\nformat = "gauntlet"\nseed = 7\nreference = ["level1"]\n'


async def of(home, player):
    """The next match of this player, as soon as it has begun."""

    def begun():
        return next((match for match in home.matches.values() if player in match.players), None)

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
    home.timetable.begin()
    await home.director.create(GAUNTLET)
    home.host.on_join(slow)
    live = home.director.start("cup")
    match = await of(home, "ana")
    await home.until(lambda: any(match.match.ready))
    outcome = await alarm(home, match)
    assert (outcome.reason, outcome.returns) == ("void", (0.0, 0.0))
    assert outcome.why == {"code": "house_late", "player": "level1"}
    again = await of(home, "ana")
    assert live.tournament.by_id[again.match.config.fixture] == live.tournament.by_id[match.match.config.fixture]
    assert not live.tournament.results
    slow.leave()
    home.bots("level1")
    for each in home.matches.values():
        await home.until(lambda each=each: any(each.match.ready))
        each.ready(home.house.presence.peers["level1"], home.arrival())
    t = await home.over()
    assert {result.reason for result in t.results.values()} == {"rules"}


async def test_ready_too_late_and_giving_up_too_late_lose_nothing_either(open_home):
    home = open_home()
    home.references.names = frozenset({"level1"})
    ana, bot = home.join("ana", guest=False), home.join("level1", guest=False)
    for late in (bot.ready, ana.resign):
        match = ana.challenge("level1", opening=[])
        ana.ready(match)
        home.now += 31 * 10**9
        late(match)
        outcome = await home.over(match)
        assert (outcome.reason, outcome.why["code"]) == ("void", "house_late")


@pytest.mark.parametrize("comes", [False, True], ids=["away", "warming up"])
async def test_after_a_restart_nobody_wins_by_a_bot_of_this_server_that_is_slow_to_start(open_home, supervisor, comes):
    home = open_home()
    ana, bot = home.join("ana", guest=False), home.join("level1", guest=False)
    match = bot.challenge("ana", seat=0)
    ana.ready(match)
    bot.ready(match)
    assert home.matches[match].match.phase == "playing"
    home.close()
    again = Home(home.data, supervisor)
    try:
        again.references.names = frozenset({"level1"})
        live = again.house.matches.restore(match, again.journal.read_lines(match))
        again.join("ana", guest=False)
        if comes:
            again.join("level1", guest=False)
        outcome = await alarm(again, live)
    finally:
        again.close()
    assert (outcome.reason, outcome.why) == ("void", {"code": "house_late", "player": "level1"})


async def test_a_student_still_loses_to_a_bot_of_this_server_by_not_being_ready(open_home):
    home = open_home()
    home.references.names = frozenset({"level1"})
    ana, bot = home.join("ana", guest=False), home.join("level1", guest=False)
    match = ana.challenge("level1", seat=0)
    bot.ready(match)
    outcome = await alarm(home, home.matches[match])
    assert (outcome.reason, outcome.returns) == ("not_ready", (-1.0, 1.0))


async def test_the_teacher_is_told_of_a_bot_of_this_server_that_does_not_come(house, monkeypatch):
    monkeypatch.setattr(matchmaking, "ABSENT_S", 0.0)
    home = house(names=("ana", "bob"))
    home.bots("ana", "bob")
    home.timetable.begin()
    await home.director.create(GAUNTLET)
    live = home.director.start("cup")
    watcher = Watcher(home, "tournament:cup")
    home.timetable.fill()
    assert home.matches == {}, "it is waited for"
    assert live.troubles() == []
    monkeypatch.setattr(matchmaking, "LATE_S", 0.0)
    home.timetable.fill()
    assert live.troubles()[0].startswith("level1, one of this server's bots, has not connected; its matches wait")
    assert "'palestra-server tournament withdraw cup level1'" in " ".join(live.troubles())
    assert home.catalogue.troubles() == live.troubles()
    home.timetable.fill()
    assert [event["troubles"][0]["message"] for event in watcher.heard("state")] == live.troubles(), "told once"
    home.bots("level1")
    home.timetable.fill()
    assert live.troubles() == []
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
    tell = live._drawing.stuck
    live._drawing.stuck = lambda: (tell(), home.news.set())
    await asyncio.wait_for(home.until(lambda: live.is_undrawn), 60)
    live._drawing.stuck = tell


@pytest.mark.parametrize("apart", [True, False], ids=["beside the loop", "in the loop"])
@pytest.mark.parametrize("then", ["resume", "finish"])
async def test_a_round_that_cannot_be_drawn_pauses_the_tournament_until_the_host_says_so(
    house, broken, monkeypatch, apart, then
):
    if apart:
        monkeypatch.setattr(live_tournament, "HERE", 2)
    home = house(names=FOUR)
    home.bots(*FOUR)
    home.timetable.begin()
    live = await home.director.create(SWISS)
    watcher = Watcher(home, "tournament:cup")
    home.director.start("cup")
    await standing_still(home, live)
    told = live.summary()
    assert told["state"] == "paused"
    assert told["why_paused"]["message"].startswith("A round could not be drawn (Unpaired). Nothing is lost")
    assert told["why_paused"]["code"] == "undrawn"
    assert told["why_paused"]["values"] == {"name": "cup", "why": "Unpaired"}
    assert watcher.heard("state")[-1]["why_paused"] == told["why_paused"]
    home.timetable.look()
    with pytest.raises(DirectorError, match="cup is not running"):
        home.director.pause("cup")
    with pytest.raises(DirectorError, match="cup has no player eve that is still in it"):
        home.director.withdraw("cup", "eve")
    assert live.is_undrawn
    home.director.withdraw("cup", "ida")
    await live.drawn()
    assert list((await home.kept()).withdrawn) == ["ida"], "at once: a restart would not know of it otherwise"
    assert live.is_undrawn, "it was tried again"
    home.director.resume("cup")
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
    home.timetable.begin()
    live = await home.director.create(SWISS)
    home.director.start("cup")
    await standing_still(home, live)
    home.close()
    again = house(names=FOUR)
    again.bots(*FOUR)
    again.timetable.begin()
    assert again.catalogue.get("cup").is_undrawn, "its last result is found again, and draws"
    broken.set()
    again.director.resume("cup")
    assert len((await again.over()).results) == 12
    broken.clear()
    other = await again.director.create(SWISS.replace("cup", "cap"))
    again.director.start("cap")
    await standing_still(again, other)
    await again.director.delete("cap")
    assert "cap" not in again.catalogue


async def test_a_damaged_embargo_is_lifted_by_the_teacher_only(house):
    home = house()
    home.bots(*NAMES)
    home.timetable.begin()
    await home.director.create(CUP + 'embargo = "last-round"\n')
    home.director.start("cup")
    hidden = min((await home.over("cup")).hidden)
    await home.kept()
    home.close()
    damage(home, "UPDATE tournament_events SET record = CAST('{}' AS BLOB) WHERE tournament = 'cup' AND seq = 0")
    again = house()
    with pytest.raises(DirectorError, match="reveal it, and delete it then"):
        await again.director.delete("cup")
    assert again.house.embargo.hides(hidden, "cup")
    await again.director.drawn("cup")
    again.director.reveal("cup")
    assert not again.house.embargo.hides(hidden, "cup")
    await again.director.delete("cup")
    assert again.catalogue.listed() == []


async def test_a_damaged_tournament_that_is_being_deleted_is_not_listed(house):
    home = house()
    await home.director.create(CUP)
    home.catalogue.damaged["cup"] = Damaged("cup", "it is torn", False)
    del home.catalogue.tournaments["cup"]
    deleting = asyncio.ensure_future(home.director.delete("cup"))
    await asyncio.sleep(0)
    assert home.catalogue.listed() == []
    await deleting


async def test_what_is_not_paused_takes_its_breaks(house):
    home = house()
    live = await home.director.create(CUP)
    with pytest.raises(DirectorError, match="not begun"):
        home.director.resume("cup")
    assert not live.overrules_break


async def test_what_is_due_and_cannot_begin_says_so_once(house):
    home = house()
    live = await home.director.create(CUP + 'start = 2020-01-01T10:00:00Z\nwho = { groups = ["Z"] }\n')
    with structlog.testing.capture_logs() as logs:
        for _ in range(3):
            home.timetable.look()
    assert [entry["event"] for entry in logs] == ["tournament cannot begin yet"]
    assert [each.parts["code"] for each in live.troubles()] == ["cannot_begin"]
    assert "roster list" in home.catalogue.troubles()[0]


@pytest.mark.parametrize("players", [1, 99], ids=["beside the loop", "in the loop"])
async def test_a_step_that_was_recorded_is_not_taken_again_if_its_consequences_fail(house, monkeypatch, players):
    """Not even by who retries the round: everybody would meet twice."""
    monkeypatch.setattr(live_tournament, "HERE", players)
    home = house()
    live = await home.director.create(CUP)

    def fails():
        monkeypatch.undo()
        raise RuntimeError("the embargo could not be told.")

    monkeypatch.setattr(live, "_note", fails)
    with suppress(RuntimeError):
        home.director.start("cup")
    await live.drawn()
    assert (live.is_undrawn, live.draw_again()) == (False, False)
    assert "the embargo could not be told" in live.troubles(Viewer("teacher"))[0]
    _, records = home.store.tournaments.read("cup")
    home.director.pause("cup")
    await home.kept()
    _, records = home.store.tournaments.read("cup")
    assert [record["type"] for record in records] == ["created", "began", "paused"]


async def test_a_match_begins_only_if_the_tournament_takes_it(house):
    home = house()
    live = await home.director.create(CUP)
    home.director.start("cup")
    fixture = live.tournament.fixtures[0]
    live.feed(MatchStarted(fixture.id, "m", home.wall))
    live.feed(Ended(fixture.id, "m", (1.0, -1.0), "rules", 9, (), (), home.wall))
    assert not live.play(fixture), "it has a result"
    assert home.matches == {}


async def test_a_warm_up_does_not_stay_behind_without_its_tournament(house):
    home = house()
    home.store.tournaments.create(new_tournament(CUP))
    with pytest.raises(StoreError, match="called cup already"):
        await home.director.create(CUP + "warm_up = true\n")
    assert "cup-warm-up" not in home.catalogue
    assert home.store.tournaments.listed() == [("cup", None)]


@pytest.mark.usefixtures("broken")
async def test_visitors_do_not_read_an_exception(house):
    home = house(names=FOUR)
    home.bots(*FOUR)
    home.timetable.begin()
    live = await home.director.create(SWISS)
    watcher = Watcher(home, "tournament:cup")
    home.director.start("cup")
    await standing_still(home, live)
    assert live.summary(Viewer("teacher"))["why_paused"]["values"]["why"] == "Unpaired: nobody meets anybody"
    assert live.summary()["why_paused"]["values"]["why"] == "Unpaired"
    assert "nobody" not in str(watcher.heard("state")[-1])


async def test_nobody_is_renamed_while_a_tournament_begins_with_the_old_name(house, slow_pairing):
    asked, go_on = slow_pairing
    home = house(names=FOUR)
    await home.director.create(SWISS)
    with home.director.renaming("ana"), pytest.raises(DirectorError, match="ana is being renamed: start cup again"):
        home.director.start("cup")
    home.director.start("cup")
    assert await asyncio.to_thread(asked.acquire, timeout=60)
    for _ in range(2):  # while the first round is being drawn, and once it is
        with pytest.raises(DirectorError, match="ana plays in the tournament cup"), home.director.renaming("ana"):
            pass
        go_on.release()
        await home.catalogue.get("cup").drawn()
    home.house.roster.add("late", "", "A")
    with home.director.renaming("late"), pytest.raises(DirectorError, match="late is being renamed: add it to cup"):
        home.director.add("cup", ["late"])


async def test_the_seed_is_committed_to_when_it_is_created_and_told_when_it_begins(house):
    home = house()
    live = await home.director.create(CUP.replace("seed = 7\n", ""))
    before = live.snapshot()
    assert (before["seed"], "seed" in before["spec"]) == (None, False)
    home.close()
    again = house()
    live = again.director.start("cup")
    now = live.snapshot()
    await again.kept()
    _, (created, began) = again.store.tournaments.read("cup")
    assert now["commitment"] == before["commitment"] == created["commitment"]
    assert sha256(f"{now['seed']}|{began['salt']}".encode()).hexdigest() == before["commitment"]


async def test_a_ruling_is_told_to_both_and_a_replay_is_played_also_after_a_restart(house):
    home = house()
    home.bots(*NAMES)
    home.timetable.begin()
    await home.director.create(CUP)
    home.director.start("cup")
    t = await home.over()
    result = next(iter(t.results.values()))
    kept = home.journal.read_lines(result.match)
    await home.kept()
    home.close()
    again = house()
    assert "cup" not in again.catalogue.tournaments
    bots = {bot.player: bot for bot in again.bots(*NAMES)}
    again.timetable.begin()
    await again.director.drawn("cup")
    with pytest.raises(DirectorError, match="no match nothing"):
        again.director.rule("cup", "nothing", "void", "", "a stall")
    again.director.rule("cup", result.match, "replay", "", "a stall")
    for player in result.fixture.players:
        told = [message for message in bots[player].sent if message["type"] == "notice" and message["match"]]
        assert [(each["code"], each["match"]) for each in told] == [("tournament", result.match)]
        assert told[0]["message"].endswith("is played again: a stall")
    t = await again.over()
    assert t.results[result.fixture.id].match != result.match
    assert again.journal.read_lines(result.match) == kept
    assert (await again.kept()).rulings == t.rulings
    again.close()
    third = house()
    assert (await third.catalogue.fetch("cup")).tournament.rulings == t.rulings
