"""The load processes of other benchmarks. Each prints JSON lines: its status, then its figures.

python -m benchmarks._crowd players PORT SECONDS GAME THINK_S <tokens.json    # "playing", "counting", figures by itself
python -m benchmarks._crowd watchers PORT COUNT              # "watching"; figures upon SIGINT
python -m benchmarks._crowd audience PORT COUNT MATCHES      # "watching"; figures upon each of two SIGINTs
python -m benchmarks._crowd entrants PORT THINK_S [GAME] <tokens.json    # "playing"; figures upon each SIGINT
python -m benchmarks._crowd visitors WEB_PORT COUNT NAME     # "looking"; figures upon SIGINT
python -m benchmarks._crowd readers PORT COUNT               # "reading"
python -m benchmarks._crowd attackers BOTS_PORT WEB_PORT     # figures upon SIGINT
python -m benchmarks._crowd sink 0                           # prints its port
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import signal
import socket as tcp
import statistics
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Final

import httpx
import msgpack

from benchmarks._load import Load, Socket, frame

RUN_IN_S: Final = 15.0
"""Warm-up, not counted: until everyone is connected and the server's caches are warm."""
HOUSES: Final = 10
"""Number of source addresses used by the watchers, and by the attackers."""


def say(what: object) -> None:
    print(json.dumps(what), flush=True)


async def connect(
    port: int, path: str, receive: Callable[[Socket, bytes], None], address: str, kind: type[Socket] = Socket
) -> Socket:
    """Open a WebSocket from this local address."""
    loop = asyncio.get_running_loop()
    plain = tcp.socket(tcp.AF_INET, tcp.SOCK_STREAM, tcp.IPPROTO_TCP)
    with contextlib.suppress(AttributeError, OSError):
        # Some systems pace outgoing data (BBR), which would hold a frame back in the sender's kernel.
        plain.setsockopt(tcp.IPPROTO_TCP, tcp.TCP_CONGESTION, b"reno")
    plain.setblocking(False)
    plain.bind((address, 0))
    await loop.sock_connect(plain, ("127.0.0.1", port))
    _, made = await loop.create_connection(lambda: kind(path, receive), sock=plain)
    await asyncio.wait_for(made.open, 30)
    return made


class Players(Load):
    """Pairs that play one match of `game` after another, thinking for `think_s` on average before each move.

    Without a game they play what a tournament has for them.
    """

    def __init__(self, game: str, think_s: float) -> None:
        super().__init__()
        self.game, self.think_s = game, think_s
        self.reasons: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        # By match: (ply, before sending, after sending), in ns of the monotonic clock.
        self.answers: dict[str, list[tuple[int, int, int]]] = {}
        # The same for matches that were not ended by the rules of the game.
        self.cut_short: dict[str, list[tuple[int, int, int]]] = {}

    async def join(self, port: int, tokens: dict[str, str]) -> None:
        sockets = []
        for name, token in tokens.items():
            sockets.append(await connect(port, "/play", self.receive, "127.0.0.1"))
            sockets[-1].send(msgpack.packb({"type": "hello", "token": token, "client": "crowd"}))
            assert await self.welcome.get() == name
        if self.game:
            for socket, rival in zip(sockets[::2], list(tokens)[1::2], strict=True):
                self.rivals[socket] = rival
                self.challenge(socket)

    def receive(self, socket: Socket, payload: bytes) -> None:
        message = msgpack.unpackb(payload)
        if message["type"] == "match_end" and socket in self.rivals:
            answers = self.answers.pop(message["match"], [])
            self.reasons[message["reason"]] += 1
            if message["reason"] != "rules":
                self.cut_short[message["match"]] = answers
        elif message["type"] == "error":
            self.errors[message["code"]] += 1
            if message["code"] in ("try_later", "player_busy"):
                asyncio.get_running_loop().call_later(1, self.challenge, socket)
            return
        super().receive(socket, payload)

    def answer(self, socket: Socket, turn: dict[str, Any]) -> None:
        asyncio.get_running_loop().call_later(random.uniform(0.5, 1.5) * self.think_s, self._answer_now, socket, turn)

    def _answer_now(self, socket: Socket, turn: dict[str, Any]) -> None:
        before = time.monotonic_ns()
        super().answer(socket, turn)
        self.answers.setdefault(turn["match"], []).append((turn["ply"], before, time.monotonic_ns()))

    def challenge(self, socket: Socket) -> None:
        socket.send(
            msgpack.packb({"type": "challenge", "game": self.game, "opponent": self.rivals[socket], "seat": None})
        )


async def players(port: int, seconds: float, game: str, think_s: float, tokens: dict[str, str]) -> None:
    load = Players(game, think_s)
    await load.join(port, tokens)
    say("playing")
    await asyncio.sleep(RUN_IN_S)
    say("counting")
    load.moves = 0
    load.turnaround.clear()
    load.reasons.clear()
    load.errors.clear()
    await asyncio.sleep(seconds)
    times = sorted(load.turnaround)
    ms = [times[len(times) // 2] / 1e6, times[len(times) * 99 // 100] / 1e6, times[-1] / 1e6]
    say({"moves": load.moves, "ms": ms, "reasons": load.reasons, "errors": load.errors, "cut_short": load.cut_short})


async def entrants(port: int, think_s: float, game: str, tokens: dict[str, str]) -> None:
    """`players` who go on, and tell their times whenever asked."""
    load = Players(game, think_s)
    await load.join(port, tokens)
    say("playing")
    stopped = stop_event()
    while True:
        await stopped.wait()
        stopped.clear()
        say(sorted(load.turnaround))
        load.turnaround.clear()


class Visitor:
    """The page of a tournament: watches it and, after news, asks again for what it shows (`pages/tournament.js`)."""

    SOON_S, APART_S = 1.0, 3.0

    def __init__(self, port: int, number: int, tournament: str, took: dict[str, list[float]]) -> None:
        self.port, self.address, self.took = port, f"127.0.1.{1 + number % HOUSES}", took
        self.base = f"/api/v1/tournaments/{tournament}"
        self.shows = ("standings", "schedule?limit=100&round=1", "crosstable?limit=40", f"schedule?player=p{number}")[
            number % 4
        ]
        self.news = asyncio.Event()

    async def look(self) -> None:
        topic = f"tournament:{self.base.rpartition('/')[2]}"
        watching = await connect(self.port, "/watch", lambda *_: self.news.set(), self.address)
        watching.send(msgpack.packb({"type": "watch", "topic": topic}))
        while True:
            await self.news.wait()
            await asyncio.sleep(random.uniform(0.5, 1.5) * self.SOON_S)
            self.news.clear()
            for path in (self.base, f"{self.base}/{self.shows}"):
                await self.get(path)
            await asyncio.sleep(self.APART_S)

    async def get(self, path: str) -> None:
        began = time.monotonic()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(self.address, 0))
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = await reader.read(-1)
        writer.close()
        status = answer.partition(b"\r\n")[0].decode()
        what = path.removeprefix(self.base).partition("?")[0] or "/"
        self.took.setdefault(what if " 200 " in status else status, []).append(time.monotonic() - began)


async def visitors(port: int, count: int, tournament: str) -> None:
    took: dict[str, list[float]] = {}
    looking = [asyncio.create_task(Visitor(port, number, tournament, took).look()) for number in range(count)]
    say("looking")
    await stop_event().wait()
    say({what: [len(times), statistics.median(times), max(times)] for what, times in took.items()})
    for each in looking:
        each.cancel()


async def watchers(port: int, count: int) -> None:
    """Half watch the lobby; all watch a match, and switch to another when it may be over."""
    seen: Counter[str] = Counter()
    matches: list[str] = []

    def look(_: Socket, payload: bytes) -> None:
        seen["frames"] += 1
        seen["bytes"] += len(payload)

    def guide(_: Socket, payload: bytes) -> None:
        event = msgpack.unpackb(payload).get("event", {})
        if event.get("type") == "snapshot":
            matches[:] = [each["match"] for each in event["matches"]]
        elif event.get("type") == "match_start":
            matches.append(event["match"])
            del matches[:-100]

    def watch(socket: Socket, topic: str, kind: str = "watch") -> None:
        socket.send(msgpack.packb({"type": kind, "topic": topic}))

    watch(await connect(port, "/watch", guide, "127.0.0.1"), "lobby")
    sockets = [await connect(port, "/watch", look, f"127.0.1.{1 + number % HOUSES}") for number in range(count)]
    for each in sockets[::2]:
        watch(each, "lobby")
    say("watching")
    watched: dict[Socket, str] = {}
    stopped = stop_event()
    while not stopped.is_set():
        for socket in sockets:
            if matches:
                if socket in watched:
                    watch(socket, watched[socket], "unwatch")
                watched[socket] = f"match:{random.choice(matches)}"
                watch(socket, watched[socket])
            await asyncio.sleep(10 / len(sockets))
        if not sockets:
            await stopped.wait()
    lost = sum(socket.transport.is_closing() for socket in sockets)
    say({"connected": len(sockets) - lost, "lost": lost, "frames": seen["frames"], "bytes": seen["bytes"]})


async def audience(port: int, count: int, at_once: int) -> None:
    """Spread the watchers over a number of matches; move them to others when theirs end."""
    seen: Counter[str] = Counter()
    live: dict[str, None] = {}
    halls: list[list[Socket]] = [[] for _ in range(at_once)]
    shown: list[str | None] = [None] * at_once

    def look(_: Socket, payload: bytes) -> None:
        message = msgpack.unpackb(payload)
        if message["type"] == "error":
            seen["refused"] += 1
            return
        seen["frames"] += 1
        seen[message["event"]["type"]] += 1

    def guide(_: Socket, payload: bytes) -> None:
        seen["frames"] += 1  # it watches, too, and costs the server as much
        event = msgpack.unpackb(payload).get("event", {})
        if event.get("type") == "snapshot":
            live.update(dict.fromkeys(each["match"] for each in event["matches"]))
        elif event.get("type") == "match_start":
            live[event["match"]] = None
        elif event.get("type") == "match_end":
            live.pop(event["match"], None)
        for hall, match in enumerate(shown):
            if match not in live:
                begin(hall)

    def begin(hall: int) -> None:
        """Watch the newest unwatched match, or else any."""
        free = next((match for match in reversed(live) if match not in shown), next(reversed(live), None))
        before, shown[hall] = shown[hall], free
        for each in halls[hall]:
            if before is not None:
                each.send(msgpack.packb({"type": "unwatch", "topic": f"match:{before}"}))
            if free is not None:
                each.send(msgpack.packb({"type": "watch", "topic": f"match:{free}"}))

    for number in range(count):
        address = f"127.0.1.{1 + number % HOUSES}"
        halls[number % at_once].append(await connect(port, "/watch", look, address))
    lobby = await connect(port, "/watch", guide, "127.0.0.1")
    lobby.send(msgpack.packb({"type": "watch", "topic": "lobby"}))
    await asyncio.sleep(2)
    say("watching")
    stopped = stop_event()
    for _ in ("until it counts", "while it counts"):
        seen.clear()
        await stopped.wait()
        stopped.clear()
        lost = sum(socket.transport.is_closing() for hall in halls for socket in hall)
        say({"lost": lost, **seen})


async def readers(port: int, count: int) -> None:
    """Connect, and do with what comes what `audience` does."""

    def look(_: Socket, payload: bytes) -> None:
        msgpack.unpackb(payload)

    sockets = [await connect(port, "/", look, f"127.0.1.{1 + number % HOUSES}") for number in range(count)]
    say("reading")
    await stop_event().wait()
    for socket in sockets:
        socket.transport.abort()


def stop_event() -> asyncio.Event:
    """Return an event that is set on SIGINT."""
    event = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, event.set)
    return event


class Attackers:
    """Each method is one attack, at a rate that leaves a single machine room for the players."""

    def __init__(self, bots: int, web: int) -> None:
        self.bots, self.web = bots, web
        self.done: Counter[str] = Counter()
        self._houses = 0

    def _address(self) -> str:
        self._houses += 1
        return f"127.0.2.{1 + self._houses % HOUSES}"

    async def silent(self) -> None:
        """Open a connection to the web port and stay silent; open another when it is cut."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.web, local_addr=(self._address(), 0))
        self.done["silent web connections"] += 1
        try:
            await reader.read()
        finally:
            writer.close()
        await asyncio.sleep(1)

    async def old_matches(self) -> None:
        """Watch and unwatch matches that are over."""
        async with httpx.AsyncClient() as client:
            answer = await client.get(f"http://127.0.0.1:{self.web}/api/v1/matches", params={"limit": 200})
        old = [match["match"] for match in answer.json()["matches"] if not match["live"]]
        socket = await connect(self.bots, "/watch", lambda _, __: None, self._address())
        for match in random.sample(old, min(len(old), 100)):
            if socket.transport.is_closing():
                break
            for kind in ("watch", "unwatch"):
                socket.send(msgpack.packb({"type": kind, "topic": f"match:{match}"}))
            self.done["old matches watched"] += 1
            await asyncio.sleep(0.02)
        socket.transport.abort()
        await asyncio.sleep(0.1)

    async def guess(self) -> None:
        """Try an invalid token."""
        socket = await connect(self.bots, "/play", lambda _, __: None, self._address())
        socket.send(msgpack.packb({"type": "hello", "token": random.randbytes(16).hex(), "client": "x"}))
        self.done["tokens guessed"] += 1
        await asyncio.sleep(0.05)
        socket.transport.abort()

    async def storm(self) -> None:
        """Drop the connection as soon as it is established."""
        socket = await connect(random.choice((self.bots, self.web)), "/watch", lambda _, __: None, self._address())
        socket.transport.abort()
        self.done["connections cut"] += 1
        await asyncio.sleep(0.05)

    async def garbage(self) -> None:
        """Send frames of nonsense, then bytes that aren't frames."""
        socket = await connect(self.bots, random.choice(("/play", "/watch")), lambda _, __: None, self._address())
        for _ in range(20):
            socket.transport.write(frame(random.randbytes(random.randrange(120))))
            self.done["frames of garbage"] += 1
        await asyncio.sleep(0.2)
        socket.transport.write(random.randbytes(4000))
        await asyncio.sleep(0.2)
        socket.transport.abort()

    async def forever(self, attack: Callable[[], Awaitable[None]]) -> None:
        """Repeat an attack; back off briefly when the server refuses."""
        while True:
            try:
                await attack()
            except (OSError, RuntimeError, TimeoutError, httpx.HTTPError):
                self.done["refused"] += 1
                await asyncio.sleep(0.5)


async def attackers(bots: int, web: int) -> None:
    crowd = Attackers(bots, web)
    plan = ((crowd.silent, 300), (crowd.old_matches, 20), (crowd.guess, 2), (crowd.storm, 2), (crowd.garbage, 2))
    tasks = [asyncio.create_task(crowd.forever(attack)) for attack, count in plan for _ in range(count)]
    await stop_event().wait()
    say(crowd.done)
    for task in tasks:
        task.cancel()


class Sink(asyncio.Protocol):
    """Answers whatever is sent with next to nothing, at next to no cost."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, _data: bytes) -> None:
        self.transport.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        self.transport.close()


async def sink(port: int) -> None:
    listening = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", port)
    say(listening.sockets[0].getsockname()[1])
    await listening.serve_forever()


if __name__ == "__main__":
    kind, first, *rest = sys.argv[1:]
    secrets = json.load(sys.stdin)
    if kind == "players":
        asyncio.run(players(int(first), float(rest[0]), rest[1], float(rest[2]), secrets))
    elif kind == "watchers":
        asyncio.run(watchers(int(first), int(rest[0])))
    elif kind == "entrants":
        asyncio.run(entrants(int(first), float(rest[0]), "".join(rest[1:]), secrets))
    elif kind == "visitors":
        asyncio.run(visitors(int(first), int(rest[0]), rest[1]))
    elif kind == "readers":
        asyncio.run(readers(int(first), int(rest[0])))
    elif kind == "sink":
        asyncio.run(sink(int(first)))
    elif kind == "audience":
        asyncio.run(audience(int(first), int(rest[0]), int(rest[1])))
    else:
        asyncio.run(attackers(int(first), int(rest[0])))
