"""Building the opening book with the solver alone, so that it can be stopped and resumed.

It needs what can happen when the bot itself moves by the book: from every position where it may have to begin, its one
move, then all moves of the other player. That tree is small (`turns`). Every solved position is written to
a log at once; a later run reads it and continues from there.

The same walk tells how far the bot is perfect: beyond the book each position is solved as the bot would, from an empty
table, and its cost kept (`palestra-bots book connect4-check`). What costs too much goes into the book.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import TextIO

from palestra_bots.solvers.books import Entry, noted
from palestra_bots.solvers.connect4.bitboard import COLS
from palestra_bots.solvers.connect4.book import Book, key_of
from palestra_bots.solvers.connect4.positions import Position, followers, is_won, wins_at_once
from palestra_bots.solvers.connect4.solver import Solver

EMPTY: Position = (0, 0)


@dataclass(frozen=True, slots=True)
class Solved:
    """What a search found, in how many nodes and milliseconds of CPU time."""

    entry: Entry
    nodes: int
    milliseconds: float


class Builder:
    """Solves positions once each and writes them to a log: a line `key score action nodes milliseconds` for each.

    Takes up an existing log. Every solver works in a thread of its own.
    What `known` holds is not solved. `fresh`: every position from an empty table, as by a bot that has just joined.
    """

    def __init__(self, log: Path, solvers: Sequence[Solver], *, known: Book | None = None, fresh: bool = False) -> None:
        self.solved: dict[int, Solved] = {}
        self._solvers, self._known, self._fresh = solvers, known, fresh
        self._path = log
        for key, score, action, nodes, *rest in noted(log):
            self.solved[int(key)] = Solved(Entry(int(score), int(action)), int(nodes), float(rest[0]) if rest else 0.0)

    def entry(self, position: Position) -> Entry:
        """Score and action of a position that is known or was solved, as it stands (not mirrored)."""
        known = self._known.look_up(*position) if self._known is not None else None
        if known is not None:
            return known
        key, is_mirrored = key_of(*position)
        found = self.solved[key].entry
        return found._replace(action=COLS - 1 - found.action) if is_mirrored else found

    def unknown(self, positions: Iterable[Position]) -> list[Position]:
        """Those that `known` does not hold, solved or not."""
        return [position for position in positions if self._known is None or self._known.look_up(*position) is None]

    def solve(self, positions: Iterable[Position], stop: Callable[[], bool]) -> bool:
        """Solve what is not known or solved yet; False if `stop` said so before all was done."""
        unknown = self.unknown(positions)
        todo = iter([position for position in unknown if key_of(*position)[0] not in self.solved])
        lock = threading.Lock()

        def work(solver: Solver, log: TextIO) -> None:
            while not stop():
                with lock:
                    position = next(todo, None)
                if position is None:
                    return
                if self._fresh:
                    solver.clear()
                begun = time.thread_time()
                result = solver.solve(*position)
                spent = 1e3 * (time.thread_time() - begun)
                key, is_mirrored = key_of(*position)
                action = COLS - 1 - result.action if is_mirrored else result.action
                with lock:
                    self.solved[key] = Solved(Entry(result.score, action), result.nodes, spent)
                    log.write(f"{key} {result.score} {action} {result.nodes} {spent:.1f}\n")

        with self._path.open("a", buffering=1) as log, ThreadPoolExecutor(len(self._solvers)) as threads:
            list(threads.map(work, self._solvers, repeat(log)))
        return all(key_of(*position)[0] in self.solved for position in unknown)

    def costs(self, positions: Iterable[Position]) -> list[Solved]:
        """The results of the positions that had to be solved, the most expensive first."""
        keys = (key_of(*position)[0] for position in self.unknown(positions))
        return sorted((self.solved[key] for key in keys if key in self.solved), key=lambda solved: -solved.nodes)

    def book(self, over: int = 0) -> dict[int, Entry]:
        """What has been solved so far, as far as it took `over` nodes or more."""
        return {key: solved.entry for key, solved in self.solved.items() if solved.nodes >= over}


def _distinct(positions: Iterable[Position]) -> list[Position]:
    """One position of each mirror pair, without those that the rules decide at once; neighbours stand together."""
    found = {key_of(*position)[0]: position for position in positions}
    return [found[key] for key in sorted(found) if not is_won(found[key]) and not wins_at_once(found[key])]


def _replies(positions: Iterable[Position]) -> Iterator[Position]:
    return (following for position in positions for _, following in followers(position))


def all_positions(ply: int) -> list[Position]:
    """All positions after `ply` plies that the rules do not decide at once."""
    level = [EMPTY]
    for _ in range(ply):
        level = _distinct(_replies(level))
    return level


def turns(builder: Builder, openings: int) -> Iterator[list[Position]]:
    """What a bot that plays by `builder` can meet at its turns: a list for ply 0, for ply 1, and so on.

    Up to ply `openings` (1 or more) these are all positions, later all replies to its one move two plies before.
    Lists are lazy: the one two plies earlier must be solved before a list is asked for.
    """
    levels = [all_positions(ply) for ply in range(openings + 1)]
    yield from levels
    last, following = levels[-2:]
    while last or following:
        moved = (dict(followers(position))[builder.entry(position).action] for position in last)
        last, following = following, _distinct(_replies(position for position in moved if not is_won(position)))
        yield following
