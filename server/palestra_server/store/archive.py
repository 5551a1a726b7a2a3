"""Reading a store that a server may be using: exports, and backups."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, Unpack

from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from palestra_referee import event_from_line, replay
from palestra_referee.layout import NOWHERE, Place, match_entry
from palestra_server.store import summaries
from palestra_server.store.database import DATABASE, LOCK, Database, described
from palestra_server.store.errors import StoreError
from palestra_server.store.preparing import prepare, refuse_unprepared
from palestra_server.store.summaries import NOTHING, Hidden, MatchSummary, Which
from palestra_server.store.tables import METADATA, identity, tournaments
from palestra_server.store.tournaments import event_lines, season_files
from palestra_server.store.writer import wall_clock_ms
from palestra_tournament import (
    MatchStarted,
    Ruled,
    SpecError,
    Tournament,
    event_from_record,
    parse_spec,
    public,
    public_events,
)
from palestra_tournament import replay as replay_tournament
from palestra_tournament.export import ExportWriter, place_of
from palestra_tournament.season import parse_season

_CHUNK: Final = 1000
_FILES: Final = select(tournaments.c.name, tournaments.c.toml)


@contextlib.contextmanager
def open_archive(data: Path, database: str | None) -> Iterator[Archive]:
    """Open the records of a data folder, even while a server uses it. Raises StoreError if there are none."""
    if database is None and not (data / DATABASE).is_file():
        raise StoreError(f"{data} holds no records: name the folder that the server was started with in --data.")
    with contextlib.closing(Database(data, database, busy_s=5.0)) as db:
        refuse_unprepared(db)
        yield Archive(db)


class Exported(NamedTuple):
    """How many matches and tournaments a file has, and how many results that need no match. `left_out`: why others are
    missing, as sentences, by name; `hidden`: the tournaments whose hidden round is not in it.
    """

    matches: int
    tournaments: int
    walkovers: int
    left_out: Mapping[str, str]
    hidden: Sequence[str]


class Archive:
    """Read-only, and blocks no writer. All methods raise StoreError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def matches(self, limit: int, *, with_hidden: bool = False, **which: Unpack[Which]) -> list[MatchSummary]:
        return self._database.read(
            lambda db: summaries.read(db, limit, NOTHING if with_hidden else _hidden(db), **which)
        )

    def rulings(self, names: Collection[str], *, with_hidden: bool = False) -> dict[str, Ruled]:
        """The last ruling on each match of these tournaments, by match; of those that can't be read, none."""
        found: dict[str, Ruled] = {}
        with self._database.snapshot() as db:
            for name, toml in db.execute(_FILES.where(tournaments.c.name.in_(names))).all():
                with contextlib.suppress(StoreError):
                    # To replay a large tournament takes seconds, and few have any.
                    if any(b'"type":"ruled"' in line for line in event_lines(db, name)):
                        now = _replayed(db, name, toml, with_hidden=with_hidden).now
                        found |= {each.match: each for each in (now.rulings if now else ())}
        return found

    def server_id(self) -> str:
        """Which server this is: the same in all its exports, backups and receipts."""
        return str(self._database.read(lambda db: db.execute(select(identity.c.server)).scalar_one()))

    def unfinished(self) -> Iterator[tuple[str, list[bytes]]]:
        """The records of each unfinished match. Raises StoreError if some can't be read."""
        for match_id, records in self._database.read(summaries.unfinished).items():
            if isinstance(records, StoreError):
                raise records
            yield match_id, records

    def export(self, file: IO[bytes], server: str, names: Sequence[str] = (), *, with_hidden: bool = False) -> Exported:
        """Write all finished matches, or those of the tournaments `names`; hidden rounds only `with_hidden`.

        Without names, what can't be read is left out, and the manifest says so. `server` is its program and version.
        """
        with self._database.snapshot() as db:
            without = NOTHING if with_hidden else _hidden(db)
            over = [match for match in reversed(summaries.read(db, None, without)) if match.finished_ms is not None]
            over = [match for match in over if not names or match.tournament in names]
            lost: dict[str, str] = {}
            while True:
                # A match that can't be read takes its tournament with it, whose matches then have no place in it: write
                # everything once more. Intact records cost nothing extra.
                found, left_out = _tournaments(db, names, lost, with_hidden=with_hidden)
                for name in left_out.keys() & set(without.tournaments):
                    left_out[name] += " It may hide some of its matches, so they are left out, too (--with-hidden)."
                before = len(lost)
                file.seek(0)
                file.truncate()
                written = self._write(db, file, server, over, found, lost, left_out, _seasons(db, names))
                if len(lost) == before:
                    hidden = [name for name, kept in found.items() if kept.hidden]
                    states = [kept.now for kept in found.values() if kept.now is not None]
                    walkovers = sum(result.match is None for t in states for result in t.results.values())
                    return Exported(written, len(found), walkovers, {**left_out, **lost}, hidden)
                if names:
                    raise StoreError(next(iter(lost.values())))

    def _write(
        self,
        db: Connection,
        file: IO[bytes],
        server: str,
        over: Sequence[MatchSummary],
        found: Mapping[str, _Kept],
        lost: dict[str, str],
        left_out: Collection[str],
        seasons: Collection[str],
    ) -> int:
        """Write all matches but those in `lost`, and add unreadable ones to it; returns the number written. `left_out`:
        tournaments that are not among `found`; `seasons`: their files."""
        places = {match: place for kept in found.values() for match, place in kept.places.items()}

        def entries() -> Iterator[dict[str, Any]]:
            for match in over:
                if match.match not in lost:
                    try:
                        yield _entry(db, match, places.get(match.match, NOWHERE))
                    except StoreError as error:
                        lost[match.match] = str(error)

        identified = db.execute(select(identity.c.server)).scalar()
        with ExportWriter(file, server, wall_clock_ms(), identified) as writer:
            writer.matches(entries())
            writer.journal(
                (match.match, seq, line)
                for match in over
                if match.match not in lost
                for seq, line in enumerate(summaries.match_lines(db, match.match)[0])
            )
            for name, kept in found.items():
                writer.tournament(name, kept.toml, kept.events, kept.now, without_hidden=bool(kept.hidden))
            for toml in seasons:
                season = parse_season(toml)
                writer.season(toml, season, {name: kept.now for name, kept in found.items()})
            writer.left_out(lost, left_out)
        return sum(match.match not in lost for match in over)

    def backup(self, data: Path, folder: Path, without: Collection[str] = ()) -> None:
        """Copy everything into a new data folder, from which a server can be started.

        `data`: the data folder, whose other files are copied as well, except those named in `without`. Raises OSError
        if they can't be; what was copied until then is taken away again, so that nobody starts from half a backup.
        """
        if folder.exists() and any(folder.iterdir()):
            raise StoreError(f"{folder} is not empty: choose a new folder for the backup.")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            self._copy(data, folder, without)
        except BaseException:
            for path in folder.iterdir():
                path.unlink()
            raise

    def _copy(self, data: Path, folder: Path, without: Collection[str]) -> None:
        with contextlib.closing(Database(folder, None, busy_s=5.0)) as copy:
            prepare(copy)
            with self._database.snapshot() as source, copy.writer.connect() as target:
                with _writing():
                    target.execute(identity.delete())  # it is the same server
                for table in METADATA.sorted_tables:
                    with source.execute(select(table), execution_options={"yield_per": _CHUNK}) as rows:
                        for part in rows.mappings().partitions():
                            with _writing():
                                target.execute(table.insert(), [dict(row) for row in part])
                with _writing():
                    target.commit()
        for path in sorted(data.iterdir()):
            if path.is_file() and not path.name.startswith((DATABASE, LOCK)) and path.name not in without:
                shutil.copy2(path, folder / path.name)


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    """Raises OSError for what the copy can't take: `snapshot` would tell it of the records that are read."""
    try:
        yield
    except SQLAlchemyError as error:
        raise OSError(described(error)) from None


@dataclass(frozen=True, slots=True)
class _Kept:
    """A tournament as stored: its file, its events, its state, and the places of the matches it began; all as it stood
    before its `hidden` matches, if they are left out.
    """

    toml: str
    events: list[bytes]
    now: Tournament | None
    places: Mapping[str, Place]
    hidden: frozenset[str]


def _seasons(db: Connection, names: Collection[str]) -> list[str]:
    """The files of the seasons that can be read; of only some tournaments, those that count no others."""
    every = set(db.execute(select(tournaments.c.name)).scalars())
    found = []
    for toml in season_files(db).values():
        with contextlib.suppress(SpecError):
            legs = {leg.name for leg in parse_season(toml).tournaments}
            if not names or legs & every <= set(names):
                found.append(toml)
    return found


def _hidden(db: Connection) -> Hidden:
    """The matches of hidden rounds, and the tournaments that can't be read and may have one."""
    matches: set[str] = set()
    closed = set()
    for name, toml in db.execute(_FILES):
        with contextlib.suppress(SpecError):
            if parse_spec(toml).embargo == "none":
                continue
        try:
            matches |= _replayed(db, name, toml, with_hidden=False).hidden
        except StoreError:
            closed.add(name)
    return Hidden(frozenset(matches), frozenset(closed))


def _tournaments(
    db: Connection, names: Sequence[str], lost: Mapping[str, str], *, with_hidden: bool
) -> tuple[dict[str, _Kept], dict[str, str]]:
    """All tournaments, or those in `names`; and why others are left out: they, or a match of theirs in `lost`, can't be
    read. Raises StoreError if one of `names` can't be.
    """
    rows = db.execute(_FILES.order_by(tournaments.c.id)).all()
    known = {name for name, _ in rows}
    for name in names:
        if name not in known:
            have = f"there are {', '.join(sorted(known))}" if known else "there are none"
            raise StoreError(f"There is no tournament called {name}; {have}.")
    found: dict[str, _Kept] = {}
    left_out: dict[str, str] = {}
    for name, toml in rows:
        if names and name not in names:
            continue
        try:
            kept = _replayed(db, name, toml, with_hidden=with_hidden)
        except StoreError as error:
            if names:
                raise
            left_out[name] = str(error)
            continue
        if (match := next((match for match in kept.places if match in lost), None)) is None:
            found[name] = kept
        else:
            left_out[name] = f"The tournament {name} is not whole: its match {match} can't be read."
    return found, left_out


def _replayed(db: Connection, name: str, toml: str, *, with_hidden: bool) -> _Kept:
    lines = event_lines(db, name)
    try:
        spec = parse_spec(toml)
        events = [event_from_record(json.loads(line)) for line in lines]
        now = replay_tournament(spec, events)
        hidden = frozenset() if now is None or with_hidden else now.hidden
        if now is not None and hidden:
            events = list(public_events(now, events))
            now = public(now)
        begun = [event for event in events if isinstance(event, MatchStarted)]
        places = {} if now is None else {event.match: place_of(now.by_id[event.fixture]) for event in begun}
    except SpecError as error:
        raise StoreError(f"The tournament {name} can't be replayed: {str(error).partition(chr(10))[0]}") from None
    except (ValueError, LookupError, TypeError) as error:
        raise StoreError(f"The tournament {name} can't be replayed: {error}") from None
    return _Kept(toml, lines[: len(events)], now, places, hidden)


def unreadable_tournaments(db: Connection) -> Iterator[tuple[str, str]]:
    """The name of each tournament that can't be replayed, and why, as a sentence."""
    yield from _tournaments(db, (), {}, with_hidden=True)[1].items()


def _entry(db: Connection, kept: MatchSummary, place: Place) -> dict[str, Any]:
    """The entry of a match: its moves from the journal, its result from the listing, as it was announced."""
    lines, _ = summaries.match_lines(db, kept.match)
    try:
        match = replay(map(event_from_line, lines))
        # The clock may have been set back meanwhile.
        ended_ms = max(kept.created_ms, kept.finished_ms or 0)
        entry = match_entry(match, kept.receipt or "", place, kept.created_ms, ended_ms)
    except (ValueError, LookupError) as error:
        raise StoreError(f"The match {kept.match} can't be replayed: {error}") from None
    return entry | {"returns": kept.returns, "reason": kept.reason, "why": kept.why}
