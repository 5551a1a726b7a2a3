"""The tables made so far."""

from __future__ import annotations

import asyncio


class CachedTables:
    """The tables of one tournament. `newest`: by table, and by whether it is of everything or of what is public: from
    how many events it was made, and its bytes.
    """

    def __init__(self) -> None:
        self.newest: dict[tuple[str, bool], tuple[int, bytes]] = {}
        self.turn = asyncio.Lock()
