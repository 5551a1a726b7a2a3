"""Formats the arena's results as text and tables."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence

from palestra_client.arena.contenders import Contender
from palestra_client.arena.fixtures import Result
from palestra_client.arena.statistics import Estimate, Sprt, estimate
from palestra_protocol.english import plural

MANY = 100_000  # matches: nobody at home plays more for an answer
FAULTS = {
    "timeout": "too late",
    "illegal": "an illegal action",
    "resign": "gave up (an exception, or a resignation)",
    "disconnect": "its process ended",
    "not_ready": "not ready in time",
}


def units(results: Sequence[Result], contender: int, other: int) -> list[float]:
    """The units for the statistics of `contender` against `other`.

    A unit is the mean score of a pair of matches with swapped seats. Only if no pair was completed are the scores of
    single matches used instead.
    """
    either = (contender, other), (other, contender)
    between = sorted((r for r in results if r.seats in either), key=lambda result: result.number)
    scores: list[float] = []
    single: list[float] = []
    first: Result | None = None
    for result in between:
        if first is not None and result.number == first.number + 1 and result.seats == first.seats[::-1]:
            scores.append((first.points(contender) + result.points(contender)) / 2)
            first = None
            continue
        if first is not None:
            single.append(first.points(contender))
        first = result
    if first is not None:
        single.append(first.points(contender))
    return scores or single


def points(results: Sequence[Result], contender: int) -> tuple[float, int]:
    """The points a contender scored, and the number of matches it played."""
    scored = [result.points(contender) for result in results if contender in result.seats]
    return sum(scored), len(scored)


def tally(results: Sequence[Result], contender: int) -> tuple[int, int, int]:
    counts = Counter(result.points(contender) for result in results if contender in result.seats)
    return counts[1.0], counts[0.5], counts[0.0]


def lines(contenders: Sequence[Contender], results: Sequence[Result], sprt: Sprt) -> Iterator[str]:
    if not results:
        yield "No match was played."
        return
    if len(contenders) == 2:
        yield from _duel(contenders, results, sprt)
    else:
        yield from _crosstable(contenders, results)
    yield from _effort(contenders, results)
    yield from faults(contenders, results)


def _duel(contenders: Sequence[Contender], results: Sequence[Result], sprt: Sprt) -> Iterator[str]:
    name = contenders[0].name
    won, drawn, lost = tally(results, 0)
    gained, of = points(results, 0)
    score = f"{won} won, {drawn} drawn, {lost} lost; {gained:g} of {plural(of, 'point')}"
    yield f"{name} against {contenders[1].name}: {score}."
    scores = units(results, 0, 1)
    measured = estimate(scores)
    assert measured is not None
    yield f"  score {_percent(measured)}"
    yield f"  Elo difference {_elo(measured)}"
    yield f"  as seat 0: {_by_seat(results, 0)}; as seat 1: {_by_seat(results, 1)}"
    ratio, (low, high) = sprt.ratio(scores), sprt.bounds
    test = f"SPRT of {sprt.elo0:g} against {sprt.elo1:g} Elo"
    yield f"  {test}: log-likelihood ratio {ratio:+.2f}; it ends at {low:.2f} and {high:.2f}."
    yield _verdict(name, contenders[1].name, sprt, scores, matches_a_unit=of / len(scores))


def _verdict(name: str, other: str, sprt: Sprt, scores: list[float], matches_a_unit: float) -> str:
    """Who is stronger, in a sentence, or how many more matches it takes to know."""
    found = sprt.verdict(scores)
    if found == "elo1":
        return f"{name} is stronger than {other}."
    if found == "elo0":
        gain = "" if sprt.elo1 <= 0 else f" by {sprt.elo1:g} Elo or more"
        return f"{name} is not stronger than {other}{gain}."
    more = sprt.remaining(scores) * matches_a_unit
    if more > MANY:
        return f"{name} and {other} are about equal: which is stronger would take very many games."
    many = f"about {round(more) + 1} more games like these would do (--sprt plays until it is)"
    return f"Whether {name} is stronger than {other} is not decided: {many}."


def _by_seat(results: Sequence[Result], seat: int) -> str:
    there = [result for result in results if result.seats[seat] == 0]
    return "{} won, {} drawn, {} lost".format(*tally(there, 0))


def _percent(measured: Estimate) -> str:
    return f"{measured.score:.1%}, between {measured.low:.1%} and {measured.high:.1%} (95 %)"


def _elo(measured: Estimate) -> str:
    middle, low, high = measured.elo
    if math.isinf(high):
        return f"above {round(low):+d} (95 %)"
    if math.isinf(low):
        return f"below {round(high):+d} (95 %)"
    return f"{round(middle):+d}, between {round(low):+d} and {round(high):+d} (95 %)"


def _crosstable(contenders: Sequence[Contender], results: Sequence[Result]) -> Iterator[str]:
    order = sorted(range(len(contenders)), key=lambda index: (-_share(results, index), index))
    width = max(len(contender.name) for contender in contenders)
    rows = []
    for index in order:
        row = []
        for other in order:
            between = [result for result in results if set(result.seats) == {index, other} and index != other]
            row.append("" if index == other else f"{points(between, index)[0]:g}" if between else "-")
        rows.append(row)
    column = max(3, *(len(cell) for row in rows for cell in row))
    numbers = " ".join(f"{rank:>{column}}" for rank in range(1, len(order) + 1))
    yield f"{'':4}{'':{width}}  {'points':>11}  {'score (95 %)':>22}  {numbers}"
    for rank, (index, row) in enumerate(zip(order, rows, strict=True), 1):
        gained, of = points(results, index)
        scores = [u for other in order if other != index for u in units(results, index, other)]
        measured = estimate(scores)
        interval = "" if measured is None else f"{measured.score:.1%} [{measured.low:.1%}, {measured.high:.1%}]"
        cells_text = " ".join(f"{cell:>{column}}" for cell in row)
        yield f"{rank:>3} {contenders[index].name:{width}}  {f'{gained:g} of {of}':>11}  {interval:>22}  {cells_text}"


def _share(results: Sequence[Result], contender: int) -> float:
    gained, of = points(results, contender)
    return gained / of if of else 0.0


def _effort(contenders: Sequence[Contender], results: Sequence[Result]) -> Iterator[str]:
    """How long each contender thought and how deep it saw, where that was refereed: a duel of bots that never had the
    time to search says little about them.
    """
    for index, contender in enumerate(contenders):
        own = [(r.finished.match, r.seats.index(index)) for r in results if r.finished and index in r.seats]
        moves = [move for match, seat in own for move in match.moves if move.seat == seat]
        if not moves:
            continue
        budget = own[0][0].config.move_ms / 1000
        took = statistics.median(move.charged_ns for move in moves) / 1e9
        depths = [depth for move in moves if move.info and isinstance(depth := move.info.get("depth"), int)]
        depth = f"depth {statistics.median(depths):g}" if depths else "no depth reported"
        yield f"{contender.name}: {took:.3f} of {budget:g} s a move, {depth} (medians)."


def faults(contenders: Sequence[Contender], results: Sequence[Result]) -> Iterator[str]:
    """Count each contender's losses by kind of fault, with the details of the first."""
    for index, contender in enumerate(contenders):
        for reason, words in FAULTS.items():
            lost = [r for r in results if index in r.seats and r.outcome.reason == reason]
            lost = [r for r in lost if r.returns[r.seats.index(index)] <= 0]
            if lost:
                first = min(lost, key=lambda result: result.number)
                times = f"{len(lost)} times" if len(lost) > 1 else "once"
                yield f"{contender.name} lost {times}: {words}. First in match {first.number}: {first.outcome.detail}"
