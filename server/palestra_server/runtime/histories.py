"""A player's move times and rating history, as shown on its page.

Both are slow, so they are computed in threads, one at a time, and cached until another match has ended.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from palestra_games import UnknownGame
from palestra_referee import MS, event_from_line, replay
from palestra_server.store import NOTHING, Hidden, RatedGame, Store

log = structlog.get_logger()

TIMED_MATCHES: Final = 20  # how many of a player's newest matches are timed
RATED_GAMES: Final = 4000  # how many of the newest rated matches are used for ratings
MOMENTS: Final = 6  # points on a rating's curve, spread evenly over the rated matches of the game
PLAYERS_KEPT: Final = 512


@dataclass(frozen=True, slots=True)
class MoveTimes:
    """Quantiles of the time per move, in ms."""

    median: float
    p99: float


@dataclass(frozen=True, slots=True)
class RatedMoment:
    """Elo relative to the mean of all who play this game, with its 95 % interval. `when` is UTC in ms."""

    when: int
    game: str
    rating: float
    low: float
    high: float


class Histories:
    """Thread-safe, but blocking: not for the event loop's thread. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._computing = threading.Lock()
        self._times: OrderedDict[str, tuple[list[str], MoveTimes | None]] = OrderedDict()
        self._rated_at: tuple[int, Hidden] = -1, NOTHING
        self._ratings: dict[str, list[RatedMoment]] = {}

    def move_times(self, player: str, without: Hidden) -> MoveTimes | None:
        """None if the player made no move."""
        with self._computing:
            newest = self._store.journal.matches(TIMED_MATCHES, without, player=player)
            key = [one.match for one in newest if one.finished_ms]
            known = self._times.get(player)
            if known is None or known[0] != key:
                self._times[player] = known = key, self._time(key, player)
                if len(self._times) > PLAYERS_KEPT:
                    self._times.popitem(last=False)
            return known[1]

    def _time(self, matches: Sequence[str], player: str) -> MoveTimes | None:
        spent: list[int] = []
        for match_id in matches:
            try:
                match = replay(event_from_line(line) for line in self._store.journal.read_lines(match_id))
            except (UnknownGame, ValueError, LookupError) as error:
                log.warning("match cannot be timed", match=match_id, why=str(error))
                continue
            spent += [move.charged_ns for move in match.moves if match.config.players[move.seat] == player]
        if not spent:
            return None
        spent.sort()
        return MoveTimes(_quantile(spent, 0.5) / MS, _quantile(spent, 0.99) / MS)

    def ratings(self, player: str, without: Hidden) -> list[RatedMoment]:
        with self._computing:
            seen = self._store.tallies.last(), without
            if seen != self._rated_at:
                games = self._store.tallies.rated(RATED_GAMES, without)
                self._ratings = rating_histories(games)
                self._rated_at = seen
            return self._ratings.get(player, [])


def rating_histories(games: Sequence[RatedGame]) -> dict[str, list[RatedMoment]]:
    """Every player's ratings in every game, after each of MOMENTS equal parts of its matches."""
    found: dict[str, list[RatedMoment]] = {}
    for game in sorted({one.game for one in games}):
        counted = _without_repeats([one for one in games if one.game == game])
        for part in range(1, MOMENTS + 1):
            upto = counted[: math.ceil(len(counted) * part / MOMENTS)]
            if part > 1 and len(upto) == math.ceil(len(counted) * (part - 1) / MOMENTS):
                continue
            for player, moment in _rate(game, upto):
                found.setdefault(player, []).append(moment)
    return found


def _without_repeats(games: Sequence[RatedGame]) -> list[RatedGame]:
    # Deterministic bots repeat the same game, which adds no information. Moves aren't known here, so games of the same
    # players in the same seats with the same length and result count as one.
    first_of = {(one.first, one.second, one.plies, one.score): one for one in reversed(games)}
    return sorted(first_of.values(), key=lambda one: one.number)


def _rate(game: str, games: Sequence[RatedGame]) -> list[tuple[str, RatedMoment]]:
    names = sorted({name for one in games for name in (one.first, one.second)})
    number = {name: index for index, name in enumerate(names)}
    # Imported late: loading numpy would add a tenth to the server's start.
    from palestra_tournament.davidson import Games, strengths

    rows = ((number[one.first], number[one.second], 0, one.score, pair) for pair, one in enumerate(games))
    fitted = strengths(Games.of(rows), len(names), 1)
    last = {name: one.ended_ms for one in games for name in (one.first, one.second)}
    return [(name, RatedMoment(last[name], game, *fitted.interval(index))) for name, index in number.items()]


def _quantile(ordered: Sequence[int], share: float) -> int:
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]
