"""Another process of this program, for work that would keep the interpreter from the players."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from typing import Any, Final, ParamSpec, TypeVar

import structlog

log = structlog.get_logger()

LONGEST_S: Final = 60.0
NICENESS: Final = 10  # players come first

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


async def niced(module: str, *args: str, **more: Any) -> asyncio.subprocess.Process:
    """Another program of ours, with less priority than the players."""
    # -P: the folder where the server was started may have bots named like modules (random.py).
    process = await asyncio.create_subprocess_exec(sys.executable, "-P", "-m", module, *args, **more)
    with suppress(OSError):  # it has ended, or the server itself has less
        os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
    return process


class HelperFailed(Exception):
    """A job came to no end; the text is a sentence."""


class HelperStopped(HelperFailed):
    def __init__(self) -> None:
        super().__init__("The server is stopping.")


@contextmanager
def _sheltered() -> Iterator[None]:
    """Processes started within never see the signals of Ctrl-C, a closing terminal and service managers: these go to
    the whole group, but are for the server, which then ends its helpers. Nor do they import from the folder where the
    server was started, which may have bots named like modules (random.py).
    """
    path, os.environ["PYTHONSAFEPATH"] = os.environ.get("PYTHONSAFEPATH", ""), "1"
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.environ["PYTHONSAFEPATH"] = path


def _begin() -> None:
    """In the other process: the players come first, and it ends with the server, even a killed one."""
    with suppress(OSError):
        os.nice(NICENESS)
    server = multiprocessing.parent_process()
    assert server is not None

    def end() -> None:
        server.join()
        os._exit(0)

    threading.Thread(target=end, daemon=True).start()


def _load(_work: object) -> None:
    """Does nothing: `work` is here once its modules are loaded, which takes a busy machine seconds."""


class Helper:
    """Runs functions in one process, started for the first of them. For any thread."""

    def __init__(self, longest_s: float = LONGEST_S) -> None:
        """`longest_s`: the process is killed if a job takes longer, once it is loaded."""
        self._longest_s = longest_s
        self._turn = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._process: int | None = None
        self._closed = False

    def run(self, work: Callable[Asked, Answer], *args: Asked.args, **more: Asked.kwargs) -> Answer:
        """What `work` returns or raises, after the jobs asked for earlier: blocks until then. Arguments and answer are
        pickled, `work` is named by its module. A process that ends is replaced, once for a job.

        Raises HelperFailed; HelperStopped after `close`.
        """
        with self._turn:
            for _ in range(2):
                try:
                    return self._started(work).submit(work, *args, **more).result(self._longest_s)
                except (BrokenProcessPool, CancelledError):
                    self._end()
                    log.warning("a helper process ended", job=work.__name__)
                except TimeoutError:
                    self._end()
                    raise HelperFailed(f"It took longer than {self._longest_s:g} s.") from None
        raise HelperFailed("The process that works it out ended, twice.")

    def _started(self, work: object) -> ProcessPoolExecutor:
        if self._pool is None and not self._closed:
            try:
                with _sheltered():  # starts Python's resource tracker, which then sees the signals
                    self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin)
                with _sheltered():
                    asked = self._pool.submit(os.getpid)
            except OSError as error:
                self._end()
                raise HelperFailed(f"A process could not be started ({error.strerror}).") from None
            self._process = asked.result(LONGEST_S)
            self._pool.submit(_load, work).result(LONGEST_S)
        if self._closed or self._pool is None:
            self._end()
            raise HelperStopped
        return self._pool

    def _end(self) -> None:
        pool, self._pool = self._pool, None
        self._kill()
        if pool is not None:
            pool.shutdown(cancel_futures=True)

    def _kill(self) -> None:
        for child in multiprocessing.active_children():
            if child.pid == self._process:
                child.kill()

    def close(self) -> None:
        """Run nothing more; a waiting call raises HelperStopped."""
        self._closed = True
        self._kill()
        with self._turn:
            self._end()
