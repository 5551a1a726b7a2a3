"""The tables of a tournament that are kept."""

from __future__ import annotations

import asyncio
import os
from typing import Final, TypeAlias

from palestra_server.tables import Asked

KEPT: Final = 100  # of a tournament, each a page of its schedule with 0.3 MB at most


class TableFile:
    """A file without a name, which is gone with the last one who has this: 25 MB at once would keep the loop from the
    players.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @property
    def size(self) -> int:
        return os.fstat(self._handle).st_size

    def read(self, start: int, count: int) -> bytes:
        return os.pread(self._handle, count, start)

    def __del__(self) -> None:
        os.close(self._handle)


Made: TypeAlias = bytes | TableFile


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
