"""The event loop of the server: asyncio's own, with a selector that notes when it waited."""

from __future__ import annotations

import asyncio
import selectors
from time import monotonic_ns
from typing import Any, Final

from palestra_server.gateway.arrivals.sockets import OUT_OF_FILES

_OVERSLEPT_NS: Final = 20_000_000


class StampingSelector(selectors.DefaultSelector):
    """Notes when `select` was entered and when it returned (ns of `time.monotonic_ns`).

    Written by the loop's thread only. Others may read: each is one int, replaced as a whole; `entered` is
    later than `returned` exactly while the loop is inside `select`.
    """

    def __init__(self) -> None:
        super().__init__()
        # `previous` is the return before `returned`: what is readable now was not, then.
        self.entered = self.returned = self.previous = monotonic_ns()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.previous = self.returned
        self.entered = monotonic_ns()
        ready = super().select(timeout)
        if not ready and timeout and monotonic_ns() - self.entered > timeout * 1e9 + _OVERSLEPT_NS:
            # A process that was stopped in here comes back with nothing, whatever has come in meanwhile.
            ready = super().select(0)
        self.returned = monotonic_ns()
        return ready


class StampingLoop(asyncio.SelectorEventLoop):
    """`polls` tells when this loop was last inside `select`."""

    def __init__(self) -> None:
        self.polls = StampingSelector()
        super().__init__(self.polls)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """As asyncio's, but that nothing can be accepted for want of descriptors has been said (`StampedListener`)."""
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in OUT_OF_FILES and "accept" in context["message"]):
            super().call_exception_handler(context)


def new_event_loop() -> StampingLoop:
    """For `asyncio.Runner(loop_factory=new_event_loop)`."""
    return StampingLoop()


def polls_of(loop: asyncio.AbstractEventLoop) -> StampingSelector | None:
    """What is known of this loop's polling; None for a loop that was not made by `new_event_loop`."""
    return loop.polls if isinstance(loop, StampingLoop) else None
