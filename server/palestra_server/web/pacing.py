"""Requests take turns, a step in each round of the event loop, so that a crowd of them holds up no player.

The loop runs all that is ready before it looks at the sockets again: twenty requests, a millisecond each until they
next wait for something, are 20 ms in which nobody's move is read. Here one of them goes on in each round. Not so a
file that is sent in pieces, which Starlette does in a task of its own: a thread makes each piece.
"""

from __future__ import annotations

import asyncio
import types
from collections import deque
from collections.abc import Coroutine, Generator
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send


class Turns:
    """`wait` lets one that calls it go on in each round of the running loop, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._taken = False  # in this round

    async def wait(self) -> None:
        loop = asyncio.get_running_loop()
        if self._taken:
            turn = loop.create_future()
            self._waiting.append(turn)
            await turn
        else:
            self._taken = True
            loop.call_soon(self._next)

    def _next(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # else its request was cancelled
                turn.set_result(None)
                asyncio.get_running_loop().call_soon(self._next)
                return
        self._taken = False


@types.coroutine
def in_turn(turns: Turns, work: Coroutine[Any, Any, None]) -> Generator[Any, Any, None]:
    """Await `work`, but wait for a turn before each of its steps."""
    answer: Any = None
    failed: BaseException | None = None
    try:
        while True:
            try:
                yield from turns.wait().__await__()
            except (Exception, asyncio.CancelledError) as error:
                failed = error
            try:
                asked = work.send(answer) if failed is None else work.throw(failed)
            except StopIteration:
                return
            answer = failed = None
            try:
                answer = yield asked
            except (Exception, asyncio.CancelledError) as error:
                failed = error
    finally:
        work.close()


class Paced:
    """The application, with the requests in turn; WebSockets are the gateway's, which paces what it sends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._turns = app, Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answering: Any = self._app(scope, receive, send)
        await (in_turn(self._turns, answering) if scope["type"] == "http" else answering)
