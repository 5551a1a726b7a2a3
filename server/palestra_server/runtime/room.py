"""Who is connected, what is being played, who is wanted, and the bell that is rung when any may let a match begin."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping

from palestra_server.gateway import PlayerConnection, ProvenConnection, is_proven
from palestra_server.runtime.live import LiveMatch
from palestra_tournament import Tournament


class Presence:
    """Who is connected, by name. Written by the `Host`; everybody else reads `peers`, or of these the `proven`."""

    def __init__(self) -> None:
        self._peers: dict[str, PlayerConnection] = {}
        self._proven: dict[str, ProvenConnection] = {}
        self._awaited: defaultdict[str, list[asyncio.Event]] = defaultdict(list)

    @property
    def peers(self) -> Mapping[str, PlayerConnection]:
        return self._peers

    @property
    def proven(self) -> Mapping[str, ProvenConnection]:
        return self._proven

    def enter(self, peer: PlayerConnection) -> None:
        self._peers[peer.player] = peer
        if is_proven(peer):
            self._proven[peer.player] = peer
        else:
            self._proven.pop(peer.player, None)
        for waiting in self._awaited.pop(peer.player, ()):
            waiting.set()

    def leave(self, peer: PlayerConnection) -> bool:
        """Whether this was the player's connection, and not one that a newer one has replaced."""
        if self._peers.get(peer.player) is not peer:
            return False
        del self._peers[peer.player]
        self._proven.pop(peer.player, None)
        return True

    async def joined(self, player: str) -> None:
        while player not in self._peers:
            arrival = asyncio.Event()
            self._awaited[player].append(arrival)
            await arrival.wait()


class Playing:
    """The matches in progress, by id, and by player. Written by `Matches`; `renaming`, by the `Director`: players for
    whom none begins, since their names are changing.
    """

    def __init__(self) -> None:
        self.renaming: set[str] = set()
        self._matches: dict[str, LiveMatch] = {}
        self._of_player: defaultdict[str, set[str]] = defaultdict(set)

    @property
    def matches(self) -> Mapping[str, LiveMatch]:
        return self._matches

    def enter(self, live: LiveMatch) -> None:
        self._matches[live.id] = live
        for player in live.players:
            self._of_player[player].add(live.id)

    def leave(self, live: LiveMatch) -> None:
        self._matches.pop(live.id, None)
        for player in set(live.players):
            self._of_player[player].discard(live.id)
            if not self._of_player[player]:
                del self._of_player[player]

    def of(self, player: str) -> frozenset[str]:
        return frozenset(self._of_player.get(player, ()))

    def count(self, player: str) -> int:
        return len(self._of_player.get(player, ()))


class Claims:
    """Which tournament wants a player now: until it has its matches there, nobody may challenge it to a casual one.

    Told by each tournament, at every one of its events; asked by the casual challenges.
    """

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


class Bell:
    """Rung when somebody came or became free, or a tournament changed: who pairs players looks again."""

    def __init__(self) -> None:
        self._ears: list[asyncio.Event] = []

    def ear(self) -> asyncio.Event:
        """An event that each ring sets; its owner clears it."""
        ear = asyncio.Event()
        self._ears.append(ear)
        return ear

    def ring(self) -> None:
        for ear in self._ears:
            ear.set()
