"""A turn is dated when its write has returned: what passes before that is never charged, and what the machine takes
between the two is given to the player, no less and no more.
"""

from __future__ import annotations

import json

import pytest

from palestra_referee import MS

LAST = 2100 * MS
"""The last ns that is in time, counted from the turn, with the protocol's defaults."""
PREEMPTED = 90 * MS
"""How long the process is kept from the processor while it writes."""


def asked(home, monkeypatch, *, writing):
    """ana is asked, which takes so long; the match, and when the write began."""
    ana, bob = home.join("ana"), home.join("bob")
    began = []

    def flush():
        began.append(home.now)
        home.now += writing

    monkeypatch.setattr(ana, "flush", flush)
    match = ana.challenge("bob")
    ana.ready(match)
    bob.ready(match)
    (at,) = began
    return ana, match, at


@pytest.mark.parametrize("writing", [0, PREEMPTED])
@pytest.mark.parametrize(("answers", "in_time"), [(LAST, True), (LAST + 1, False)])
async def test_the_clock_starts_when_the_write_has_returned(open_home, monkeypatch, writing, answers, in_time):
    home = open_home()
    ana, match, began = asked(home, monkeypatch, writing=writing)
    live = home.matches[match]
    home.now = began + writing + answers
    ana.act(match, 0, 3)
    assert (live.match.ply == 1) is in_time
    if not in_time:
        assert (await live.finished).reason == "timeout"
    else:
        assert live.match.moves[0].charged_ns == answers


async def test_an_answer_to_a_turn_whose_write_has_not_returned_costs_nothing(open_home, monkeypatch):
    home = open_home()
    ana, match, began = asked(home, monkeypatch, writing=PREEMPTED)
    ana.act(match, 0, 3, at=began + MS)
    assert home.matches[match].match.moves[0].charged_ns == 0


async def test_the_record_says_when_the_write_had_returned(open_home, monkeypatch):
    home = open_home()
    ana, match, _began = asked(home, monkeypatch, writing=PREEMPTED)
    ana.resign(match)
    await home.over(match)
    records = [json.loads(line) for line in home.journal.read_lines(match)]
    (turn,) = [record for record in records if record["type"] == "turn"]
    assert turn["at"] == PREEMPTED, "a match's time begins at 0, and nothing else took any"
