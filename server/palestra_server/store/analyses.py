"""What the judge says of matches. Nothing is derived from it, so it can be written again at any time."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, select

from palestra_server.store.database import Database
from palestra_server.store.tables import analyses, matches
from palestra_server.store.writer import Writer


class Analyses:
    """All methods raise StoreError, and are never called in the event loop."""

    def __init__(self, database: Database, writer: Writer) -> None:
        self._database = database
        self._writer = writer

    def put(self, match_id: str, analysis: bytes) -> None:
        """Keeps it, in place of an earlier one; it is on disk when this returns."""

        def change(db: Connection) -> None:
            db.execute(analyses.delete().where(analyses.c.match_id == match_id))
            db.execute(analyses.insert().values(match_id=match_id, analysis=analysis))

        self._writer.call(change)

    def of(self, match_ids: Sequence[str]) -> dict[str, bytes]:
        """Those that there are, by match."""
        query = select(analyses.c.match_id, analyses.c.analysis).where(analyses.c.match_id.in_(match_ids))
        return self._database.read(lambda db: {row.match_id: row.analysis for row in db.execute(query)})

    def missing(self, games: Collection[str], without: Collection[str]) -> str | None:
        """The newest match of these games that is over and was not judged, none of `without`."""
        query = (
            select(matches.c.match_id)
            .where(matches.c.finished_ms.is_not(None), matches.c.game.in_(games), matches.c.reason != "void")
            .where(matches.c.match_id.not_in(select(analyses.c.match_id)), matches.c.match_id.not_in(without))
            .order_by(matches.c.id.desc())
            .limit(1)
        )
        return self._database.read(lambda db: db.execute(query).scalar())
