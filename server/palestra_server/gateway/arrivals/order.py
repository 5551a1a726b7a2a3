"""Players first: a selector that reports some of its descriptors after the others, one at a time.

A thousand spectators look for another match the moment theirs ends, and the loop would deal with all of them before
looking at the players again, for 0.1 s. This way players wait for one spectator only.
"""

from __future__ import annotations

import selectors
from collections import ChainMap, deque
from collections.abc import Mapping
from time import monotonic_ns
from typing import Any, cast

Ready = tuple[selectors.SelectorKey, int]


class OrderedSelector(selectors.DefaultSelector):
    """Descriptors that were `put_last` are in a selector of their own, which is itself registered with this one."""

    def __init__(self) -> None:
        super().__init__()
        self._last = selectors.DefaultSelector()
        self._put_last: set[int] = set()
        self._gate = super().register(self._last, selectors.EVENT_READ)
        maps = super().get_map(), self._last.get_map()
        self._all = ChainMap(*(cast(dict[Any, selectors.SelectorKey], each) for each in maps))
        # Those that the latest poll of the last found ready, and that were not reported yet.
        self._in_line: deque[Ready] = deque()
        # `last_floor`: what the last have to be read was not there then, or not there yet (ns of `monotonic_ns`).
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
        """Whether any descriptor that was not put last is ready."""
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
        """Report this descriptor after the others."""
        if fd not in self._put_last:
            key = super().get_map().get(fd)
            if key is not None:
                super().unregister(fd)
                self._last.register(fd, key.events, key.data)
            self._put_last.add(fd)

    def put_first(self, fd: int) -> None:
        """Report it with the others again. Must also be called before it is closed, since its number will be reused."""
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
