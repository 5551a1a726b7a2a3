"""Decides which match of a tournament begins next.

A match begins once both players are connected and the host has room (`capacity`). An absent player holds up nobody who
could play someone else. If absent players lose (by the tournament's file), their matches begin after all others, and
the referee waits for `ready_ms`. A match waits for a bot of this server in any case, and the teacher is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Protocol

from palestra_server.runtime.capacity import Capacity
from palestra_server.runtime.host import Host
from palestra_server.runtime.live_tournament import LiveTournament
from palestra_tournament import Fixture

# How long a player must have been away before its match begins without it; lost connections are back by then.
ABSENT_S: Final = 5.0
LATE_S: Final = 60.0  # how long a bot of this server may be missing before the teacher is told


class References(Protocol):
    """Runs reference bots (`reference.ReferenceBots`)."""

    @property
    def names(self) -> frozenset[str]:
        """The bots that should be running."""

    def want(self, names: frozenset[str]) -> None:
        """Set which bots should be running, besides those that always are."""

    def missing(self) -> str | None:
        """Why reference bots can't be started here, as a sentence; None if they can."""

    def match_limit(self, player: str) -> int:
        """How many matches this player may be in at the same time."""


class Matchmaker:
    """`now_s` reads the loop's clock."""

    def __init__(self, host: Host, references: References, capacity: Capacity, now_s: Callable[[], float]) -> None:
        self._host = host
        self._references = references
        self._capacity = capacity
        self._now_s = now_s
        self._missing_since: dict[str, float] = {}

    def fill(self, tournaments: Iterable[LiveTournament]) -> None:
        if self._host.storage_fault.done() or self._host.cannot_save:
            return
        everything = tuple(tournaments)
        self._note_absences(everything)
        for live in everything:
            live.waits_for(self._late_bots(live))
            while live.state == "running" and self._has_room():
                fixture = self.choose(live)
                if fixture is None:
                    break
                live.play(fixture)

    def _has_room(self) -> bool:
        return len(self._host.matches) < self._capacity.look(len(self._host.matches))

    def choose(self, live: LiveTournament) -> Fixture | None:
        """The fixture to begin next, or None if none can begin now."""
        peers, loads = self._host.peers, self._loads()
        # Only one bot of a match thinks at a time, so our own bots can play as many matches as there are cores.
        full = sum(loads.values()) >= self._capacity.local
        late: Fixture | None = None
        for fixture in live.waiting():
            away = [player for player in fixture.players if player not in peers]
            ours = [player for player in fixture.players if player in loads]
            if ours and (full or any(loads[player] >= self._references.match_limit(player) for player in ours)):
                continue
            if not away:
                return fixture
            if late is None and live.spec.absent == "lose" and not any(player in loads for player in away):
                late = fixture if all(self._is_gone(player) for player in away) else None
        return late

    def _loads(self) -> dict[str, int]:
        """How many matches each of our bots is playing; a match between two of them counts for the first."""
        loads = dict.fromkeys(self._references.names, 0)
        for match in self._host.matches.values():
            ours = [player for player in match.players if player in loads]
            if ours:
                loads[ours[0]] += 1
        return loads

    def _note_absences(self, tournaments: Iterable[LiveTournament]) -> None:
        now = self._now_s()
        away = {
            name
            for live in tournaments
            if live.now is not None and live.state in ("running", "paused")
            for name in live.now.active
            if name not in self._host.peers
        }
        self._missing_since = {name: self._missing_since.get(name, now) for name in away}

    def _is_gone(self, player: str, for_s: float | None = None) -> bool:
        since = self._missing_since.get(player)
        return since is not None and self._now_s() - since >= (ABSENT_S if for_s is None else for_s)

    def _late_bots(self, live: LiveTournament) -> tuple[str, ...]:
        t = live.now
        if t is None or live.state not in ("running", "paused"):
            return ()
        late = sorted(name for name in t.references & set(t.active) if self._is_gone(name, LATE_S))
        if not late:
            return ()
        wanted = {
            name for fixture in t.fixtures[t.settled :] if fixture.id not in t.results for name in fixture.players
        }
        return tuple(name for name in late if name in wanted)
