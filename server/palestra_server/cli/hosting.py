"""A server with its web port, for as long as a command needs it, and the signals that end it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

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
    write_private,
)
from palestra_server.web.addresses import address as address
from palestra_server.web.addresses import local_address

HostingErrors = (GatewayError, StoreError, PortBusy, RosterError, KeyFileError)
"""What can keep a server from starting; the text of each is one sentence for the user."""

ADDRESS_FILE = "server.json"
"""In the data folder while a server runs: where commands find it, and the key."""

SWITCH_S = 0.0002
"""How long a thread that computes keeps the interpreter when another wants it. The loop gives it away at every system
call; by Python's default it would get it back 5 ms later whenever a snapshot, an export or a listing is being made."""

STOPPING = (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))


@asynccontextmanager
async def hosting(settings: Settings) -> AsyncIterator[tuple[Server, WebServer]]:
    """Raises one of `HostingErrors` when something is in the way; closes everything in any case."""
    with switching_quickly(), listen(settings.host, settings.web_port) as listening:
        admin_key, cookie_key = keys(settings)
        server = await Server.open(settings)
        app = create_app(server, admin_key=admin_key, cookie_key=cookie_key, port=listening.getsockname()[1])
        web = WebServer(app, listening, server.opened)
        try:
            with announced(settings.data, local_address(settings, web.port), admin_key):
                yield server, web
        finally:
            # First the referee, whose clients wait for 1001; the page may go last.
            await server.close()
            await web.close()


@contextmanager
def switching_quickly() -> Iterator[None]:
    """The loop never waits long for a thread that computes."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def keys(settings: Settings) -> tuple[str, str]:
    """The teacher's key and the one that signs cookies. Raises KeyFileError."""
    with contextlib.suppress(OSError):  # the store says it better
        settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    given = settings.admin_key
    admin_key = kept_key(settings.data / TEACHER_KEY) if given is None else given.get_secret_value()
    return admin_key, kept_key(settings.data / COOKIE_KEY)


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


@contextmanager
def announced(data: Path, url: str, key: str) -> Iterator[None]:
    """While this lasts, commands find the server that runs on this folder."""
    path = data / ADDRESS_FILE
    write_private(path, json.dumps({"url": url, "key": key}) + "\n")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
