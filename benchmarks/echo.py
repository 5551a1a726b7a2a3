"""One echoed frame of 60 bytes: CPU time of this gateway's connection beside that of `websockets.asyncio.server`.

Each server runs in a process of its own, the same client in this one; the two take turns, so that a change of the
machine's mood hits both. What counts is the CPU time of the server process (user and system) for one round trip.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable
from multiprocessing.connection import Connection as Pipe

ROUNDS = 5
ROUND_TRIPS = 5000
BYTES = 60


def gateway_server(pipe: Pipe) -> None:
    from palestra_server.gateway.arrivals.loop import new_event_loop
    from palestra_server.gateway.arrivals.stamps import Arrival
    from palestra_server.gateway.places import build_rooms
    from palestra_server.gateway.settings import Counts, GatewaySettings
    from palestra_server.gateway.websocket.connection import Connection
    from palestra_server.gateway.websocket.listening import listen
    from palestra_server.gateway.websocket.stream import data_frame

    class Echo:
        def __init__(self, connection: Connection) -> None:
            self.connection = connection

        def message(self, payload: bytes, binary: bool, arrival: Arrival) -> None:
            assert arrival.at > 0
            self.connection.send(data_frame(payload, binary))
            self.connection.allow()

        def ended(self, left_at: int) -> None:
            pass

    rooms = build_rooms(8, 8, 8, 8, per_address=8, files=32)

    def handler_for(connection: Connection, path: str) -> Echo:
        assert path == "/play"
        return Echo(connection)

    async def main() -> None:
        listening = await listen("127.0.0.1", 0, handler_for, rooms, GatewaySettings(), Counts())
        await _report(pipe, listening.port)

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main())


def websockets_server(pipe: Pipe) -> None:
    from websockets.asyncio.server import ServerConnection, serve

    async def echo(connection: ServerConnection) -> None:
        async for message in connection:
            await connection.send(message)

    async def main() -> None:
        async with serve(echo, "127.0.0.1", 0, compression=None, max_size=4096) as server:
            await _report(pipe, server.sockets[0].getsockname()[1])

    asyncio.run(main())


async def _report(pipe: Pipe, port: int) -> None:
    """Tell the port, then the CPU time used so far whenever asked, until told to stop."""
    pipe.send(port)
    asked = asyncio.Event()
    asyncio.get_running_loop().add_reader(pipe.fileno(), asked.set)
    while True:
        await asked.wait()
        asked.clear()
        if not pipe.poll():
            continue  # the loop has told twice of one question
        if not pipe.recv():
            return
        pipe.send(time.process_time())


async def round_trips(port: int, count: int, payload: bytes) -> None:
    """A bare client that costs as little as possible: prepared frames, no parsing."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        b"GET /play HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    await reader.readuntil(b"\r\n\r\n")
    frame = bytes((0x82, 0x80 | len(payload))) + b"\0\0\0\0" + payload
    for _ in range(count):
        writer.write(frame)
        await reader.readexactly(2 + len(payload))
    writer.write(b"\x88\x82\0\0\0\0\x03\xe8")  # close, 1000
    await reader.read()
    writer.close()


def run() -> list[tuple[str, str]]:
    payload = os.urandom(BYTES)
    servers: dict[str, Callable[[Pipe], None]] = {"gateway": gateway_server, "websockets": websockets_server}
    running = {}
    for name, target in servers.items():
        pipe, other = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(target=target, args=(other,))
        process.start()
        other.close()
        running[name] = (process, pipe, pipe.recv())
    costs: dict[str, list[float]] = {name: [] for name in servers}
    for _ in range(ROUNDS):
        for name, (_, pipe, port) in running.items():
            pipe.send(True)
            before = pipe.recv()
            asyncio.run(round_trips(port, ROUND_TRIPS, payload))
            pipe.send(True)
            costs[name].append((pipe.recv() - before) / ROUND_TRIPS * 1e6)
    for process, pipe, _ in running.values():
        pipe.send(False)
        process.join()
    medians = {name: statistics.median(values) for name, values in costs.items()}
    rows = [
        (f"CPU a round trip, {name}", f"{value:.1f} us ({min(costs[name]):.1f} to {max(costs[name]):.1f})")
        for name, value in medians.items()
    ]
    return [*rows, ("ratio", f"{medians['gateway'] / medians['websockets']:.2f}")]
