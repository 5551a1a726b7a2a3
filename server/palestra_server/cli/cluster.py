"""`palestra-server serve --node`: one of several machines referees; the others stand by until they are needed."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from typing import TYPE_CHECKING

from palestra_games import game_names
from palestra_server import VERSION
from palestra_server.cli.hosting import announced, hosting, keys, load_page
from palestra_server.cli.output import out
from palestra_server.gateway import GatewaySettings, Relay, stand_by
from palestra_server.runtime import House
from palestra_server.runtime.machines import Machines
from palestra_server.settings import Settings
from palestra_server.store import LeaseHeld, Node, StoreError, lock_folder, open_nodes
from palestra_server.supervision import Supervisor
from palestra_server.web.addresses import bots_address, local_address, page_address
from palestra_server.web.listening import listen

if TYPE_CHECKING:
    from palestra_server.web.serving import WebServer

Greet = Callable[[House, "WebServer"], None]


class CannotStandBy(StoreError):
    """The options do not go together; the text is one sentence."""


async def take_turns(settings: Settings, stop: asyncio.Event, greet: Greet) -> None:
    """Stand by and referee in turn, until `stop`. Raises one of `HostingErrors`."""
    me = _node(settings)
    with open_nodes(settings.data, settings.database) as nodes:
        machines = Machines(nodes, me)
        await machines.look()
        supervisor = await Supervisor.open()
        supervisor.keep("nodes", supervisor, machines.keep)
        await asyncio.to_thread(load_page)  # what a referee needs is there when it takes over
        try:
            while not stop.is_set():
                async with _standing_by(settings, machines, supervisor):
                    out.print(f"{me.name} stands by; {_referee(machines)}.", markup=False)
                    await _until(stop, machines, lambda: machines.is_next)
                if stop.is_set():
                    break
                with suppress(LeaseHeld):  # another node was quicker
                    await _referee_until(settings, machines, stop, greet)
        finally:
            await supervisor.close()
            await machines.leave()


async def _referee_until(settings: Settings, machines: Machines, stop: asyncio.Event, greet: Greet) -> None:
    """Referee until `stop`, until another node should, or until another does."""
    async with hosting(settings, machines) as (house, web):
        await machines.look()  # so that it knows itself as the one that referees
        greet(house, web)
        lease = house.store.lease
        assert lease is not None
        await _until(stop, machines, lambda: machines.drained or lease.left_s < 0 or house.saving.fault.done())
        if house.saving.fault.done():
            why = house.saving.fault.result()
        elif machines.drained:
            why = "Handed over: matches in progress go on at the next node."
        elif stop.is_set():
            why = "Stopping: matches in progress go on at the next node."
        else:
            why = "The database does not answer: another node may take over, so the players are let go."
        out.print(why, markup=False)


@asynccontextmanager
async def _standing_by(settings: Settings, machines: Machines, supervisor: Supervisor) -> AsyncIterator[None]:
    from palestra_server.web.serving import WebServer
    from palestra_server.web.standing_by import standby_app

    def bots() -> str | None:
        return None if machines.referee is None else machines.referee.bots

    admin_key, _ = keys(settings)
    gateway_settings = GatewaySettings(site=settings.site, origins=settings.origins, proxies=settings.proxies)
    lock_folder(settings.data).close()
    relay = Relay(bots, lambda follow: supervisor.keep("relay", supervisor, follow))
    with closing(relay), listen(settings.host, settings.web_port) as listening:
        gateway = await stand_by(settings.host, settings.port, bots, relay, gateway_settings)
        web: WebServer | None = None
        try:
            async with standby_app(machines, settings.site, settings.origins) as app:
                web = WebServer(app, listening, gateway, supervisor)
                with announced(settings.data, local_address(settings, web.port), admin_key):
                    yield
        finally:
            if web is not None:
                await web.close()
            await gateway.close()


async def _until(stop: asyncio.Event, machines: Machines, happened: Callable[[], bool]) -> None:
    """Returns when it has happened, which is looked at with every look at the other machines, or at `stop`."""
    stopping = asyncio.ensure_future(stop.wait())
    try:
        while not stop.is_set() and not happened():
            looking = asyncio.ensure_future(machines.next_look())
            await asyncio.wait((stopping, looking), return_when=asyncio.FIRST_COMPLETED)
            looking.cancel()
    finally:
        stopping.cancel()


def _referee(machines: Machines) -> str:
    referee = machines.cluster.referee
    if machines.trouble:
        return machines.trouble.rstrip(".")
    return "nobody referees yet" if referee is None else f"{referee.name} referees, at {referee.page}"


def _node(settings: Settings) -> Node:
    """Raises CannotStandBy."""
    if settings.admin_key is None:
        raise CannotStandBy(
            "All nodes need the same teacher's key: give --admin-key KEY, 16 characters or more, or PALESTRA_ADMIN_KEY."
        )
    if 0 in (settings.port, settings.web_port):
        raise CannotStandBy("A node needs ports that stay: give --port and --web-port.")
    assert settings.node is not None
    return Node(
        name=settings.node,
        page=page_address(settings, settings.web_port),
        bots=(settings.advertise or bots_address(settings, settings.port)).rstrip("/"),
        version=VERSION,
        games=tuple(sorted(game_names())),
        key_check=hmac.digest(settings.admin_key.get_secret_value().encode(), b"palestra nodes", "sha256").hex()[:16],
    )
