"""Events as plain maps for the journal, and back: `event_from_record(event_to_record(event)) == event`.

A record is {"type": NAME, then the fields of the event}; values are what msgpack and JSON know. The names and
fields are on disk for good: a new field needs a default, and a name is never used for something else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any

from palestra_server.referee.events import (
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


def _reader(name: str, kind: type[Event]) -> Callable[[Event], dict[str, Any]]:
    """What makes the record of an event of this kind."""
    keys = tuple(inspect.signature(kind).parameters)
    if len(keys) == 1:
        return lambda event: {"type": name, keys[0]: getattr(event, keys[0])}
    values = attrgetter(*keys)
    return lambda event: {"type": name, **dict(zip(keys, values(event), strict=True))}


_CONFIG = tuple(field.name for field in fields(MatchConfig))
_READERS = {kind: _reader(name, kind) for name, kind in _KINDS.items()}


def event_to_record(event: Event) -> dict[str, Any]:
    """The map that the journal keeps. Raises ValueError for Durable, which is about the journal and not in it."""
    reader = _READERS.get(type(event))
    if reader is None:
        raise ValueError(f"{type(event).__name__} is not journalled.")
    record = reader(event)
    if isinstance(event, Created):
        record["config"] = {key: getattr(event.config, key) for key in _CONFIG}
    return record


def event_from_record(record: Mapping[str, Any]) -> Event:
    """The event that `event_to_record` wrote, also after msgpack or JSON made lists of its tuples.

    Raises ValueError, in one sentence, for anything else.
    """
    values = dict(record)
    name = values.pop("type", None)
    if not isinstance(name, str) or name not in _KINDS:
        raise ValueError(f"The journal holds a record of the unknown type {name!r}; is it from a newer version?")
    try:
        if name == "created":
            values["config"] = _config(values["config"])
        return _KINDS[name](**values)
    except (TypeError, KeyError, ValueError) as error:
        raise ValueError(f"The journal holds a broken record of the type '{name}': {error}.") from None


def _config(values: Mapping[str, Any]) -> MatchConfig:
    first, second = values["players"]
    guest0, guest1 = values.get("guests", (False, False))
    opening = tuple(values["opening"])
    return MatchConfig(**{**values, "players": (first, second), "opening": opening, "guests": (guest0, guest1)})
