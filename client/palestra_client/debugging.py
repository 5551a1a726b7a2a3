"""`breakpoint()` in the code of a bot that is playing: if its clock runs, it says where there is time."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TextIO

from palestra_client.turn import Turn

asked: ContextVar[Turn | None] = ContextVar("asked", default=None)  # what `choose` is answering in this thread
NO_CLOCK_S: Final = 3600.0  # a move that has so long can wait for a person


@contextmanager
def breakpoints(server: str, target: str | None, terminal: TextIO, say: Callable[[str], None]) -> Iterator[None]:
    """Meanwhile `breakpoint()` stops on `terminal` if the move has no clock; else it `say`s, once for each place, how
    to stop there at home. `target`: the bot, as the command line names it.
    """
    told: set[tuple[str, int]] = set()

    def hook(*args: object, **kwargs: object) -> object:
        turn, frame = asked.get(), sys._getframe(1)
        if turn is None or "PYTHONBREAKPOINT" in os.environ:
            return sys.__breakpointhook__(*args, **kwargs)  # noqa: T100
        if turn.match.move_s >= NO_CLOCK_S:
            import pdb  # noqa: T100  (15 ms at the start of every bot, for what few ever use)

            pdb.Pdb(stdout=terminal, nosigint=True).set_trace(frame)
            return None
        where = frame.f_code.co_filename, frame.f_lineno
        if where not in told:
            told.add(where)
            say(_advice(turn, where, server, target))
        return None

    before, sys.breakpointhook = sys.breakpointhook, hook
    try:
        yield
    finally:
        sys.breakpointhook = before


def _advice(turn: Turn, where: tuple[str, int], server: str, target: str | None) -> str:
    match = turn.match
    bot = "mybot.py" if target is None else target
    return (
        f"breakpoint() in line {where[1]} of {os.path.basename(where[0])} does not stop: the clock of the move is "
        f"running. It stops in the same position at home:\n"
        f"  palestra replay {match.id} --ply {turn.ply} --server {server} --bot {bot}\n"
        f"and in a match without a clock: palestra join {bot} --server {server} --challenge {match.opponent} "
        f"--game {match.game} --no-clock"
    )
