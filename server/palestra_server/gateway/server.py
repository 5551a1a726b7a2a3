"""The listening socket, the limits, and the orderly end."""

from __future__ import annotations

from dataclasses import dataclass

from palestra_protocol import limits

from palestra_server.gateway.hub import Hub
from palestra_server.gateway.peer import Runtime
from palestra_server.gateway.sessions import Authenticator, SessionBook


class GatewayError(Exception):
    """The gateway cannot be opened; the text is one clear sentence."""


@dataclass(frozen=True)
class GatewaySettings:
    """Intervals in seconds, sizes in bytes. The defaults are the protocol's."""

    guests: bool = False
    server_name: str = "palestra"
    ping_s: float = limits.PING_S
    silence_s: float = limits.SILENCE_S
    hello_s: float = limits.HELLO_S
    close_s: float = 2.0
    max_connections: int = 1000
    write_buffer: int = 1 << 20


@dataclass
class Counts:
    """Totals since the start, for metrics; `connections`, `players` and `watchers` are present numbers."""

    connections: int = 0
    players: int = 0
    watchers: int = 0
    accepted: int = 0
    frames_in: int = 0
    frames_out: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    rejected: int = 0
    dropped_silent: int = 0
    dropped_slow: int = 0
    dropped_flooding: int = 0


class Gateway:
    """A listening gateway."""

    port: int
    counts: Counts
    hub: Hub

    async def close(self, code: int = 1001, reason: str = "The server is going away.") -> None:
        """Stop listening, close every connection with `code`, wait (bounded) until they are gone."""
        raise NotImplementedError


async def serve_gateway(
    host: str,
    port: int,
    runtime: Runtime,
    *,
    authenticator: Authenticator,
    sessions: SessionBook,
    hub: Hub,
    settings: GatewaySettings | None = None,
) -> Gateway:
    """Listen on host:port (0 picks a free one, see `Gateway.port`); raises GatewayError.

    The same function serves `/play` and `/watch`. To be run in a loop made by `new_event_loop`
    (`asyncio.Runner(loop_factory=new_event_loop)`); in any other loop arrival times are still right where the
    kernel stamps them.
    """
    raise NotImplementedError
