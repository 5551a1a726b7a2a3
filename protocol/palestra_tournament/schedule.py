"""The schedule and the progress of a tournament."""

from __future__ import annotations

from typing import Literal, NamedTuple

from palestra_tournament.model import Fixture, Result, Tournament
from palestra_tournament.scores import counted


class Scheduled(NamedTuple):
    """A fixture and its state; `match` is set once it begins, `result` once it ends."""

    fixture: Fixture
    state: Literal["waiting", "playing", "ended"]
    match: str | None
    result: Result | None


class Progress(NamedTuple):
    """How far a tournament has got; `round` is the earliest unfinished round.

    `total` and `rounds` are None if they can't be known, as on a ladder.
    """

    played: int
    playing: int
    total: int | None
    round: int
    rounds: int | None


def schedule(t: Tournament) -> tuple[Scheduled, ...]:
    """All fixtures drawn so far, in order; results as they count."""
    lines = []
    results = {result.fixture.id: result for result in counted(t.results.values())}
    for fixture in t.fixtures:
        result = results.get(fixture.id)
        if result is not None:
            lines.append(Scheduled(fixture, "ended", result.match, result))
        else:
            match = t.playing.get(fixture.id)
            lines.append(Scheduled(fixture, "waiting" if match is None else "playing", match, None))
    return tuple(lines)


def progress(t: Tournament) -> Progress:
    """How many matches and rounds are over, and how many there will be."""
    total, rounds = t.spec.format.planned(t)
    if t.phase == "completed":
        total = len(t.results)
    now = t.fixtures[t.settled].round if t.settled < len(t.fixtures) else t.round
    return Progress(len(t.results), len(t.playing), total, now, rounds)
