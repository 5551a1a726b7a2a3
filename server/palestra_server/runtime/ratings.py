"""Players' ratings and their course, as shown on their pages: computed beside the loop, once for all who ask.

They may lack the last results: they are made anew once another match has ended, but not before REST times as long has
passed as they took.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import structlog

from palestra_protocol.reference_bots import REFERENCE_BOTS
from palestra_server.helper import Helper, HelperFailed
from palestra_server.store import Hidden, RatedGame, Store, StoreError
from palestra_server.supervision import Supervisor

if TYPE_CHECKING:
    from palestra_tournament.davidson import Strengths

log = structlog.get_logger()

RATED_GAMES: Final = 4000  # how many of the newest rated matches are used for ratings
MOMENTS: Final = 6  # points on a rating's curve, spread evenly over the rated matches of the game
APART: Final = 200  # from so many rated matches on, another process computes: 0.1 s and more
REST: Final = 20.0
AGAIN_S: Final = 10.0  # after a failure


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
    """Strengths by player, from these matches of the `ended` ones."""

    ended: int
    without: Hidden
    matches: frozenset[str]
    strengths: dict[str, list[Strength]]

    def may_be_shown(self, hidden: Hidden) -> bool:
        """Whether they lack nothing that has been revealed, and tell nothing that is hidden: another match that is
        hidden as it begins was not among them.
        """
        grown = self.without.matches <= hidden.matches and self.without.tournaments == hidden.tournaments
        return grown and self.matches.isdisjoint(hidden.matches)


class Ratings:
    """For the event loop's thread."""

    def __init__(
        self, store: Store, supervisor: Supervisor, helper: Helper, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`helper`: computes for nobody else, and is closed with this."""
        self._store = store
        self._supervisor = supervisor
        self._helper = helper
        self._now = now
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="ratings")
        self._making: asyncio.Task[None] | None = None
        self._kept: _Rated | None = None
        self._rest_until = 0.0

    async def of(self, player: str, hidden: Callable[[], Hidden]) -> list[Strength]:
        """In each game of which the player has rated matches; none while they can't be computed. `hidden`: what may not
        be told at this moment.
        """
        while (kept := self._kept) is None or not kept.may_be_shown(hidden()):
            await asyncio.shield(self._made_anew(hidden()))
        if self._now() >= self._rest_until:
            self._made_anew(hidden())
        return kept.strengths.get(player, [])

    def _made_anew(self, without: Hidden) -> asyncio.Task[None]:
        if self._making is None or self._making.done():
            self._making = self._supervisor.task("ratings", self._supervisor, self._make(without))
        return self._making

    async def _make(self, without: Hidden) -> None:
        began, kept = self._now(), self._kept
        loop = asyncio.get_running_loop()
        try:
            self._kept = await loop.run_in_executor(self._worker, self._rate, without, kept)
            self._rest_until = self._now() + REST * (self._now() - began)
        except Exception as error:
            self._rest_until = self._now() + AGAIN_S
            if kept is None or not kept.may_be_shown(without):
                self._kept = _Rated(0, without, frozenset(), {})
            if not isinstance(error, (StoreError, HelperFailed)):
                raise
            log.warning("ratings can't be computed", why=str(error))

    def _rate(self, without: Hidden, kept: _Rated | None) -> _Rated:
        ended = self._store.tallies.last()
        if kept is not None and (kept.ended, kept.without) == (ended, without):
            return kept
        games = self._store.tallies.rated(RATED_GAMES, without)
        found = strengths_of(games) if len(games) < APART else self._helper.run(strengths_of, games)
        return _Rated(ended, without, frozenset(one.match for one in games), found)

    def close(self) -> None:
        self._helper.close()
        self._worker.shutdown(cancel_futures=True)


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
