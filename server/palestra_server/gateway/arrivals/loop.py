"""The server's event loop: asyncio's own, with a selector that records when it waited and puts players first."""

from __future__ import annotations

import asyncio
import selectors
from collections import ChainMap, deque
from collections.abc import Mapping
from time import monotonic_ns
from typing import Any, Final, cast

from palestra_server.gateway.arrivals.sockets import OUT_OF_FILES

_OVERSLEPT_NS: Final = 20_000_000
# If the watcher, which wakes every 20 ms, pauses for longer than this, the whole process (or the machine) was stopped.
_STOPPED_NS: Final = 80_000_000

Ready = tuple[selectors.SelectorKey, int]


class OrderedSelector(selectors.DefaultSelector):
    """Reports descriptors that were `put_last` after the others, one at a time.

    Those have a selector of their own, which is itself registered with this one. A thousand spectators look for another
    match the moment theirs ends, and the loop would serve all of them before looking at the players again, for 0.1 s.
    This way players wait for one spectator only.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last = selectors.DefaultSelector()
        self._put_last: set[int] = set()
        self._gate = super().register(self._last, selectors.EVENT_READ)
        maps = super().get_map(), self._last.get_map()
        self._all = ChainMap(*(cast(dict[Any, selectors.SelectorKey], each) for each in maps))
        # Those found ready by the latest poll of the last, and not reported yet.
        self._in_line: deque[Ready] = deque()
        # `last_floor`: a time when what is still unread from the last had not arrived yet (ns of `monotonic_ns`).
        self._polled = self.last_floor = monotonic_ns()

    def select(self, timeout: float | None = None) -> list[Ready]:
        ready = super().select(0 if self._in_line else timeout)
        found = bool(self._in_line)
        for index, (key, _) in enumerate(ready):
            if key is self._gate:
                del ready[index]
                found = True
                break
        if found and (one := self._next_of_the_last()) is not None:
            ready.append(one)
        return ready

    def somebody_first(self) -> bool:
        return any(key is not self._gate for key, _ in super().select(0))

    def _next_of_the_last(self) -> Ready | None:
        if not self._in_line:
            self.last_floor, self._polled = self._polled, monotonic_ns()
            self._in_line.extend(self._last.select(0))
        registered = self._last.get_map()
        while self._in_line:
            key, events = self._in_line.popleft()
            # One that was closed, paused or changed meanwhile will be found again if need be.
            if registered.get(key.fd) is key:
                return key, events
        return None

    def put_last(self, fd: int) -> None:
        if fd not in self._put_last:
            key = super().get_map().get(fd)
            if key is not None:
                super().unregister(fd)
                self._last.register(fd, key.events, key.data)
            self._put_last.add(fd)

    def put_first(self, fd: int) -> None:
        """Report it with the others again. Must also be called before closing it, since its number will be reused."""
        if fd in self._put_last:
            key = self._last.get_map().get(fd)
            if key is not None:
                self._last.unregister(fd)
                super().register(fd, key.events, key.data)
            self._put_last.discard(fd)

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        if fileobj in self._put_last:
            return self._last.register(fileobj, events, data)
        return super().register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        if fileobj in self._put_last:
            return self._last.unregister(fileobj)
        return super().unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        if fileobj in self._put_last:
            return self._last.modify(fileobj, events, data)
        return super().modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._all

    def close(self) -> None:
        self._last.close()
        super().close()


class StampingSelector(OrderedSelector):
    """Records when `select` was entered and when it returned (in ns, by `time.monotonic_ns`).

    Only the loop's thread writes, but for `beat`, which is the watcher's. Other threads may read: each value is one
    int, replaced as a whole; `entered` is later than `returned` exactly while the loop is inside `select`.
    """

    def __init__(self) -> None:
        super().__init__()
        # `previous` is when `select` returned before `returned`: what is readable now wasn't readable then.
        self.entered = self.returned = self.previous = monotonic_ns()
        # When the watcher was last awake (0: never), and the last time that it was not for long: (from, to).
        self._beat = 0
        self._stop = (0, 0)

    def beat(self, awake: bool = True) -> None:
        """The watcher is awake; with `awake` False it goes to sleep for as long as it likes."""
        now = monotonic_ns()
        if self._beat and now - self._beat > _STOPPED_NS:
            self._stop = (self._beat, now)
        self._beat = now if awake else 0

    def stopped(self, since: int) -> int:
        """When the process was stopped, if that was after `since`; else 0."""
        began, ended = self._stop
        if ended > since:
            return began
        beat = self._beat
        return beat if beat and monotonic_ns() - beat > _STOPPED_NS else 0

    def select(self, timeout: float | None = None) -> list[Ready]:
        self.previous = self.returned
        self.entered = monotonic_ns()
        ready = super().select(timeout)
        if not ready and timeout and monotonic_ns() - self.entered > timeout * 1e9 + _OVERSLEPT_NS:
            # If the process was stopped in here, `select` returns nothing, whatever has arrived meanwhile.
            ready = super().select(0)
        self.returned = monotonic_ns()
        return ready


class StampingLoop(asyncio.SelectorEventLoop):
    """`polls` records when this loop was last inside `select`."""

    def __init__(self) -> None:
        self.polls = StampingSelector()
        super().__init__(self.polls)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Like asyncio's, but silent about running out of file descriptors, which `StampedListener` reports."""
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in OUT_OF_FILES and "accept" in context["message"]):
            super().call_exception_handler(context)


def new_event_loop() -> StampingLoop:
    return StampingLoop()


def polls_of(loop: asyncio.AbstractEventLoop) -> StampingSelector | None:
    """None unless the loop was made by `new_event_loop`."""
    return loop.polls if isinstance(loop, StampingLoop) else None


def players_wait() -> bool:
    """Whether something is ready that was not put last, such as what a player sent; who can't tell makes way."""
    polls = polls_of(asyncio.get_running_loop())
    return polls is None or polls.somebody_first()
