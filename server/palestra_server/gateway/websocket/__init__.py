"""WebSocket connections: bytes in, whole messages with their arrival out. Nothing here knows what a message means."""

from palestra_server.gateway.websocket.connection import Connection, ConnectionHandler, HandlerFactory
from palestra_server.gateway.websocket.handshake import PLAY, WATCH
from palestra_server.gateway.websocket.listening import ACCEPTED_AT_ONCE, Gateway, GatewayError, bound
from palestra_server.gateway.websocket.stream import data_frame
