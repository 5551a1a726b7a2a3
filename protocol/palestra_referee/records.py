"""Events as plain maps for the journal, and back: `event_from_record(event_to_record(event)) == event`.

A record is {"type": NAME, plus the fields of the event}, stored as canonical JSON.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
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


def event_from_record(record: Mapping[str, Any]) -> Event:
    """Accepts the lists that msgpack or JSON make of tuples.

    Raises ValueError, with a one-sentence message, for anything but a record.
    """
    values = dict(record)
    name = values.pop("type", None)
    if not isinstance(name, str) or name not in _KINDS:
        raise ValueError(f"The journal has a record of unknown type {name!r}; was it written by a newer version?")
    kind = _KINDS[name]
    try:
        if name == "created":
            values["config"] = _config(values["config"])
        if unknown := values.keys() - _NAMES[kind][1]:
            raise ValueError(f"it has the unknown field {min(unknown)!r}")
        return kind(**values)
    except (TypeError, KeyError, ValueError) as error:
        raise ValueError(f"The journal has a broken record of type '{name}': {error}.") from None


def event_from_line(line: bytes) -> Event:
    """The inverse of `record_line`. Raises ValueError, with a one-sentence message, for anything else."""
    try:
        record = json.loads(line)
    except ValueError:
        raise ValueError("The journal has a record that is not JSON.") from None
    if not isinstance(record, dict):
        raise ValueError("The journal has a record that is not a map.")
    return event_from_record(record)


def foreign_event_from_line(line: bytes) -> Event:
    """Like `event_from_line`, for records from elsewhere: exactly what `record_line` makes of an event.

    The server trusts what it wrote itself, of which it reads a lot at startup.
    """
    record = from_json(line)
    if not isinstance(record, dict):
        raise ValueError("A record is a map.")
    event: Event = foreign_event(record, _KINDS, _adapter)
    if record_line(event) != line:
        raise ValueError(f"The record of type '{record['type']}' is not as a server writes it.")
    return event


def foreign_event(record: Mapping[str, Any], kinds: Mapping[str, type], adapter: Callable[[str], Any]) -> Any:
    """The event of a record, of which every field must be there and of the right type.

    Raises ValueError, with a one-sentence message.
    """
    name = record.get("type")
    if not isinstance(name, str) or name not in kinds:
        raise ValueError(f"There is no record of type {json.dumps(name)}.")
    values = {key: value for key, value in record.items() if key != "type"}
    if unknown := values.keys() - _fields(kinds[name]):
        raise ValueError(f"{json.dumps(min(unknown))} is no field of '{name}'.")
    try:
        return adapter(name).validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"]))
        sentence = _FAULTS.get(fault["type"], "'{place}' is wrong. {message}.")
        raise ValueError(sentence.format(place=place, name=name, message=fault["msg"])) from None


@cache
def _fields(kind: type) -> frozenset[str]:
    return frozenset(inspect.signature(kind).parameters)


@cache
def _adapter(name: str) -> TypeAdapter[Event]:
    return TypeAdapter(_KINDS[name])


def _config(values: Mapping[str, Any]) -> MatchConfig:
    first, second = values["players"]
    guest0, guest1 = values["guests"]
    budgets = values["seat_ms"]
    if unknown := values.keys() - _CONFIG:
        raise ValueError(f"'config' has the unknown field {min(unknown)!r}")
    return MatchConfig(
        **{
            **values,
            "players": (first, second),
            "opening": tuple(values["opening"]),
            "guests": (guest0, guest1),
            "seat_ms": None if budgets is None else (budgets[0], budgets[1]),
        }
    )
