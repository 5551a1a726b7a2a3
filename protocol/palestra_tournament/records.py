"""A tournament's events as plain maps for the store, and back: `event_from_record(event_to_record(event)) == event`.

A record is {"type": NAME, plus the fields of the event}.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from palestra_referee.canonical import canonical_json
from palestra_referee.records import read_event
from palestra_tournament import events
from palestra_tournament.model import Ruled

_KINDS: dict[str, type[events.Event]] = {
    "created": events.Created,
    "began": events.Began,
    "started": events.MatchStarted,
    "ended": events.Ended,
    "joined": events.Joined,
    "withdrew": events.Withdrew,
    "reinstated": events.Reinstated,
    "paused": events.Paused,
    "resumed": events.Resumed,
    "revealed": events.Revealed,
    "closed": events.Closed,
    "ruled": Ruled,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def event_to_record(event: events.Event) -> dict[str, Any]:
    """Strings, integers, booleans, and lists and maps of them.

    The returns of a match become integers, so that records have a canonical JSON form (RFC 8785).
    """
    record: dict[str, Any] = {"type": _NAMES[type(event)]}
    for item in fields(event):
        value = getattr(event, item.name)
        record[item.name] = list(value) if isinstance(value, tuple) else value
    if isinstance(event, events.Began):
        record["entrants"] = [entrant._asdict() for entrant in event.entrants]
        record["carried"] = event.carried and asdict(event.carried)
    elif isinstance(event, events.Ended):
        record["returns"] = [int(value) for value in event.returns]
    return record


def event_from_record(record: object) -> events.Event:
    """Raises ValueError, with a one-sentence message, for anything but a record."""
    event: events.Event = read_event(record, _KINDS)
    return event


def foreign_event_from_record(record: object) -> events.Event:
    """Like `event_from_record`, for records from elsewhere: exactly what `event_to_record` makes of an event."""
    event: events.Event = read_event(record, _KINDS, strict=True)
    if canonical_json(event_to_record(event)) != canonical_json(record):
        raise ValueError(f"The record of type '{_NAMES[type(event)]}' is not as a server writes it.")
    return event
