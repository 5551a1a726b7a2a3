"""Requests take turns, a step in each round of the event loop, so that a crowd of them holds up no player.

The loop runs all that is ready before it looks at the sockets again: twenty requests, a millisecond each until they
next wait for something, are 20 ms in which nobody's move is read. Here one of them goes on in each round, after the
players who have sent something, and while matches are played all of them together, with their connections and what
`asyncio.to_thread` does for them, take no more than a share of the processor. Who asks for much waits behind who asks
for little: the turns go round the addresses, a step for each, as in fair queueing (J. Nagle, RFC 970).

Not so a file that is sent in pieces, which Starlette does in a task of its own: a thread makes each piece. Nor a
connection on which nothing is asked: it waits for no turn, and must not use up those of others.
"""

from __future__ import annotations

import asyncio
import time
import types
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, Final

from starlette.types import ASGIApp, Receive, Scope, Send

from palestra_server.gateway import household

SHARE: Final = 0.25
"""Of a processor's time, for requests while matches are played."""
SAVED_S: Final = 0.05
"""So long a pause may be made good: a page asks for ten things at once."""
OWED_S: Final = 0.1
"""However long something has taken, such as an export in a thread: so long the next one waits for it at most."""
PLAYERS_FIRST: Final = 3
"""So many rounds a turn waits for players at most: where they send all the time, it has to come some time."""


_beside: ContextVar[deque[float] | None] = ContextVar("what threads have taken for a request, in s", default=None)


def taken_beside(state: dict[str, Any]) -> deque[float]:
    """What was taken for the request with this `state` outside its own steps, and is not charged yet, in s.

    What it has begun and goes on after it is emptied by nobody.
    """
    taken: deque[float] = state.setdefault("taken_s", deque(maxlen=16))
    return taken


class Turns:
    """`wait` lets one that calls it go on in each round of the running loop, from each address one after the other.

    `played`: whether matches are; `players_wait`: whether one of the players has sent something.
    """

    def __init__(self, played: Callable[[], bool], players_wait: Callable[[], bool] = lambda: False) -> None:
        self._played, self._players_wait = played, players_wait
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # in the order of their turns
        self._taken = False  # in this round, or until the share allows for another
        self._free_at_s = 0.0  # when it does
        self._gave_way = 0  # to players, so many rounds running

    async def wait(self, address: str) -> None:
        loop = asyncio.get_running_loop()
        if not self._taken and self._free_at_s <= loop.time() and not self._players_wait():
            self._taken = True
            loop.call_soon(self._next)
            return
        turn = loop.create_future()
        self._waiting.setdefault(address, deque()).append(turn)
        if not self._taken:
            self._taken = True
            self._next()
        await turn

    def charge(self, cpu_s: float) -> None:
        """A request has taken so much."""
        if self._played():
            now_s = asyncio.get_running_loop().time()
            self._free_at_s = min(max(self._free_at_s, now_s - SAVED_S) + cpu_s / SHARE, now_s + OWED_S)

    def _next(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            if (left_s := self._free_at_s - loop.time()) > 0:
                loop.call_later(left_s, self._next)
                return
            if self._gave_way < PLAYERS_FIRST and self._players_wait():
                self._gave_way += 1
                loop.call_soon(self._next)
                return
            address = next(iter(self._waiting))
            line = self._waiting.pop(address)
            turn = line.popleft()
            if line:
                self._waiting[address] = line
            if not turn.done():  # else its request was cancelled
                self._gave_way = 0
                turn.set_result(None)
                loop.call_soon(self._next)
                return
        self._taken = False


@types.coroutine
def in_turn(
    turns: Turns, address: str, work: Coroutine[Any, Any, None], beside: deque[float]
) -> Generator[Any, Any, None]:
    """Await `work`, for somebody at this address, but wait for a turn before each of its steps.

    `beside`: what else was and will be taken for it, in s.
    """
    _beside.set(beside)
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
                beside_s = sum(beside.popleft() for _ in range(len(beside)))
                turns.charge(time.thread_time() - began_s + beside_s)
            answer = failed = None
            try:
                answer = yield asked
            except (Exception, asyncio.CancelledError) as error:
                failed = error
    finally:
        work.close()


class Threads(ThreadPoolExecutor):
    """For `asyncio.to_thread`: what they do for a request is charged."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        beside = _beside.get()
        if beside is None:
            return super().submit(work, *args, **kwargs)

        def timed() -> Any:
            began_s = time.thread_time()
            try:
                return work(*args, **kwargs)
            finally:
                beside.append(time.thread_time() - began_s)

        return super().submit(timed)


class Paced:
    """The application, with the requests in turn; WebSockets are the gateway's, which paces what it sends."""

    def __init__(self, app: ASGIApp, turns: Turns) -> None:
        self._app, self._turns = app, turns

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answering: Any = self._app(scope, receive, send)
        if scope["type"] == "http":
            address, _ = scope.get("client") or ("", 0)
            answering = in_turn(self._turns, household(address), answering, taken_beside(scope.setdefault("state", {})))
        await answering
