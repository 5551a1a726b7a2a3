"""The in-process arena on other machines, by any executor with the interface of `concurrent.futures`; Dask's is opened
here.

A unit is a range of fixtures, played by a process of its own on whichever machine takes it: bots share nothing with the
worker, with other units or with an older version of themselves. A unit whose worker is lost is played again by another;
it is counted once, when its future is done.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Executor, as_completed
from contextlib import contextmanager
from importlib.metadata import version

from palestra_client.arena.contenders import Contender
from palestra_client.arena.fixtures import Fixture, Result, Settings
from palestra_client.arena.in_process import chunks_of, how_it_ended, results_of
from palestra_client.arena.unrefereed import Ending
from palestra_client.factories import NoBot
from palestra_client.options import BadOption

CONNECT_S = 10
UNIT = 1250  # fixtures in a unit at most: fast bots play them in a second or two, a process starts in half of one


class NoExecutor(NoBot):
    """The machines can't be used, or can't any more; the text is a sentence that says why."""


@contextmanager
def opened(address: str) -> Iterator[tuple[Executor, int]]:
    """The executor at an address such as dask://HOST:PORT, and how many units it plays at once. Raises NoExecutor."""
    scheme, _, place = address.partition("://")
    if scheme != "dask" or not place:
        raise NoExecutor(f"--executor takes the address of a Dask scheduler, dask://HOST:PORT, and not {address}.")
    try:
        from distributed import Client  # large, and of an extra
    except ModuleNotFoundError:
        raise NoExecutor("--executor dask://... needs Dask: pip install 'palestra-client[dask]'.") from None
    try:
        client = Client(f"tcp://{place}", timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError):
        raise NoExecutor(f"No Dask scheduler answers at {place}: start one there with 'dask scheduler'.") from None
    with client:
        workers = sum(client.ncores().values())
        if not workers:
            raise NoExecutor(f"{place} has no workers: start 'dask worker tcp://{place}' on each machine.")
        yield client.get_executor(pure=False), workers


def play(
    executor: Executor, workers: int, contenders: Sequence[Contender], settings: Settings, planned: Sequence[Fixture]
) -> Iterator[list[Result]]:
    """Play the fixtures, yielding results in batches as they come in. Raises NoBot, BadOption and NoExecutor."""
    names, commands = [each.name for each in contenders], [each.words for each in contenders]
    chunks = chunks_of(planned, workers, UNIT)
    folder = None if all(words[0].startswith("palestra_bots:") for words in commands) else os.getcwd()
    work = version("palestra-client"), folder, names, commands, settings
    running = {executor.submit(play_apart, *work, chunk): chunk for chunk in chunks}
    try:
        for done in as_completed(running):
            # Whatever is still held would be played again, too, if its worker died.
            yield results_of(running.pop(done), done.result())
    except (NoBot, BadOption):
        raise
    except (Exception, CancelledError) as error:
        why = f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(".: ")
        raise NoExecutor(f"The workers do not go on ({why}): look at their output; the arena ends here.") from None
    finally:
        for future in running:
            future.cancel()


def play_apart(
    ours: str,
    folder: str | None,
    names: Sequence[str],
    commands: Sequence[tuple[str, ...]],
    settings: Settings,
    planned: Sequence[Fixture],
) -> list[Ending]:
    """Play a unit in a process that starts in `folder`, as the arena did, whose version is `ours`.

    Raises NoBot and BadOption.
    """
    here = os.uname().nodename if hasattr(os, "uname") else "this worker"
    if (theirs := version("palestra-client")) != ours:
        raise NoExecutor(f"{here} has palestra-client {theirs}, and the arena has {ours}: install the same.")
    command = [sys.executable, "-P", "-m", "palestra_client.arena.pooled"]
    work = pickle.dumps((names, commands, settings, planned))
    try:
        ran = subprocess.run(command, cwd=folder, input=work, stdout=subprocess.PIPE, check=False)
    except FileNotFoundError:
        raise NoExecutor(
            f"{here} has no folder {folder}: the bots' files must lie at the same path on every machine."
        ) from None
    if ran.returncode:
        first, last = planned[0].number, planned[-1].number + len(planned[-1].seatings) - 1
        how = how_it_ended(ran.returncode)
        raise NoBot(f"A bot ended the process it played in, in one of the matches {first} to {last} ({how}).")
    said: list[Ending] | NoBot | BadOption = pickle.loads(ran.stdout)
    if not isinstance(said, list):
        raise said
    return said
