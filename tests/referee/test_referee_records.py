"""Events on their way to disk and back."""

from __future__ import annotations

import json
from dataclasses import asdict

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_referee import (
    Acted,
    AlarmDue,
    Attached,
    BecameReady,
    Created,
    Detached,
    Durable,
    MatchConfig,
    Resigned,
    Restarted,
    TurnWritten,
    Voided,
    canonical_json,
    event_from_record,
    event_to_record,
    record_line,
)

REFUSED = {"code": "refused", "player": "a"}
TIMES = st.integers(0, 2**62)
SEATS = st.sampled_from([0, 1])
COUNTS = st.integers(0, 10**6)
VALUES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=20)
INFO = st.none() | st.dictionaries(st.text(max_size=8), VALUES | st.lists(st.integers(0, 9)), max_size=4)
CONFIGS = st.builds(
    MatchConfig,
    st.text(),
    st.text(),
    st.tuples(st.text(), st.text()),
    COUNTS,
    COUNTS,
    COUNTS,
    COUNTS,
    COUNTS,
    st.lists(COUNTS).map(tuple),
    st.none() | st.text(),
    st.booleans(),
    st.tuples(st.booleans(), st.booleans()),
    st.sampled_from(["bank", "clock"]),
    st.none() | st.tuples(COUNTS, COUNTS),
    st.none() | st.text(),
)
EVENTS = st.one_of(
    st.builds(Created, CONFIGS, TIMES),
    st.builds(Attached, SEATS, TIMES, st.booleans(), st.text()),
    st.builds(Detached, SEATS, TIMES),
    st.builds(BecameReady, SEATS, TIMES),
    st.builds(TurnWritten, COUNTS, TIMES),
    st.builds(Acted, SEATS, COUNTS, COUNTS, TIMES, TIMES, st.sampled_from(["read", "stall", "poll"]), INFO),
    st.builds(Resigned, SEATS, TIMES),
    st.builds(AlarmDue, TIMES),
    st.builds(Restarted, TIMES),
    st.builds(Voided, st.sampled_from([REFUSED, {"code": "house_late", "player": "é"}]), TIMES),
)


@given(EVENTS)
def test_an_event_survives_msgpack_and_json(event):
    record = event_to_record(event)
    assert event_from_record(msgpack.unpackb(msgpack.packb(record))) == event
    assert event_from_record(json.loads(json.dumps(record))) == event


def test_records_that_are_on_disk_stay_readable():
    """Written by version 1 of the journal: never change these lines, whatever becomes of the classes."""
    config = {
        "match": "m",
        "game": "mancala",
        "players": ["a", "b"],
        "move_ms": 2000,
        "grace_ms": 100,
        "ready_ms": 30000,
        "away_ms": 10000,
        "ply_limit": 200,
        "opening": [3],
        "tournament": "t",
        "rated": True,
        "guests": [False, False],
        "away": "bank",
        "seat_ms": None,
        "fixture": None,
    }
    on_disk = [
        (Attached(0, 2), {"type": "attached", "seat": 0, "at": 2, "fresh": False, "version": ""}),
        (Detached(1, 3), {"type": "detached", "seat": 1, "at": 3}),
        (BecameReady(0, 4), {"type": "ready", "seat": 0, "at": 4}),
        (TurnWritten(5, 6), {"type": "turn", "ply": 5, "at": 6}),
        (Resigned(1, 7), {"type": "resigned", "seat": 1, "at": 7, "crashed": False}),
        (AlarmDue(8), {"type": "alarm", "at": 8}),
        (Restarted(9), {"type": "restarted", "at": 9}),
        (Voided(REFUSED, 10), {"type": "voided", "why": REFUSED, "at": 10}),
        (
            Created(MatchConfig("m", "mancala", ("a", "b"), 2000, 100, 30000, 10000, 200, (3,), "t", True), 1),
            {
                "type": "created",
                "config": config,
                "at": 1,
            },
        ),
        (
            Acted(1, 2, 3, 4, 5, "stall"),
            {
                "type": "acted",
                "seat": 1,
                "ply": 2,
                "action": 3,
                "arrived_at": 4,
                "at": 5,
                "stamp": "stall",
                "info": None,
            },
        ),
    ]
    for event, record in on_disk:
        assert event_from_record(record) == event
        assert json.loads(json.dumps(event_to_record(event))) == record


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"type": "durable", "at": 1},
        {"type": ["created"]},
        {"type": "attached"},
        {"type": "attached", "seat": 0, "at": 1, "more": 2},
        *({"type": "voided", "why": why, "at": 1} for why in ("No.", None, ["refused"], {}, {"code": "no"})),
        {"type": "voided", "why": {"code": "refused"}, "at": 1},
        {"type": "voided", "why": {**REFUSED, "ply": 3}, "at": 1},
        {"type": "created", "at": 1},
        {"type": "created", "config": {}, "at": 1},
        {"type": "created", "config": None, "at": 1},
        {"type": "created", "config": {**asdict(MatchConfig("m", "g", ("a", "b"), 1, 1, 1, 1, 1)), "more": 2}, "at": 1},
        {"type": "created", "config": {"players": ["a"], "opening": []}, "at": 1},
    ],
)
def test_anything_else_is_refused_in_one_sentence(record):
    with pytest.raises(ValueError, match="The journal has"):
        event_from_record(record)


def test_durable_is_about_the_journal_and_not_in_it():
    with pytest.raises(ValueError, match="Durable"):
        event_to_record(Durable(1))


WHOLE = st.integers(0, 2**53)
SAID = st.dictionaries(st.text(max_size=8), st.floats(-1e9, 1e9) | WHOLE | st.text(max_size=20), max_size=4)


@given(
    st.builds(TurnWritten, COUNTS, WHOLE)
    | st.builds(
        Acted, SEATS, COUNTS, COUNTS, WHOLE, WHOLE, st.sampled_from(["read", "stall", "poll"]), st.none() | SAID
    )
)
def test_what_is_written_out_for_every_move_is_canonical(event):
    assert record_line(event) == canonical_json(event_to_record(event))
