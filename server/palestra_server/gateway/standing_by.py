"""The ports of a node that does not referee: who comes to play is told who does, who watches is served."""

from __future__ import annotations

from time import monotonic

from palestra_protocol import CloseCode
from palestra_server.gateway.arrivals import Arrival
from palestra_server.gateway.hub import Hub
from palestra_server.gateway.places import Rooms
from palestra_server.gateway.players import WatcherHandler
from palestra_server.gateway.relay import Address, Relay
from palestra_server.gateway.server import Gateway, rooms_for
from palestra_server.gateway.settings import Counts, GatewaySettings
from palestra_server.gateway.websocket import PLAY, Connection, ConnectionHandler, data_frame, listen


class _SentElsewhere:
    """Implements `websocket.ConnectionHandler` for a connection that is closed as soon as it is open."""

    idle = True

    def __init__(self, connection: Connection, address: str | None) -> None:
        message = (
            "No node of this server referees at the moment: the next one takes over within seconds."
            if address is None
            else f"This node stands by; the one that referees is at {address}: connect there."
        )
        error = {"type": "error", "code": "elsewhere", "message": message, "fatal": True, "address": address}
        connection.send(data_frame(connection.codec.encode(error), connection.codec.binary))
        connection.close(CloseCode.TRY_LATER, message)

    def message(self, payload: bytes, binary: bool, arrival: Arrival) -> None: ...

    def drained(self) -> None: ...

    def crowded_out(self) -> None: ...

    def ended(self, left_at: int) -> None: ...


class _Factory:
    def __init__(self, referee: Address, relay: Relay, rooms: Rooms, counts: Counts) -> None:
        self._referee = referee
        self._relay = relay
        self._rooms = rooms
        self._counts = counts

    def handler_for(self, connection: Connection, path: str) -> ConnectionHandler:
        if path == PLAY:
            return _SentElsewhere(connection, self._referee())
        handler = WatcherHandler(connection, self._relay, self._counts, monotonic)
        if not connection.settle(self._rooms.watchers):
            handler.crowded_out()
        return handler


async def stand_by(host: str, port: int, referee: Address, relay: Relay, settings: GatewaySettings) -> Gateway:
    """Listen on host:port like `serve_gateway`. Raises GatewayError."""
    rooms, counts = rooms_for(settings, 0), Counts()
    return Gateway(await listen(host, port, _Factory(referee, relay, rooms, counts), rooms, settings, counts), Hub())
