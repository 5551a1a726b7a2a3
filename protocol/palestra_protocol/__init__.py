"""Palestra's wire protocol, version 1: messages, codecs, limits and close codes. PROTOCOL.md documents it.

The messages and codecs are imported on first use: pydantic takes a third of a second to import, and the processes of an
arena need only the limits.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from palestra_protocol import limits
from palestra_protocol.limits import CloseCode

if TYPE_CHECKING:
    from palestra_protocol.codecs import JSON, MSGPACK, SUBPROTOCOLS, Codec, codec_for
    from palestra_protocol.frame_faults import BadMessage
    from palestra_protocol.messages import (
        Action,
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
        Notice,
        NoticeCode,
        NoticeParts,
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
    "Notice",
    "NoticeCode",
    "NoticeParts",
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

# The modules of names that are imported lazily and aren't messages.
_HOME = {
    "BadMessage": "frame_faults",
    **dict.fromkeys(("JSON", "MSGPACK", "SUBPROTOCOLS", "Codec", "codec_for"), "codecs"),
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'palestra_protocol' has no attribute '{name}'")
    value = getattr(import_module(f"palestra_protocol.{_HOME.get(name, 'messages')}"), name)
    globals()[name] = value
    return value
