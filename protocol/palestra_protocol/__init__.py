"""The wire of Palestra, version 1: messages, codecs, limits and close codes. PROTOCOL.md tells it to people."""

from __future__ import annotations

from palestra_protocol import limits
from palestra_protocol.codecs import JSON, MSGPACK, SUBPROTOCOLS, Codec, codec_for
from palestra_protocol.faults import BadMessage
from palestra_protocol.limits import CloseCode
from palestra_protocol.messages import (
    Action,
    At,
    Challenge,
    ClientMessage,
    EndReason,
    Error,
    ErrorCode,
    Event,
    Hello,
    Info,
    LastAction,
    Limits,
    MatchEnd,
    MatchStart,
    Message,
    Played,
    Ready,
    Resign,
    Seat,
    ServerMessage,
    Turn,
    Unwatch,
    Watch,
    Welcome,
)

__all__ = [
    "JSON",
    "MSGPACK",
    "SUBPROTOCOLS",
    "Action",
    "At",
    "BadMessage",
    "Challenge",
    "ClientMessage",
    "CloseCode",
    "Codec",
    "EndReason",
    "Error",
    "ErrorCode",
    "Event",
    "Hello",
    "Info",
    "LastAction",
    "Limits",
    "MatchEnd",
    "MatchStart",
    "Message",
    "Played",
    "Ready",
    "Resign",
    "Seat",
    "ServerMessage",
    "Turn",
    "Unwatch",
    "Watch",
    "Welcome",
    "codec_for",
    "limits",
]
