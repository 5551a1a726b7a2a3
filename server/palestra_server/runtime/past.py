"""Finished matches: read, replayed and encoded by one thread, in short stretches.

Python's threads share the GIL, so a thread that replayed without pausing would still make the players wait. This one
rests three times as long as it worked: however many requests come, it takes at most a quarter of the processor.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future as ThreadFuture
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import structlog

from palestra_referee import Match
from palestra_server.gateway import Refusal

log = structlog.get_logger()

QUEUE_MAX: Final = 64  # requests that may wait, over all clients
KEPT_BYTES: Final = 16 << 20  # size of the cache of answers
REST: Final = 3.0  # seconds of rest for a second of work
REST_MAX_S: Final = 0.5

Make = Callable[[Match], bytes]


class Past:
    """`read` gets a match from the journal, None if there is no finished one; it is called in the thread."""

    def __init__(self, read: Callable[[str], Match | None], rest: Callable[[float], object] = time.sleep) -> None:
        self._read = read
        self._rest = rest
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="past")
        self._asked: dict[tuple[str, str], asyncio.Future[bytes | None]] = {}
        # A finished match never changes, so its answers are cached, least recently used evicted first.
        self._kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._kept_bytes = 0
        self._owed = 0.0
        self._closed = threading.Event()

    def ask(
        self, match: str, kind: str, make: Make, known: Match | None = None
    ) -> asyncio.Future[bytes | None] | Refusal:
        """What `make`, called in the thread, returns for this match; None if there is no such match.

        Returns a refusal if too many are waiting. `kind` identifies the answer in the cache. `known`: the match, if it
        need not be read.
        """
        key = match, kind
        loop = asyncio.get_running_loop()
        if key in self._kept:
            self._kept.move_to_end(key)
            there: asyncio.Future[bytes | None] = loop.create_future()
            there.set_result(self._kept[key])
            return there
        if key in self._asked:
            return self._asked[key]
        if len(self._asked) >= QUEUE_MAX:
            return Refusal("try_later", "Many ask for matches of the past at this moment: try again in a few seconds.")
        answer = self._asked[key] = loop.create_future()

        def made(done: ThreadFuture[bytes | None]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._keep, key, None if done.cancelled() else done.result())

        self._worker.submit(self._make, match, make, known).add_done_callback(made)
        return answer

    def _make(self, match_id: str, make: Make, known: Match | None) -> bytes | None:
        if self._closed.is_set():
            return None
        self._rest(self._owed)
        began = time.perf_counter()
        try:
            match = known or self._read(match_id)
            return None if match is None else make(match)
        except Exception as error:
            # A damaged record, or a game that is no longer installed, must not affect other requests.
            log.warning("match cannot be shown", match=match_id, why=str(error))
            return None
        finally:
            self._owed = min(REST_MAX_S, REST * (time.perf_counter() - began))

    def _keep(self, key: tuple[str, str], made: bytes | None) -> None:
        answer = self._asked.pop(key)
        if made is not None:
            self._kept[key] = made
            self._kept_bytes += len(made)
            while self._kept_bytes > KEPT_BYTES:
                self._kept_bytes -= len(self._kept.popitem(last=False)[1])
        if not answer.done():
            answer.set_result(made)

    def close(self) -> None:
        self._closed.set()
        self._worker.shutdown(cancel_futures=True)
