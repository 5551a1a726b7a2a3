"""The gateway's settings and counters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Self

from palestra_protocol import limits
from palestra_server.settings import Settings


@dataclass(frozen=True)
class GatewaySettings:
    """Intervals in seconds, sizes in bytes. The defaults are the protocol's."""

    guests: bool = False  # whether to admit a `hello` with a name but no token
    server_name: str = "palestra"  # sent in `welcome`, as is
    server_id: str | None = None
    ping_s: float = limits.PING_S
    silence_s: float = limits.SILENCE_S
    # How many times as long both are for a connection to /watch.
    spectators_patience: float = limits.SPECTATORS_PATIENCE
    hello_s: float = limits.HELLO_S  # time limit for the handshake, and again from its end to `hello`
    close_s: float = 2.0  # how long the other side may take to close its end before the connection is cut
    # Connections without a `hello` so far; beyond that, the oldest of the busiest address is dropped.
    max_strangers: int = 512
    max_watchers: int = 1500
    max_guests: int = 500
    max_requests: int = 512  # connections to the web port for pages, not WebSockets
    max_per_address: int = 400  # watchers, and guests, from one address: it may be a whole school's
    write_buffer: int = 1 << 20  # a connection with more than this unread is dropped (a watcher is skipped long before)
    site: str | None = None  # the server's public URL, if it has one
    nodes: Callable[[], tuple[str, ...]] = tuple  # where bots find this server, if it has several machines
    advertise: str | None = None  # where they find this one, if it has a name of its own
    run: str | None = None  # what differs at each start of a machine, sent with each handshake
    page_port: int | None = None  # the web port, if there is one; sent with the page's address
    origins: tuple[str, ...] = ()  # origins of other web pages that may connect, such as "https://school.edu"
    proxies: tuple[str, ...] = ("127.0.0.1", "::1")  # addresses of reverse proxies whose X-Forwarded-For is trusted

    @classmethod
    def of(cls, settings: Settings, **own: Any) -> Self:
        """As the server's settings say, where they say it, and with values of its own."""
        names = {each.name for each in fields(cls)} & Settings.model_fields.keys()
        return cls(**{name: getattr(settings, name) for name in names}, **own)


@dataclass(slots=True)
class Counts:
    """Totals since the start, for metrics; `connections`, `players` and `watchers` are current numbers."""

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
    dropped_crowded: int = 0  # dropped to make room, or refused for lack of it
    throttled: int = 0
