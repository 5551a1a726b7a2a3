"""Each table of a tournament as it is sent, by its name: a function of the tournament and of what was asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from pydantic_core import to_json

import palestra_tournament as tournaments
from palestra_server.languages import LANGUAGES

AT_ONCE: Final = 50  # items of a list that are encoded at a stretch, well below a millisecond


class Asked(NamedTuple):
    """A table by its name, and the part of it that somebody wants to see: in a crosstable, the first `limit` players
    (of a group). A CSV is for programs, or for people's spreadsheets if it is asked for in a `language`.
    """

    table: str
    part: tournaments.Part = tournaments.Part()
    language: str | None = None


def make(asked: Asked, t: tournaments.Tournament) -> bytes:
    made = TABLES[asked.table](t, asked.part)
    if isinstance(made, str) and asked.language is not None:
        # All but the first title of a crosstable are names.
        made = LANGUAGES[asked.language].table(made, 1 if asked.table == "crosstable.csv" else None)
    return made.encode() if isinstance(made, str) else compact_json(made)


def media_type(table: str) -> str:
    return "text/csv" if table.endswith(".csv") else "application/json"


def _standings(t: tournaments.Tournament, _: tournaments.Part) -> dict[str, Any]:
    before = tournaments.earlier_ranks(t)
    rows = tournaments.standings(t)
    return {
        "rows": [{**asdict(row), "tiebreaks": dict(row.tiebreaks), "before": before.get(row.player)} for row in rows]
    }


def _crosstable(t: tournaments.Tournament, part: tournaments.Part) -> dict[str, Any]:
    table = tournaments.crosstable(t)
    group = {entrant.name: entrant.group for entrant in t.entrants}
    every = [at for at, name in enumerate(table.players) if part.group in (None, group[name])]
    shown = every[: part.limit]
    return {
        "players": [table.players[at] for at in shown],
        "cells": [[table.cells[at][other] for other in shown] for at in shown],
        "total": len(every),
    }


def _schedule(t: tournaments.Tournament, part: tournaments.Part) -> dict[str, Any]:
    found = tournaments.page(t, part)
    return {
        "fixtures": [scheduled_values(entry) for entry in found.fixtures],
        "byes": [bye._asdict() for bye in found.byes],
        "next": found.next,
        "rounds": [each._asdict() for each in tournaments.rounds(t)],
    }


def _bracket(t: tournaments.Tournament, _: tournaments.Part) -> dict[str, Any]:
    return {"rounds": [[tie._asdict() for tie in ties] for ties in t.spec.format.bracket(t)]}


def _groups(t: tournaments.Tournament, _: tournaments.Part) -> dict[str, Any]:
    return {"groups": t.spec.format.groups(t)}


def _readiness(t: tournaments.Tournament, _: tournaments.Part) -> dict[str, Any]:
    return {"readiness": [each._asdict() for each in tournaments.readiness(t)]}


def _grades(t: tournaments.Tournament, _: tournaments.Part) -> dict[str, Any]:
    found = [{**asdict(grade), "parts": [part._asdict() for part in grade.parts]} for grade in tournaments.grades(t)]
    return {"maximum": t.spec.grades.maximum, "grades": found}


def _file(write: Callable[[tournaments.Tournament], str]) -> Callable[[tournaments.Tournament, tournaments.Part], str]:
    return lambda t, _: write(t)


# JSON, or CSV where the name says so.
TABLES: Final[Mapping[str, Callable[[tournaments.Tournament, tournaments.Part], dict[str, Any] | str]]] = {
    "standings": _standings,
    "crosstable": _crosstable,
    "schedule": _schedule,
    "bracket": _bracket,
    "groups": _groups,
    "readiness": _readiness,
    "grades": _grades,
    "standings.csv": _file(tournaments.standings_csv),
    "crosstable.csv": _file(tournaments.crosstable_csv),
    "schedule.csv": _file(tournaments.schedule_csv),
    "grades.csv": _file(tournaments.grades_csv),
}


def ruling_values(t: tournaments.Tournament, ruling: tournaments.Ruled) -> dict[str, Any]:
    """A ruling, with the match it is on and what that counts as."""
    counts = tournaments.as_ruled(tournaments.judged(t, ruling.match), ruling)
    values = {**asdict(ruling), "players": list(counts.fixture.players), "game": counts.fixture.game}
    return {**values, "round": counts.fixture.round, "returns": list(counts.returns), "reason": counts.reason}


def scheduled_values(entry: tournaments.Scheduled) -> dict[str, Any]:
    result = entry.result
    return {
        **entry.fixture._asdict(),
        "state": entry.state,
        "match": entry.match,
        "returns": None if result is None else list(result.returns),
        "reason": None if result is None else result.reason,
        "plies": None if result is None else result.plies,
    }


def compact_json(value: Mapping[str, object]) -> bytes:
    """Encoded in whichever thread made the values: on the event loop a large table would block it."""
    # The encoder holds the GIL from start to finish, milliseconds for a long list: so encode it in pieces.
    return b"{" + b",".join(to_json(key) + b":" + _member(member) for key, member in value.items()) + b"}"


def _member(value: object) -> bytes:
    if not isinstance(value, list | tuple):
        return to_json(value)
    pieces = (value[start : start + AT_ONCE] for start in range(0, len(value), AT_ONCE))
    return b"[" + b",".join(to_json(piece)[1:-1] for piece in pieces) + b"]"
