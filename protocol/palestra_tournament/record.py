"""The record of one bot in a tournament: results by game and seat, faults, times, and its biggest upset."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from palestra_games import Seat, get_game
from palestra_tournament.model import Result, Tournament
from palestra_tournament.rated import Ratings, ratings

Tally = tuple[int, int, int]
"""Won, drawn, lost."""


@dataclass(frozen=True, slots=True)
class Upset:
    """A win against a stronger opponent; `elo` says by how much, `match` where to see it."""

    opponent: str
    game: str
    elo: float
    match: str | None


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """Everything counts matches, except `dropped`, which counts connections lost while playing.

    `resigned` includes crashes: the client resigns when the bot's code raises an exception. Times are per move.
    """

    player: str
    by_seat: dict[str, tuple[Tally, Tally]]
    """For each game played: the results in the first seat, and in the second."""
    timeouts: int
    illegal: int
    disconnects: int
    not_ready: int
    resigned: int
    dropped: int
    median_ms: int | None
    p99_ms: int | None
    longest: tuple[int, str | None] | None
    """The longest game: its number of plies, and the match."""
    upset: Upset | None


def record_of(t: Tournament, player: str, rated: Ratings | None = None) -> PlayerRecord:
    """The record of `player`; pass `rated` if the ratings are known already."""
    results = [result for result in t.results.values() if player in result.fixture.players]
    results = [result for result in results if result.reason not in ("void", "walkover")]
    tallies: dict[str, tuple[Counter[float], Counter[float]]] = {}
    faults: Counter[str] = Counter()
    times: list[int] = []
    for result in results:
        seat: Seat = 0 if result.fixture.players[0] == player else 1
        points = result.points[seat]
        tallies.setdefault(result.fixture.game, (Counter(), Counter()))[seat][points] += 1
        if result.at_fault[seat] or (result.reason == "resign" and points == 0):
            faults[result.reason] += 1
        faults["dropped"] += result.drops[seat]
        times += _times(result, seat)
    times.sort()
    longest = max(results, key=lambda result: result.plies, default=None)
    by_seat = {}
    for game in sorted(tallies):
        first, second = (_tally(counted) for counted in tallies[game])
        by_seat[game] = (first, second)
    return PlayerRecord(
        player=player,
        by_seat=by_seat,
        timeouts=faults["timeout"],
        illegal=faults["illegal"],
        disconnects=faults["disconnect"],
        not_ready=faults["not_ready"],
        resigned=faults["resign"],
        dropped=faults["dropped"],
        median_ms=_quantile(times, 0.5),
        p99_ms=_quantile(times, 0.99),
        longest=None if longest is None or longest.plies == 0 else (longest.plies, longest.match),
        upset=_upset(results, player, ratings(t) if rated is None else rated),
    )


def _tally(counted: Counter[float]) -> Tally:
    return counted[1.0], counted[0.5], counted[0.0]


def _times(result: Result, seat: Seat) -> Iterator[int]:
    """What this seat was charged for each move. A seat may move twice in a row, so this replays the game."""
    state = get_game(result.fixture.game).initial_state()
    for action in result.fixture.opening:
        state = state.apply(action)
    for action, charged in zip(result.actions, result.charged_ms, strict=False):
        if state.to_move == seat:
            yield charged
        state = state.apply(action)


def _quantile(ordered: list[int], share: float) -> int | None:
    """By nearest rank, so that it is a time that was actually measured."""
    return ordered[math.ceil(share * len(ordered)) - 1] if ordered else None


def _upset(results: list[Result], player: str, rated: Ratings) -> Upset | None:
    best: Upset | None = None
    own = rated.players.get(player)
    for result in results:
        seat = result.fixture.players.index(player)
        opponent = result.fixture.players[1 - seat]
        other = rated.players.get(opponent)
        if own is None or other is None or result.points[seat] != 1 or result.reason == "not_ready":
            continue
        elo = other.elo - own.elo
        if elo > (best.elo if best else 0):
            best = Upset(opponent, result.fixture.game, elo, result.match)
    return best
