"""A resignation is dated by the arrival of its bytes, as an action is."""

from __future__ import annotations

import pytest

from palestra_protocol.messages import Action
from palestra_referee import MS

LAST = 2100 * MS
"""The last ns that is in time, counted from the turn, with the protocol's defaults."""


def begin(home):
    ana, bob = home.join("ana"), home.join("bob")
    match = ana.challenge("bob")
    ana.ready(match)
    bob.ready(match)
    return ana, bob, match, home.now


@pytest.mark.parametrize(("arrived", "reason"), [(LAST, "resign"), (LAST + 1, "timeout")])
@pytest.mark.parametrize("handled", [LAST + 1, LAST + 700 * MS])
async def test_late_or_in_time_by_its_arrival_whenever_it_is_handled(open_home, arrived, reason, handled):
    home = open_home()
    ana, _bob, match, asked = begin(home)
    home.now = asked + handled
    over = home.matches[match].finished
    ana.resign(match, at=asked + arrived)
    outcome = await over
    assert (outcome.reason, outcome.returns) == (reason, (-1, 1))


async def test_a_move_that_came_in_time_counts_although_the_opponents_later_resignation_is_read_first(open_home):
    home = open_home()
    ana, bob, match, asked = begin(home)
    home.now = asked + LAST + 5
    ana.waiting.append((Action(match=match, ply=0, action=3), home.arrival(asked + LAST)))
    over = home.matches[match].finished
    bob.resign(match, at=asked + LAST + 1)
    outcome = await over
    assert (outcome.reason, outcome.returns) == ("resign", (1, -1))
