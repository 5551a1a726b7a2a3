"""What counts of a tournament that the teacher ended early."""

from __future__ import annotations

from palestra_tournament.growing import GrowingMap
from palestra_tournament.model import Tournament
from palestra_tournament.pending import first_open_round


def first_incomplete(t: Tournament) -> int | None:
    """The first round that has fixtures without a result; None if there is none, or rounds mean nothing."""
    return first_open_round(t) if t.spec.format.has_last_round else None


def counting(t: Tournament) -> Tournament:
    """`t` with what counts: after an early end, complete rounds alone, unless the teacher said otherwise.

    Of a round that isn't complete, some have played more than others.
    """
    first = first_incomplete(t) if t.closed and not t.counts_all else None
    return t if first is None else before(t, first)


def before(t: Tournament, number: int) -> Tournament:
    """With the results and byes of the rounds before this one alone."""
    results = GrowingMap((key, result) for key, result in t.results.items() if result.fixture.round < number)
    struck = {key: result for key, result in t.struck.items() if t.by_id[key].round < number}
    return t.but(results=results, struck=struck, byes=tuple(bye for bye in t.byes if bye.round < number))
