"""Draws a tournament's rounds: large ones in a thread, holding back whatever happens in the meantime.

If a round can't be drawn, the tournament stands still until somebody retries.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import structlog

from palestra_server.supervision import Supervisor, described
from palestra_tournament import Ended, Event, PairRound, Step

log = structlog.get_logger()

Draw: TypeAlias = Callable[[PairRound], Step]  # a step that draws a round, for a given way to pair it


class Undrawn(NamedTuple):
    """A round that could not be drawn: how to draw it, the event before it (None before the first), and why."""

    draw: Draw
    after: Event | None
    why: str


class RoundDrawing:
    """One round at a time, paired by `pair` in a thread. `drawn` is called with each step made there, `stuck` if that
    failed.

    `held`: the events held back, in order; None while no round is being drawn.
    """

    def __init__(
        self,
        tournament: str,
        pair: PairRound,
        drawn: Callable[[Step], None],
        stuck: Callable[[], None],
        supervisor: Supervisor,
    ) -> None:
        self._supervisor = supervisor
        self._tournament = tournament
        self._pair = pair
        self._drawn = drawn
        self._stuck = stuck
        self._task: asyncio.Task[None] | None = None
        self._drawn_by: tuple[Draw, Event | None]
        self.held: list[Event] | None = None
        self.undrawn: Undrawn | None = None

    @property
    def is_on(self) -> bool:
        """Whether a round is being drawn, or could not be."""
        return self.held is not None

    @property
    def over(self) -> set[str]:
        last = [] if self.undrawn is None else [self.undrawn.after]
        return {event.fixture for event in (*last, *(self.held or ())) if isinstance(event, Ended)}

    def begin(self, draw: Draw, after: Event | None) -> None:
        """Draw in a thread. `after`: the event of that step, None for the first."""
        self.held = self.held or []
        self.undrawn = None
        self._drawn_by = draw, after
        self._task = self._supervisor.task("round is drawn", self, self._draw(draw))

    async def _draw(self, draw: Draw) -> None:
        self._drawn(await asyncio.to_thread(draw, self._pair))

    def failed(self, _work: str, error: Exception) -> None:
        draw, after = self._drawn_by
        self.fail(draw, after, error)

    def fail(self, draw: Draw, after: Event | None, error: Exception) -> None:
        """It could not be drawn, for whatever reason: nobody else would report it."""
        why = described(error)
        log.error("a round cannot be drawn", tournament=self._tournament, why=why)
        self.held = self.held or []
        self.undrawn = Undrawn(draw, after, why)
        self._stuck()

    def again(self) -> bool:
        """Retry what could not be drawn; False if there is nothing."""
        if self.undrawn is None:
            return False
        self.begin(self.undrawn.draw, self.undrawn.after)
        return True

    def end(self) -> list[Event]:
        held, self.held, self.undrawn = self.held or [], None, None
        return held

    async def finished(self) -> None:
        while self._task is not None and not self._task.done():
            await asyncio.wait((self._task,))

    def close(self) -> None:
        """Stop at once. A round being drawn will be drawn again after the next start."""
        if self._task is not None:
            self._task.cancel()
