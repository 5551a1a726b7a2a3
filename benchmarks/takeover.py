"""The referee of many live matches is killed: how long until each plays on at the next node.

    python -m benchmarks.takeover --matches 300

Three nodes with one PostgreSQL; guests who think for THINK_S before each move, know all nodes, and come back as clients
do. Needs a PostgreSQL in which schemas may be made (PALESTRA_TEST_POSTGRESQL).
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import tempfile
import time
from collections import deque
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Final

import msgpack
from tests.support.databases import postgresql_schema
from tests.support.nodes import NodeProcess
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from benchmarks._tables import command
from benchmarks.nodes import NODES, referee
from palestra_client.backoff import Backoff

MATCHES: Final = 300
THINK_S: Final = 3.0
AT_ONCE: Final = 20  # guests who connect at the same time in the beginning


class Crowd:
    """All guests. `turns`: when each match last asked for a move; `gaps`: for how long each was without a line."""

    def __init__(self, urls: list[str]) -> None:
        self.urls = urls
        self.turns: dict[str, float] = {}
        self.gaps: list[float] = []
        self.heard = asyncio.Event()

    def turn(self, match: str) -> None:
        self.turns[match] = time.monotonic()
        self.heard.set()

    async def until(self, matches: int, since: float) -> None:
        """So many matches have asked for a move since then."""
        while sum(at > since for at in self.turns.values()) < matches:
            self.heard.clear()
            await self.heard.wait()


class Guest:
    def __init__(self, crowd: Crowd, number: int) -> None:
        self._crowd = crowd
        self._name, self._rival = f"g{number}", f"g{number + 1}" if number % 2 == 0 else None
        self._urls = deque(crowd.urls)
        self._session: str | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._chance = random.Random(number)
        self._sent_on = self._sent_to = False
        self.here = asyncio.Event()
        self._lost_at = 0.0
        self.socket: ClientConnection | None = None

    async def live(self) -> None:
        backoff = Backoff(self._chance.random)
        while True:
            absent = self._sent_on = self._sent_to = False
            try:
                async with connect(
                    self._urls[0],
                    subprotocols=["palestra.v1.msgpack"],  # type: ignore[list-item]
                    compression=None,
                    proxy=None,
                ) as socket:
                    await self._play(socket, backoff)
            except ConnectionRefusedError:
                absent = True
            except (OSError, WebSocketException, TimeoutError):
                pass
            self._lost_at = self._lost_at or time.monotonic()
            if not self._sent_on:
                self._urls.rotate(-1)
            await asyncio.sleep(backoff.next_pause(absent=absent or self._sent_on, sent=self._sent_to))

    async def _play(self, socket: ClientConnection, backoff: Backoff) -> None:
        self.socket = socket
        await self._send(socket, type="hello", token="", name=self._name, client="takeover/1", resume=self._session)
        async for frame in socket:
            message: dict[str, Any] = msgpack.unpackb(frame)  # type: ignore[arg-type]
            kind = message["type"]
            if kind == "welcome":
                self._session = message["session"]
                backoff.forget()
                if self.here.is_set():
                    self._crowd.gaps.append(time.monotonic() - self._lost_at)
                self._lost_at = 0.0
                self.here.set()
            elif kind == "error" and message["code"] == "elsewhere":
                self._sent_on = True
                self._urls.rotate(-1)
                self._sent_to = message["address"] is not None
                if self._sent_to:
                    self._urls = deque(dict.fromkeys((f"{message['address']}/play", *self._urls)))
            elif kind == "match_start":
                await self._send(socket, type="ready", match=message["match"])
            elif kind == "turn":
                self._crowd.turn(message["match"])
                task = asyncio.create_task(self._act(socket, message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            elif kind == "match_end":
                self._crowd.turns.pop(message["match"], None)
                await self.challenge()

    async def challenge(self) -> None:
        if self._rival is not None and self.socket is not None:
            await self._send(self.socket, type="challenge", game="connect4-8x8", opponent=self._rival, seat=None)

    async def _act(self, socket: ClientConnection, turn: dict[str, Any]) -> None:
        with suppress(WebSocketException, OSError):
            await asyncio.sleep(self._chance.uniform(0.5, 1.5) * THINK_S)
            action = self._chance.choice(turn["legal"])
            await self._send(socket, type="action", match=turn["match"], ply=turn["ply"], action=action)

    @staticmethod
    async def _send(socket: ClientConnection, **message: object) -> None:
        await socket.send(msgpack.packb(message))


async def play(nodes: dict[str, NodeProcess], matches: int, drains: bool) -> tuple[list[float], list[float]]:
    """Seconds from the end of the referee until each match went on, and for which each guest had no line."""
    first = await referee(nodes)
    crowd = Crowd([node.url for node in nodes.values()])
    guests = [Guest(crowd, number) for number in range(2 * matches)]
    living = []
    try:
        for at in range(0, len(guests), AT_ONCE):
            some = guests[at : at + AT_ONCE]
            living += [asyncio.create_task(guest.live()) for guest in some]
            await asyncio.gather(*(guest.here.wait() for guest in some))
        for guest in guests:
            await guest.challenge()
        await crowd.until(matches, time.monotonic() + 2 * THINK_S)  # all is on disk
        if drains:
            await asyncio.to_thread(first.api, "POST", f"/nodes/{first.name}/drain")
        else:
            first.process.kill()
        ended = time.monotonic()
        await asyncio.sleep(0.5)  # what the old one had sent has been read
        since = time.monotonic()
        went_on: dict[str, float] = {}
        live = set(crowd.turns)
        while live - set(went_on):
            crowd.heard.clear()
            went_on |= {match: at - ended for match, at in crowd.turns.items() if at > since and match not in went_on}
            live &= set(crowd.turns) | set(went_on)
            if live - set(went_on):
                await crowd.heard.wait()
        return [went_on[match] for match in live], crowd.gaps
    finally:
        for task in living:
            task.cancel()
        await asyncio.gather(*living, return_exceptions=True)


def spread(seconds: list[float]) -> str:
    found = sorted(seconds)
    return f"{statistics.median(found):.1f} s, {found[int(0.99 * (len(found) - 1))]:.1f} s, {found[-1]:.1f} s"


def run(matches: int = MATCHES) -> list[tuple[str, str]]:
    rows = []
    env = {
        "PALESTRA_MAX_GUESTS": "5000",
        "PALESTRA_MAX_PER_ADDRESS": "10000",
        "PALESTRA_CHALLENGE_MS": "0",
        "PALESTRA_MOVE_MS": "20000",
        "PALESTRA_AWAY_MS": "60000",
    }
    for drains in (True, False):
        with postgresql_schema() as database, tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            nodes = {name: stack.enter_context(NodeProcess(Path(folder), database, name, **env)) for name in NODES}
            waits, gaps = asyncio.run(play(nodes, matches, drains))
        what = "a drain" if drains else "a kill"
        rows.append((f"{what}, {len(waits)} live matches: until the next turn, median, 99 %, last", spread(waits)))
        rows.append((f"{what}: for how long a guest had no line: median, 99 %, last", spread(gaps)))
    rows.append(("load average at the end, cores", f"{os.getloadavg()[0]:.1f} (1 minute), {os.cpu_count()}"))
    return rows


if __name__ == "__main__":
    command(run)
