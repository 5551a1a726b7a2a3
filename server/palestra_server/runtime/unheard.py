"""Results that a player may have missed: it was away, or its connection was dead without anyone noticing yet."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from palestra_server.gateway import PlayerConnection
from palestra_server.runtime.live import LiveMatch

RESULTS_MAX = 20  # results kept in memory for a player
# Players for whom they are kept; beyond that, those longest without a result are dropped (the journal keeps all).
PLAYERS_MAX = 1000


class _Told(NamedTuple):
    """A result, and the connection it was sent on at `at` (ns); None if there was none, or it is gone."""

    live: LiveMatch
    peer: PlayerConnection | None
    at: int

    @property
    def heard(self) -> bool:
        """Whether anything came over that connection afterwards: a frame, a pong, or an orderly close."""
        return self.peer is not None and self.peer.last_read > self.at


class Unheard:
    """The newest results of each player that nothing proves to have been received.

    A guest is not the roster's player of the same name.
    """

    def __init__(self) -> None:
        self._of: dict[tuple[str, bool], deque[_Told]] = {}

    def add(self, player: str, guest: bool, live: LiveMatch, peer: PlayerConnection | None, at: int) -> None:
        """The result of `live` was sent on the connection `peer`, if there was one."""
        results = deque((each for each in self._of.pop((player, guest), ()) if not each.heard), RESULTS_MAX)
        results.append(_Told(live, peer, at))
        self._of[player, guest] = results
        if len(self._of) > PLAYERS_MAX:
            del self._of[next(iter(self._of))]

    def left(self, peer: PlayerConnection) -> None:
        """This connection is over: what wasn't received on it has to be sent again."""
        results = self._of.pop((peer.player, peer.guest), ())
        kept = [each._replace(peer=None) if each.peer is peer else each for each in results if not each.heard]
        if kept:
            self._of[peer.player, peer.guest] = deque(kept, RESULTS_MAX)

    def again(self, peer: PlayerConnection, at: int) -> list[LiveMatch]:
        """What to send, at `at`, to a player who has just connected with this connection.

        Only to a proven player: a guest of the same name is somebody else, and has taken the name over.
        """
        results = self._of.pop((peer.player, peer.guest), ())
        if not peer.resumed or not results:
            return []
        self._of[peer.player, peer.guest] = deque((_Told(each.live, peer, at) for each in results), RESULTS_MAX)
        return [each.live for each in results]
