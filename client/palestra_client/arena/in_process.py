"""The in-process arena, for many matches between trusted bots: no process for each bot, and no clock enforced.

Bots and rules share one loop in a child process, or in several that split the fixtures between them. Even a single one
is a child: a bot that ends its process must not end the arena.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from ctypes import c_longlong
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import Synchronized
from typing import Any

from palestra_client.arena.contenders import Contender
from palestra_client.arena.running import Fixture, Result, Settings
from palestra_client.arena.unrefereed import Acting, play_here
from palestra_client.factories import BotFactory, NoBot
from palestra_client.loading import load_factory
from palestra_client.options import bind, read_options

CHUNKS = 20
"""Chunks of work per process: enough to keep the progress bar moving."""
_PID, _MATCH, _SLOT = 0, 1, 3
"""What a process notes for its parent: its id, then `unrefereed.Acting`; and how many numbers that is."""


class BotDied(NoBot):
    """A bot ended the process it played in; the text is a sentence that says which."""


def factory_of(contender: Contender) -> BotFactory:
    """Load the contender's factory into this process. Raises NoBot and BadOption."""
    target, *options = contender.words
    return bind(load_factory(target), read_options(options))


def play(contenders: Sequence[Contender], settings: Settings, planned: Sequence[Fixture]) -> Iterator[list[Result]]:
    """Play the fixtures, yielding results in batches as they come in. Raises NoBot, BadOption and BotDied."""
    # Never fork: the child would inherit locks held by this process's threads.
    spawn = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    started: set[BaseProcess] = set()
    notes, taken = spawn.RawArray(c_longlong, _SLOT * settings.jobs), spawn.Value("i", 0)
    with ProcessPoolExecutor(settings.jobs, spawn, _begin, (notes, taken)) as pool:
        try:
            with _deaf_to_ctrl_c():
                chunks = _chunks(planned, CHUNKS * settings.jobs)
                running = [pool.submit(_load_and_play, contenders, settings, chunk) for chunk in chunks]
            started = set(multiprocessing.active_children()) - others
            for done in as_completed(running):
                yield done.result()
        except BrokenProcessPool:
            raise BotDied(_who_died(started, list(notes), contenders, planned)) from None
        except BaseException:  # on Ctrl-C or an early stop, don't wait for matches in progress
            for process in started:
                process.terminate()
            raise


def _who_died(
    started: Collection[BaseProcess], notes: list[int], contenders: Sequence[Contender], planned: Sequence[Fixture]
) -> str:
    for process in started:
        process.join()
    # The others were terminated when the first had ended.
    ended = [process for process in started if process.exitcode != -signal.SIGTERM]
    # Two may have ended by themselves before the others were terminated; either one is to be named.
    for process in ended:
        if process.pid is None or process.pid not in notes[::_SLOT]:
            continue
        at = notes[::_SLOT].index(process.pid) * _SLOT + _MATCH
        number, seat = notes[at : at + 2]
        for fixture in planned:
            if fixture.number <= number < fixture.number + len(fixture.seatings):
                name = contenders[fixture.seatings[number - fixture.number][seat]].name
                how = _how(process.exitcode)
                return f"{name} ended the process it played in, in match {number} ({how}): the arena ends here."
    return "A bot ended the process it played in; without --in-process you see which."


def _how(code: int | None) -> str:
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


_acting: Acting
"""What this process notes for its parent."""


def _begin(notes: Any, taken: Synchronized[int]) -> None:
    """Take a slot of the notes, and exit with the arena; otherwise this process would wait for work forever."""
    global _acting
    with taken.get_lock():
        begin, taken.value = _SLOT * taken.value, taken.value + 1
    notes[begin + _PID] = os.getpid()
    _acting = memoryview(notes).cast("B").cast("q")[begin + _MATCH : begin + _SLOT]
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, name="palestra parent", daemon=True).start()


def _chunks(planned: Sequence[Fixture], count: int) -> list[Sequence[Fixture]]:
    size = max(1, -(-len(planned) // count))
    return [planned[begin : begin + size] for begin in range(0, len(planned), size)]


_loaded: dict[tuple[Contender, ...], list[BotFactory]] = {}
"""The factories this pool process has already loaded."""


def _load_and_play(contenders: Sequence[Contender], settings: Settings, planned: Sequence[Fixture]) -> list[Result]:
    key = tuple(contenders)
    if key not in _loaded:
        _loaded[key] = [factory_of(contender) for contender in contenders]
    return play_here(contenders, _loaded[key], settings, planned, _acting)
