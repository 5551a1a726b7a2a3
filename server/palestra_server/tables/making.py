"""Each table of a tournament as it is sent, by its name: a function of the tournament alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final

from palestra_server.answers import compact_json
from palestra_tournament import (
    Fixture,
    Scheduled,
    Tournament,
    counted_byes,
    crosstable,
    crosstable_csv,
    grades,
    grades_csv,
    readiness,
    schedule,
    schedule_csv,
    standings,
    standings_csv,
)


def make(table: str, t: Tournament) -> bytes:
    made = TABLES[table](t)
    return made.encode() if isinstance(made, str) else compact_json(made)


def media_type(table: str) -> str:
    return "text/csv" if table.endswith(".csv") else "application/json"


def _standings(t: Tournament) -> dict[str, Any]:
    return {"rows": [{**asdict(row), "tiebreaks": dict(row.tiebreaks)} for row in standings(t)]}


def _crosstable(t: Tournament) -> dict[str, Any]:
    table = crosstable(t)
    return {"players": table.players, "cells": table.cells}


def _schedule(t: Tournament) -> dict[str, Any]:
    return {
        "fixtures": [scheduled_values(entry) for entry in schedule(t)],
        "byes": [bye._asdict() for bye in counted_byes(t.byes, t.results.values())],
    }


def _bracket(t: Tournament) -> dict[str, Any]:
    return {"rounds": [[tie._asdict() for tie in ties] for ties in t.spec.format.bracket(t)]}


def _groups(t: Tournament) -> dict[str, Any]:
    return {"groups": t.spec.format.groups(t)}


def _readiness(t: Tournament) -> dict[str, Any]:
    return {"readiness": [each._asdict() for each in readiness(t)]}


def _grades(t: Tournament) -> dict[str, Any]:
    found = [{**asdict(grade), "parts": [part._asdict() for part in grade.parts]} for grade in grades(t)]
    return {"maximum": t.spec.grades.maximum, "grades": found}


# JSON, or CSV where the name says so.
TABLES: Final[Mapping[str, Callable[[Tournament], dict[str, Any] | str]]] = {
    "standings": _standings,
    "crosstable": _crosstable,
    "schedule": _schedule,
    "bracket": _bracket,
    "groups": _groups,
    "readiness": _readiness,
    "grades": _grades,
    "standings.csv": standings_csv,
    "crosstable.csv": crosstable_csv,
    "schedule.csv": schedule_csv,
    "grades.csv": grades_csv,
}


def fixture_values(fixture: Fixture) -> dict[str, Any]:
    return {
        "id": fixture.id,
        "round": fixture.round,
        "table": fixture.table,
        "pair": fixture.pair,
        "leg": fixture.leg,
        "game": fixture.game,
        "players": list(fixture.players),
        "opening": list(fixture.opening),
    }


def scheduled_values(entry: Scheduled) -> dict[str, Any]:
    result = entry.result
    return {
        **fixture_values(entry.fixture),
        "state": entry.state,
        "match": entry.match,
        "returns": None if result is None else list(result.returns),
        "reason": None if result is None else result.reason,
        "plies": None if result is None else result.plies,
    }
