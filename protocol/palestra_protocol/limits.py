"""Every number and close code of the wire, in one place.

Times that end in `_S` are seconds, in `_MS` milliseconds. The gateway enforces them, the client obeys them, and
PROTOCOL.md tells them to people; a test compares the last with this module.
"""

from __future__ import annotations

from enum import IntEnum

# Frames and connections.
MAX_FRAME_BYTES = 4096
"""Longest frame a client may send; a longer one closes the connection with FRAME_TOO_LARGE."""
PING_S = 5.0
"""Pause between two WebSocket pings of the server."""
SILENCE_S = 10.0
"""A peer from which nothing at all (not even a pong) came for this long is dropped."""
HELLO_S = 5.0
"""Time from the end of the handshake until `hello` must be there."""
REJECTED_MAX = 50
"""More rejected frames than this within REJECTED_WINDOW_S close the connection with TOO_MANY_REJECTED."""
REJECTED_WINDOW_S = 20.0
CHALLENGE_BURST = 60
"""Matches a player may start by `challenge` at once; then one more every CHALLENGE_MS (or as the host says). A match
that is played to its end does not count."""
CHALLENGE_MS = 1000

# A match, unless whoever starts it says otherwise.
MOVE_MS = 2000
"""Time for one move."""
GRACE_MS = 100
"""Added to the time of every move before the flag falls, for the network."""
READY_MS = 30_000
"""Time from `match_start` until `ready`."""
AWAY_MS = 10_000
"""Bank of time a player has in one match for lost connections."""
PLY_LIMIT = 200
"""A match with this many plies is a draw."""

# Bounds of what a client may write into a frame. Lengths are in characters, numbers are inclusive.
PLY_MAX = 10_000
ACTION_MAX = 255
SEQ_MAX = 2**53
DEPTH_MAX = 10_000
NODES_MAX = 2**53
"""The largest range of whole numbers that survives a double, which is all JavaScript has."""
VALUE_MAX = 1e12
PV_MAX = 64
TEXT_MAX = 200
ID_MAX = 64
"""Match and game identifiers."""
NAME_MAX = 64
"""Names of players; a server may want shorter ones (error `bad_name`)."""
TOPIC_MAX = 80
OPENING_MAX = 40
"""Actions of the opening that a challenge asks for."""
SEAT_MS_MIN = 50
SEAT_MS_MAX = 3_600_000
"""Time for one move that a challenge may give a seat: an hour is as good as no clock."""
TOKEN_MAX = 256
"""Tokens, tickets and session identifiers."""


class CloseCode(IntEnum):
    """Why the server closes a WebSocket (RFC 6455, section 7.4; 4000-4999 are free for applications)."""

    NORMAL = 1000
    """All is done."""
    GOING_AWAY = 1001
    """The server stops or restarts: connect again, with `resume`."""
    TOO_MANY_REJECTED = 1008
    """More than REJECTED_MAX frames were rejected within REJECTED_WINDOW_S."""
    FRAME_TOO_LARGE = 1009
    """A frame was longer than MAX_FRAME_BYTES."""
    TRY_LATER = 1013
    """The server is full, or cannot write its journal: connect again after a pause."""
    NO_HELLO = 4003
    """No `hello` came as the first frame, or it came late."""
    BAD_TOKEN = 4004
    """The token (or the guest's name) is not good: trying again does not help."""
    REPLACED = 4009
    """The same player said `hello` on another connection, which counts from now on."""
