"""The host when the server stops, and what watchers are told after it started again."""

from __future__ import annotations

from palestra_referee import Acted, Attached, BecameReady, MatchConfig, Restarted, start, step
from palestra_server.runtime.watching import event_count


async def test_a_player_arriving_while_the_server_stops_is_sent_away_and_nothing_is_journalled(open_home):
    home = open_home()
    ana, bob = home.join("ana"), home.join("bob")
    match = ana.challenge("bob")
    ana.leave()
    journalled = home.matches[match]._records
    home.host.close()
    late = home.join("ana", resumed=True)
    assert (late.connected, late.kinds) == (False, [])
    assert home.matches[match]._records == journalled
    assert bob.kinds == ["match_start"]


async def test_stopping_the_server_judges_nobody(open_home):
    """Closing the connections takes seconds if a spectator doesn't answer: no mover may run out of time in them."""
    home = open_home(away_ms=0)
    ana, bob = home.join("ana"), home.join("bob")
    match = ana.challenge("bob")
    ana.ready(match)
    bob.ready(match)
    live = home.matches[match]
    alarms = [live._timer]

    class Gateway:
        async def close(self):
            ana.leave()
            alarms.append(live._timer)

    home.house.gateway = Gateway()
    await home.house.close()
    assert alarms[0] is not None
    assert alarms[1] is None
    assert live.match.outcome is None


def test_watchers_of_before_a_restart_are_never_taken_for_watchers_of_after_it():
    match, _ = start(MatchConfig("m", "connect4", ("ana", "bob"), 2000, 100, 30000, 10000, 200), 0)
    for seat in (0, 1):
        match, _ = step(match, Attached(seat, 0))
        match, _ = step(match, BecameReady(seat, 0))
    seen = event_count(step(match, Acted(0, 0, 3, 1, 1))[0])  # and this action was not on disk yet
    match, _ = step(match, Restarted(2))
    match, _ = step(match, Attached(0, 3))
    assert event_count(match) > seen
    assert event_count(step(match, Acted(0, 0, 0, 4, 4))[0]) == event_count(match) + 1
