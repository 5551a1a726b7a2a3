"""What a ruling of the teacher does: a match that is over counts as if it had ended otherwise, or is played again.

Nothing is erased: the match keeps its records, result and receipt, and whatever was drawn stays drawn.
"""

from __future__ import annotations

from dataclasses import replace

from palestra_games.interface import DRAW
from palestra_tournament.model import Fixture, Result, Ruled, Tournament
from palestra_tournament.pending import with_results, without_results


class CannotRule(ValueError):
    """A ruling that can't be: a sentence, and a `code` for those who say it in another language."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def judged(t: Tournament, match: str) -> Result:
    """How this match itself ended, whatever was ruled since. Raises CannotRule if none did."""
    found = t.judged.get(match) or next((result for result in t.results.values() if result.match == match), None)
    if found is None:
        raise CannotRule("rule_unknown", f"{t.spec.name} has no match {match} that is over.")
    return found


def rule(t: Tournament, event: Ruled) -> Tournament:
    """The tournament after this ruling. Raises CannotRule."""
    own = judged(t, event.match)
    fixture, match, name = own.fixture, event.match, t.spec.name
    known = t.results.get(fixture.id)
    if fixture.id in t.playing:
        raise CannotRule(
            "rule_played",
            f"Match {match} is being replayed: rule on the replay {t.playing[fixture.id]} once it is over.",
        )
    if known is not None and known.match not in (None, match):
        raise CannotRule(
            "rule_replayed", f"Match {match} was replayed, and its replay {known.match} counts: rule on that one."
        )
    latest = next((each.match for each in reversed(t.rulings) if judged(t, each.match).fixture == fixture), match)
    if latest != match and (known is None or known.match is None):
        raise CannotRule("rule_replayed", f"Match {match} was replayed as {latest}: rule on that one.")
    if event.winner and event.winner not in fixture.players:
        raise CannotRule(
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
        after = with_results(after, [_as_ruled(own, event)])
    if _changes_meetings(t, after):
        raise CannotRule(
            "rule_too_late",
            f"A meeting that was drawn follows from match {match}, and would have other players: a ruling on it comes "
            f"too late for the bracket of {name}.",
        )
    # What follows from it is drawn and played, also when all was over.
    return after.but(phase="running") if t.phase == "completed" else after


def _check_replay(t: Tournament, fixture: Fixture, match: str) -> None:
    if fixture.id not in t.results:
        raise CannotRule("rule_waits", f"Match {match} waits to be replayed already.")
    if t.closed:
        raise CannotRule("rule_closed", f"{t.spec.name} was ended early, so nothing new can begin in it.")
    for player in fixture.players:
        if player in t.withdrawn:
            raise CannotRule(
                "rule_withdrawn", f"{player} is withdrawn and can't replay match {match}: let {player} back in first."
            )


def _as_ruled(own: Result, event: Ruled) -> Result:
    if event.verdict == "stands":
        return own
    if event.verdict == "win":
        first = event.winner == own.fixture.players[0]
        return replace(own, returns=(1.0, -1.0) if first else (-1.0, 1.0), reason="ruled", at_ms=event.at_ms)
    return replace(own, returns=DRAW, reason="ruled" if event.verdict == "draw" else "void", at_ms=event.at_ms)


def _changes_meetings(t: Tournament, after: Tournament) -> bool:
    """Whether a meeting of the bracket that was drawn would have other players now."""
    drawn = {(fixture.round, fixture.table) for fixture in t.fixtures}

    def meetings(now: Tournament) -> dict[tuple[int, int], tuple[str | None, str | None]]:
        ties = (tie for ties in now.spec.format.bracket(now) for tie in ties)
        return {(tie.round, tie.table): tie.players for tie in ties if (tie.round, tie.table) in drawn}

    return meetings(t) != meetings(after)
