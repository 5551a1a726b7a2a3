"""How often a player may start a match: a burst at once, then one in every interval. What is played out is free."""

from __future__ import annotations

PLAYERS_MAX = 4096
"""Players whose use is remembered; beyond, whoever started a match longest ago begins anew."""


class Allowance:
    """A token bucket for each player, kept by name, so that connecting again does not fill it.

    One number a player says it all: the instant at which its bucket will be full again (the generic cell rate
    algorithm, ITU-T I.371). Instants and `interval` are in ns; with an interval of 0 there is no limit.
    """

    def __init__(self, burst: int, interval: int) -> None:
        self._interval = interval
        self._depth = burst * interval
        self._full_at: dict[str, int] = {}

    def wait(self, player: str, now: int) -> int:
        """How long until the player may start a match; 0 if it may now."""
        return max(0, self._full_at.get(player, now) + self._interval - self._depth - now)

    def use(self, player: str, now: int) -> None:
        """The player starts a match."""
        if not self._interval:
            return
        # At the end again: the order is that of the last use.
        self._full_at[player] = max(now, self._full_at.pop(player, now)) + self._interval
        if len(self._full_at) > PLAYERS_MAX:
            del self._full_at[next(iter(self._full_at))]

    def give_back(self, player: str) -> None:
        """A match that the player started was played to its end: that is what the server is for."""
        if player in self._full_at:
            self._full_at[player] -= self._interval
