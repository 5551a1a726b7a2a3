"""Tournament notices for players, delivered at once or on their next connection."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Final

from palestra_protocol import Notice
from palestra_server.gateway import PlayerConnection
from palestra_tournament import Notify, Spec

NOTICES_MAX: Final = 20
"""Notices kept for a player who is away."""


class News:
    """`peers`: who is connected, by name. A guest is never the player of the roster who is meant."""

    def __init__(self, peers: Mapping[str, PlayerConnection]) -> None:
        self._peers = peers
        self._kept: defaultdict[str, deque[Notice]] = defaultdict(lambda: deque(maxlen=NOTICES_MAX))

    def send(self, player: str, notice: Notice) -> None:
        """Send a notice, now or when the player is back."""
        peer = self._peers.get(player)
        if peer is not None and not peer.guest:
            peer.send(notice)
        else:
            self._kept[player].append(notice)

    def notify(self, spec: Spec, effect: Notify) -> None:
        """Send what a tournament has to say to one player."""
        self.send(effect.player, Notice(code=effect.code, message=effect.message, tournament=spec.name))

    def withdrawn(self, spec: Spec, player: str, why: str) -> None:
        """A player was withdrawn: repeated after a restart of the server, since nobody knows who heard it."""
        message = f"You were withdrawn from the tournament {spec.title or spec.name}: {why}"
        self.send(player, Notice(code="withdrawn", message=message, tournament=spec.name))

    def tell_all(self, spec: Spec, players: Iterable[str], what: str) -> None:
        """Tell all who take part; those who are away don't hear it later."""
        notice = Notice(code="tournament", message=f"{spec.title or spec.name} {what}", tournament=spec.name)
        for name in players:
            peer = self._peers.get(name)
            if peer is not None:
                peer.send(notice)

    def arrived(self, peer: PlayerConnection) -> None:
        """A player connected: send what it missed."""
        if not peer.guest:
            for notice in self._kept.pop(peer.player, ()):
                peer.send(notice)
