"""What the big screen was last told to show."""

from __future__ import annotations

from sqlalchemy import Connection, select

from palestra_server.store.tables import screen
from palestra_server.store.writer import Book


class ScreenBook(Book):
    def put(self, state: str) -> None:
        """Queues it, in place of the last one; does not block. Raises JournalBroken."""

        def change(db: Connection) -> None:
            db.execute(screen.delete())
            db.execute(screen.insert().values(state=state))

        self.writer.put(None, (change,))

    def last(self) -> str | None:
        """Raises StoreError."""
        return self.database.read(lambda db: db.execute(select(screen.c.state)).scalar())
