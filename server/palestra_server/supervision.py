"""Whatever runs on is started here, under a name, for an owner who is told when it fails.

Not here: what serves connections (the gateway's hub, places, players and connections; `web/requests` and `web/pacing`),
and what the commands `demo` and `rehearse` wait for themselves.

One TaskGroup holds all tasks. Timers and callbacks obey the same rule: an exception is logged with the name of the work
and handed to its owner, and goes no further. The owner is what the work belongs to: a match, a tournament, or the
`Supervisor` itself for what concerns the whole server.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, ParamSpec, Protocol, Self, TypeVar

import structlog

from palestra_protocol.harmless import ForPeople

log = structlog.get_logger()

P = ParamSpec("P")
T = TypeVar("T")

AGAIN_S: Final = 1.0  # pause before work that failed is tried again; it doubles each time
AGAIN_MAX_S: Final = 60.0


class Owner(Protocol):
    def failed(self, work: str, error: Exception, /) -> None:
        """This work raised an exception, which has been logged. Called in the loop's thread."""


class Supervisor:
    """For the loop's thread, but for `from_thread`. `pause` waits for so many seconds.

    `troubles`: what failed, by the name of the work, and belongs to nobody smaller than the server.
    """

    def __init__(self, pause: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        self._loop = asyncio.get_running_loop()
        self._pause = pause
        self._group = asyncio.TaskGroup()
        self._opened = asyncio.Event()
        # A task of its own: commands open and close a data folder in two runs of the loop.
        self._root = self._loop.create_task(self._hold(), name="supervisor")
        self.troubles: dict[str, str] = {}

    @classmethod
    async def open(cls, pause: Callable[[float], Awaitable[object]] = asyncio.sleep) -> Self:
        supervisor = cls(pause)
        await supervisor._opened.wait()
        return supervisor

    async def _hold(self) -> None:
        async with self._group:
            self._opened.set()
            await self._loop.create_future()

    async def close(self) -> None:
        """Cancel every task, and wait for all of them."""
        self._root.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._root

    # Owner of what concerns the whole server:

    def failed(self, work: str, error: Exception) -> None:
        self.troubles[work] = described(error)

    # Starting work:

    def run(self, work: str, owner: Owner, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Call it now; None if it failed."""
        try:
            return call(*args, **kwargs)
        except Exception as error:
            self.report(work, owner, error)
            return None

    def later(self, work: str, owner: Owner, delay_s: float, call: Callable[[], object]) -> asyncio.TimerHandle:
        return self._loop.call_later(delay_s, self.run, work, owner, call)

    def from_thread(self, work: str, owner: Owner, call: Callable[..., object], *args: object) -> None:
        """Call in the loop's thread, from any other. Nothing happens once the loop is closed."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.run, work, owner, call, *args)

    def when_done(self, work: str, owner: Owner, future: asyncio.Future[T], call: Callable[[T], object]) -> None:
        """Call with the future's result; not at all if it is cancelled."""

        def done(future: asyncio.Future[T]) -> None:
            if not future.cancelled():
                self.run(work, owner, lambda: call(future.result()))

        future.add_done_callback(done)

    def task(self, work: str, owner: Owner, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T | None]:
        """Run it once; the task's result is None if it failed."""

        async def guarded() -> T | None:
            try:
                return await coroutine
            except Exception as error:
                self.report(work, owner, error)
                return None

        return self._group.create_task(guarded(), name=work)

    def keep(self, work: str, owner: Owner, begin: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """Run it, and again after a pause whenever it failed, until it returns or is cancelled."""

        async def kept() -> None:
            pause = AGAIN_S
            while True:
                begun = self._loop.time()
                try:
                    return await begin()
                except Exception as error:
                    self.report(work, owner, error)
                if self._loop.time() - begun > AGAIN_MAX_S:
                    pause = AGAIN_S  # it ran well for long
                await self._pause(pause)
                pause = min(2 * pause, AGAIN_MAX_S)

        return self._group.create_task(kept(), name=work)

    def report(self, work: str, owner: Owner, error: Exception) -> None:
        """This work failed with this exception: log it, and tell its owner."""
        log.error("work failed", work=work, why=described(error), exc_info=error)
        try:
            owner.failed(work, error)
        except Exception as second:  # who can't cope with it leaves it to the server
            log.error("work failed", work=work, why=described(second), exc_info=second)
            self.failed(work, error)


def described(error: BaseException) -> str:
    """An unexpected exception in a sentence, without the full stop."""
    name = "" if isinstance(error, ForPeople) else f"{type(error).__name__}: "
    return f"{name}{error}".partition("\n")[0].rstrip(".: ")
