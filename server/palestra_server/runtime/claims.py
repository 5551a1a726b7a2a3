"""Which tournament wants a player now: until it has its matches there, nobody may challenge it to a casual one."""

from __future__ import annotations

from palestra_server.gateway import ProvenConnection
from palestra_tournament import Tournament


class Claims:
    """Told by each tournament, at every one of its events; asked by the casual challenges."""

    def __init__(self) -> None:
        self._running: dict[str, Tournament] = {}

    def note(self, t: Tournament) -> None:
        if t.phase == "running":
            self._running[t.spec.name] = t
        else:
            self.forget(t.spec.name)

    def forget(self, tournament: str) -> None:
        self._running.pop(tournament, None)

    def of(self, peer: ProvenConnection) -> str | None:
        """The tournament in which this player has something to play now, or None. Reference bots are never claimed."""
        player, running = peer.player, self._running.items()
        return next((name for name, t in running if player in t.pending and player not in t.references), None)
