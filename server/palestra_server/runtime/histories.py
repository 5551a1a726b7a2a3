"""A player's move times and rating history, as shown on its page.

Both are slow, so they are computed beside the loop, once for all who ask, and kept: times until another match of the
player has ended, ratings until any has, and then for REST times as long as they took.
"""

from __future__ import annotations

import math
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import structlog

from palestra_games import UnknownGame
from palestra_protocol.reference_bots import REFERENCE_BOTS
from palestra_referee import MS, event_from_line, replay
from palestra_referee.events import Why
from palestra_server.helper import Helper
from palestra_server.store import Counted, Hidden, RatedGame, Store

if TYPE_CHECKING:
    from palestra_tournament.davidson import Strengths

log = structlog.get_logger()

TIMED_MATCHES: Final = 20  # how many of a player's newest matches are timed
RATED_GAMES: Final = 4000  # how many of the newest rated matches are used for ratings
MOMENTS: Final = 6  # points on a rating's curve, spread evenly over the rated matches of the game
TIMES_KEPT: Final = 2048  # matches whose times are kept
PLAYERS_KEPT: Final = 512  # players whose times are kept
APART: Final = 200  # rated matches from which on a helper process computes: 0.1 s or more, in steps of some ms
REST: Final = 20.0


@dataclass(frozen=True, slots=True)
class MoveTimes:
    """Quantiles of the time per move, in ms; also of the answers that came too late, or never."""

    median: float
    p99: float


@dataclass(frozen=True, slots=True)
class RatedMoment:
    """Elo relative to the mean of all who play this game, with its 95 % interval. `when` is UTC in ms."""

    when: int
    rating: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BestWin:
    """The win on the board against the strongest opponent, and how strong that one is."""

    match: str
    opponent: str
    rating: float


@dataclass(slots=True)
class Strength:
    """A player in one game: the course of its rating, and its 95 % range of ranks among `ranked` players.

    A reference bot takes no place.
    """

    game: str
    moments: list[RatedMoment] = field(default_factory=list)
    rank_low: int | None = None
    rank_high: int | None = None
    ranked: int = 0
    best: BestWin | None = None


class _Rated(NamedTuple):
    """Strengths by player, from the matches up to `last`."""

    last: int
    without: Hidden
    strengths: dict[str, list[Strength]]


class Histories:
    """Thread-safe, but blocking: not for the event loop's thread. All methods raise StoreError."""

    def __init__(self, store: Store, helper: Helper, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._helper = helper
        self._clock = clock
        self._timing, self._rating = threading.Lock(), threading.Lock()
        self._spent = lru_cache(TIMES_KEPT)(self._read)
        self._timed = lru_cache(PLAYERS_KEPT)(self._time)
        self._rated: _Rated | None = None
        self._rest_until = 0.0

    def move_times(self, player: str, without: Hidden, counted: Sequence[Counted]) -> MoveTimes | None:
        """None if the player made no move, not even too late. `counted`: its matches; no time is new unless one is."""
        with self._timing:
            return self._timed(player, without, tuple(counted))

    def _time(self, player: str, without: Hidden, _counted: tuple[Counted, ...]) -> MoveTimes | None:
        newest = self._store.journal.matches(TIMED_MATCHES, without, player=player)
        spent = [self._spent(one.match) for one in newest if one.finished_ms]
        times = sorted(chain.from_iterable(each.get(player, ()) for each in spent))
        return MoveTimes(_quantile(times, 0.5) / MS, _quantile(times, 0.99) / MS) if times else None

    def _read(self, match_id: str) -> Mapping[str, Sequence[int]]:
        """What each player of a match took for its moves, in ns."""
        spent: defaultdict[str, list[int]] = defaultdict(list)
        try:
            match = replay(event_from_line(line) for line in self._store.journal.read_lines(match_id))
        except (UnknownGame, ValueError, LookupError) as error:
            log.warning("match cannot be timed", match=match_id, why=str(error))
            return spent
        for move in match.moves:
            spent[match.config.players[move.seat]].append(move.charged_ns)
        why: Why = {} if match.outcome is None else match.outcome.why
        if why.get("code") in ("late", "silent"):
            # The answer that came too late is the slowest of all; one that never came took all that there was.
            took_ms = int(why.get("took_ms") or int(why["move_ms"]) + int(why["grace_ms"]))
            spent[str(why["player"])].append(MS * took_ms)
        return spent

    def strengths(self, player: str, without: Hidden) -> list[Strength]:
        """In each game of which the player has rated matches; they may lack the last results for a while.

        Raises HelperFailed; HelperStopped while the server stops.
        """
        kept = self._rated
        if kept is None or kept.without != without:
            with self._rating:
                kept = self._rate(without)
        elif self._rating.acquire(blocking=False):  # else they are being computed, and what there is will do
            try:
                kept = self._rate(without)
            finally:
                self._rating.release()
        return kept.strengths.get(player, [])

    def _rate(self, without: Hidden) -> _Rated:
        kept = self._rated if self._rated is not None and self._rated.without == without else None
        began = self._clock()
        if kept is not None and began < self._rest_until:
            return kept
        last = self._store.tallies.last()
        if kept is not None and kept.last == last:
            return kept
        games = self._store.tallies.rated(RATED_GAMES, without)
        found = strengths_of(games) if len(games) < APART else self._helper.run(strengths_of, games)
        now = self._clock()
        self._rest_until = now + REST * (now - began)
        self._rated = _Rated(last, without, found)
        return self._rated


def strengths_of(games: Sequence[RatedGame]) -> dict[str, list[Strength]]:
    """Every player's strength in every game, with its rating after each of MOMENTS equal parts of the matches."""
    found: dict[str, list[Strength]] = {}
    for game in sorted({one.game for one in games}):
        played = [one for one in games if one.game == game]
        counted = _without_repeats(played)
        here: dict[str, Strength] = {}
        for upto in sorted({math.ceil(len(counted) * part / MOMENTS) for part in range(1, MOMENTS + 1)}):
            fitted, names = _fitted(counted[:upto])
            last = {name: one.ended_ms for one in counted[:upto] for name in (one.first, one.second)}
            for index, name in enumerate(names):
                moment = RatedMoment(last[name], *fitted.interval(index))
                here.setdefault(name, Strength(game)).moments.append(moment)
        among = [index for index, name in enumerate(names) if name not in REFERENCE_BOTS]
        for index, (low, high) in zip(among, fitted.ranks(0, among), strict=True):
            one = here[names[index]]
            one.rank_low, one.rank_high, one.ranked = low, high, len(among)
        _note_best(here, played)
        for name, one in here.items():
            found.setdefault(name, []).append(one)
    return found


def _note_best(players: Mapping[str, Strength], games: Sequence[RatedGame]) -> None:
    for one in games:
        if one.score != 0.5 and one.fought:
            winner, loser = (one.first, one.second) if one.score > 0.5 else (one.second, one.first)
            rating, best = players[loser].moments[-1].rating, players[winner].best
            if best is None or rating > best.rating:
                players[winner].best = BestWin(one.match, loser, rating)


def _without_repeats(games: Sequence[RatedGame]) -> list[RatedGame]:
    # Deterministic bots repeat the same game, which adds no information. Moves aren't known here, so games of the same
    # players in the same seats with the same length and result count as one.
    first_of = {(one.first, one.second, one.plies, one.score): one for one in reversed(games)}
    return sorted(first_of.values(), key=lambda one: one.number)


def _fitted(games: Sequence[RatedGame]) -> tuple[Strengths, list[str]]:
    names = sorted({name for one in games for name in (one.first, one.second)})
    number = {name: index for index, name in enumerate(names)}
    # Imported late: loading numpy would add a tenth to the server's start.
    from palestra_tournament.davidson import Games, strengths

    rows = ((number[one.first], number[one.second], 0, one.score, pair) for pair, one in enumerate(games))
    return strengths(Games.of(rows), len(names), 1), names


def _quantile(ordered: Sequence[int], share: float) -> int:
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]
