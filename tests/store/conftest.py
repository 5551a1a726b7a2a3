"""Matches on their way into a journal."""

from __future__ import annotations

import queue

import pytest

from palestra_referee import Journal as JournalEffect
from palestra_referee import MatchConfig, Resigned, event_to_record, start, step
from palestra_server.store import Journal


@pytest.fixture
def journal(tmp_path):
    journal = Journal(tmp_path / "data")
    yield journal
    journal.close()


@pytest.fixture
def saved():
    """`saved(journal)`: waits until all that was queued is on disk, and gives the error or None."""

    def wait(journal):
        answer = queue.SimpleQueue()
        journal.when_durable(answer.put)
        return answer.get(timeout=60)

    return wait


@pytest.fixture
def play():
    """`play(journal, match_id, ...)`: writes a match, to its end if somebody resigns, and returns it."""

    def write(journal, match_id, *, game="connect4", resigns=None, tournament=None, rated=False):
        config = MatchConfig(match_id, game, ("ada", "bob"), 2000, 100, 30000, 10000, 200, (3,), tournament, rated)
        match, effects = start(config, 0)
        events = [effects[0].event]
        journal.append(match_id, 0, event_to_record(events[0]))
        if resigns is not None:
            match, effects = step(match, Resigned(resigns, 5))
            assert isinstance(effects[0], JournalEffect)
            journal.append(match_id, 1, event_to_record(effects[0].event), finished=match)
        return match

    return write
