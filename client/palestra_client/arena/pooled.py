"""What a process of `in_process` or `elsewhere` runs. It imports no more than it needs, because the first match waits
for it.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import pickle
import sys
import threading
from collections.abc import Sequence
from multiprocessing.sharedctypes import Synchronized
from typing import Any

from palestra_client.arena.fixtures import Fixture, Settings
from palestra_client.arena.unrefereed import Acting, Ending, play_here
from palestra_client.factories import BotFactory, NoBot
from palestra_client.loading import bot_of
from palestra_client.options import BadOption

# What a process notes for its parent: its id, then `unrefereed.Acting`; and how many numbers that is.
_PID, MATCH, SLOT = 0, 1, 3

_acting: Acting = [0, 0]  # what this process notes for its parent, if that reads it
_loaded: dict[tuple[tuple[str, ...], ...], list[BotFactory]] = {}  # the factories this process has already loaded


def begin(notes: Any, taken: Synchronized[int]) -> None:
    """Take a slot of the notes, and exit with the arena; otherwise this process would wait for work forever."""
    global _acting
    with taken.get_lock():
        first, taken.value = SLOT * taken.value, taken.value + 1
    notes[first + _PID] = os.getpid()
    _acting = memoryview(notes).cast("B").cast("q")[first + MATCH : first + SLOT]
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, name="palestra parent", daemon=True).start()


def load_and_play(
    names: Sequence[str], commands: Sequence[tuple[str, ...]], settings: Settings, planned: Sequence[Fixture]
) -> list[Ending]:
    """Play the fixtures between contenders with these names and words. Raises NoBot and BadOption."""
    key = tuple(commands)
    if key not in _loaded:
        if not all(words[0].startswith("palestra_bots:") for words in commands):
            # A student's folder will be searched first, and no json.py in it may get between the others and their
            # imports: all that a client needs is imported before, as `loading` expects.
            importlib.import_module("palestra_client.client")
        _loaded[key] = [bot_of(*words) for words in commands]
    return play_here(names, _loaded[key], settings, planned, _acting)


def main() -> None:
    """Play what standard input asks for, as `elsewhere` does; what bots print goes to standard error."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    said: list[Ending] | NoBot | BadOption
    try:
        said = load_and_play(*pickle.load(sys.stdin.buffer))
    except (NoBot, BadOption) as error:
        said = error
    with out:
        pickle.dump(said, out)


if __name__ == "__main__":
    main()
