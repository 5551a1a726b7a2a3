"""Says what is wrong with a frame, to someone who is writing their first client.

`BadMessage` is the only error raised by decoding. It points to the fault and says in one sentence what is wrong;
whatever the frame contains, anything quoted from it is short and printable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

_SHOWN = 40  # longest quote from a frame, in characters

_WANTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "bool_type": "true or false",
    "seat_type": "0, 1 or null",
    "tuple_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
    "model_attributes_type": "a map",
}
_SENTENCES = {
    "missing": "{path} is missing.",
    "extra_forbidden": "{path} is not a known key: remove it.",
    "invalid_key": "{path} is not a known key: remove it.",
    "string_pattern_mismatch": "{path} may have printable ASCII characters only, not {shown}.",
    "string_too_short": "{path} must not be empty.",
    "too_long": "{path} may have at most {max_length} entries, not {actual_length}.",
    "greater_than_equal": "{path} must be at least {ge:.0f}, not {shown}.",
    "less_than_equal": "{path} must be at most {le:.0f}, not {shown}.",
    "finite_number": "{path} must be a finite number, not NaN or infinity.",
}


class BadMessage(Exception):
    """A frame that is not a valid message.

    `message` is one plain sentence. `path` says where, such as "action.ply" or "action.info.pv[3]"; "" is the whole
    frame.
    """

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path


def quoted(text: str) -> str:
    """`text` in quotes: at most 40 characters, and no control characters."""
    short = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
    return "'" + "".join(c if c.isprintable() else "?" for c in short) + "'"


def shown(value: object) -> str:
    """Describes a value from a frame: "the text 'x'", "the number 3.5", "a list"."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() if abs(value) > 10**18:
            return "a number beyond 10^18"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text {quoted(value)}"
        case bytes():
            return "bytes"
        case Mapping():
            return "a map"
        case _:
            return "a list"


def from_validation(error: ValidationError, types: Sequence[str]) -> BadMessage:
    """The first fault found by validation; `types` are the message types of this direction."""
    first = error.errors(include_url=False)[0]
    context: Mapping[str, Any] = first.get("ctx", {})
    value: object = first["input"]
    path = _path(first["loc"])
    match first["type"]:
        case "union_tag_not_found":
            return BadMessage(f"The message has no type; it must be one of {', '.join(types)}.", "type")
        case "union_tag_invalid":
            kind = value.get("type") if isinstance(value, Mapping) else value
            known = ", ".join(types)
            return BadMessage(f"The type of a message must be one of {known}, not {shown(kind)}.", "type")
        case "string_too_long":
            text = f"{path} may have at most {context['max_length']} characters, not {len(str(value))}."
        case "literal_error":
            expected = str(context["expected"])
            wanted = expected if len(expected) <= _SHOWN else "one that version 1 defines"
            text = f"{path} must be {wanted}, not {shown(value)}."
        case kind if kind in _WANTED:
            text = f"{path or 'A message'} must be {_WANTED[kind]}, not {shown(value)}."
        case kind:
            sentence = _SENTENCES.get(kind, "{path} is not what the protocol asks for.")
            text = sentence.format(path=path or "The message", shown=shown(value), **context)
    return BadMessage(text, path)


def of_option(error: ValidationError) -> str:
    """What a command-line option takes, and what it was given."""
    first = error.errors(include_url=False)[0]
    context: Mapping[str, Any] = first.get("ctx", {})
    given = quoted(str(first["input"]))
    match first["type"]:
        case "int_parsing" | "int_parsing_size" | "int_from_float":
            return f"it takes a whole number, not {given}."
        case "float_parsing" | "finite_number":
            return f"it takes a number, not {given}."
        case "greater_than_equal":
            return f"it takes {context['ge']:.0f} or more, not {given}."
        case "less_than_equal":
            return f"it takes {context['le']:.0f} or less, not {given}."
        case _:
            return str(first["msg"])


def _path(parts: tuple[int | str, ...]) -> str:
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            # Keys may come from the frame.
            path += ("." if path else "") + quoted(part)[1:-1]
    return path
