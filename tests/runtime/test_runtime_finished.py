"""Matches of the past are made beside the loop, once, and never by more than the thread's share."""

from __future__ import annotations

import threading

import pytest

from palestra_referee import MatchConfig, start
from palestra_server.gateway import Refusal
from palestra_server.runtime import finished
from palestra_server.runtime.finished import FinishedMatches
from palestra_server.store import StoreAway

MATCH, _ = start(MatchConfig("m", "connect4", ("ana", "bob"), 2000, 100, 30000, 10000, 200), 0)


@pytest.fixture
async def open_past(supervisor):
    """`open_past(read)`: its rests are noted, not taken."""
    made = []

    def opened(read=lambda _match: MATCH):
        made.append(FinishedMatches(read, supervisor, rests.append))
        made[-1].rests = rests
        return made[-1]

    rests = []
    yield opened
    for each in made:
        each.close()


async def test_what_was_made_is_kept_and_made_once(open_past):
    read = []
    shown = open_past(lambda match: read.append(match) or MATCH)
    both = [shown.ask("m", "board", lambda _: b"made") for _ in range(2)]
    assert [await each for each in both] == [b"made", b"made"]
    assert await shown.ask("m", "board", lambda _: b"again") == b"made"
    assert await shown.ask("m", "other", lambda _: b"other") == b"other"
    assert read == ["m", "m"]


async def test_what_needs_no_match_is_kept_as_well_and_reads_none(open_past):
    made = []
    shown = open_past(lambda match: pytest.fail(f"read {match}"))
    both = [shown.keep("m", "records", lambda: made.append(1) or b"made") for _ in range(2)]
    assert [await each for each in both] == [b"made", b"made"]
    assert await shown.keep("m", "records", lambda: b"again") == b"made"
    assert made == [1]


async def test_the_thread_is_not_the_loops_and_rests_longer_than_it_works(open_past):
    shown = open_past()
    name = await shown.ask("m", "thread", lambda _: threading.current_thread().name.encode())
    assert name.startswith(b"past")
    await shown.ask("m", "next", lambda _: b"")
    assert shown.rests[0] == 0
    assert 0 < shown.rests[1] <= finished.REST_MAX_S


async def test_too_many_are_refused_and_nobody_waits_for_what_is_not_there(open_past, monkeypatch):
    monkeypatch.setattr(finished, "QUEUE_MAX", 2)
    go = threading.Event()
    shown = open_past(lambda match: go.wait() and (None if match == "none" else MATCH))
    asked = [shown.ask(match, "board", lambda _: b"made") for match in ("m", "none", "late")]
    go.set()
    assert isinstance(asked[2], Refusal)
    assert asked[2].code == "try_later"
    assert [await asked[0], await asked[1]] == [b"made", None]


async def test_a_damaged_record_harms_nobody_else(open_past):
    def damaged(match):
        if match == "bad":
            raise ValueError("The journal holds a broken record.")
        return MATCH

    shown = open_past(damaged)
    assert await shown.ask("bad", "board", lambda _: b"made") is None
    assert await shown.ask("m", "board", lambda _: b"made") == b"made"


async def test_who_asks_while_the_database_is_away_is_told_so_and_asks_again(open_past):
    def read(_match):
        if away:
            raise StoreAway("PostgreSQL can't be reached: bring it back.")
        return MATCH

    away = [True]
    shown = open_past(read)
    assert await shown.ask("m", "board", lambda _: b"made") == (
        "try_later",
        "PostgreSQL can't be reached: bring it back.",
    )
    away.clear()
    assert await shown.ask("m", "board", lambda _: b"made") == b"made"


async def test_only_so_much_is_kept(open_past, monkeypatch):
    monkeypatch.setattr(finished, "KEPT_BYTES", 10)
    shown = open_past()
    for number in range(5):
        await shown.ask(f"m{number}", "board", lambda _: b"1234")
    assert len(shown._kept) == 2
