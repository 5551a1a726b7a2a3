"""Decides which match of a tournament begins next.

A match begins once both players are connected and there is room (`Capacity`). An absent player holds up nobody who
could play someone else. If absent players lose (by the tournament's file), their matches begin after all others, and
the referee waits for `ready_ms`. A match waits for a bot of this server in any case, and the teacher is told.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from palestra_server.gateway import ProvenConnection
from palestra_server.runtime.live_tournament import LiveTournament
from palestra_server.runtime.reference import References
from palestra_server.runtime.room import Playing
from palestra_server.runtime.saving import Saving
from palestra_server.store import Journal
from palestra_server.supervision import Supervisor
from palestra_tournament import Fixture

SHARE: Final = 0.5  # the referee's share of a core
FIRST: Final = 64  # simultaneous matches until there is a measurement
MOST: Final = 500  # upper limit: each match takes a timer, two connections and some memory
ENOUGH: Final = 400  # actions per measurement
# How long a player must have been away before its match begins without it; lost connections are back by then.
ABSENT_S: Final = 5.0
LATE_S: Final = 60.0  # how long a bot of this server may be missing before the teacher is told


@dataclass(slots=True)
class _Mark:
    wall_s: float
    cpu_s: float
    actions: int
    match_s: float


class Capacity:
    """How many simultaneous matches this machine can host, from the measured cost of a move.

    The referee is one event loop on one core; bots that run elsewhere cost it nothing. The cost of a move (reading,
    rules, journal, watchers) is the CPU time of the process divided by the number of accepted actions, whose rate is
    measured, too. With n matches of p actions per second at c seconds each, n * p * c of a core is busy. n is chosen to
    keep that at or below SHARE, which leaves room for bursts (in a queue, turnaround grows as 1 / (1 - load)).
    Reference bots think on this very machine, so they play as many matches as there are cores: only one of a match's
    two bots thinks at a time.

    `wall_s` and `cpu_s` read clocks in seconds; `actions` returns the number of accepted actions so far.
    """

    def __init__(
        self,
        wall_s: Callable[[], float],
        cpu_s: Callable[[], float],
        actions: Callable[[], int],
        *,
        cores: int | None = None,
    ) -> None:
        self._wall_s, self._cpu_s, self._actions = wall_s, cpu_s, actions
        self.local = max(1, cores or os.cpu_count() or 1)
        self._mark = _Mark(wall_s(), cpu_s(), actions(), 0.0)
        self._looked = wall_s()
        self.matches = FIRST

    def look(self, playing: int) -> int:
        """How many matches may be played simultaneously, given that `playing` are in progress."""
        now, mark = self._wall_s(), self._mark
        mark.match_s += playing * (now - self._looked)
        self._looked = now
        actions = self._actions() - mark.actions
        if actions >= ENOUGH and mark.match_s > 0:
            cost = (self._cpu_s() - mark.cpu_s) / actions
            pace = actions / mark.match_s
            self.matches = max(self.local, min(MOST, int(SHARE / max(cost * pace, 1e-9))))
            self._mark = _Mark(now, self._cpu_s(), self._actions(), 0.0)
        return self.matches


@dataclass(kw_only=True, eq=False)
class Matchmaker:
    """`players`: who is connected, guests left out. `now_s` reads the loop's clock."""

    players: Mapping[str, ProvenConnection]
    playing: Playing
    references: References
    capacity: Capacity
    saving: Saving
    journal: Journal
    supervisor: Supervisor
    now_s: Callable[[], float]

    def __post_init__(self) -> None:
        self._missing_since: dict[str, float] = {}

    def fill(self, tournaments: Iterable[LiveTournament]) -> None:
        if self.saving.fault.done() or self.journal.trouble is not None:
            return
        everything = tuple(tournaments)
        self._note_absences(everything)
        for live in everything:
            self.supervisor.run("matches begin", live, self._fill, live)

    def _fill(self, live: LiveTournament) -> None:
        live.waits_for(self._late_bots(live))
        while live.state == "running" and self._has_room():
            fixture = self.choose(live)
            if fixture is None or not live.play(fixture):
                break

    def _has_room(self) -> bool:
        return len(self.playing.matches) < self.capacity.look(len(self.playing.matches))

    def choose(self, live: LiveTournament) -> Fixture | None:
        """The fixture to begin next, or None if none can begin now."""
        loads = self._loads()
        # Only one bot of a match thinks at a time, so our own bots can play as many matches as there are cores.
        full = sum(loads.values()) >= self.capacity.local
        busy = {bot for bot, load in loads.items() if full or load >= self.references.match_limit(bot)}
        here = self.players.keys() - busy
        fixture = next(live.waiting(here), None)
        if fixture is None and live.spec.absent == "lose":
            gone = {player for player in self._missing_since if player not in loads and self._is_gone(player)}
            fixture = next(live.waiting(here | gone), None)
        return fixture

    def _loads(self) -> dict[str, int]:
        """How many matches each of our bots is playing; a match between two of them counts for the first."""
        loads = dict.fromkeys(self.references.names, 0)
        for match in self.playing.matches.values():
            ours = [player for player in match.players if player in loads]
            if ours:
                loads[ours[0]] += 1
        return loads

    def _note_absences(self, tournaments: Iterable[LiveTournament]) -> None:
        now = self.now_s()
        away = {
            name
            for live in tournaments
            if live.tournament is not None and live.state in ("running", "paused")
            for name in live.tournament.active
            if name not in self.players
        }
        self._missing_since = {name: self._missing_since.get(name, now) for name in away}

    def _is_gone(self, player: str, for_s: float | None = None) -> bool:
        since = self._missing_since.get(player)
        return since is not None and self.now_s() - since >= (ABSENT_S if for_s is None else for_s)

    def _late_bots(self, live: LiveTournament) -> tuple[str, ...]:
        t = live.tournament
        if t is None or live.state not in ("running", "paused"):
            return ()
        return tuple(sorted(name for name in t.references & t.pending.keys() if self._is_gone(name, LATE_S)))
