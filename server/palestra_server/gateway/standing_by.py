"""The ports of a node that does not referee: who comes to play is told who does, who watches is served."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import islice
from time import monotonic
from typing import Any, Final

from palestra_protocol.limits import CloseCode
from palestra_server.gateway.arrivals import Arrival, StampedListener
from palestra_server.gateway.players import WatcherHandler
from palestra_server.gateway.relay import Address, Relay
from palestra_server.gateway.server import rooms_for
from palestra_server.gateway.settings import Counts, GatewaySettings
from palestra_server.gateway.websocket import PLAY, Connection, ConnectionHandler, Gateway, bound, data_frame

HELD_S: Final = 20.0  # how long who comes to play waits here for a node that referees
AT_ONCE: Final = 10  # so many are sent on together,
PAUSE_S: Final = 0.01  # and the next ones after this: who comes late waits here, and not in a queue there


def elsewhere(address: str | None) -> Mapping[str, Any]:
    """The error that sends a player to the node at this address."""
    message = (
        "No node of this server referees at the moment: the next one takes over within seconds."
        if address is None
        else f"This node stands by; the one that referees is at {address}: connect there."
    )
    return {"type": "error", "code": "elsewhere", "message": message, "fatal": True, "address": address}


class _Waiting:
    """Implements `websocket.ConnectionHandler` for who comes to play, until it has said hello and a node referees."""

    idle = True

    def __init__(self, connection: Connection, node: StandingBy) -> None:
        self._connection = connection
        self._node = node
        self._longest = asyncio.get_running_loop().call_later(HELD_S, self.send_on)

    def message(self, payload: bytes, binary: bool, arrival: Arrival) -> None:  # noqa: ARG002
        self._node.waiting[self] = None
        if self._node.referee() is not None:
            self.send_on()

    def send_on(self) -> None:
        error, connection = elsewhere(self._node.referee()), self._connection
        connection.send(data_frame(connection.codec.encode(error), connection.codec.binary))
        connection.close(CloseCode.TRY_LATER, error["message"])

    def drained(self) -> None: ...

    def crowded_out(self) -> None:
        self.send_on()

    def ended(self, left_at: int) -> None:  # noqa: ARG002
        self._longest.cancel()
        self._node.waiting.pop(self, None)


class StandingBy(Gateway):
    """A gateway without matches. `waiting`: who came to play while no node refereed."""

    def __init__(self, referee: Address, relay: Relay, settings: GatewaySettings) -> None:
        self.referee = referee
        self.waiting: dict[_Waiting, None] = {}
        rooms, counts = rooms_for(settings, 0), Counts()

        def handler_for(connection: Connection, path: str) -> ConnectionHandler:
            if path == PLAY:
                return _Waiting(connection, self)
            return WatcherHandler.of(connection, relay, counts, monotonic, rooms.watchers)

        super().__init__(handler_for, rooms, settings, counts)

    async def send_on(self) -> None:
        """Send on who waits, if a node referees now."""
        while self.waiting and self.referee() is not None:
            for each in tuple(islice(self.waiting, AT_ONCE)):
                each.send_on()
            await asyncio.sleep(PAUSE_S)


async def stand_by(
    host: str,
    port: int,
    referee: Address,
    relay: Relay,
    settings: GatewaySettings,
    sockets: Sequence[StampedListener] = (),
) -> StandingBy:
    """Listen on host:port, or with these `sockets`, like `serve_gateway`. Raises GatewayError."""
    sockets = sockets or bound(host, port)
    return await StandingBy(referee, relay, settings).open(sockets)
