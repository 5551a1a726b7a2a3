"""Between a connection and the rest of the gateway: who owns it, and what it shares with the others."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from palestra_server.gateway.settings import Counts, GatewaySettings
from palestra_server.gateway.sockets import StampedSocket
from palestra_server.gateway.stall import StallWatcher
from palestra_server.gateway.stamps import Arrival, Arrivals

if TYPE_CHECKING:
    from palestra_server.gateway.connection import Connection


class Owner(Protocol):
    """Who a connection belongs to, from the end of its handshake."""

    def message(self, payload: bytes, binary: bool, arrival: Arrival) -> None:
        """A whole message. May send and close; must not raise."""

    def ended(self, left_at: int) -> None:
        """The connection is over or is being closed. Called once, and nothing after it. Must not raise.

        `left_at` (ns of `time.monotonic_ns`): see `peer.Peer.left_at`.
        """


class Porter(Protocol):
    """Who finds an owner for a new connection."""

    def opened(self, connection: Connection, path: str) -> Owner:
        """The handshake is done; `path` is one that `handshake.answer` let pass."""


@dataclass(frozen=True)
class Shared:
    """What all connections of a gateway have in common."""

    porter: Porter
    settings: GatewaySettings
    counts: Counts
    accepted: dict[int, StampedSocket]
    """See `StampedListener`."""
    arrivals: Arrivals
    watcher: StallWatcher | None
    connections: set[Connection]
    deserted: asyncio.Event
    """Set while there is no connection."""
    buffer: memoryview
    """READ_BYTES that every connection reads into: what was read is copied out before anything else can read."""
