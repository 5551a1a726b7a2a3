"""How long players take for their moves: slow to find out, so computed in threads, and kept until another match of the
player has ended.
"""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

import structlog

from palestra_games import UnknownGame
from palestra_referee import MS, event_from_line, replay
from palestra_referee.events import Why
from palestra_server.store import Counted, Hidden, Store

log = structlog.get_logger()

TIMED_MATCHES: Final = 20  # how many of a player's newest matches are timed
MATCHES_KEPT: Final = 2048
PLAYERS_KEPT: Final = 512


@dataclass(frozen=True, slots=True)
class MoveTimes:
    """Quantiles of the time per move, in ms; also of the answers that came too late, or never."""

    median: float
    p99: float


class MoveTimesOf:
    """By player. Thread-safe, but blocking: not for the event loop's thread. Raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._computing = threading.Lock()
        self._spent = lru_cache(MATCHES_KEPT)(self._read)
        self._timed = lru_cache(PLAYERS_KEPT)(self._time)

    def __call__(self, player: str, without: Hidden, counted: Collection[Counted]) -> MoveTimes | None:
        """None if the player made no move, not even too late. `counted`: its matches; no time is new unless one is."""
        if not counted:
            return None
        with self._computing:
            return self._timed(player, without, frozenset(counted))

    def _time(self, player: str, without: Hidden, _counted: frozenset[Counted]) -> MoveTimes | None:
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


def _quantile(ordered: Sequence[int], share: float) -> int:
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]
