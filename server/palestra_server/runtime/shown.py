"""The tables that visitors see: made off the loop, one at a time per tournament, and once for all who ask.

A table has every result known when it was requested. While one is being made, requests for newer results wait for the
next one, which is made from the newest state by then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from palestra_server.runtime.live_tournament import LiveTournament
from palestra_server.tables import MakingStopped, TablesApart, make

# Tables of up to this many players are made in a thread of this process, which they hold for a few ms at a stretch.
HERE: Final = 50


class Shown:
    """For the event loop's thread. `apart` says whether large tables are made by another process; a command that only
    reads keeps nobody waiting.
    """

    def __init__(self, apart: Callable[[], bool]) -> None:
        self._is_apart = apart
        self._apart = TablesApart()
        self._closed = False
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="tables")

    async def table(self, live: LiveTournament, table: str, everything: bool) -> bytes:
        """A table (`tables.TABLES`) of a tournament that has begun; public results only, unless `everything`.

        Raises MakingStopped while the server stops.
        """
        assert live.now is not None
        key = table, everything or live.now.revealed
        asked = live.recorded
        async with live.made.turn:
            kept = live.made.newest.get(key)
            if kept is None or kept[0] < asked:
                kept = live.made.newest[key] = live.recorded, await self._make(live, *key)
        return kept[1]

    async def _make(self, live: LiveTournament, table: str, everything: bool) -> bytes:
        t = live.now
        assert t is not None
        if self._closed:
            raise MakingStopped
        if len(t.seeds) <= HERE or not self._is_apart():
            return await asyncio.to_thread(make, table, t, everything)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, self._apart, live.name, table, t, everything)

    def close(self) -> None:
        self._closed = True
        self._apart.close()
        self._worker.shutdown(cancel_futures=True)
        self._apart.end()
