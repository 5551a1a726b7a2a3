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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import structlog

from palestra_referee import Match, event_from_line, replay
from palestra_server.gateway import Refusal
from palestra_server.store import Journal, StoreAway
from palestra_server.supervision import Supervisor

log = structlog.get_logger()

QUEUE_MAX: Final = 64  # requests that may wait, over all clients
KEPT_BYTES: Final = 16 << 20  # size of the cache of answers
REST: Final = 3.0  # seconds of rest for a second of work
REST_MAX_S: Final = 0.5

Make = Callable[[Match], bytes | None]
Found = bytes | Refusal | None


def finished_match(journal: Journal, match_id: str) -> Match | None:
    """None if there are no records of it, or it is not over."""
    lines = journal.read_lines(match_id)
    match = replay(event_from_line(line) for line in lines) if lines else None
    return match if match is not None and match.phase == "finished" else None


@dataclass(eq=False)
class FinishedMatches:
    """`read` gets a match from the journal, None if there is no finished one; it is called in the thread. `rest` pauses
    for so many seconds.
    """

    read: Callable[[str], Match | None]
    supervisor: Supervisor
    rest: Callable[[float], object] = time.sleep

    def __post_init__(self) -> None:
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="past")
        self._asked: dict[tuple[str, str], asyncio.Task[Found]] = {}
        # A finished match never changes, so its answers are cached, least recently used evicted first.
        self._kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._kept_bytes = 0
        self._owed = 0.0
        self._closed = threading.Event()

    def ask(self, match: str, kind: str, make: Make, known: Match | None = None) -> asyncio.Future[Found] | Refusal:
        """What `make`, called in the thread, returns for this match; None if there is no such match.

        A refusal if too many are waiting, or, later, if the database can't be reached. `kind` identifies the answer in
        the cache. `known`: the match, if it need not be read.
        """

        def of_match() -> bytes | None:
            replayed = known or self.read(match)
            return None if replayed is None else make(replayed)

        return self.keep(match, kind, of_match)

    def keep(self, match: str, kind: str, make: Callable[[], bytes | None]) -> asyncio.Future[Found] | Refusal:
        """As `ask`, with a `make` that reads for itself what it needs of the match."""
        key = match, kind
        if key in self._kept:
            self._kept.move_to_end(key)
            there: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
            there.set_result(self._kept[key])
            return there
        self._asked = {asked: task for asked, task in self._asked.items() if not task.done()}
        if key in self._asked:
            return self._asked[key]
        if len(self._asked) >= QUEUE_MAX:
            return Refusal("try_later", "Many ask for matches of the past at this moment: try again in a few seconds.")
        answer = self._answer(key, make)
        self._asked[key] = self.supervisor.task("match of the past", self.supervisor, answer)
        return self._asked[key]

    async def _answer(self, key: tuple[str, str], make: Callable[[], bytes | None]) -> Found:
        loop = asyncio.get_running_loop()
        made = await loop.run_in_executor(self._worker, self._make, key[0], make)
        if isinstance(made, bytes):
            self._kept[key] = made
            self._kept_bytes += len(made)
            while self._kept_bytes > KEPT_BYTES:
                self._kept_bytes -= len(self._kept.popitem(last=False)[1])
        return made

    def _make(self, match_id: str, make: Callable[[], bytes | None]) -> Found:
        if self._closed.is_set():
            return None
        self.rest(self._owed)
        began = time.perf_counter()
        try:
            return make()
        except StoreAway as away:
            return Refusal("try_later", str(away))
        except Exception as error:
            # A damaged record, or a game that is no longer installed, must not affect other requests.
            log.warning("match cannot be shown", match=match_id, why=str(error))
            return None
        finally:
            self._owed = min(REST_MAX_S, REST * (time.perf_counter() - began))

    def close(self) -> None:
        self._closed.set()
        self._worker.shutdown(cancel_futures=True)
