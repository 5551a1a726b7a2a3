"""The connection to a server: its latency and jitter, and how much time they leave for a move."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from palestra_client.connection import OPEN_S, why_not_connected
from palestra_client.doctor.findings import Report
from palestra_client.effects import Stop

PINGS = 40
PAUSE_S = 0.1
MARGIN_MS = 50.0
"""Safety margin on any connection: the bot's own machine may be busy for a moment."""
WEB_PORT = 8000
"""Default port of a server's page and API."""
POST_S = 10.0
REPORT_MAX = 20_000


class NoLine(Exception):
    """The server can't be reached or refuses the connection; the text is a sentence."""


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

    def stop_at_s(self, move_ms: float = 2000, grace_ms: float = 100) -> float:
        """When to stop thinking, in seconds from the start of the turn, rounded down to a multiple of 0.05.

        The server's clock runs from sending the turn until the answer arrives, so a move is charged one round trip,
        less the grace period.
        """
        beyond_ms = max(0.0, self.worst_ms + self.jitter_ms - grace_ms)
        return max(0, int((move_ms - MARGIN_MS - beyond_ms) / 50)) / 20

    def lines(self, move_ms: float = 2000, grace_ms: float = 100) -> list[str]:
        """The measurements as text."""
        return [
            f"{len(self.round_trips_ms)} round trips: half within {self.median_ms:.1f} ms, the slowest "
            f"{self.worst_ms:.1f} ms; they vary by {self.jitter_ms:.1f} ms.",
            f"From here you should stop thinking at {self.stop_at_s(move_ms, grace_ms):.2f} s "
            f"of the {move_ms / 1000:.1f} s for a move.",
        ]


async def measure(url: str, pings: int = PINGS, pause_s: float = PAUSE_S) -> Line:
    """Ping the server at this address (ws://HOST:PORT/play). Raises NoLine."""
    spectators = url.removesuffix("/play") + "/watch"
    taken: list[float] = []
    try:
        async with connect(spectators, compression=None, open_timeout=OPEN_S) as websocket:
            for _ in range(pings):
                taken.append(1000 * await (await websocket.ping()))
                await asyncio.sleep(pause_s)
    except (OSError, WebSocketException) as error:
        verdict = why_not_connected(url, error, was_there=False)
        why = verdict.sentence if isinstance(verdict, Stop) else f"{url}: {verdict.why}."
        raise NoLine(why) from None
    return Line(tuple(sorted(taken)))


def find_page(url: str, token: str) -> str:
    """Find the address of the server's page, checking that the token is known there. Raises NoLine.

    `url` is the address of the page or of the bots' port.
    """
    why = ""
    for base in _web_addresses(url):
        try:
            _call(f"{base}/api/v1/session", token)
            return base
        except urllib.error.HTTPError as error:
            if (said := _sentence(error)) is not None:
                raise NoLine(said) from None
            why = f"{base} is not the page of a Palestra server (HTTP {error.code})."
        except (OSError, ValueError) as error:
            why = f"{base} does not answer ({getattr(error, 'reason', error)})."
    raise NoLine(f"{why} Give the address of the server's page, such as --server http://HOST:{WEB_PORT}.")


def register(page: str, token: str, report: Report) -> None:
    """Report the result to the server, so that the teacher sees who is ready. Raises NoLine."""
    told = {"games": report.games, "passed": report.passed, "report": "\n".join(report.lines())[:REPORT_MAX]}
    try:
        _call(f"{page}/api/v1/readiness", token, json.dumps(told).encode())
    except urllib.error.HTTPError as error:
        raise NoLine(_sentence(error) or f"{page} has no list of who is ready (HTTP {error.code}).") from None
    except OSError as error:
        raise NoLine(f"{page} does not answer ({getattr(error, 'reason', error)}).") from None


def _call(address: str, token: str, body: bytes | None = None) -> object:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=POST_S) as answer:
        return json.loads(answer.read())


def _web_addresses(url: str) -> Sequence[str]:
    """Candidate addresses of the API: the given one, and the page's usual port."""
    parts = urlsplit(url)
    scheme = "https" if parts.scheme == "wss" else "http"
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    usual = f"{scheme}://{host}:{WEB_PORT}"
    return list(dict.fromkeys([f"{scheme}://{parts.netloc}", usual]))


def _sentence(error: urllib.error.HTTPError) -> str | None:
    """The API's error message; None if the error didn't come from the API."""
    try:
        said = json.loads(error.read())
        return str(said["message"])
    except (ValueError, KeyError, TypeError, OSError):
        return None
