"""Every limit and close code of the protocol, in one place.

Names ending in `_S` are seconds, in `_MS` milliseconds. The gateway enforces them, the client respects them, and
PROTOCOL.md documents them; a test keeps that document in line with this module.
"""

from __future__ import annotations

from enum import IntEnum

# Frames and connections.
MAX_FRAME_BYTES = 4096  # longest frame a client may send; anything longer closes the connection with FRAME_TOO_LARGE
PING_S = 5.0  # interval between the server's WebSocket pings
SILENCE_S = 10.0  # a peer that has sent nothing at all (not even a pong) for this long is dropped
SPECTATORS_PATIENCE = 4.0  # how many times as long both are for spectators
HELLO_S = 5.0  # time from the end of the handshake until `hello` must have arrived
REJECTED_MAX = 50  # more rejected frames than this within REJECTED_WINDOW_S close the connection with TOO_MANY_REJECTED
REJECTED_WINDOW_S = 20.0
# Matches a player may start with `challenge` in a burst; after that, one every CHALLENGE_MS (or as the host sets it). A
# match that is played to its end does not count.
CHALLENGE_BURST = 60
CHALLENGE_MS = 1000

# Defaults for a match.
MOVE_MS = 2000  # time for one move
GRACE_MS = 100  # allowance for the network, added to the time of every move before the flag falls
READY_MS = 30_000  # time from `match_start` until `ready`
AWAY_MS = 10_000  # time bank of each player for lost connections, per match
GONE_MS = 600_000  # what a player who is away has at most of the time for a move: who is gone for good loses by then
PLY_LIMIT = 200  # a match that reaches this many plies is a draw

# Bounds for the fields of a client's messages. Lengths are in characters, bounds are inclusive.
PLY_MAX = 10_000
ACTION_MAX = 255
SEQ_MAX = 2**53
DEPTH_MAX = 10_000
NODES_MAX = 2**53  # the largest whole number that a double holds exactly; JavaScript has nothing else
VALUE_MAX = 1e12
PV_MAX = 64
TEXT_MAX = 200
NOTE_MAX = 80
ID_MAX = 64  # match and game identifiers
NAME_MAX = 64  # player names; a server may insist on shorter ones (error `bad_name`)
TOPIC_MAX = 80
VERSION_MAX = 40  # of a bot's version, printable ASCII
OPENING_MAX = 40  # actions in the opening of a challenge
SEAT_MS_MIN = 50
SEAT_MS_MAX = 3_600_000  # range of the move time that a challenge may set for a seat: an hour is as good as no clock
TOKEN_MAX = 256  # tokens and session identifiers


class CloseCode(IntEnum):
    """Why the server closed a WebSocket (RFC 6455, section 7.4; 4000-4999 are for applications)."""

    NORMAL = 1000  # nothing is left to do
    GOING_AWAY = 1001  # the server is stopping or restarting: connect again, with `resume`
    TOO_MANY_REJECTED = 1008  # more than REJECTED_MAX frames were rejected within REJECTED_WINDOW_S
    FRAME_TOO_LARGE = 1009  # a frame was longer than MAX_FRAME_BYTES
    TRY_LATER = 1013  # the server is full, or cannot write its journal: wait a little, then connect again
    NO_HELLO = 4003  # the first frame was not `hello`, or it came too late
    BAD_TOKEN = 4004  # the token (or the guest's name) was refused: trying again won't help
    REPLACED = 4009  # the same player connected again; the newer connection has taken over
