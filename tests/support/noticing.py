"""What a client's user is shown, as a test looks at it."""

from __future__ import annotations

import asyncio


class Log:
    """Keeps what is shown, and lets a test wait for it."""

    def __init__(self):
        self.seen = []
        self._news = asyncio.Event()

    def show(self, notice):
        self.seen.append(notice)
        self._news.set()

    def all(self, kind):
        return [notice for notice in self.seen if isinstance(notice, kind)]

    async def until(self, kind, count=1):
        while len(self.all(kind)) < count:
            self._news.clear()
            await self._news.wait()
        return self.all(kind)[count - 1]
