"""Requests take turns, a step in each round of the event loop, so that a crowd of them holds up no player.

The loop runs all that is ready before it looks at the sockets again: twenty requests, a millisecond each until they
next wait for something, are 20 ms in which nobody's move is read. Here one of them goes on in each round, and while
matches are played all of them together, with what threads do for them, take no more than a share of the processor. Who
asks for much waits behind who asks for little: the turns go round the addresses, as in fair queueing (J. Nagle,
RFC 970).

Not so a file that is sent in pieces, which Starlette does in a task of its own: a thread makes each piece.
"""

from __future__ import annotations

import asyncio
import time
import types
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from starlette.types import ASGIApp, Receive, Scope, Send

SHARE: Final = 0.25
"""Of a processor's time, for requests while matches are played."""
SAVED_S: Final = 0.05
"""So long a pause may be made good: a page asks for ten things at once."""
OWED_S: Final = 0.1
"""However long something has taken, such as an export in a thread: so long the next one waits for it at most."""


class Turns:
    """`wait` lets one that calls it go on in each round of the running loop, from each address one after the other.

    `played`: whether matches are.
    """

    def __init__(self, played: Callable[[], bool]) -> None:
        self._played = played
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # in the order of their turns
        self._taken = False  # in this round, or until the share allows for another
        self._free_s = 0.0  # when it does
        self.beside: deque[float] = deque()  # what threads have taken since the last step, in s

    async def wait(self, address: str) -> None:
        loop = asyncio.get_running_loop()
        if not self._taken and self._free_s <= loop.time():
            self._taken = True
            loop.call_soon(self._next)
            return
        turn = loop.create_future()
        self._waiting.setdefault(address, deque()).append(turn)
        if not self._taken:
            self._taken = True
            self._next()
        await turn

    def spent(self, cpu_s: float) -> None:
        """The one whose turn it was has taken so much."""
        while self.beside:
            cpu_s += self.beside.popleft()
        if self._played():
            now_s = asyncio.get_running_loop().time()
            self._free_s = min(max(self._free_s, now_s - SAVED_S) + cpu_s / SHARE, now_s + OWED_S)

    def _next(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            if (left_s := self._free_s - loop.time()) > 0:
                loop.call_later(left_s, self._next)
                return
            address = next(iter(self._waiting))
            line = self._waiting.pop(address)
            turn = line.popleft()
            if line:
                self._waiting[address] = line
            if not turn.done():  # else its request was cancelled
                turn.set_result(None)
                loop.call_soon(self._next)
                return
        self._taken = False


@types.coroutine
def in_turn(turns: Turns, address: str, work: Coroutine[Any, Any, None]) -> Generator[Any, Any, None]:
    """Await `work`, for somebody at this address, but wait for a turn before each of its steps."""
    answer: Any = None
    failed: BaseException | None = None
    try:
        while True:
            try:
                yield from turns.wait(address).__await__()
            except (Exception, asyncio.CancelledError) as error:
                failed = error
            began_s = time.thread_time()
            try:
                asked = work.send(answer) if failed is None else work.throw(failed)
            except StopIteration:
                return
            finally:
                turns.spent(time.thread_time() - began_s)
            answer = failed = None
            try:
                answer = yield asked
            except (Exception, asyncio.CancelledError) as error:
                failed = error
    finally:
        work.close()


class Threads(ThreadPoolExecutor):
    """For `asyncio.to_thread`: says what each piece of work has taken, in s."""

    def __init__(self, spent: Callable[[float], None]) -> None:
        super().__init__(thread_name_prefix="beside")
        self._spent = spent

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        def timed() -> Any:
            began_s = time.thread_time()
            try:
                return work(*args, **kwargs)
            finally:
                self._spent(time.thread_time() - began_s)

        return super().submit(timed)


class Paced:
    """The application, with the requests in turn; WebSockets are the gateway's, which paces what it sends.

    `played`: whether matches are. `threads`: for the loop.
    """

    def __init__(self, app: ASGIApp, played: Callable[[], bool]) -> None:
        self._app, self._turns = app, Turns(played)
        self.threads = Threads(self._turns.beside.append)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answering: Any = self._app(scope, receive, send)
        if scope["type"] == "http":
            address, _ = scope.get("client") or ("", 0)
            answering = in_turn(self._turns, address, answering)
        await answering
