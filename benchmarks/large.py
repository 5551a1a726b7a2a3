"""What one event of a large tournament costs: 300 players in four games, 358,800 fixtures; and a ladder that goes on.

CPU time of `palestra_tournament` alone, near the beginning and with 300,000 results: nothing should grow with them.
Then such a tournament in a real server, with visitors and exports (`_large_house`).
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Final

from benchmarks._large_house import CONNECTED, CUP, GAMES
from benchmarks._large_house import run as house
from palestra_tournament import (
    Ended,
    Entrant,
    Fixture,
    MatchStarted,
    Tournament,
    begin,
    parse_spec,
    playable,
    step,
)

PLAYERS: Final = 300
MARKS: Final = (1_000, 300_000)
LADDER_MARKS: Final = (1_000, 20_000)


def run() -> list[tuple[str, str]]:
    load = ("load average before", " ".join(f"{load:.1f}" for load in os.getloadavg()))
    return [load, *_round_robin(), *_ladder(), *house(PLAYERS)]


def _ended(t: Tournament, fixture: str, number: int) -> Ended:
    first = (1.0, -1.0) if number % 3 else (-1.0, 1.0)
    return Ended(fixture, t.playing.get(fixture, f"m{number}"), first, "rules", 8, (1,) * 8, (5,) * 8, number)


def _timed(act: Callable[[], object], times: int = 50) -> str:
    costs = []
    for _ in range(times):
        begun = time.process_time()
        act()
        costs.append(time.process_time() - begun)
    return f"median {statistics.median(costs) * 1e3:.3f} ms, most {max(costs) * 1e3:.3f} ms"


def _round_robin() -> list[tuple[str, str]]:
    spec = parse_spec(CUP.format(games=GAMES, format="round-robin"))
    begun = time.process_time()
    t, _ = begin(spec, [Entrant(f"p{number}") for number in range(PLAYERS)], 7, 0)
    rows = [(f"drawing {len(t.fixtures):,} fixtures", f"{time.process_time() - begun:.1f} s")]
    here = set(t.seeds[:CONNECTED])
    # Those who are connected have played each other: what is left waits for somebody.
    order = sorted(t.fixtures, key=lambda fixture: not here.issuperset(fixture.players))
    left = iter(order)
    for mark in MARKS:
        for fixture in islice(left, mark - len(t.results)):
            t, _ = step(t, _ended(t, fixture.id, len(t.results)))

        def play(kind: str) -> None:
            nonlocal t
            fixture = next(left)
            event = _ended(t, fixture.id, 0) if kind == "ended" else MatchStarted(fixture.id, "m", 0)
            after, _ = step(t, event)
            t = after if kind == "ended" else t

        known = f"with {len(t.results):,} results"
        rows += [
            (f"a match ended {known}", _timed(lambda: play("ended"))),
            (f"a match began {known}", _timed(lambda: play("began"))),
        ]
        for among in (here, set(t.seeds)):
            cost = _timed(partial(_next, t, among))
            rows.append((f"the next match of {len(among)} connected {known}", cost))
    return rows


def _next(t: Tournament, among: set[str]) -> Fixture | None:
    return next(playable(t, among), None)


def _ladder() -> list[tuple[str, str]]:
    spec = parse_spec(CUP.format(games='"connect4"', format="ladder"))
    t, _ = begin(spec, [Entrant(f"p{number}") for number in range(30)], 7, 0)
    rows = []
    drawing: list[float] = []
    while len(t.results) < LADDER_MARKS[-1]:
        event = _ended(t, next(playable(t)).id, len(t.results))
        before, begun = len(t.fixtures), time.process_time()
        t, _ = step(t, event)
        if len(t.fixtures) > before:
            drawing.append(time.process_time() - begun)
        if len(t.results) in LADDER_MARKS:
            recent = statistics.median(drawing[-20:])
            rows.append((f"new pairs on a ladder with {len(t.results):,} results", f"median {recent * 1e3:.1f} ms"))
    return rows
