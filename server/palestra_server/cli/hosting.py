"""A server with its web port, for as long as a command needs it, and the signals that end it."""

from __future__ import annotations

import asyncio
import gc
import hmac
import importlib
import json
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from palestra_server.cli.logs import only_warnings
from palestra_server.gateway import GatewayError, StampedListener, bind
from palestra_server.names import shapes
from palestra_server.runtime import House
from palestra_server.runtime.machines import Machines
from palestra_server.runtime.reference import keep_running
from palestra_server.settings import ADDRESS_FILE, Settings
from palestra_server.store import lock_folder
from palestra_server.supervision import Supervisor
from palestra_server.web.addresses import local_address
from palestra_server.web.keys import COOKIE_KEY, TEACHER_KEY, KeyFileError, kept_key, write_private

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from palestra_server.web.serving import WebServer

# A computing thread gives up the GIL after this long. The loop releases it at every system call; with Python's default
# it would wait 5 ms to get it back during a snapshot, an export or a listing.
SWITCH_S = 0.0002
# A collection that takes longer has gone through some 30,000 objects.
LONG_S = 0.003
# What ends in a cycle once it is exempt is never collected, and every connection does (its transport refers to itself).
# So more is only exempted if it is a quarter of what is exempt already, which happens a few times.
SHARE: Final = 4


@asynccontextmanager
async def hosting(settings: Settings) -> AsyncIterator[tuple[House, WebServer]]:
    """Raises ForPeople if the server can't start; always closes everything."""
    admin_key, _ = keys(settings)
    # A folder in use is said first: the same server's port is busy, too.
    lock_folder(settings.data).close()
    with listen(settings.host, settings.web_port) as listening:
        async with refereeing(settings, listening) as (server, web):
            with announced(settings.data, local_address(settings, web.port), admin_key):
                yield server, web


@asynccontextmanager
async def refereeing(
    settings: Settings,
    listening: list[StampedListener],
    machines: Machines | None = None,
    sockets: Sequence[StampedListener] = (),
) -> AsyncIterator[tuple[House, WebServer]]:
    """`listening`: the web port; `machines`: those that share the database; `sockets`: for bots, if they are open
    already. Raises ForPeople.
    """
    admin_key, cookie_key = keys(settings)
    with short_switch_interval():
        web_port = listening[0].getsockname()[1]
        supervisor = await Supervisor.open()
        server: House | None = None
        web: WebServer | None = None
        try:
            with interruptible():
                server = await House.open(settings, web_port, supervisor, machines, sockets)
            await asyncio.to_thread(load_page)
            from palestra_server.web.app import create_app
            from palestra_server.web.pacing import Threads
            from palestra_server.web.serving import WebServer

            app = create_app(server, admin_key=admin_key, cookie_key=cookie_key, port=web_port)
            asyncio.get_running_loop().set_default_executor(Threads())
            web = WebServer(app, listening, server.opened, supervisor, lambda: bool(server.playing.matches))
            if settings.judge:
                _start_judge(settings, web.port, admin_key, supervisor)
            with garbage_collector_frozen():
                yield server, web
        finally:
            # The referee first, since its clients wait for 1001; the page may go last.
            if server is not None:
                await server.close()
            if web is not None:
                await web.close()
            await supervisor.close()


@contextmanager
def listen(host: str, port: int) -> Iterator[list[StampedListener]]:
    """Sockets for the page, taken before anything else is opened: early clients wait in their queues. Raises
    GatewayError.

    Not left to uvicorn, which ends the whole process when a port is busy.
    """
    with ExitStack() as stack:
        try:
            listening = [stack.enter_context(each) for each in bind(host, port)]
            for each in listening:
                each.listen()
        except socket.gaierror as error:
            message = f"This machine has no address {host!r} ({error.strerror}); give another --host."
            raise GatewayError(message) from error
        except OSError as error:
            message = (
                f"The page cannot use port {port} on {host} ({error.strerror}); choose another one with --web-port."
            )
            raise GatewayError(message) from error
        yield listening


def _start_judge(settings: Settings, port: int, key: str, supervisor: Supervisor) -> None:
    address, log_file = local_address(settings, port), settings.data / "judge.log"
    keep = partial(keep_running, "judge", address, {"PALESTRA_ADMIN_KEY": key}, log_file)
    supervisor.keep("judge", supervisor, keep)


def load_page() -> None:
    # What the page and the standings need takes as long to import as everything else; bots play meanwhile.
    for name in ("palestra_server.web.app", "palestra_server.web.serving", "palestra_tournament.davidson", "rustworkx"):
        importlib.import_module(name)
    importlib.import_module("palestra_server.web.assets").read_assets()
    shapes("")  # what names look like takes 0.1 s to read, which the first who connects would wait for


@contextmanager
def garbage_collector_frozen(cpu_s: Callable[[], float] = time.thread_time) -> Iterator[None]:
    """Exempts from garbage collection what is loaded now, and later whatever much more a collection was long about:
    traversing a tournament of 300 takes 0.1 s again and again, triggered by an arriving crowd.
    """
    began_s = 0.0

    def watch(phase: str, about: dict[str, int]) -> None:
        nonlocal began_s
        if phase == "start":
            began_s = cpu_s()
            return
        was_long = about["generation"] == 2 and cpu_s() - began_s > LONG_S
        if was_long and SHARE * len(gc.get_objects(2)) > gc.get_freeze_count():
            gc.freeze()  # all of it is in use: what was not has just been collected

    gc.freeze()
    gc.callbacks.append(watch)
    try:
        yield
    finally:
        gc.callbacks.remove(watch)
        gc.unfreeze()


@contextmanager
def short_switch_interval() -> Iterator[None]:
    """Keeps the loop from waiting long for a computing thread."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def keys(settings: Settings) -> tuple[str, str]:
    """The teacher's key and the key that signs cookies. Raises KeyFileError."""
    try:
        settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        why = "is a file" if settings.data.is_file() else f"can't be made ({error.strerror})"
        raise KeyFileError(f"The data folder {settings.data} {why}: name another with --data.") from None
    given = settings.admin_key
    admin_key = kept_key(settings.data / TEACHER_KEY) if given is None else given.get_secret_value()
    if given is not None and settings.node is not None:  # a visitor stays logged in when another node takes over
        return admin_key, hmac.digest(admin_key.encode(), b"palestra cookies", "sha256").hex()
    return admin_key, kept_key(settings.data / COOKIE_KEY)


_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interruptible() -> Iterator[None]:
    """Signals raise KeyboardInterrupt in here, even while the loop's thread waits, such as for a database."""
    ours = _SIGNALS if threading.current_thread() is threading.main_thread() else ()
    before = [(number, signal.signal(number, signal.default_int_handler)) for number in ours]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def stop_on_signals() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, stop.set)
    return stop


@contextmanager
def announced(data: Path, url: str, key: str) -> Iterator[None]:
    """Lets commands find the server running on this folder. Raises KeyFileError."""
    path = data / ADDRESS_FILE
    try:
        write_private(path, json.dumps({"url": url, "key": key}) + "\n")
    except OSError as error:
        raise KeyFileError(f"The file {path} can't be written ({error.strerror}): make room for it.") from None
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def open_folder(stack: ExitStack, runner: asyncio.Runner, settings: Settings) -> tuple[ASGIApp, str]:
    """The API on a data folder that no server is using, in this process, and the teacher's key; closing `stack`
    releases the folder. Raises ForPeople.
    """
    from palestra_server.web.app import create_app

    stack.enter_context(only_warnings())
    admin_key, cookie_key = keys(settings)
    server = runner.run(House.offline(settings))
    stack.callback(lambda: runner.run(server.close()))
    return create_app(server, admin_key=admin_key, cookie_key=cookie_key), admin_key
