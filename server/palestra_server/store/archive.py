"""Reading a store that a server may be using: exports, and backups."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final

from sqlalchemy import Connection, select

from palestra_referee import event_from_line, replay
from palestra_referee.layout import NOWHERE, Place, match_entry
from palestra_server.store import summaries
from palestra_server.store.database import DATABASE, LOCK, Database
from palestra_server.store.errors import StoreError
from palestra_server.store.journal import wall_clock_ms
from palestra_server.store.preparing import prepare, refuse_unprepared
from palestra_server.store.summaries import MatchSummary
from palestra_server.store.tables import METADATA, tournaments
from palestra_server.store.tournaments import event_lines
from palestra_tournament import MatchStarted, SpecError, Tournament, event_from_record, parse_spec
from palestra_tournament import replay as replay_tournament
from palestra_tournament.export import ExportWriter, place_of

_CHUNK: Final = 1000


@contextlib.contextmanager
def open_archive(data: Path, database: str | None) -> Iterator[Archive]:
    """Open the records of a data folder, also while a server uses it. Raises StoreError if there are none."""
    if database is None and not (data / DATABASE).is_file():
        raise StoreError(f"{data} holds no records: name the folder that the server was started with in --data.")
    with contextlib.closing(Database(data, database, busy_s=5.0)) as db:
        refuse_unprepared(db)
        yield Archive(db)


class Archive:
    """Read-only, and blocks no writer. All methods raise StoreError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def matches(self, limit: int, **which: Any) -> list[MatchSummary]:
        """The newest matches first; `which` as in `Journal.matches`."""
        return self._database.read(lambda db: summaries.read(db, limit, **which))

    def unfinished(self) -> list[tuple[str, list[bytes]]]:
        """Unfinished matches, each with its records."""
        return self._database.read(
            lambda db: [(name, summaries.match_lines(db, name)[0]) for name in summaries.unfinished(db)]
        )

    def export(self, file: IO[bytes], server: str, names: Sequence[str] = ()) -> tuple[int, int]:
        """Write all finished matches, or those of the tournaments `names`; returns how many matches and tournaments.

        `server` is its program and version.
        """
        with self._database.snapshot() as db:
            tables = _tournaments(db, names)
            places: dict[str, Place] = {}
            for _, events, now in tables.values():
                for line in events:
                    event = event_from_record(json.loads(line))
                    if now is not None and isinstance(event, MatchStarted):
                        places[event.match] = place_of(now.by_id[event.fixture])
            over = [match for match in reversed(summaries.read(db, None)) if match.finished_ms is not None]
            over = [match for match in over if not names or match.tournament in names]
            with ExportWriter(file, server, wall_clock_ms()) as writer:
                writer.matches(_entry(db, match, places.get(match.match, NOWHERE)) for match in over)
                writer.journal(
                    (match.match, seq, line)
                    for match in over
                    for seq, line in enumerate(summaries.match_lines(db, match.match)[0])
                )
                for name, (toml, events, now) in tables.items():
                    writer.tournament(name, toml, events, now)
        return len(over), len(tables)

    def backup(self, data: Path, folder: Path, without: Collection[str] = ()) -> None:
        """Copy everything into a new data folder, from which a server can be started.

        `data`: the data folder, whose other files are copied as well, except those named in `without`. Raises OSError
        if they can't be.
        """
        if folder.exists() and any(folder.iterdir()):
            raise StoreError(f"{folder} is not empty: choose a new folder for the backup.")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with contextlib.closing(Database(folder, None, busy_s=5.0)) as copy:
            prepare(copy)
            with self._database.snapshot() as source, copy.writer.begin() as target:
                for table in METADATA.sorted_tables:
                    rows = source.execute(select(table), execution_options={"yield_per": _CHUNK})
                    for part in rows.mappings().partitions():
                        target.execute(table.insert(), [dict(row) for row in part])
        os.chmod(folder / DATABASE, 0o600)
        for path in sorted(data.iterdir()):
            if path.is_file() and not path.name.startswith((DATABASE, LOCK)) and path.name not in without:
                shutil.copy2(path, folder / path.name)


def _tournaments(db: Connection, names: Sequence[str]) -> dict[str, tuple[str, list[bytes], Tournament | None]]:
    """File, events and state of each tournament, or of those in `names`."""
    rows = db.execute(select(tournaments.c.name, tournaments.c.toml).order_by(tournaments.c.id)).all()
    known = {name for name, _ in rows}
    for name in names:
        if name not in known:
            have = f"there are {', '.join(sorted(known))}" if known else "there are none"
            raise StoreError(f"There is no tournament called {name}; {have}.")
    found = {}
    for name, toml in rows:
        if names and name not in names:
            continue
        lines, now = _replayed(db, name, toml)
        found[name] = (toml, lines, now)
    return found


def _replayed(db: Connection, name: str, toml: str) -> tuple[list[bytes], Tournament | None]:
    lines = event_lines(db, name)
    try:
        events = [event_from_record(json.loads(line)) for line in lines]
        return lines, replay_tournament(parse_spec(toml), events) if events else None
    except (ValueError, LookupError, TypeError) as error:
        raise StoreError(f"The tournament {name} can't be replayed: {error}") from None


def unreadable_tournaments(db: Connection) -> Iterator[tuple[str, str]]:
    """The name of each tournament that can't be replayed, and why, as a sentence."""
    for name, toml in db.execute(select(tournaments.c.name, tournaments.c.toml).order_by(tournaments.c.id)).all():
        try:
            parse_spec(toml)
            _replayed(db, name, toml)
        except SpecError as error:
            yield name, f"The tournament {name} can't be replayed: {str(error).partition(chr(10))[0]}"
        except StoreError as error:
            yield name, str(error)


def _entry(db: Connection, kept: MatchSummary, place: Place) -> dict[str, Any]:
    """What is told of a match: its moves from the journal, its result as the listing has it, which was announced."""
    lines, _ = summaries.match_lines(db, kept.match)
    try:
        match = replay(map(event_from_line, lines))
        entry = match_entry(match, kept.receipt or "", place, kept.created_ms, kept.finished_ms)
    except (ValueError, LookupError) as error:
        raise StoreError(f"The match {kept.match} can't be replayed: {error}") from None
    return entry | {"returns": kept.returns, "reason": kept.reason, "detail": kept.detail}
