"""The server's event loop: asyncio's own, with a selector that records when it waited and puts players first."""

from __future__ import annotations

import asyncio
from time import monotonic_ns
from typing import Any, Final

from palestra_server.gateway.arrivals.order import OrderedSelector, Ready
from palestra_server.gateway.arrivals.sockets import OUT_OF_FILES

_OVERSLEPT_NS: Final = 20_000_000


class StampingSelector(OrderedSelector):
    """Records when `select` was entered and when it returned (in ns, by `time.monotonic_ns`).

    Only the loop's thread writes. Other threads may read: each value is one int, replaced as a whole; `entered` is
    later than `returned` exactly while the loop is inside `select`.
    """

    def __init__(self) -> None:
        super().__init__()
        # `previous` is when `select` returned before `returned`: what is readable now wasn't readable then.
        self.entered = self.returned = self.previous = monotonic_ns()

    def select(self, timeout: float | None = None) -> list[Ready]:
        self.previous = self.returned
        self.entered = monotonic_ns()
        ready = super().select(timeout)
        if not ready and timeout and monotonic_ns() - self.entered > timeout * 1e9 + _OVERSLEPT_NS:
            # If the process was stopped in here, `select` returns nothing, whatever has come in meanwhile.
            ready = super().select(0)
        self.returned = monotonic_ns()
        return ready


class StampingLoop(asyncio.SelectorEventLoop):
    """`polls` records when this loop was last inside `select`."""

    def __init__(self) -> None:
        self.polls = StampingSelector()
        super().__init__(self.polls)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """As asyncio's, but silent about running out of file descriptors, which `StampedListener` reports."""
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in OUT_OF_FILES and "accept" in context["message"]):
            super().call_exception_handler(context)


def new_event_loop() -> StampingLoop:
    """For `asyncio.Runner(loop_factory=new_event_loop)`."""
    return StampingLoop()


def polls_of(loop: asyncio.AbstractEventLoop) -> StampingSelector | None:
    """The selector of this loop; None unless the loop was made by `new_event_loop`."""
    return loop.polls if isinstance(loop, StampingLoop) else None
