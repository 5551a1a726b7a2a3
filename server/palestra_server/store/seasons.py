"""Seasons: the file of each; everything else about one follows from its tournaments."""

from __future__ import annotations

from sqlalchemy import Connection, select

from palestra_server.store.errors import StoreError
from palestra_server.store.tables import seasons
from palestra_server.store.writer import Book


class SeasonFiles(Book):
    """Writes are committed when the call returns: never call them in the event loop. All methods raise StoreError."""

    def all(self) -> dict[str, str]:
        """The file of each season by its name, the oldest first."""
        return self.database.read(season_files)

    def create(self, name: str, toml: str) -> None:
        def change(db: Connection) -> None:
            if db.execute(select(seasons.c.id).where(seasons.c.name == name)).first() is not None:
                raise StoreError(f"There is a season called {name} already: choose another name, or delete it.")
            db.execute(seasons.insert().values(name=name, toml=toml, created_ms=self.writer.wall_ms()))

        self.writer.call(change)

    def delete(self, name: str) -> None:
        self.writer.call(lambda db: db.execute(seasons.delete().where(seasons.c.name == name)))


def season_files(db: Connection) -> dict[str, str]:
    return {row.name: row.toml for row in db.execute(select(seasons).order_by(seasons.c.id))}
