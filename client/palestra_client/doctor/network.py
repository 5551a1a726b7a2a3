"""The connection to a server: its latency and jitter, and how much time they leave for a move."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from palestra_client.address import watch_url
from palestra_client.connection import OPEN_S, no_connection
from palestra_client.page import NoAnswer
from palestra_protocol import limits

PINGS = 40
PAUSE_S = 0.1
MARGIN_MS = 50.0  # safety margin on any connection: the bot's own machine may be busy for a moment


@dataclass(frozen=True, slots=True)
class Line:
    """Round-trip times to a server in milliseconds, ascending."""

    round_trips_ms: tuple[float, ...]

    @property
    def median_ms(self) -> float:
        return self.round_trips_ms[len(self.round_trips_ms) // 2]

    @property
    def worst_ms(self) -> float:
        return self.round_trips_ms[-1]

    @property
    def jitter_ms(self) -> float:
        """The spread of the middle 90%."""
        count = len(self.round_trips_ms)
        return self.round_trips_ms[count * 19 // 20] - self.round_trips_ms[count // 20]

    def stop_at_s(self, move_ms: float) -> float:
        """When to stop thinking, in seconds from the start of the turn, rounded down to a multiple of 0.05.

        The server's clock runs from sending the turn until the answer arrives, so a move is charged one round trip,
        less the grace period.
        """
        beyond_ms = max(0.0, self.worst_ms + self.jitter_ms - limits.GRACE_MS)
        return max(0, int((move_ms - MARGIN_MS - beyond_ms) / 50)) / 20

    def lines(self, move_ms: float) -> list[str]:
        return [
            f"{len(self.round_trips_ms)} round trips: half within {self.median_ms:.1f} ms, the slowest "
            f"{self.worst_ms:.1f} ms; they vary by {self.jitter_ms:.1f} ms.",
            f"From here you should stop thinking at {self.stop_at_s(move_ms):.2f} s "
            f"of the {move_ms / 1000:.1f} s for a move.",
        ]


async def measure(url: str, pings: int = PINGS, pause_s: float = PAUSE_S) -> Line:
    """Ping the server at this address (ws://HOST:PORT/play). Raises NoAnswer."""
    taken: list[float] = []
    try:
        async with connect(watch_url(url), compression=None, open_timeout=OPEN_S) as websocket:
            for _ in range(pings):
                taken.append(1000 * await (await websocket.ping()))
                await asyncio.sleep(pause_s)
    except (OSError, WebSocketException) as error:
        raise NoAnswer(no_connection(url, error)) from None
    return Line(tuple(sorted(taken)))
