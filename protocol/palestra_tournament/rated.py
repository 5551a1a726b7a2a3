"""The ratings of a tournament: Elo with 95 % intervals, and the ranks that each may truly have.

Rated is what was decided by play or by a fault during it, not a void match, a walkover, or one that a player did not
come to. A game that equals an earlier one of the same two players move by move tells nothing new: it is a repeat, and
is left out. Zero is the first reference bot of the spec that has a rated game, else the mean of all.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from palestra_tournament.model import UNPLAYED, Result, Tournament


@dataclass(frozen=True, slots=True)
class Rating:
    """Elo with its 95 % interval, and the best and worst rank (95 %) among all who are rated."""

    elo: float
    low: float
    high: float
    rank_low: int
    rank_high: int


@dataclass(frozen=True, slots=True)
class Ratings:
    """Of everybody who has a rated game, by name; `zero` is who stands at 0, None for the mean of all.

    `seat_advantage`: Elo points that the first seat is worth, by game.
    """

    players: dict[str, Rating]
    zero: str | None
    seat_advantage: dict[str, float]


def is_repeat_of(result: Result) -> tuple[object, ...] | None:
    """What two games have in common if one repeats the other; None for a game that can't be one."""
    if result.reason not in ("rules", "ply_limit") or not result.actions:
        return None
    return result.fixture.game, result.fixture.players, result.fixture.opening + result.actions


def repeats(t: Tournament) -> set[str]:
    """The ids of the fixtures whose game equals one that ended before it."""
    seen: set[tuple[object, ...]] = set()
    found = set()
    for identifier, result in t.results.items():
        key = is_repeat_of(result)
        if key is None:
            continue
        if key in seen:
            found.add(identifier)
        seen.add(key)
    return found


def ratings(t: Tournament) -> Ratings:
    """The ratings as the results stand, the same for the same results in any order."""
    again = repeats(t)
    # By their names, since a bracket is drawn as results come, and sums of floats depend on their order.
    counted = [t.results[name] for name in sorted(t.results) if name not in again]
    counted = [result for result in counted if result.reason not in UNPLAYED]
    games = Counter(name for result in counted for name in result.fixture.players)
    names = [name for name in t.seeds if games[name]]
    if not names:
        return Ratings({}, None, {})
    number = {name: i for i, name in enumerate(names)}
    kind = {game: i for i, game in enumerate(t.spec.games)}
    pair = {name: i for i, name in enumerate(dict.fromkeys(result.fixture.pair for result in counted))}
    # numpy takes a tenth of a server's start, which comes before the first ratings.
    from palestra_tournament.davidson import ELO, Games, strengths

    found = strengths(
        Games.of(
            (
                number[result.fixture.players[0]],
                number[result.fixture.players[1]],
                kind[result.fixture.game],
                result.points[0],
                pair[result.fixture.pair],
            )
            for result in counted
        ),
        len(names),
        len(kind),
    )
    zero = next((name for name in t.spec.reference if name in number), None)
    ranks = found.ranks(t.seed)
    rated = {}
    for name, i in number.items():
        elo, low, high = found.interval(i, None if zero is None else number[zero])
        rated[name] = Rating(elo, low, high, *ranks[i])
    played = {result.fixture.game for result in counted}
    advantage = {game: float(found.seat_advantage[i]) * ELO for game, i in kind.items() if game in played}
    return Ratings(rated, zero, advantage)
