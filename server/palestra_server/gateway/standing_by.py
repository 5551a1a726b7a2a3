"""The ports of a node that does not referee: whoever connects is told who does, and let go."""

from __future__ import annotations

from collections.abc import Callable

from palestra_protocol import CloseCode
from palestra_server.gateway.arrivals import Arrival
from palestra_server.gateway.hub import Hub
from palestra_server.gateway.places import Rooms
from palestra_server.gateway.server import Gateway, rooms_for
from palestra_server.gateway.settings import Counts, GatewaySettings
from palestra_server.gateway.websocket import Connection, data_frame, listen

Referee = Callable[[], str | None]  # the address where bots find the node that referees, if there is one


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
    def __init__(self, referee: Referee) -> None:
        self._referee = referee

    def handler_for(self, connection: Connection, path: str) -> _SentElsewhere:  # noqa: ARG002
        return _SentElsewhere(connection, self._referee())


async def stand_by(host: str, port: int, referee: Referee, settings: GatewaySettings) -> Gateway:
    """Listen on host:port like `serve_gateway`, and send everybody elsewhere. Raises GatewayError."""
    rooms: Rooms = rooms_for(settings, 0)
    return Gateway(await listen(host, port, _Factory(referee), rooms, settings, Counts()), Hub())
