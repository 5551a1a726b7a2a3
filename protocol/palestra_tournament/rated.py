"""The ratings of a tournament: Elo and ranks with 95 % intervals.

Matches decided by play, or by a fault during play, are rated; void matches, walkovers and no-shows are not. A game that
repeats an earlier one of the same two players move by move adds no information and is left out. The first reference bot
of the spec with a rated game is at zero, or else the mean of all players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from palestra_tournament.model import Result, Tournament

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Rating:
    """Elo with its 95 % interval, and that of the rank among the rated players; None for a reference bot."""

    elo: float
    low: float
    high: float
    rank_low: int | None
    rank_high: int | None


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of everybody with a rated game, by name. `zero` is the player at 0; None if that is the mean of all.

    `seat_advantage` is how many Elo points the first seat is worth, by game.
    """

    players: dict[str, Rating]
    zero: str | None
    seat_advantage: dict[str, float]


def repeats(results: Mapping[K, Result]) -> set[K]:
    """The keys of the results whose game repeats that of an earlier one."""
    seen: set[tuple[object, ...]] = set()
    found = set()
    for key, result in results.items():
        if result.reason in ("rules", "ply_limit") and result.actions:
            game = result.fixture.game, result.fixture.players, result.fixture.opening + result.actions
            if game in seen:
                found.add(key)
            seen.add(game)
    return found


def ratings(t: Tournament) -> Ratings:
    """The ratings from the results so far, in whatever order they came in."""
    again = repeats(t.results)
    # Sorted by id: a bracket is drawn as results come in, and sums of floats depend on the order.
    counted = [t.results[name] for name in sorted(t.results) if name not in again]
    return rated_games(
        [(result, result.fixture.pair) for result in counted if result.rated],
        names=t.seeds,
        kinds=t.spec.games,
        references=t.spec.reference,
        seed=t.seed,
    )


def rated_games(
    counted: Sequence[tuple[Result, Hashable]],
    *,
    names: Sequence[str],
    kinds: Sequence[str],
    references: Sequence[str],
    seed: int,
) -> Ratings:
    """The ratings from these results, each with its pair.

    The first of `references` with a game is at zero, and none of them has a rank; `seed` draws the ranges of ranks.
    """
    games = Counter(name for result, _ in counted for name in result.fixture.players)
    names = [name for name in names if games[name]]
    if not names:
        return Ratings({}, None, {})
    number = {name: i for i, name in enumerate(names)}
    kind = {game: i for i, game in enumerate(kinds)}
    pair = {name: i for i, name in enumerate(dict.fromkeys(pair for _, pair in counted))}
    # Imported late: loading numpy would add a tenth to the server's start.
    from palestra_tournament.davidson import ELO, Games, strengths

    found = strengths(
        Games.of(
            (
                number[result.fixture.players[0]],
                number[result.fixture.players[1]],
                kind[result.fixture.game],
                result.points[0],
                pair[of],
            )
            for result, of in counted
        ),
        len(names),
        len(kind),
    )
    zero = next((name for name in references if name in number), None)
    ranked = [name for name in names if name not in references]
    ranks = dict(zip(ranked, found.ranks(seed, [number[name] for name in ranked]), strict=True))
    rated = {}
    for name, i in number.items():
        elo, low, high = found.interval(i, None if zero is None else number[zero])
        rated[name] = Rating(elo, low, high, *ranks.get(name, (None, None)))
    played = {result.fixture.game for result, _ in counted}
    advantage = {game: float(found.seat_advantage[i]) * ELO for game, i in kind.items() if game in played}
    return Ratings(rated, zero, advantage)
