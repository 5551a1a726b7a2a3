"""Draws a tournament's rounds: large ones in a thread, holding back whatever happens in the meantime, and paired in
another process, so that no bot's frame has to wait.

If a round can't be drawn, the tournament stands still until somebody retries.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import structlog

from palestra_server.helper import Helper
from palestra_server.supervision import Supervisor, described
from palestra_tournament import Ended, Event, PairRound, Pairs, Round, Step, Tournament, Withdrew, pair_round

log = structlog.get_logger()

HERE: Final = 100  # rounds of up to this many players are paired here, which takes less than 10 ms
Draw: TypeAlias = Callable[[PairRound], Step]  # a step that draws a round, for a given way to pair it


class Undrawn(NamedTuple):
    """A round that could not be drawn: how to draw it, the event before it (None before the first), and why."""

    draw: Draw
    after: Event | None
    why: str


@dataclass(eq=False)
class RoundDrawing:
    """One round at a time, paired by `pair` in a thread. `drawn` is called with each step made there, `stuck` if that
    failed.

    `held`: the events held back, in order; None while no round is being drawn.
    """

    tournament: str
    pair: PairRound
    drawn: Callable[[Step], None]
    stuck: Callable[[], None]
    supervisor: Supervisor

    def __post_init__(self) -> None:
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
        self._task = self.supervisor.task("round is drawn", self, self._draw(draw))

    async def _draw(self, draw: Draw) -> None:
        self.drawn(await asyncio.to_thread(draw, self.pair))

    def failed(self, _work: str, error: Exception) -> None:
        draw, after = self._drawn_by
        self.fail(draw, after, error)

    def fail(self, draw: Draw, after: Event | None, error: Exception) -> None:
        """It could not be drawn, for whatever reason: nobody else would report it."""
        why = described(error)
        log.error("a round cannot be drawn", tournament=self.tournament, why=why)
        self.held = self.held or []
        self.undrawn = Undrawn(draw, after, why)
        self.stuck()

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


def draws_round(t: Tournament, event: Event) -> bool:
    """Whether this event seems to end a round, so that the next one is paired: it settles all open fixtures."""
    if not isinstance(event, Ended | Withdrew):
        return False
    players = t.by_id[event.fixture].players if isinstance(event, Ended) else (event.player,)
    others = (meetings.values() for name, meetings in t.pending.items() if name not in players)
    return all(meeting.opponent in players for meetings in others for meeting in meetings)


def paired_by(helper: Helper) -> PairRound:
    """`pair_round` for a thread: large rounds are paired by the helper. Raises HelperFailed, too."""

    def pair(of: Round) -> Pairs:
        return pair_round(of) if len(of.players) <= HERE else helper.run(pair_round, of)

    return pair
