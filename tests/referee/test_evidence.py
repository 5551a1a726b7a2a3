"""What an appeal is decided by: when each answer was asked for, came, and was charged."""

import random

from tests.support.played import Play

from palestra_referee import MS, MatchConfig, event_from_line
from palestra_referee.evidence import answers


def played(**how):
    config = MatchConfig("m1", "connect4", ("ana", "ben"), 1000, 100, 30000, 10000, 200)
    play = Play(config, random.Random(3), **how)
    return play.match, answers([event_from_line(line) for line in play.lines])


def test_each_move_was_asked_came_and_was_charged():
    match, found = played()
    assert [(each.ply, each.action, each.charged_ns) for each in found] == [
        (move.ply, move.action, move.charged_ns) for move in match.moves
    ]
    for each in found:
        assert each.played
        assert each.charged_ns == each.arrived_ns - each.asked_ns
    # It read each answer 900 ns after it came, and asked for the next one 100 ns later.
    assert [each.unaccounted_ns for each in found] == [900, *[1000] * (len(found) - 1)]


def test_the_answer_that_came_too_late_is_there():
    match, found = played(slow_ns=2000 * MS)
    late = found[-1]
    assert match.outcome.reason == "timeout"
    assert (late.seat, late.played, late.ply) == (1, False, match.ply)
    assert late.arrived_ns - late.asked_ns == 2000 * MS
    assert late.charged_ns == match.outcome.why["took_ms"] * MS
