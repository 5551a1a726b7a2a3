"""What bringing events to sockets costs in any case: a bare asyncio program that sends frames and does nothing else.

    python -m benchmarks._floor COUNT MATCHES EVENT_S SECONDS     # "PORT"; once COUNT are connected, us per frame

As many bytes as an event of a match has, to as many sockets, as often, and gathered as the server gathers them.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Final, cast

import msgpack

from palestra_server.gateway.hub import gather_s
from palestra_server.gateway.websocket import data_frame

FILL: Final = 800
"""An event of mancala has some 880 bytes."""
FRAME: Final = data_frame(msgpack.packb({"type": "event", "event": {"type": "played", "fill": bytes(FILL)}}), True)


class Bare(asyncio.Protocol):
    """Answers any request as if it were a handshake."""

    def __init__(self, transports: asyncio.Queue[asyncio.Transport]) -> None:
        self._transports = transports

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, _: bytes) -> None:
        self._transport.write(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
        self._transports.put_nowait(self._transport)


async def floor(count: int, matches: int, event_s: float, seconds: float) -> None:
    answered: asyncio.Queue[asyncio.Transport] = asyncio.Queue()
    server = await asyncio.get_running_loop().create_server(lambda: Bare(answered), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    transports = [await answered.get() for _ in range(count)]
    halls = [transports[number::matches] for number in range(matches)]
    rounds = max(1, round(event_s / gather_s(count)))
    for measured in (False, True):
        sent, began, cpu = 0, time.monotonic(), time.process_time()
        number = 0
        while time.monotonic() - began < (seconds if measured else 1.0):
            for hall in halls[number % rounds :: rounds]:
                for transport in hall:
                    transport.write(FRAME)
                sent += len(hall)
            number += 1
            await asyncio.sleep(event_s / rounds)
    print(json.dumps(1e6 * (time.process_time() - cpu) / sent), flush=True)


if __name__ == "__main__":
    asyncio.run(floor(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])))
