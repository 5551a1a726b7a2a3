"""An answer that many ask for at once, made once for all of them.

Everybody gets one that was begun after they asked, so it has all that was known then. The next one is not begun before
a rest of REST times as long as the last one took: however many ask, making it takes a tenth of the time at most, and
who asks when nobody has for a while does not wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

REST: Final = 9.0
REST_MAX_S: Final = 0.5


class SharedAnswer:
    """For the event loop's thread."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._begun = 0
        self._number = 0  # of the one that is kept, among those begun
        self._kept = b""
        self._rest_until = 0.0

    async def get(self, make: Callable[[], Awaitable[bytes]]) -> bytes:
        """What one `make` of those who ask returns. What it raises is for who called it; the others ask again."""
        now, before = asyncio.get_running_loop().time, self._begun
        async with self._turn:
            if self._number <= before:
                await asyncio.sleep(self._rest_until - now())
                began, self._begun = now(), self._begun + 1
                try:
                    self._kept, self._number = await make(), self._begun
                finally:
                    self._rest_until = now() + min(REST_MAX_S, REST * (now() - began))
            return self._kept
