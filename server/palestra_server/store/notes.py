"""What bots note beside their moves, for their players. No part of a match's records: nothing is derived from it."""

from __future__ import annotations

from typing import Final, NamedTuple

from sqlalchemy import bindparam, select

from palestra_server.store.database import Statement
from palestra_server.store.tables import notes
from palestra_server.store.writer import Book

_NOTED: Final = "INSERT INTO notes (match_id, ply, seat, note) VALUES (?, ?, ?, ?)"
_OF_MATCH: Final = (
    select(notes.c.ply, notes.c.seat, notes.c.note).where(notes.c.match_id == bindparam("match")).order_by(notes.c.id)
)


class Note(NamedTuple):
    ply: int
    seat: int
    note: str


def noted(match_id: str, note: Note) -> Statement:
    return _NOTED, (match_id, *note)


class Notes(Book):
    """Written with the moves, by the journal."""

    def of(self, match_id: str) -> list[Note]:
        """In the order of the moves. Raises StoreError."""
        return self.database.read(lambda db: [Note(*row) for row in db.execute(_OF_MATCH, {"match": match_id})])
