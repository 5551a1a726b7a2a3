"""When did these bytes arrive? An event loop, sockets and a thread that can tell, however busy the server is."""

from palestra_server.gateway.arrivals.loop import StampingSelector, new_event_loop, players_wait, polls_of
from palestra_server.gateway.arrivals.sockets import StampedListener, bind, stamped_socket, unread
from palestra_server.gateway.arrivals.stall import Inflow, StallWatcher
from palestra_server.gateway.arrivals.stamps import Arrival, Arrivals
