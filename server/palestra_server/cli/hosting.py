"""A server with its web port, for as long as a command needs it, and the signals that end it."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from palestra_server.gateway import GatewayError
from palestra_server.runtime import RosterError, Server, Settings
from palestra_server.store import StoreError
from palestra_server.web import (
    COOKIE_KEY,
    TEACHER_KEY,
    KeyFileError,
    PortBusy,
    WebServer,
    create_app,
    kept_key,
    listen,
)

HostingErrors = (GatewayError, StoreError, PortBusy, RosterError, KeyFileError)
"""What can keep a server from starting; the text of each is one sentence for the user."""

STOPPING = (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))


@asynccontextmanager
async def hosting(settings: Settings) -> AsyncIterator[tuple[Server, WebServer]]:
    """Raises one of `HostingErrors` when something is in the way; closes everything in any case."""
    with listen(settings.host, settings.web_port) as listening:
        admin_key, cookie_key = keys(settings)
        server = await Server.open(settings)
        web = WebServer(create_app(server, admin_key=admin_key, cookie_key=cookie_key), listening, server.opened)
        try:
            yield server, web
        finally:
            # First the referee, whose clients wait for 1001; the page may go last.
            await server.close()
            await web.close()


def keys(settings: Settings) -> tuple[str, str]:
    """The teacher's key and the one that signs cookies. Raises KeyFileError."""
    given = settings.admin_key
    admin_key = kept_key(settings.data / TEACHER_KEY) if given is None else given.get_secret_value()
    return admin_key, kept_key(settings.data / COOKIE_KEY)


def address(host: str, port: int, scheme: str = "ws") -> str:
    """An address that another machine can use: a server on all interfaces is named by its own address."""
    shown = own_address() if host in ("0.0.0.0", "::") else host
    return f"{scheme}://[{shown}]:{port}" if ":" in shown else f"{scheme}://{shown}:{port}"


def own_address() -> str:
    """This machine's address in its network, or 127.0.0.1 without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: connecting a datagram socket only asks the routing table (192.0.2.0/24 is RFC 5737's).
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def stop_on_signals() -> asyncio.Event:
    """An event that SIGINT, SIGTERM and SIGHUP set."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in STOPPING:
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
    return stop
