"""What follows from an event without one of its own: walkovers, and what is struck."""

from __future__ import annotations

from dataclasses import replace

from palestra_games.interface import DRAW
from palestra_tournament.model import Result, Tournament
from palestra_tournament.pending import with_results, without_results


def settled(t: Tournament, at_ms: int) -> Tournament:
    """With both, until nothing changes: who gets a walkover may go on to a meeting that was struck."""
    t = walk_over(t, at_ms)
    while (again := _struck_anew(t, at_ms)) is not t:
        t = walk_over(again, at_ms)
    return t


def walk_over(t: Tournament, at_ms: int = 0) -> Tournament:
    """Awards the fixtures that withdrawn players haven't begun to their opponents.

    The withdrawal of one of the host's bots makes nobody win: those fixtures are void.
    """
    if not t.withdrawn:
        return t
    hosts = t.references & t.withdrawn.keys()
    places = {place for name in t.withdrawn for meeting in t.pending.get(name, {}).values() for place in meeting.places}
    results = []
    for fixture in (t.fixtures[place] for place in sorted(places)):
        if fixture.id in t.playing:
            continue
        first, second = (player in t.withdrawn for player in fixture.players)
        if hosts.isdisjoint(fixture.players):
            results.append(Result(fixture, (float(second - first), float(first - second)), "walkover", at_ms=at_ms))
        else:
            results.append(Result(fixture, DRAW, "void", at_ms=at_ms))
    return with_results(t, results)


def _struck_anew(t: Tournament, at_ms: int) -> Tournament:
    """With the fixtures void that were drawn for others than who plays there now; who plays there again has them back,
    with their results.
    """
    wrong = set(t.spec.format.misplaced(t))
    fresh, back = (sorted(each, key=t.by_id.place) for each in (wrong - t.struck.keys(), t.struck.keys() - wrong))
    if not fresh and not back:
        return t
    own = {each: t.results.get(each) for each in fresh}
    after = without_results(t, [each for each in fresh if each in t.results])
    after = with_results(after, [_void(t, each, at_ms) for each in fresh])
    # Only then: of two meetings at a table one is open at most.
    after = without_results(after, back)
    after = with_results(after, [result for each in back if (result := t.struck[each]) is not None])
    struck = {each: result for each, result in {**t.struck, **own}.items() if each in wrong}
    # What is back is as if it were drawn now: no walkover from before is opened any more.
    return after.but(struck=struck, fixed=len(after.results) if back else after.fixed)


def _void(t: Tournament, fixture: str, at_ms: int) -> Result:
    own = t.results.get(fixture)
    if own is None:
        return Result(t.by_id[fixture], DRAW, "void", at_ms=at_ms)
    return replace(own, returns=DRAW, reason="void")
