"""Tournaments: the file each was made from and its events; which bots are ready for one; and the files of seasons."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, and_, func, select

from palestra_referee import canonical_json
from palestra_server.store.errors import StoreError
from palestra_server.store.tables import (
    matches,
    readiness,
    seasons,
    tournament_events,
    tournament_summaries,
    tournaments,
)
from palestra_server.store.writer import Book


@dataclass(frozen=True, slots=True)
class NewTournament:
    """`created` is its first event, `seed` and `salt` what that commits to."""

    name: str
    toml: str
    seed: int
    salt: str
    created: Mapping[str, Any]


class Tournaments(Book):
    """`append` and `summarise` do not block; other writes are committed when they return, and may not be called in the
    event loop. All raise StoreError.
    """

    def create(self, *files: NewTournament) -> None:
        """Adds all of these, or none."""
        now = self.writer.wall_ms()

        def change(db: Connection) -> None:
            for new in files:
                if _exists(db, new.name):
                    taken = f"There is a tournament called {new.name} already: choose another name, or delete it."
                    raise StoreError(taken)
                row = {"name": new.name, "toml": new.toml, "seed": new.seed, "salt": new.salt, "created_ms": now}
                db.execute(tournaments.insert().values(row))
                record = canonical_json(new.created)
                values = {"tournament": new.name, "seq": 0, "record": record, "wall_ms": now}
                db.execute(tournament_events.insert().values(values))

        self.writer.call(change)

    def has_matches(self, name: str) -> bool:
        """Whether there are matches of a tournament with this name, which may no longer exist itself."""
        query = select(matches.c.id).where(matches.c.tournament == name).limit(1)
        return self.database.read(lambda db: db.execute(query).first() is not None)

    def append(self, name: str, seq: int, record: Mapping[str, Any], refused: Callable[[str], object]) -> None:
        """Queues event number `seq` (0, 1, 2, ...) of its tournament. Raises JournalBroken, like the journal.

        `refused` gets a sentence, in the writer's thread, if there is no such tournament or it has another event of
        this number: that is nobody else's trouble.
        """
        values = {"tournament": name, "seq": seq, "record": canonical_json(record), "wall_ms": self.writer.wall_ms()}

        def change(db: Connection) -> None:
            there = select(tournament_events.c.record).where(
                tournament_events.c.tournament == name, tournament_events.c.seq == seq
            )
            kept = db.execute(there).scalar()
            if not _exists(db, name):
                refused(f"there is no tournament {name} any more")
            elif kept is None:
                db.execute(tournament_events.insert().values(values))
            elif kept != values["record"]:  # else the transaction is being repeated
                refused(f"its event {seq} is on disk already, and is another")

        self.writer.put(None, (change,))

    def file(self, name: str) -> str:
        return str(self._row(name).toml)

    def secret(self, name: str) -> tuple[int, str]:
        """The seed to which the tournament is committed, and its salt."""
        row = self._row(name)
        return row.seed, row.salt

    def _row(self, name: str) -> Row[Any]:
        query = select(tournaments).where(tournaments.c.name == name)
        row = self.database.read(lambda db: db.execute(query).first())
        if row is None:
            raise StoreError(f"There is no tournament called {name}.")
        return row

    def read(self, name: str) -> tuple[str, list[dict[str, Any]]]:
        lines = self.database.read(lambda db: event_lines(db, name))
        return self.file(name), [json.loads(line) for line in lines]

    def listed(self) -> list[tuple[str, dict[str, Any] | None]]:
        """All tournaments, the oldest first, with the summaries of those that have an up-to-date one."""
        mine = tournament_events.c.tournament == tournaments.c.name
        # Looked up in the index of (tournament, seq), not counted.
        events = select(func.max(tournament_events.c.seq) + 1).where(mine).scalar_subquery()
        of_all = and_(tournament_summaries.c.tournament == tournaments.c.name, tournament_summaries.c.events == events)
        query = (
            select(tournaments.c.name, tournament_summaries.c.summary)
            .select_from(tournaments.outerjoin(tournament_summaries, of_all))
            .order_by(tournaments.c.id)
        )
        rows = self.database.read(lambda db: db.execute(query).all())
        return [(row.name, None if row.summary is None else json.loads(row.summary)) for row in rows]

    def summarise(self, name: str, events: int, summary: Mapping[str, Any] | None) -> None:
        """Queues the summary of a tournament's first `events` events, replacing an earlier one; None removes it. Raises
        JournalBroken.
        """
        values = {"tournament": name, "events": events, "summary": json.dumps(summary)}

        def change(db: Connection) -> None:
            db.execute(tournament_summaries.delete().where(tournament_summaries.c.tournament == name))
            if summary is not None and _exists(db, name):
                db.execute(tournament_summaries.insert().values(values))

        self.writer.put(None, (change,))

    def delete(self, name: str) -> None:
        """Deletes a tournament and its events; its matches stay."""

        def change(db: Connection) -> None:
            if not db.execute(tournaments.delete().where(tournaments.c.name == name)).rowcount:
                raise StoreError(f"There is no tournament called {name}.")
            db.execute(tournament_events.delete().where(tournament_events.c.tournament == name))
            db.execute(tournament_summaries.delete().where(tournament_summaries.c.tournament == name))

        self.writer.call(change)


def _exists(db: Connection, name: str) -> bool:
    return db.execute(select(tournaments.c.id).where(tournaments.c.name == name)).first() is not None


def event_lines(db: Connection, name: str) -> list[bytes]:
    """The events of a tournament in order, as canonical JSON. Raises StoreError if one is missing in between."""
    query = select(tournament_events.c.seq, tournament_events.c.record)
    query = query.where(tournament_events.c.tournament == name).order_by(tournament_events.c.seq)
    found: list[bytes] = []
    for seq, line in db.execute(query):
        if seq != len(found):
            raise StoreError(f"The tournament {name} lacks its event {len(found)}.")
        found.append(bytes(line))
    return found


class SeasonFiles(Book):
    """All else about a season follows from its tournaments.

    Writes are committed when the call returns: never call them in the event loop. All methods raise StoreError.
    """

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


class ReadinessBook(Book):
    def put(self, player: str, game: str, passed: bool, when_ms: int) -> None:
        """Queues it, replacing an earlier one; does not block. Raises JournalBroken."""
        values = {"player": player, "game": game, "passed": passed, "when_ms": when_ms}

        def change(db: Connection) -> None:
            which = (readiness.c.player == player, readiness.c.game == game)
            db.execute(readiness.delete().where(*which))
            db.execute(readiness.insert().values(values))

        self.writer.put(None, (change,))

    def passed(self) -> Mapping[str, Mapping[str, bool]]:
        """Whether the bot passed its last check, by player and game. Raises StoreError."""
        query = select(readiness.c.player, readiness.c.game, readiness.c.passed).order_by(*readiness.primary_key)
        passed: dict[str, dict[str, bool]] = {}
        for player, game, has_passed in self.database.read(lambda db: db.execute(query).all()):
            passed.setdefault(player, {})[game] = has_passed
        return passed
