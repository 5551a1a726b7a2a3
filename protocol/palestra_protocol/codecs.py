"""Messages to bytes and back, in MessagePack or JSON, chosen by the WebSocket subprotocol.

Both codecs carry the same maps. Whatever the bytes are, decoding returns a message or raises BadMessage.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final, NoReturn, get_args

import msgpack
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from palestra_protocol import limits
from palestra_protocol.frame_faults import BadMessage, from_validation, quoted
from palestra_protocol.messages import CLIENT_MESSAGES, SERVER_MESSAGES, ClientMessage, Message, ServerMessage


@dataclass(frozen=True, slots=True)
class Codec:
    """One way to write messages as frames."""

    subprotocol: str  # its name in the WebSocket handshake
    binary: bool  # whether frames are binary; otherwise they are text, in UTF-8
    join: Callable[[Sequence[bytes]], bytes]  # the encoded list of these encoded values
    _write: Callable[[BaseModel | Mapping[str, Any]], bytes]
    _gap: bytes
    _parse_client: Callable[[bytes], object]
    _parse_server: Callable[[bytes], object]

    def encode(self, message: BaseModel | Mapping[str, Any]) -> bytes:
        """Encodes a message, or a plain map of its fields (not validated), which may contain `Encoded` values."""
        try:
            frame = self._write(message)
        except Exception:
            _WRITER.gaps.clear()
            raise
        return self._filled(frame) if _WRITER.gaps else frame

    def _filled(self, frame: bytes) -> bytes:
        """The frame, with its gaps filled by what was encoded before."""
        gaps, _WRITER.gaps = _WRITER.gaps, []  # what is encoded only now may have gaps of its own
        start, *pieces = frame.split(self._gap)
        parts = [start]
        for value, piece in zip(gaps, pieces, strict=True):
            parts += value.bytes_for(self), piece
        return b"".join(parts)

    def cut(self, message: Mapping[str, Any]) -> list[bytes]:
        """Encodes a map with GAPs: the bytes before, between and after them."""
        return self.encode(message).split(self._gap)

    def decode_client(self, data: bytes) -> ClientMessage:
        """Decodes a frame from a client. Raises BadMessage."""
        if len(data) > limits.MAX_FRAME_BYTES:
            raise BadMessage(f"A frame may have at most {limits.MAX_FRAME_BYTES} bytes, not {len(data)}.")
        value = self._parse_client(data)
        try:
            message: ClientMessage = _validate_client(value, by_alias=True, by_name=False)
            return message
        except ValidationError as error:
            raise from_validation(error, _CLIENT_TYPES) from None

    def decode_server(self, data: bytes) -> ServerMessage:
        """Decodes a frame from the server; keys unknown to this version are ignored. Raises BadMessage."""
        value = self._parse_server(data)
        try:
            return SERVER_MESSAGES.validate_python(value)
        except ValidationError as error:
            raise from_validation(error, _SERVER_TYPES) from None


class Encoded:
    """A value that occurs in many messages: encoded once by each codec, then inserted as bytes. Subclasses say how."""

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[bool, bytes] = {}

    def bytes_for(self, codec: Codec) -> bytes:
        made = self._made.get(codec.binary)
        if made is None:
            made = self._made[codec.binary] = self.encode(codec)
        return made

    def encode(self, codec: Codec) -> bytes:
        """Called once for each codec."""
        raise NotImplementedError


def _types(union: Any) -> tuple[str, ...]:
    """The types of a discriminated union's messages."""
    return tuple(c.model_fields["type"].default for c in get_args(get_args(union)[0]))


# The adapter's own method would add another layer of Python around this one.
_validate_client: Final = CLIENT_MESSAGES.validator.validate_python
_CLIENT_TYPES = _types(ClientMessage)
_SERVER_TYPES = _types(ServerMessage)


# Marks where an `Encoded` value goes. No text in a message can be the same: it is random at each start, and never sent.
GAP: Final = secrets.token_hex(15)


def _pack(message: BaseModel | Mapping[str, Any]) -> bytes:
    # Packs the instances' own dicts: model_dump would copy the whole message first.
    frame: bytes = _WRITER.pack(message if type(message) is dict else _plain(message))
    return frame


def _join_packed(values: Sequence[bytes]) -> bytes:
    return _array_header(len(values)) + b"".join(values)


@cache
def _array_header(size: int) -> bytes:
    header: bytes = msgpack.Packer().pack_array_header(size)
    return header


def _plain(value: object) -> dict[str, object]:
    if isinstance(value, Message):
        return value.fields()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"A frame cannot hold this value of type {type(value).__name__}.")


class _Writer(threading.local):
    """Per thread: a packer, since creating one costs as much as packing a frame; and the `Encoded` values of the frame
    being written.
    """

    def __init__(self) -> None:
        self.pack = msgpack.Packer(default=self.plain).pack
        self.gaps: list[Encoded] = []

    def plain(self, value: object) -> object:
        """The plain form of a value that the libraries don't know."""
        if isinstance(value, Encoded):
            self.gaps.append(value)
            return GAP
        return _plain(value)


_WRITER: Final = _Writer()


def _unpack(data: bytes, max_array_len: int = -1, max_map_len: int = -1) -> object:
    try:
        # No extension types: max_ext_len rejects timestamps, which bypass the hook, and ext_hook rejects empty ones.
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
        raise BadMessage("The frame has extra bytes after its message: send one message per frame.") from None
    except msgpack.StackError:
        raise BadMessage("The frame nests its maps and lists too deeply.") from None
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        if "max_ext_len" in str(error):
            _no_extension()
        if "exceeds max_" in str(error):
            raise BadMessage("The frame holds a map or a list with too many entries.") from None
        raise BadMessage("The frame is not one complete MessagePack map.") from None


# At each level of nesting unpackb allocates as many entries as a header claims, up to the length of the frame. Small
# bounds keep a 4 kB frame from allocating megabytes.
_unpack_client: Final = partial(_unpack, max_array_len=limits.PV_MAX + 1, max_map_len=16)


def _to_json(message: BaseModel | Mapping[str, Any]) -> bytes:
    return to_json(message, by_alias=True, inf_nan_mode="null", fallback=_WRITER.plain)


def _join_json(values: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(values) + b"]"


def _from_json(data: bytes) -> object:
    try:
        text = str(data, "utf-8")
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        if "\\u" in text:
            # An escape may be half of a surrogate pair, which UTF-8 cannot encode.
            json.dumps(value, ensure_ascii=False).encode()
    except BadMessage:
        raise
    except RecursionError:
        raise BadMessage("The frame nests its maps and lists too deeply.") from None
    except UnicodeDecodeError:
        raise BadMessage("The frame holds text that is not UTF-8.") from None
    except UnicodeEncodeError:
        raise BadMessage("The frame holds half of a surrogate pair, which is not a character.") from None
    except json.JSONDecodeError as error:
        # The decoder's message never quotes the frame.
        raise BadMessage(f"The frame is not JSON: {error.msg} at character {error.pos}.") from None
    except ValueError:
        raise BadMessage("The frame holds a number with too many digits.") from None
    return value


def _unique(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Duplicate keys are refused, because parsers disagree on which one counts."""
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise BadMessage(f"The key {quoted(str(twice))} appears twice in one map.")
    return value


def _no_extension(*_: object) -> NoReturn:
    raise BadMessage("The frame holds an extension type; use maps, lists, text, numbers, booleans and nil only.")


def _no_constant(literal: str) -> NoReturn:
    raise BadMessage(f"The frame holds {literal}, which is not JSON: numbers must be finite.")


MSGPACK: Final = Codec("palestra.v1.msgpack", True, _join_packed, _pack, msgpack.packb(GAP), _unpack_client, _unpack)
JSON: Final = Codec("palestra.v1.json", False, _join_json, _to_json, to_json(GAP), _from_json, _from_json)
_CODECS = {codec.subprotocol: codec for codec in (MSGPACK, JSON)}
SUBPROTOCOLS: Final = tuple(_CODECS)  # in order of preference, for a server that is offered several


def codec_for(subprotocol: str | None) -> Codec:
    """The codec of a subprotocol; MessagePack if none was requested. Raises KeyError for names not in SUBPROTOCOLS."""
    return MSGPACK if subprotocol is None else _CODECS[subprotocol]
