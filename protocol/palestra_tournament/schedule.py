"""The schedule and the progress of a tournament."""

from __future__ import annotations

from typing import Literal, NamedTuple

from palestra_tournament.formats import planned
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
    results = {result.fixture.id: result for result in counted(t.results.values(), t.rules)}
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
    total, rounds = planned(t)
    if t.phase == "completed":
        total = len(t.results)
    now = t.fixtures[t.settled].round if t.settled < len(t.fixtures) else t.round
    return Progress(len(t.results), len(t.playing), total, now, rounds)


def first_hidden_round(t: Tournament) -> int | None:
    """The first round under embargo; None if there is none."""
    return None if t.revealed else planned(t)[1]


def public(t: Tournament) -> Tournament:
    """The tournament as the public may see it: without the results that are under embargo."""
    first = first_hidden_round(t)
    if first is None:
        return t
    hidden = {fixture.id for fixture in t.fixtures if fixture.round >= first}
    return t.but(results={key: result for key, result in t.results.items() if key not in hidden})
