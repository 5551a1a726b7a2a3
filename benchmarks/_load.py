"""Load for the server benchmarks: players that answer at once, as cheaply as Python can.

Speaks RFC 6455 by hand (unfragmented frames, a zero mask) to keep the load cheap compared with the server. Runs in its
own process and prints one JSON line: moves, seconds, turnaround times in ns.

    python -m benchmarks._load PORT MATCHES SECONDS
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any, cast

import msgpack


def frame(payload: bytes) -> bytes:
    """A masked binary frame; a zero mask leaves the payload unchanged."""
    size = len(payload)
    head = bytes((0x82, 0x80 | size)) if size < 126 else bytes((0x82, 0xFE)) + size.to_bytes(2, "big")
    return head + b"\0\0\0\0" + payload


class Socket(asyncio.Protocol):
    """A WebSocket client that passes every binary payload to `receive`."""

    def __init__(self, path: str, receive: Callable[[Socket, bytes], None]) -> None:
        self.path, self.receive = path, receive
        self.buffer = b""
        self.open = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(
            f"GET {self.path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def send(self, payload: bytes) -> None:
        self.transport.write(frame(payload))

    def pong(self, payload: bytes) -> None:
        self.transport.write(bytes((0x8A, 0x80 | len(payload))) + b"\0\0\0\0" + payload)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.open.done():
            head, end, rest = self.buffer.partition(b"\r\n\r\n")
            if not end:
                return
            if b" 101 " not in head:
                self.open.set_exception(RuntimeError(head.decode()))
                return
            self.buffer = rest
            self.open.set_result(None)
        while len(self.buffer) >= 2:
            opcode, size, start = self.buffer[0] & 15, self.buffer[1], 2
            if size == 126:
                size, start = int.from_bytes(self.buffer[2:4], "big"), 4
            elif size == 127:
                size, start = int.from_bytes(self.buffer[2:10], "big"), 10
            if len(self.buffer) < start + size:
                return
            payload, self.buffer = self.buffer[start : start + size], self.buffer[start + size :]
            if opcode == 9:
                self.pong(payload)
            elif opcode in (1, 2):
                self.receive(self, payload)


class Load:
    """Pairs of players; the first of each pair challenges the second again after every match."""

    def __init__(self) -> None:
        self.moves = 0
        self.turnaround: list[int] = []
        self.sent: dict[str, int] = {}
        self.random = random.Random(1)
        self.welcome: asyncio.Queue[str] = asyncio.Queue()
        self.rivals: dict[Socket, str] = {}

    def receive(self, socket: Socket, payload: bytes) -> None:
        now = time.monotonic_ns()
        message = msgpack.unpackb(payload)
        kind = message["type"]
        if kind == "turn":
            match = message["match"]
            if match in self.sent:
                self.turnaround.append(now - self.sent[match])
                self.moves += 1
            self.answer(socket, message)
        elif kind == "match_start":
            socket.send(msgpack.packb({"type": "ready", "match": message["match"]}))
        elif kind == "match_end":
            self.sent.pop(message["match"], None)
            if socket in self.rivals:
                # The final action was refereed like the others, but no turn follows it.
                self.moves += message["reason"] == "rules"
                self.challenge(socket)
        elif kind == "welcome":
            self.welcome.put_nowait(message["player"])
        elif kind == "error":
            raise RuntimeError(message["message"])

    def answer(self, socket: Socket, turn: dict[str, Any]) -> None:
        match, action = turn["match"], self.random.choice(turn["legal"])
        self.sent[match] = time.monotonic_ns()
        socket.send(msgpack.packb({"type": "action", "match": match, "ply": turn["ply"], "action": action}))

    def challenge(self, socket: Socket) -> None:
        socket.send(
            msgpack.packb({"type": "challenge", "game": "connect4", "opponent": self.rivals[socket], "seat": None})
        )


async def main(port: int, matches: int, seconds: float) -> None:
    load = Load()
    loop = asyncio.get_running_loop()
    firsts = []
    for index in range(matches):
        pair = []
        for side in "ab":
            _, socket = await loop.create_connection(lambda: Socket("/play", load.receive), "127.0.0.1", port)
            await socket.open
            socket.send(msgpack.packb({"type": "hello", "token": "", "name": f"{side}{index}", "client": "bench"}))
            pair.append((socket, await load.welcome.get()))
        load.rivals[pair[0][0]] = pair[1][1]
        firsts.append(pair[0][0])
    for socket in firsts:
        load.challenge(socket)
    await asyncio.sleep(seconds / 5)  # warm-up, not counted
    print("go", flush=True)
    load.moves, started = 0, time.monotonic()
    load.turnaround.clear()
    await asyncio.sleep(seconds)
    took = time.monotonic() - started
    times = sorted(load.turnaround) or [0]
    p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
    print(json.dumps({"moves": load.moves, "seconds": took, "p50": p50, "p99": p99}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
