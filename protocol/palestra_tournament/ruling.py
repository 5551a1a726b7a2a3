"""What a ruling of the teacher does: a match that is over counts as if it had ended otherwise, or is played again.

Nothing is erased: the match keeps its records, result and receipt. Whatever was drawn stays drawn, except in a bracket,
where the matches that follow from it are struck if others play there now.
"""

from __future__ import annotations

from dataclasses import replace

from palestra_games.interface import DRAW
from palestra_tournament.faults import Refused
from palestra_tournament.following import settled
from palestra_tournament.model import Fixture, Result, Ruled, Tournament
from palestra_tournament.pending import with_results, without_results


def judged(t: Tournament, match: str) -> Result:
    """How this match itself ended, whatever was ruled since. Raises Refused if none did."""
    found = t.judged.get(match) or next((result for result in t.results.values() if result.match == match), None)
    if found is None:
        raise Refused("rule_unknown", f"{t.spec.name} has no match {match} that is over.")
    return found


def rule(t: Tournament, event: Ruled) -> Tournament:
    """The tournament after this ruling. Raises Refused."""
    own = judged(t, event.match)
    fixture, match, name = own.fixture, event.match, t.spec.name
    known = t.results.get(fixture.id)
    if fixture.id in t.struck:
        raise Refused("rule_struck", f"Match {match} was struck: after a ruling, others play there.")
    if fixture.id in t.playing:
        raise Refused(
            "rule_played",
            f"Match {match} is being replayed: rule on the replay {t.playing[fixture.id]} once it is over.",
        )
    if known is not None and known.match not in (None, match):
        raise Refused(
            "rule_replayed", f"Match {match} was replayed, and its replay {known.match} counts: rule on that one."
        )
    latest = next((each.match for each in reversed(t.rulings) if judged(t, each.match).fixture == fixture), match)
    if latest != match and (known is None or known.match is None):
        raise Refused("rule_replayed", f"Match {match} was replayed as {latest}: rule on that one.")
    if event.winner and event.winner not in fixture.players:
        raise Refused(
            "rule_winner", f"{event.winner} did not play match {match}: {' or '.join(fixture.players)} can win it."
        )
    if event.verdict == "replay":
        _check_replay(t, fixture, match)
    after = t.but(rulings=(*t.rulings, event), judged={**t.judged, match: own})
    if known is not None:
        after = without_results(after, (fixture.id,))
    if event.verdict == "replay":  # as if none of its matches had begun
        after = after.but(voids={each: count for each, count in t.voids.items() if each != fixture.id})
    else:
        after = with_results(after, [as_ruled(own, event)])
    after = settled(after, event.at_ms)
    for each in after.struck.keys() - t.struck.keys():
        if t.closed:
            raise Refused("rule_closed", f"{name} was ended early, so the meeting that follows can't be drawn anew.")
        if each in t.playing:
            raise Refused(
                "rule_too_late",
                f"Match {t.playing[each]} follows from match {match}, and would be struck: rule once it is over.",
            )
    # What follows from it is drawn and played, also when all was over.
    return after.but(phase="running") if t.phase == "completed" else after


def _check_replay(t: Tournament, fixture: Fixture, match: str) -> None:
    if fixture.id not in t.results:
        raise Refused("rule_waits", f"Match {match} waits to be replayed already.")
    if t.closed:
        raise Refused("rule_closed", f"{t.spec.name} was ended early, so nothing new can begin in it.")
    for player in fixture.players:
        if player in t.withdrawn:
            raise Refused(
                "rule_withdrawn", f"{player} is withdrawn and can't replay match {match}: let {player} back in first."
            )


def as_ruled(own: Result, event: Ruled) -> Result:
    """What a match with this result counts as: as void if it is played again."""
    if event.verdict == "stands":
        return own
    if event.verdict == "win":
        first = event.winner == own.fixture.players[0]
        return replace(own, returns=(1.0, -1.0) if first else (-1.0, 1.0), reason="ruled", at_ms=event.at_ms)
    return replace(own, returns=DRAW, reason="ruled" if event.verdict == "draw" else "void", at_ms=event.at_ms)
