"""The `matches` table: one row a match, derived from the journal, so that a listing needs no replay."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgpack

from palestra_referee import Match, MatchConfig, event_from_record, replay
from palestra_server.store.schema import StoreError

_COLUMNS = (
    "match_id, game, first, second, tournament, rated, created_ms, finished_ms, plies, return0, return1, reason, detail"
)


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A match in a listing. Times are UTC in milliseconds; what is None comes when the match is over."""

    match: str
    game: str
    players: tuple[str, str]
    tournament: str | None
    rated: bool
    created_ms: int
    finished_ms: int | None
    plies: int | None
    returns: tuple[float, float] | None
    reason: str | None
    detail: str | None


def unpack(packed: bytes) -> list[dict[str, Any]]:
    """The records of one row of the journal. Raises StoreError if it is not whole."""
    unpacker = msgpack.Unpacker()
    unpacker.feed(packed)
    records: list[dict[str, Any]] = []
    end = 0
    for record in unpacker:
        records.append(record)
        end = unpacker.tell()
    if end != len(packed):
        raise StoreError("A row of the journal is cut off: its file is damaged.")
    return records


def note_created(db: sqlite3.Connection, config: MatchConfig, wall_ms: int) -> None:
    """The row of a match that begins."""
    db.execute(
        "INSERT INTO matches (match_id, game, first, second, tournament, rated, created_ms) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (config.match, config.game, *config.players, config.tournament, config.rated, wall_ms),
    )


def note_finished(db: sqlite3.Connection, match: Match, wall_ms: int) -> None:
    """The rest of the row once the match is over."""
    if match.outcome is None:
        raise ValueError(f"The match {match.config.match} is not over.")
    end = match.outcome
    db.execute(
        "UPDATE matches SET finished_ms = ?, plies = ?, return0 = ?, return1 = ?, reason = ?, detail = ? "
        "WHERE match_id = ?",
        (wall_ms, match.ply, *end.returns, end.reason, end.detail, match.config.match),
    )


def rebuild(db: sqlite3.Connection) -> int:
    """Makes the table anew by replaying the whole journal, in the transaction that is open on `db`; how many matches.

    Raises StoreError if one can't be replayed, because its records are broken or its game is not installed.
    """
    db.execute("DELETE FROM matches")
    ids = db.execute("SELECT match_id FROM journal WHERE seq = 0 ORDER BY id").fetchall()
    for (match_id,) in ids:
        rows = db.execute(
            "SELECT records, wall_ms FROM journal WHERE match_id = ? ORDER BY seq", (match_id,)
        ).fetchall()
        try:
            match = replay(event_from_record(record) for packed, _ in rows for record in unpack(packed))
        except (ValueError, LookupError, StoreError) as error:
            raise StoreError(f"The match {match_id} can't be replayed: {error}") from None
        note_created(db, match.config, rows[0][1])
        if match.outcome is not None:  # nothing is journalled after the end, so the last row is the one that ended it
            note_finished(db, match, rows[-1][1])
    return len(ids)


def read(db: sqlite3.Connection, limit: int, tournament: str | None) -> list[MatchSummary]:
    """The newest matches first; of one tournament if it is given."""
    where = "" if tournament is None else "WHERE tournament = ?"
    values: Iterable[object] = (limit,) if tournament is None else (tournament, limit)
    rows = db.execute(f"SELECT {_COLUMNS} FROM matches {where} ORDER BY rowid DESC LIMIT ?", tuple(values)).fetchall()
    return [_summary(*row) for row in rows]


def unfinished(db: sqlite3.Connection) -> list[str]:
    """The matches without an end, the oldest first."""
    rows = db.execute("SELECT match_id FROM matches WHERE finished_ms IS NULL ORDER BY rowid").fetchall()
    return [match_id for (match_id,) in rows]


def _summary(
    match_id: str,
    game: str,
    first: str,
    second: str,
    tournament: str | None,
    rated: int,
    created_ms: int,
    finished_ms: int | None,
    plies: int | None,
    return0: float | None,
    return1: float | None,
    reason: str | None,
    detail: str | None,
) -> MatchSummary:
    returns = None if return0 is None or return1 is None else (return0, return1)
    players = (first, second)
    return MatchSummary(
        match_id, game, players, tournament, bool(rated), created_ms, finished_ms, plies, returns, reason, detail
    )
