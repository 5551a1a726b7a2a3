"""The gateway: sockets, arrival times, sessions and watchers. It knows nothing of matches; the runtime does.

Start it with `serve_gateway(host, port, runtime, ...)` in a loop made by `new_event_loop`.

`arrivals` says when bytes came, `websocket` turns them into messages; above them are the senders (`sessions`,
`players`) and the watchers (`hub`). `interface` is all that the runtime sees.
"""

from palestra_server.gateway.allowance import Allowance, SparingLog
from palestra_server.gateway.arrivals import Arrival, StampedListener, bind, new_event_loop, players_wait, polls_of
from palestra_server.gateway.hosts import host_name, household, is_ours, is_same_origin
from palestra_server.gateway.hub import Hub
from palestra_server.gateway.interface import (
    PlayerConnection,
    PlayerMessage,
    ProvenConnection,
    Refusal,
    is_proven,
    name_taken,
)
from palestra_server.gateway.places import Room
from palestra_server.gateway.relay import Relay
from palestra_server.gateway.server import serve_gateway
from palestra_server.gateway.sessions import Guesses, PlayerRoster
from palestra_server.gateway.settings import Counts, GatewaySettings
from palestra_server.gateway.standing_by import AT_ONCE, PAUSE_S, StandingBy, elsewhere, stand_by
from palestra_server.gateway.topics import snapshot_frame
from palestra_server.gateway.websocket import ACCEPTED_AT_ONCE, Gateway, GatewayError, bound
