"""`palestra-server serve --node`: one of several machines referees; the others stand by until they are needed."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, closing, suppress
from typing import TYPE_CHECKING

from palestra_games import game_names
from palestra_server import VERSION
from palestra_server.cli.hosting import announced, keys, listen, load_page, refereeing
from palestra_server.cli.output import out
from palestra_server.gateway import GatewaySettings, Relay, StampedListener, StandingBy, bound, stand_by
from palestra_server.runtime import House
from palestra_server.runtime.machines import ANSWER_S, LOOK_S, Machines
from palestra_server.settings import Settings
from palestra_server.store import Node, Store, StoreAway, StoreError, lock_folder, open_nodes
from palestra_server.supervision import Supervisor
from palestra_server.web.addresses import address, local_address, page_beside

if TYPE_CHECKING:
    from palestra_server.web.serving import WebServer

Greet = Callable[[House, "WebServer"], None]


class CannotStandBy(StoreError):
    """The options do not go together; the text is one sentence."""


def _again(sockets: Sequence[StampedListener]) -> list[StampedListener]:
    """Those of a node are open whatever it does: who comes while it changes its part waits in their queues."""
    return [each.again() for each in sockets]


async def take_turns(settings: Settings, stop: asyncio.Event, greet: Greet) -> None:
    """Stand by and referee in turn, until `stop`. Raises ForPeople."""
    me = _node(settings)
    admin_key, _ = keys(settings)
    lock_folder(settings.data).close()
    with (
        open_nodes(settings.data, settings.database) as nodes,
        ExitStack() as stack,
        listen(settings.host, settings.web_port) as page,
        announced(settings.data, local_address(settings, settings.web_port), admin_key),
    ):
        bots = [stack.enter_context(each) for each in bound(settings.host, settings.port)]
        machines = Machines(nodes, me)
        await machines.enter()
        supervisor = await Supervisor.open()
        supervisor.keep("nodes", supervisor, machines.keep)
        await asyncio.to_thread(load_page)  # what a referee needs is there when it takes over
        try:
            while not stop.is_set():
                await machines.look()
                async with AsyncExitStack() as part:
                    async with _standing_by(settings, machines, supervisor, bots, page) as ports_of_standby:
                        out.print(f"{me.name} stands by; {_referee(machines)}.", markup=False)
                        if not await _taken(stop, machines):
                            break
                        for each in ports_of_standby:
                            each.stop()  # whoever comes from now on is left to the referee that this node becomes
                        try:
                            sockets = _again(page), machines, _again(bots)
                            house, web = await part.enter_async_context(refereeing(settings, *sockets))
                        except StoreAway as away:
                            out.print(str(away), markup=False)
                            continue
                        await machines.look()  # so that it knows itself as the one that referees
                        greet(house, web)
                    out.print(await _end(house, machines, stop), markup=False)
        finally:
            await supervisor.close()
            await machines.leave()


async def _taken(stop: asyncio.Event, machines: Machines) -> bool:
    """Wait until this node has the lease; False at `stop`."""
    while True:
        await _until(stop, machines, lambda: machines.is_next)
        if stop.is_set():
            return False
        if await machines.take():
            return True


async def _end(house: House, machines: Machines, stop: asyncio.Event) -> str:
    """Wait until `stop`, until another node should referee, or until another does; then say which it was."""
    lease = house.store.lease
    assert lease is not None
    while True:
        await _until(stop, machines, lambda: machines.drained or lease.left_s < 0 or house.saving.fault.done())
        if house.saving.fault.done():
            return house.saving.fault.result()
        if machines.drained or stop.is_set():
            if not machines.drained:
                with suppress(StoreAway, TimeoutError):
                    async with asyncio.timeout(ANSWER_S):
                        await machines.drain(machines.me.name, True)
            await asyncio.sleep(LOOK_S)  # the others have seen it, and look more often
            what = "Stopping" if stop.is_set() else "Handed over"
            return f"{what}: matches in progress go on at the next node."
        if why := await _why_not(house.store, machines):
            return why


async def _why_not(store: Store, machines: Machines) -> str:
    """Why the lease of this store expired, as a sentence; "" if it goes on: it, or the database, had stood still."""
    assert store.lease is not None
    try:
        async with asyncio.timeout(ANSWER_S):
            return await asyncio.to_thread(store.lease.why_not)
    except TimeoutError:
        store.cut()
        machines.cut()
        return "The database does not answer: another node may take over, so the players are let go."


@asynccontextmanager
async def _standing_by(
    settings: Settings,
    machines: Machines,
    supervisor: Supervisor,
    bots: Sequence[StampedListener],
    page: Sequence[StampedListener],
) -> AsyncIterator[tuple[StandingBy, WebServer]]:
    from palestra_server.web.serving import WebServer
    from palestra_server.web.standing_by import astray, find_itself, standby_app

    def at(referee: Node | None) -> str | None:
        return None if referee is None else referee.bots

    async def send_on() -> None:
        while True:
            await machines.next_look()
            await gateway.send_on()

    waiting = settings.max_guests + settings.max_watchers  # for a node that referees
    gateway_settings = GatewaySettings.of(settings, run=machines.me.run, max_strangers=waiting)
    relay = Relay(lambda: at(machines.referee), lambda follow: supervisor.keep("relay", supervisor, follow))
    with closing(relay):
        gateway = await stand_by(
            settings.host,
            settings.port,
            lambda: at(machines.cluster.referee),  # which may be this node, as it ends to stand by
            relay,
            gateway_settings,
            _again(bots),
        )
        web: WebServer | None = None
        tasks = [supervisor.keep("players are sent on", supervisor, send_on)]
        try:
            async with standby_app(machines, settings, lambda: gateway.counts) as app:
                web = WebServer(app, _again(page), gateway, supervisor)
                machines.astray = await astray(machines.me)
                tasks.append(supervisor.keep("own addresses", supervisor, lambda: find_itself(machines)))
                yield gateway, web
                await gateway.send_on()  # to this node itself, if it referees now
        finally:
            for task in tasks:
                task.cancel()
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
    bots = (settings.advertise or address(settings.host, settings.port)).rstrip("/")
    return Node(
        name=settings.node,
        page=page_beside(bots, settings.web_port),
        bots=bots,
        version=VERSION,
        games=tuple(sorted(game_names())),
        key_check=hmac.digest(settings.admin_key.get_secret_value().encode(), b"palestra nodes", "sha256").hex()[:16],
    )
