"""The tables that visitors see: made off the loop, one at a time per tournament, and once for all who ask.

A table has every result known when it was requested. While one is being made, requests for newer results wait for the
next one, which is made from the newest state by then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from palestra_server.helper import Helper, HelperStopped
from palestra_server.runtime.embargo import Viewer
from palestra_server.runtime.live_tournament import LiveTournament
from palestra_server.tables import TablesApart, make

# Tables of up to this many players are made in a thread of this process, which they hold for a few ms at a stretch.
HERE: Final = 50


class TableCache:
    """For the event loop's thread. `is_apart` says whether large tables are made by a helper process; a command that
    only reads keeps nobody waiting.
    """

    def __init__(self, is_apart: Callable[[], bool]) -> None:
        self._is_apart = is_apart
        self._helper = Helper()
        self._apart = TablesApart(self._helper)
        self._closed = False
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="tables")

    async def table(self, live: LiveTournament, table: str, viewer: Viewer) -> bytes:
        """A table (`tables.TABLES`) of a tournament that has begun, as this viewer may see it.

        Raises HelperFailed; HelperStopped while the server stops.
        """
        key = table, viewer.sees_hidden and live.hides
        asked = live.recorded
        async with live.tables.turn:
            kept = live.tables.newest.get(key)
            if kept is None or kept[0] < asked:
                kept = live.tables.newest[key] = live.recorded, await self._make(live, table, viewer)
        return kept[1]

    async def _make(self, live: LiveTournament, table: str, viewer: Viewer) -> bytes:
        t = live.seen_by(viewer)
        assert t is not None
        t = t.but(shown=None, hidden=frozenset())
        if self._closed:
            raise HelperStopped
        if len(t.seeds) <= HERE or not self._is_apart():
            return await asyncio.to_thread(make, table, t)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, self._apart, live.name, table, t)

    def close(self) -> None:
        self._closed = True
        self._helper.close()
        self._worker.shutdown(cancel_futures=True)
