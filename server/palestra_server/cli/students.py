"""Simulated students for a rehearsal: light clients in one process of their own, over real sockets.

They play at random without thinking. One in twenty occasionally crashes and comes back as a new process, one in twenty
occasionally exceeds its time, and one in twenty loses its connection and resumes its session.

    python -m palestra_server.cli.students URL MOVE_MS SEED    # and on standard input a JSON map: name -> token
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import threading
from collections import deque
from typing import Any, Final, Literal

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

Kind = Literal["good", "crashes", "slow", "drops"]
SHARE: Final = 20  # one in this many students has each of the three faults
FAULTS: Final[tuple[Kind, ...]] = ("crashes", "slow", "drops")
MOVES: Final = 40  # a fault happens once in this many moves
GONE_S: Final = 1.0  # a crashed bot is back after this long
REFUSED_S: Final = 0.25  # pause between attempts while the server restarts
STOP_CODES: Final = (4003, 4004, 4009)


def kind_of(number: int) -> Kind:
    """The fault of student `number`, counted from 0."""
    place = number % SHARE
    return FAULTS[place] if place < len(FAULTS) else "good"


class Student:
    """One bot. `chance` is its own, so that a rehearsal with the same seed has the same bots."""

    silence_s = 20.0  # after which it asks whether the server is there, and how long the answer may take

    def __init__(self, name: str, token: str, kind: Kind, seed: str, move_s: float, *urls: str) -> None:
        self._name, self._token = name, token
        self._kind = kind
        self._chance = random.Random(f"{seed} {name}")
        self._urls = deque(urls)  # those of one server, tried in turn
        self._move_s = move_s
        self._session: str | None = None

    async def live(self) -> None:
        pause = 0.0
        while True:
            await asyncio.sleep(pause * self._chance.uniform(0.5, 1.5))
            try:
                async with connect(
                    self._urls[0],
                    subprotocols=["palestra.v1.json"],  # type: ignore[list-item]
                    compression=None,
                    ping_interval=self.silence_s,
                    ping_timeout=self.silence_s,
                ) as socket:
                    pause = await self._play(socket)
            except ConnectionClosed as closed:
                self._urls.rotate()
                if closed.rcvd is not None and closed.rcvd.code in STOP_CODES:
                    return
                pause = REFUSED_S if closed.rcvd is None else 1.0
            except ConnectionRefusedError:
                self._urls.rotate()
                pause = REFUSED_S
            except (OSError, InvalidHandshake, TimeoutError):
                self._urls.rotate()
                pause = 1.0

    async def _play(self, socket: ClientConnection) -> float:
        """Plays until its fault disconnects it; returns how long it stays away, in seconds."""
        await _send(socket, type="hello", token=self._token, client="rehearsal/1", resume=self._session)
        async for frame in socket:
            message = json.loads(frame)
            kind = message["type"]
            self.heard(message)
            if kind == "welcome":
                self._session = message["session"]
            elif kind == "error" and message.get("address"):  # of the machine that referees
                self._urls = deque(dict.fromkeys((f"{message['address']}/play", *self._urls)))
                return 0.0
            elif kind == "match_start":
                await _send(socket, type="ready", match=message["match"])
            elif kind == "turn":
                fault = self._kind != "good" and not self._chance.randrange(MOVES)
                if fault and self._kind != "slow":
                    socket.transport.abort()
                    if self._kind == "drops":
                        return 0.0
                    self._session = None
                    return GONE_S
                if fault:
                    await asyncio.sleep(2 * self._move_s)
                action = self._chance.choice(message["legal"])
                await _send(socket, type="action", match=message["match"], ply=message["ply"], action=action)
        return 1.0

    def heard(self, message: dict[str, Any]) -> None:
        """Called with every message, for whoever wants to record them."""


async def _send(socket: ClientConnection, **message: Any) -> None:
    await socket.send(json.dumps(message))


async def run(url: str, move_s: float, seed: str, tokens: dict[str, str]) -> None:
    students = [
        Student(name, token, kind_of(number), seed, move_s, url) for number, (name, token) in enumerate(tokens.items())
    ]
    await asyncio.gather(*(student.live() for student in students))


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    address, move_ms, chance = sys.argv[1:]
    given = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    asyncio.run(run(address, int(move_ms) / 1000, chance, given))
