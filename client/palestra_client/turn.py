"""The turn that `Bot.choose` is given: the position, the clock, and where to report what the search found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from palestra_client.match import LastMove, Match
from palestra_games import Seat, State


@dataclass(slots=True)
class Deadline:
    """When the time of a turn is over, in seconds of the client's monotonic clock.

    The client moves it while `choose` runs: on after a lost connection, and to the past when the answer is no
    longer wanted.
    """

    at: float


class Turn:
    """One turn of a match.

    `state` is the position (`state.legal_actions()`, `state.apply(action)`, `str(state)`), `legal` the actions
    allowed, ascending, as the server lists them. `ply` counts the actions played before. `last` is the action
    before this turn, None at the start. `history` are all actions from the start, those of an opening among them; None
    if this program came into the middle of the match and does not know them.
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

    @property
    def last(self) -> LastMove | None:
        return self._last

    @property
    def history(self) -> tuple[int, ...] | None:
        return self._history

    @property
    def seat(self) -> Seat:
        """This player's seat, which is the one to move."""
        return self.match.seat

    @property
    def wanted(self) -> bool:
        """Whether an answer is still asked for. False once the match is over: then nothing that is found counts."""
        return self._deadline.at > float("-inf")

    @property
    def remaining_s(self) -> float:
        """Seconds left for this move, counted down from when the turn arrived here; never negative.

        It falls to 0 at once when the answer is no longer wanted (the match ended), so a search that watches it
        stops by itself. The way of the answer to the server is not in it: the server's grace is for that.
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
        """Tells the audience what the search found: depth in plies, nodes visited, value of the position for this
        player, principal variation (actions), and a few words. Call it as often as you like: the last value of each
        counts and travels with the action.

        It can't lose a match: what is too long is cut, and what makes no sense (NaN, text for a depth) is left out.
        """
        if pv is not None:
            try:
                pv = tuple(pv)  # a search goes on writing in its own list
            except TypeError:
                pv = ()
        given = {"depth": depth, "nodes": nodes, "value": value, "pv": pv, "text": text}
        self.reported.update((key, what) for key, what in given.items() if what is not None)
