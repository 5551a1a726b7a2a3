"""Messages to bytes and back: MessagePack and JSON, chosen by the WebSocket subprotocol.

Both codecs carry the same maps. Decoding either gives a message or raises BadMessage, whatever the bytes are.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NoReturn, get_args

import msgpack
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from palestra_protocol import limits
from palestra_protocol.faults import BadMessage, from_validation, quoted
from palestra_protocol.messages import (
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
    ClientMessage,
    Message,
    ServerMessage,
)


@dataclass(frozen=True, slots=True)
class Codec:
    """One way to write messages as frames."""

    subprotocol: str
    """The name picked at the WebSocket handshake."""
    binary: bool
    """Whether frames are binary (else text, in UTF-8)."""
    encode: Callable[[BaseModel | Mapping[str, Any]], bytes]
    """The frame of a message, or of a plain map that has the fields of one (which is not looked at)."""
    _parse_client: Callable[[bytes], object]
    _parse_server: Callable[[bytes], object]

    def decode_client(self, data: bytes) -> ClientMessage:
        """What a client sent. Raises BadMessage."""
        if len(data) > limits.MAX_FRAME_BYTES:
            raise BadMessage(f"A frame may have {limits.MAX_FRAME_BYTES} bytes at most, not {len(data)}.")
        value = self._parse_client(data)
        try:
            message: ClientMessage = _validate_client(value, by_alias=True, by_name=False)
            return message
        except ValidationError as error:
            raise from_validation(error, _CLIENT_TYPES) from None

    def decode_server(self, data: bytes) -> ServerMessage:
        """What the server sent; keys that this version does not know are skipped. Raises BadMessage."""
        value = self._parse_server(data)
        try:
            return SERVER_MESSAGES.validate_python(value)
        except ValidationError as error:
            raise from_validation(error, _SERVER_TYPES) from None


def _types(union: Any) -> tuple[str, ...]:
    """The types of a discriminated union's messages."""
    return tuple(c.model_fields["type"].default for c in get_args(get_args(union)[0]))


# The adapter's own method is a layer of Python around this one.
_validate_client: Final = CLIENT_MESSAGES.validator.validate_python
_CLIENT_TYPES = _types(ClientMessage)
_SERVER_TYPES = _types(ServerMessage)


def _pack(message: BaseModel | Mapping[str, Any]) -> bytes:
    # Straight from the instances' dicts: model_dump would first copy the whole message.
    top = message if type(message) is dict else _plain(message)
    frame: bytes = _PACKERS.pack(top)
    return frame


def _plain(value: object) -> dict[str, object]:
    if isinstance(value, Message):
        return value.fields()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"A frame cannot hold this value of type {type(value).__name__}.")


class _Packers(threading.local):
    """A packer for each thread: making one anew for every frame costs as much as packing it."""

    def __init__(self) -> None:
        self.pack = msgpack.Packer(default=_plain).pack


_PACKERS: Final = _Packers()


def _unpack(data: bytes, max_array_len: int = -1, max_map_len: int = -1) -> object:
    try:
        # No extensions: max_ext_len keeps out timestamps, which have no hook, and ext_hook the empty ones.
        return msgpack.unpackb(
            data,
            raw=False,
            object_pairs_hook=_unique,
            ext_hook=_no_extension,
            max_ext_len=0,
            max_array_len=max_array_len,
            max_map_len=max_map_len,
        )
    except BadMessage:
        raise
    except UnicodeDecodeError:
        raise BadMessage("The frame holds text that is not UTF-8.") from None
    except msgpack.ExtraData:
        raise BadMessage("The frame goes on after its message: send one message in each frame.") from None
    except msgpack.StackError:
        raise BadMessage("The frame nests its maps and lists too deeply.") from None
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        if "max_ext_len" in str(error):
            _no_extension()
        if "exceeds max_" in str(error):
            raise BadMessage("The frame holds a map or a list with too many entries.") from None
        raise BadMessage("The frame is not one whole map in MessagePack.") from None


# For each level of nesting, unpackb allots a list as long as a header claims, up to the length of the frame: small
# bounds keep a frame of 4 kB from asking for megabytes.
_unpack_client: Final = partial(_unpack, max_array_len=limits.PV_MAX + 1, max_map_len=16)


def _to_json(message: BaseModel | Mapping[str, Any]) -> bytes:
    return to_json(message, by_alias=True, inf_nan_mode="null", fallback=_plain)


def _from_json(data: bytes) -> object:
    try:
        text = str(data, "utf-8")
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        if "\\u" in text:
            # An escape may stand for half a surrogate pair, which no UTF-8 can carry on.
            json.dumps(value, ensure_ascii=False).encode()
    except BadMessage:
        raise
    except RecursionError:
        raise BadMessage("The frame nests its maps and lists too deeply.") from None
    except UnicodeDecodeError:
        raise BadMessage("The frame holds text that is not UTF-8.") from None
    except UnicodeEncodeError:
        raise BadMessage("The frame holds half a surrogate pair, which is no character.") from None
    except json.JSONDecodeError as error:
        # These are the decoder's own words, which never quote the frame.
        raise BadMessage(f"The frame is not JSON: {error.msg} at character {error.pos}.") from None
    except ValueError:
        raise BadMessage("The frame holds a number with too many digits.") from None
    return value


def _unique(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """The map of these pairs; a key that stands there twice would mean what each parser likes."""
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise BadMessage(f"The key {quoted(str(twice))} stands twice in one map.")
    return value


def _no_extension(*_: object) -> NoReturn:
    raise BadMessage("The frame holds an extension type; use maps, lists, text, numbers, booleans and nil only.")


def _no_constant(literal: str) -> NoReturn:
    raise BadMessage(f"The frame holds {literal}, which is no JSON: numbers must be finite.")


MSGPACK: Final = Codec("palestra.v1.msgpack", True, _pack, _unpack_client, _unpack)
JSON: Final = Codec("palestra.v1.json", False, _to_json, _from_json, _from_json)
_CODECS = {codec.subprotocol: codec for codec in (MSGPACK, JSON)}
SUBPROTOCOLS: Final = tuple(_CODECS)
"""In the order in which a server that is offered several prefers them."""


def codec_for(subprotocol: str | None) -> Codec:
    """The codec of a subprotocol; MessagePack when none was asked for. KeyError for a name not in SUBPROTOCOLS."""
    return MSGPACK if subprotocol is None else _CODECS[subprotocol]
