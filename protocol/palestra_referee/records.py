"""Events as plain maps for the journal, and back: `event_from_record(event_to_record(event)) == event`.

A record is {"type": NAME, plus the fields of the event}, stored as canonical JSON.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from palestra_referee.canonical import canonical_json, canonical_text
from palestra_referee.events import (
    Acted,
    AlarmDue,
    Attached,
    BecameReady,
    Created,
    Detached,
    Event,
    MatchConfig,
    Resigned,
    Restarted,
    TurnWritten,
    Voided,
)

_KINDS: dict[str, type[Event]] = {
    "created": Created,
    "attached": Attached,
    "detached": Detached,
    "ready": BecameReady,
    "turn": TurnWritten,
    "acted": Acted,
    "resigned": Resigned,
    "alarm": AlarmDue,
    "restarted": Restarted,
    "voided": Voided,
}

_FAULTS: Final = {
    "missing": "'{place}' is missing.",
    "missing_argument": "'{place}' is missing.",
    "unexpected_keyword_argument": "'{place}' is no field of '{name}'.",
}
_CONFIG = inspect.signature(MatchConfig).parameters.keys()
_NAMES = {kind: (name, tuple(inspect.signature(kind).parameters)) for name, kind in _KINDS.items()}


def event_to_record(event: Event) -> dict[str, Any]:
    """Raises ValueError for Durable, which is never journalled."""
    if type(event) not in _NAMES:
        raise ValueError(f"{type(event).__name__} is not journalled.")
    name, keys = _NAMES[type(event)]
    record: dict[str, Any] = {"type": name}
    for key in keys:
        record[key] = getattr(event, key)
    if isinstance(event, Created):
        # All its values are plain: asdict() would copy each of them, in ten times the time.
        record["config"] = {key: getattr(event.config, key) for key in _CONFIG}
    return record


def record_line(event: Event) -> bytes:
    """The record of an event as it is stored, chained and exported: canonical JSON without a newline.

    Raises ValueError like `event_to_record` and `canonical_json`.
    """
    # The two that occur at every move are formatted here, in a quarter of the time.
    if type(event) is TurnWritten:
        return f'{{"at":{event.at},"ply":{event.ply},"type":"turn"}}'.encode()
    if type(event) is Acted:
        info = "null" if event.info is None else canonical_text(event.info)
        return (
            f'{{"action":{event.action},"arrived_at":{event.arrived_at},"at":{event.at},"info":{info},'
            f'"ply":{event.ply},"seat":{event.seat},"stamp":"{event.stamp}","type":"acted"}}'
        ).encode()
    return canonical_json(event_to_record(event))


def event_from_record(record: object) -> Event:
    """Accepts the lists that msgpack or JSON make of tuples.

    Raises ValueError, with a one-sentence message, for anything but a record.
    """
    try:
        event: Event = read_event(record, _KINDS)
    except ValueError as error:
        raise ValueError(f"The journal has a broken record: {error}") from None
    return event


def event_from_line(line: bytes) -> Event:
    """The inverse of `record_line`. Raises ValueError, with a one-sentence message, for anything else."""
    try:
        record = from_json(line)
    except ValueError:
        raise ValueError("The journal has a record that is not JSON.") from None
    return event_from_record(record)


def foreign_event_from_line(line: bytes) -> Event:
    """Like `event_from_line`, for records from elsewhere: exactly what `record_line` makes of an event.

    The server trusts what it wrote itself, of which it reads a lot at startup.
    """
    record = from_json(line)
    event: Event = read_event(record, _KINDS, strict=True)
    if record_line(event) != line:
        raise ValueError(f"The record of type '{record['type']}' is not as a server writes it.")
    return event


def read_event(record: object, kinds: Mapping[str, type], *, strict: bool = False) -> Any:
    """The event of a record, of which every field must be there and, if `strict`, of the very type.

    Raises ValueError, with a one-sentence message.
    """
    if not isinstance(record, dict):
        raise ValueError("A record is a map.")
    name = record.get("type")
    if not isinstance(name, str) or name not in kinds:
        raise ValueError(f"There is no record of type {json.dumps(name)}; was it written by a newer version?")
    values = {key: value for key, value in record.items() if key != "type"}
    if unknown := values.keys() - _fields(kinds[name]):
        raise ValueError(f"{json.dumps(min(unknown))} is no field of '{name}'.")
    adapter = _adapter(kinds[name])
    try:
        if strict:
            return adapter.validate_json(json.dumps(values), strict=True)  # in JSON, a list is as good as a tuple
        return adapter.validate_python(values)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        if fault["type"] == "value_error":  # of the event's own, in its own words
            raise ValueError(str(fault["ctx"]["error"])) from None
        place = ".".join(map(str, fault["loc"]))
        sentence = _FAULTS.get(fault["type"], "'{place}' is wrong. {message}.")
        raise ValueError(sentence.format(place=place, name=name, message=fault["msg"])) from None


@cache
def _fields(kind: type) -> frozenset[str]:
    return frozenset(inspect.signature(kind).parameters)


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
