"""What the judge says of matches. It can be written again at any time."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, bindparam, select

from palestra_protocol.analysis import Analysis, to_json
from palestra_server.store.tables import analyses, judged, matches
from palestra_server.store.writer import Book

_ONE: Final = select(analyses.c.analysis).where(analyses.c.match_id == bindparam("match"))


class Analyses(Book):
    """All methods raise StoreError, and are never called in the event loop."""

    def put(self, analysis: Analysis) -> None:
        """Keeps it, in place of an earlier one; it is on disk when this returns."""
        match_id = analysis.match
        seats = []
        for seat, (kept, choices) in enumerate((each.kept, each.choices) for each in analysis.accuracy):
            counts = {f"kept{third}": kept[third] for third in range(3)}
            counts |= {f"choices{third}": choices[third] for third in range(3)}
            cause = next((each.code for each in analysis.diagnoses if each.seat == seat), None)
            seats.append({"match_id": match_id, "seat": seat, "cause": cause, **counts})

        def change(db: Connection) -> None:
            for table in (analyses, judged):
                db.execute(table.delete().where(table.c.match_id == match_id))
            db.execute(analyses.insert().values(match_id=match_id, analysis=to_json(analysis)))
            db.execute(judged.insert(), seats)

        self.writer.call(change)

    def of(self, match_id: str) -> bytes | None:
        return self.database.read(lambda db: db.execute(_ONE, {"match": match_id}).scalar())

    def missing(self, games: Collection[str], without: Collection[str]) -> str | None:
        """The newest match of these games that is over and was not judged, none of `without`."""
        query = (
            select(matches.c.match_id)
            .where(matches.c.finished_ms.is_not(None), matches.c.game.in_(games), matches.c.reason != "void")
            .where(matches.c.match_id.not_in(select(analyses.c.match_id)), matches.c.match_id.not_in(without))
            .order_by(matches.c.id.desc())
            .limit(1)
        )
        return self.database.read(lambda db: db.execute(query).scalar())
