"""The in-process arena, for many matches between trusted bots: no process for each bot, and no clock enforced.

Bots and rules share one loop in a child process, or in several that split the fixtures between them. Even a single one
is a child: a bot that ends its process must not end the arena.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from ctypes import c_longlong
from multiprocessing.process import BaseProcess
from types import ModuleType

from palestra_client.arena.contenders import Contender
from palestra_client.arena.fixtures import Fixture, Result, Settings
from palestra_client.arena.pooled import MATCH, SLOT, begin, load_and_play
from palestra_client.arena.unrefereed import Ending
from palestra_client.factories import NoBot

CHUNKS = 20  # chunks of work per process: enough to keep the progress bar moving, and all processes busy to the end


def play(contenders: Sequence[Contender], settings: Settings, planned: Sequence[Fixture]) -> Iterator[list[Result]]:
    """Play the fixtures, yielding results in batches as they come in. Raises NoBot and BadOption."""
    # Never fork: the child would inherit locks held by this process's threads.
    spawn = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    started: set[BaseProcess] = set()
    notes, taken = spawn.RawArray(c_longlong, SLOT * settings.jobs), spawn.Value("i", 0)
    names, commands = [each.name for each in contenders], [each.words for each in contenders]
    try:
        with ProcessPoolExecutor(settings.jobs, spawn, begin, (notes, taken)) as pool:
            try:
                with _deaf_to_ctrl_c(), _without_main():
                    chunks = chunks_of(planned, settings.jobs)
                    running = {pool.submit(load_and_play, names, commands, settings, chunk): chunk for chunk in chunks}
                started = set(multiprocessing.active_children()) - others
                for done in as_completed(running):
                    yield results_of(running[done], done.result())
            except BrokenProcessPool:
                raise
            except BaseException:  # on Ctrl-C or an early stop, don't wait for matches in progress
                for process in started:
                    process.terminate()
                raise
    except BrokenProcessPool:
        # The pool has waited for its processes by now: if two threads wait for one, one of them gets no exit code.
        raise NoBot(_who_died(started, list(notes), contenders, planned)) from None


def _who_died(
    started: Collection[BaseProcess], notes: list[int], contenders: Sequence[Contender], planned: Sequence[Fixture]
) -> str:
    # The others were terminated when the first had ended.
    ended = [process for process in started if process.exitcode != -signal.SIGTERM]
    # Two may have ended by themselves before the others were terminated; either one will do.
    for process in ended:
        if process.pid is None or process.pid not in notes[::SLOT]:
            continue
        at = notes[::SLOT].index(process.pid) * SLOT + MATCH
        number, seat = notes[at : at + 2]
        for fixture in planned:
            if fixture.number <= number < fixture.number + len(fixture.seatings):
                name = contenders[fixture.seatings[number - fixture.number][seat]].name
                how = how_it_ended(process.exitcode)
                return f"{name} ended the process it played in, in match {number} ({how}): the arena ends here."
    return "A bot ended the process it played in; without --in-process you see which."


def how_it_ended(code: int | None) -> str:
    if code is None or code >= 0:
        return f"os._exit, or a library that exits with {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Make processes started in this context ignore Ctrl-C.

    The arena handles it and terminates them; otherwise each would print a traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


@contextmanager
def _without_main() -> Iterator[None]:
    """Keeps processes started in this context from importing the program that started us: they need nothing of it."""
    ours = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = ours


def chunks_of(planned: Sequence[Fixture], processes: int, most: int = sys.maxsize) -> list[Sequence[Fixture]]:
    """The work in parts, of `most` fixtures each, or fewer."""
    size = min(most, max(1, -(-len(planned) // (CHUNKS * processes))))
    return [planned[begin : begin + size] for begin in range(0, len(planned), size)]


def results_of(planned: Sequence[Fixture], endings: Iterable[Ending]) -> list[Result]:
    ended = iter(endings)
    return [
        Result(fixture.number + leg, seats, next(ended))
        for fixture in planned
        for leg, seats in enumerate(fixture.seatings)
    ]
