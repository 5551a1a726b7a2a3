"""The roster's table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Row, select
from sqlalchemy.exc import IntegrityError

from palestra_server.store.errors import StoreError
from palestra_server.store.tables import players, readiness, sessions
from palestra_server.store.writer import Book


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A player. `ids` are those of the class lists, by the titles of their columns; `token_hash` is SHA-256 in hex, or
    None; `created_ms` is UTC.
    """

    name: str
    email: str
    group: str
    ids: Mapping[str, str]
    token_hash: str | None
    banned: bool
    created_ms: int


class Players(Book):
    """Writes are committed when the call returns: never call them in the event loop. All methods raise StoreError."""

    def list(self) -> Sequence[PlayerRow]:
        """All players, in the order they were added."""
        return self.database.read(lambda db: [_row(row) for row in db.execute(select(players).order_by(players.c.id))])

    def put(self, *rows: PlayerRow) -> None:
        """Insert or update these players; all of them or none."""
        self.writer.call(lambda db: _put(db, rows))

    def rename(self, old: str, new: str) -> None:
        """Rename a player; matches already played keep the old name, which is in their records."""

        def change(db: Connection) -> None:
            if db.execute(select(players.c.id).where(players.c.name == new)).first() is not None:
                raise StoreError(f"There is a player called {new} already: choose another name.")
            if not db.execute(players.update().where(players.c.name == old).values(name=new)).rowcount:
                raise StoreError(f"There is no player called {old}.")
            for table in (readiness, sessions):
                db.execute(table.update().where(table.c.player == old).values(player=new))

        self.writer.call(change)

    def remove(self, name: str) -> None:
        """Delete a player and what is known of its bots; the matches stay."""

        def change(db: Connection) -> None:
            if not db.execute(players.delete().where(players.c.name == name)).rowcount:
                raise StoreError(f"There is no player called {name}.")
            for table in (readiness, sessions):
                db.execute(table.delete().where(table.c.player == name))

        self.writer.call(change)


def _put(db: Connection, rows: Sequence[PlayerRow]) -> None:
    for row in rows:
        values = asdict(row) | {"ids": json.dumps(dict(row.ids), ensure_ascii=False)}
        try:
            with db.begin_nested():
                if not db.execute(players.update().where(players.c.name == row.name).values(values)).rowcount:
                    db.execute(players.insert().values(values))
        except IntegrityError:
            raise StoreError(f"The token of {row.name} is another player's already: make a new one.") from None


def _row(row: Row[Any]) -> PlayerRow:
    return PlayerRow(row.name, row.email, row.group, json.loads(row.ids), row.token_hash, row.banned, row.created_ms)
