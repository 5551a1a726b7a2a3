"""The gateway's settings and counters."""

from __future__ import annotations

from dataclasses import dataclass

from palestra_protocol import limits


@dataclass(frozen=True)
class GatewaySettings:
    """Intervals in seconds, sizes in bytes. The defaults are the protocol's."""

    guests: bool = False
    """Whether to admit a `hello` with a name but no token."""
    server_name: str = "palestra"
    """Said in `welcome`."""
    ping_s: float = limits.PING_S
    silence_s: float = limits.SILENCE_S
    spectators_patience: float = limits.SPECTATORS_PATIENCE
    """How many times as long both are for a connection to /watch."""
    hello_s: float = limits.HELLO_S
    """Time limit for the handshake, and again from its end to `hello`."""
    close_s: float = 2.0
    """How long the other side may take to close its end before the connection is cut."""
    max_strangers: int = 512
    """Connections without a `hello` so far; beyond that, the oldest of the busiest address is dropped."""
    max_watchers: int = 1500
    max_guests: int = 500
    max_requests: int = 512
    """Connections to the web port for pages, not WebSockets."""
    max_per_address: int = 400
    """Watchers, and guests, from one address: a school may sit behind one."""
    write_buffer: int = 1 << 20
    """A connection with more than this unread is dropped (a watcher is skipped long before)."""
    site: str | None = None
    """The server's public URL, if it has one."""
    page_port: int | None = None
    """The web port, if there is one; told with the page's address."""
    origins: tuple[str, ...] = ()
    """Origins of web pages elsewhere that may connect, such as "https://school.edu"."""
    proxies: tuple[str, ...] = ("127.0.0.1", "::1")
    """Addresses of reverse proxies whose X-Forwarded-For is trusted."""
    kernel_stamps: bool = True
    """Whether to use the kernel's arrival timestamps where there are any."""


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
    dropped_crowded: int = 0
    """Dropped to make room, or refused for lack of it."""
    throttled: int = 0
