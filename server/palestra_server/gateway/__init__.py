"""The gateway: sockets, arrival times, sessions and watchers. It knows nothing of matches; the runtime does.

Start it with `serve_gateway(host, port, runtime, ...)` in a loop made by `new_event_loop`.
"""

from palestra_server.gateway.hub import Hub, Snapshot
from palestra_server.gateway.listening import GatewayError
from palestra_server.gateway.loop import new_event_loop
from palestra_server.gateway.peer import Peer, PlayerMessage, Runtime
from palestra_server.gateway.server import Gateway, serve_gateway
from palestra_server.gateway.sessions import NAME_MAX, Authenticator, KnownSession, SessionBook
from palestra_server.gateway.settings import Counts, GatewaySettings
from palestra_server.gateway.stamps import Arrival, Stamp

__all__ = [
    "NAME_MAX",
    "Arrival",
    "Authenticator",
    "Counts",
    "Gateway",
    "GatewayError",
    "GatewaySettings",
    "Hub",
    "KnownSession",
    "Peer",
    "PlayerMessage",
    "Runtime",
    "SessionBook",
    "Snapshot",
    "Stamp",
    "new_event_loop",
    "serve_gateway",
]
