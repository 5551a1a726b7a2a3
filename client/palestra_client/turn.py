"""The turn passed to `Bot.choose`: the position, the clock, and a way to report what the search found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self

from palestra_client.match import LastMove, Match
from palestra_games import Seat, State


@dataclass(slots=True)
class Deadline:
    """When the time of a turn is up, in seconds on the client's monotonic clock.

    The client moves it while `choose` is running: later after a lost connection, and into the past once the answer is
    no longer wanted.
    """

    at: float


class Turn:
    """One turn of a match.

    `state` is the position (`state.legal_actions()`, `state.apply(action)`, `str(state)`), and `legal` lists the legal
    actions in ascending order. `ply` is the number of actions played so far. `last` is the previous action, or None at
    the start. `history` has all actions from the start, including the opening; it is None if this program joined in the
    middle of the match and doesn't know them.
    """

    __slots__ = ("_clock", "_deadline", "_history", "_last", "legal", "match", "ply", "reported", "state")

    def __init__(
        self,
        match: Match,
        state: State,
        *,
        ply: int,
        legal: tuple[int, ...],
        last: LastMove | None,
        deadline: Deadline,
        clock: Callable[[], float],
        history: tuple[int, ...] | None = None,
    ) -> None:
        self.match = match
        self.state = state
        self.ply = ply
        self.legal = legal
        self._last = last
        self._history = history
        self.reported: dict[str, object] = {}
        self._deadline = deadline
        self._clock = clock

    @classmethod
    def now(
        cls,
        match: Match,
        state: State,
        ply: int,
        *,
        last: LastMove | None = None,
        history: tuple[int, ...] | None = None,
    ) -> Self:
        """A turn away from any server, whose clock starts now."""
        clock, legal = time.monotonic, state.legal_actions()
        deadline = Deadline(clock() + match.move_s)
        return cls(match, state, ply=ply, legal=legal, last=last, deadline=deadline, clock=clock, history=history)

    @property
    def last(self) -> LastMove | None:
        return self._last

    @property
    def history(self) -> tuple[int, ...] | None:
        return self._history

    @property
    def seat(self) -> Seat:
        return self.match.seat

    @property
    def wanted(self) -> bool:
        """Whether an answer is still wanted; False once the match is over."""
        return self._deadline.at > float("-inf")

    @property
    def remaining_s(self) -> float:
        """Seconds left for this move, counting down from when the turn arrived here; never negative.

        It drops to 0 once the answer is no longer wanted (because the match ended), so a search that checks it stops by
        itself. It doesn't include the time for the answer to reach the server, which the server's grace is for.
        """
        return max(0.0, self._deadline.at - self._clock())

    def report(
        self,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        value: float | None = None,
        pv: Iterable[int] | None = None,
        text: str | None = None,
    ) -> None:
        """Shows spectators what the search found: depth in plies, nodes visited, value of the position for this player,
        principal variation (actions), and a few words. Call it as often as you like: the last value of each is sent
        with the action.

        It can't lose a match: whatever is too long is cut, and nonsense (NaN, a text as depth) is left out.
        """
        if pv is not None:
            try:
                pv = tuple(pv)  # a search keeps writing in its own list
            except TypeError:
                pv = ()
        given = {"depth": depth, "nodes": nodes, "value": value, "pv": pv, "text": text}
        self.reported.update((key, what) for key, what in given.items() if what is not None)

    def note(self, text: str) -> None:
        """Writes up to 80 characters beside this move, for yourself: the match page shows them to you and the teacher
        only. The last note of a turn counts; it can't lose a match, and longer ones are cut.
        """
        self.reported["note"] = text
