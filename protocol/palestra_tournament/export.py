"""Writes exports; RECORDS.md describes them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import IO, Any, Final, Self

from palestra_referee import canonical_json, layout
from palestra_tournament.csv_tables import crosstable_csv, grades_csv, schedule_csv, standings_csv
from palestra_tournament.model import Fixture, Tournament
from palestra_tournament.openings import opening_lists
from palestra_tournament.season import Season
from palestra_tournament.season_tables import Played, season_grades_csv, season_standings_csv

# The tables derived from a tournament, by file name.
TABLES: Final[Mapping[str, Callable[[Tournament], str]]] = dict(
    zip(layout.TABLE_FILES, (schedule_csv, standings_csv, crosstable_csv, grades_csv), strict=True)
)
# And those of a season.
SEASONS: Final[Mapping[str, Callable[[Season, Played], str]]] = dict(
    zip(layout.SEASON_TABLES, (season_standings_csv, season_grades_csv), strict=True)
)
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)


def place_of(fixture: Fixture) -> layout.Place:
    return fixture.id, fixture.round, fixture.pair


class ExportWriter:
    """Writes an export to a binary file: call `matches`, `journal`, then `tournament` for each.

    As a context manager it writes the manifest at the end; the file itself is left open.
    """

    def __init__(self, file: IO[bytes], server: str, exported_ms: int, server_id: str | None = None) -> None:
        """`server` names the program and its version, `server_id` which of its servers it is; `exported_ms` is UTC in
        ms since 1970.
        """
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._manifest: dict[str, Any] = {
            "format": layout.FORMAT,
            "server": server,
            "server_id": server_id,
            "exported": exported_ms,
            "matches": 0,
            "tournaments": [],
            "seasons": [],
            "left_out": {"matches": [], "tournaments": []},
            "hidden": [],
            "files": {},
        }

    def matches(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Writes the matches, each made by `match_entry`."""
        self._text(layout.OPENINGS, opening_lists())
        with self._entry(layout.MATCHES) as write:
            for entry in entries:
                write(canonical_json(entry) + b"\n")
                self._manifest["matches"] += 1
                self._not_before(entry["ended"])

    def journal(self, records: Iterable[tuple[str, int, bytes]]) -> None:
        """Writes the records of the same matches in the same order, as (match, number, canonical JSON)."""
        with self._entry(layout.JOURNAL) as write:
            for match, seq, record in records:
                write(layout.journal_line(match, seq, record) + b"\n")

    def tournament(
        self, name: str, toml: str, events: Iterable[bytes], now: Tournament | None, *, without_hidden: bool
    ) -> None:
        """Writes a tournament's file, its events as canonical JSON, and, if it has begun, its tables.

        `without_hidden`: this is how it stood before its hidden round, which is left out.
        """
        self._manifest["tournaments"].append(name)
        if without_hidden:
            self._manifest["hidden"].append(name)
        self._text(layout.folder(name) + layout.FILE, toml.encode())
        events = list(events)
        self._not_before(json.loads(events[-1])["at_ms"])
        self._text(layout.folder(name) + layout.EVENTS, b"".join(event + b"\n" for event in events))
        if now is not None:
            for file, table in TABLES.items():
                self._text(layout.folder(name) + file, table(now).encode())

    def _not_before(self, ms: int) -> None:
        """The clock may have been set back since."""
        self._manifest["exported"] = max(self._manifest["exported"], ms)

    def season(self, toml: str, season: Season, found: Mapping[str, Tournament | None]) -> None:
        """Writes a season's file and its tables. `found`: the tournaments that are in the file, each as it is there."""
        self._manifest["seasons"].append(season.name)
        place = layout.season_folder(season.name)
        self._text(place + layout.SEASON_FILE, toml.encode())
        played = [found.get(leg.name) for leg in season.tournaments]
        for file, table in SEASONS.items():
            self._text(place + file, table(season, played).encode())

    def left_out(self, matches: Iterable[str], tournaments: Iterable[str]) -> None:
        """Says what could not be read, by name."""
        self._manifest["left_out"] = {"matches": sorted(matches), "tournaments": sorted(tournaments)}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if error is None:
            self._zip.writestr(zipfile.ZipInfo(layout.MANIFEST, _NO_TIME), canonical_json(self._manifest) + b"\n")
        self._zip.close()

    def _text(self, name: str, text: bytes) -> None:
        with self._entry(name) as write:
            write(text)

    @contextmanager
    def _entry(self, name: str) -> Iterator[Callable[[bytes], object]]:
        digest = sha256()
        info = zipfile.ZipInfo(name, _NO_TIME)
        info.compress_type = zipfile.ZIP_DEFLATED
        with self._zip.open(info, "w", force_zip64=True) as entry:

            def write(data: bytes) -> None:
                digest.update(data)
                entry.write(data)

            yield write
        self._manifest["files"][name] = digest.hexdigest()
