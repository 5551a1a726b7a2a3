"""The tables that visitors see: made off the loop, one at a time per tournament, and once for all who ask.

A table has every result known when it was requested. While one is being made, requests for newer results wait for the
next one, which is made from the newest state by then: of a large tournament not before a second has passed, and as long
as the last one took to make, or a crowd of visitors would keep a core busy.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

from palestra_server.helper import Helper, HelperFailed, HelperStopped
from palestra_server.runtime.embargo import Viewer
from palestra_server.runtime.live_tournament import LiveTournament
from palestra_server.tables import Asked, Made, TableFile, TablesApart, make

# Tables of up to this many players are made in a thread of this process, which they hold for a few ms at a stretch.
HERE: Final = 50
EVERY_S: Final = 1.0
KEPT: Final = 100  # tables of a tournament, each a page of its schedule with 0.3 MB at most


class CachedTable:
    """A table: from how many events it was made, its bytes or a file of them, and when it may be made again. `turn` is
    for whoever asks for it.
    """

    def __init__(self) -> None:
        self.recorded = -1
        self.made: Made = b""
        self.due_s = 0.0
        self.turn = asyncio.Lock()


class CachedTables:
    """The tables of one tournament that somebody asked for lately. `turn` is for whoever makes one."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Asked, bool], CachedTable] = {}
        self.turn = asyncio.Lock()

    def of(self, asked: Asked, *, hidden: bool) -> CachedTable:
        """`hidden`: as it is with what is not public."""
        table = self._kept[asked, hidden] = self._kept.pop((asked, hidden), CachedTable())
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return table


class TableCache:
    """For the event loop's thread. `is_apart` says whether large tables are made by a helper process; a command that
    only reads keeps nobody waiting. `every_s`: the pause between two versions of a table made there.
    """

    def __init__(self, is_apart: Callable[[], bool], every_s: float = EVERY_S) -> None:
        self._is_apart = is_apart
        self._every_s = every_s
        self._helper = Helper()
        self._apart = TablesApart(self._helper)
        self._closed = False
        self._tables: WeakKeyDictionary[LiveTournament, CachedTables] = WeakKeyDictionary()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="tables")

    async def table(self, live: LiveTournament, asked: Asked, viewer: Viewer) -> Made:
        """A table of a tournament that has begun, as this viewer may see it.

        Raises HelperFailed; HelperStopped while the server stops.
        """
        tables = self._tables.setdefault(live, CachedTables())
        needed, kept = live.recorded, tables.of(asked, hidden=viewer.sees_hidden and live.hides)
        async with kept.turn:
            if kept.recorded < needed:
                await self._pause(kept)
                async with tables.turn:
                    await self._renew(kept, live, asked, viewer)
            return kept.made

    async def _pause(self, kept: CachedTable) -> None:
        await asyncio.sleep(kept.due_s - asyncio.get_running_loop().time())

    async def _renew(self, kept: CachedTable, live: LiveTournament, asked: Asked, viewer: Viewer) -> None:
        t, recorded = live.seen_by(viewer), live.recorded
        assert t is not None
        t = t.but(shown=None, hidden=frozenset())
        if self._closed:
            raise HelperStopped
        if len(t.seeds) <= HERE or not self._is_apart():
            kept.made = await asyncio.to_thread(make, asked, t)
        else:
            loop = asyncio.get_running_loop()
            began = loop.time()
            if asked.table.endswith(".csv"):
                with _file() as (file, path):
                    await loop.run_in_executor(self._worker, self._apart, live.name, asked, t, path)
                kept.made = file
            else:
                kept.made = await loop.run_in_executor(self._worker, self._apart, live.name, asked, t, None)
            now = loop.time()
            kept.due_s = now + max(self._every_s, now - began)
        kept.recorded = recorded

    def close(self) -> None:
        self._closed = True
        self._helper.close()
        self._worker.shutdown(cancel_futures=True)


@contextmanager
def _file() -> Iterator[tuple[TableFile, Path]]:
    """A file that only this user may read, with a name for as long as it is written. Raises HelperFailed."""
    try:
        handle, name = tempfile.mkstemp(prefix="palestra-table-")
    except OSError as error:
        raise HelperFailed(f"There is no room for it ({error.strerror}).") from None
    try:
        yield TableFile(handle), Path(name)
    finally:
        Path(name).unlink()
