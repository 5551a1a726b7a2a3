"""The actions of a match from its start, pieced together from what the server tells one player."""

from __future__ import annotations

from collections.abc import Iterable

from palestra_games import Game, State

GAP_MAX = 5  # at most this many actions missed during a lost connection are searched for
_LOOKED_AT_MAX = 20_000


class History:
    """Grows with every `played`; a gap is closed by searching for the actions that lead to the next known position."""

    def __init__(self, game: Game, opening: Iterable[int]) -> None:
        self._actions: list[int] = []
        self._states: list[State] = [game.initial_state()]
        for action in opening:
            self.played(len(self._actions), action)

    def played(self, ply: int, action: int) -> None:
        """The action of this ply. A known one is replaced, along with all after it: the server went back."""
        if ply < len(self._actions) and self._actions[ply] == action:
            return
        self._cut(ply)
        state = self._states[-1]
        if ply == len(self._actions) and action in state.legal_actions():
            self._actions.append(action)
            self._states.append(state.apply(action))

    def at(self, ply: int, state: State) -> tuple[int, ...] | None:
        """The actions that led to `state` at this ply; None if they can't be determined."""
        self._cut(ply)
        missing = ply - len(self._actions)
        if 0 < missing <= GAP_MAX:
            for action in self._way(missing, state):
                self.played(len(self._actions), action)
        if len(self._actions) != ply or self._states[-1] != state:
            return None
        return tuple(self._actions)

    def _cut(self, ply: int) -> None:
        del self._actions[ply:], self._states[ply + 1 :]

    def _way(self, length: int, target: State) -> tuple[int, ...]:
        """Actions from the last known position to `target`, () if none are found."""
        ways: list[tuple[State, tuple[int, ...]]] = [(self._states[-1], ())]
        for _ in range(length):
            ways = [(state.apply(action), (*way, action)) for state, way in ways for action in state.legal_actions()]
            if len(ways) > _LOOKED_AT_MAX:
                return ()
        return next((way for state, way in ways if state == target), ())
