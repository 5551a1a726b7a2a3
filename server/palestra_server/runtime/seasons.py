"""Seasons: their files, and their tables as each viewer may see them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, TypeAlias

import structlog

from palestra_server.answers import compact_json
from palestra_server.helper import Helper
from palestra_server.languages import LANGUAGES
from palestra_server.runtime.catalogue import Catalogue, DirectorError
from palestra_server.runtime.embargo import Viewer
from palestra_server.store import SeasonFiles
from palestra_tournament import Fault, SpecError, Tournament
from palestra_tournament.season import Season, parse_season
from palestra_tournament.season_tables import (
    Played,
    SeasonRow,
    season_grades,
    season_grades_csv,
    season_standings,
    season_standings_csv,
)

log = structlog.get_logger()

HERE: Final = 50  # the tables of more players are made in another process
_Key: TypeAlias = tuple[str, str, bool]  # season, table, and whether with what is hidden


class Seasons:
    """For the event loop's thread. `apart` makes large tables."""

    def __init__(self, files: SeasonFiles, catalogue: Catalogue, apart: Helper) -> None:
        self._files = files
        self._catalogue = catalogue
        self._apart = apart
        self._making = asyncio.Lock()
        # The tables made last, with how many events of each tournament they count.
        self._made: dict[_Key, tuple[tuple[int, ...], bytes]] = {}
        self._known: dict[str, tuple[str, Season]] = {}

    def restore(self) -> None:
        """Read the files. Raises StoreError."""
        for name, toml in self._files.all().items():
            try:
                self._known[name] = toml, parse_season(toml)
            except SpecError as error:
                log.error("season cannot be read", season=name, why=str(error))

    def file(self, name: str) -> str:
        return self._get(name)[0]

    def _get(self, name: str) -> tuple[str, Season]:
        """Raises DirectorError."""
        found = self._known.get(name)
        if found is None:
            sentence = f"There is no season {name}; 'palestra-server season list' shows all."
            raise DirectorError("unknown_season", sentence)
        return found

    async def check(self, toml: str) -> tuple[Season, list[Fault]]:
        """The season of a file, and what may be a mistake. Raises SpecError."""
        season = await asyncio.to_thread(parse_season, toml)
        missing = [leg.name for leg in season.tournaments if leg.name not in self._catalogue]
        return season, [Fault("no_tournament", name=name) for name in missing]

    async def create(self, toml: str) -> Season:
        """Raises SpecError, DirectorError, StoreError."""
        season, _ = await self.check(toml)
        if season.name in self._known:
            raise DirectorError("name_taken", f"There is a season {season.name} already: choose another name.")
        await asyncio.to_thread(self._files.create, season.name, toml)
        self._known[season.name] = toml, season
        return season

    async def delete(self, name: str) -> None:
        """Its tournaments stay. Raises DirectorError, StoreError."""
        self._get(name)
        await asyncio.to_thread(self._files.delete, name)
        self._known.pop(name, None)
        self._made = {key: made for key, made in self._made.items() if key[0] != name}

    def listed(self, viewer: Viewer) -> list[dict[str, Any]]:
        return [self.summary(name, viewer) for name in self._known]

    def summary(self, name: str, viewer: Viewer) -> dict[str, Any]:
        """Raises DirectorError."""
        season = self._get(name)[1]
        known = {each["name"]: each for each in self._catalogue.listed(viewer)}
        legs = [
            {
                "name": leg.name,
                "title": known[leg.name]["title"] if leg.name in known else leg.name,
                "weight": leg.weight,
                "state": known[leg.name]["state"] if leg.name in known else "planned",
            }
            for leg in season.tournaments
        ]
        return {
            "name": name,
            "title": season.display_name,
            "tournaments": legs,
            "scoring": season.scoring,
            "best": season.counting,
            "ratings": season.ratings,
            "graded": not season.grades.is_empty,
            "hides": any(self._catalogue.hides(leg.name) for leg in season.tournaments),
        }

    async def table(self, name: str, table: str, viewer: Viewer, language: str | None = None) -> bytes:
        """As sent, with each tournament as this viewer may see it. Raises DirectorError, StoreError, HelperFailed."""
        season = self._get(name)[1]
        played: list[Tournament | None] = []
        events = []
        for leg in season.tournaments:
            live = None
            if leg.name in self._catalogue and leg.name not in self._catalogue.damaged:
                live = await self._catalogue.fetch(leg.name)
            seen = None if live is None else live.seen_by(viewer)
            played.append(None if seen is None else seen.but(shown=None, hidden=frozenset()))
            events.append(0 if live is None else live.recorded)
        key = name, table, viewer.sees_hidden
        async with self._making:
            made = self._made.get(key)
            if made is None or made[0] != tuple(events):
                large = sum(len(t.entrants) for t in played if t is not None) > HERE

                def make() -> bytes:
                    if large:
                        return self._apart.run(make_season, season, played, table)
                    return make_season(season, played, table)

                made = tuple(events), await asyncio.to_thread(make)
                self._made[key] = made
        if language is None:
            return made[1]
        return LANGUAGES[language].table(made[1].decode(), None).encode()


def make_season(season: Season, played: Played, table: str) -> bytes:
    if table == "standings.csv":
        return season_standings_csv(season, played).encode()
    if table == "grades.csv":
        return season_grades_csv(season, played).encode()
    if table == "grades":
        found = season_grades(season, played)
        grades = [{**asdict(grade), "parts": [part._asdict() for part in grade.parts]} for grade in found]
        return compact_json({"maximum": season.grades.maximum, "grades": grades})
    return compact_json({"rows": [_row(row) for row in season_standings(season, played)]})


def _row(row: SeasonRow) -> Mapping[str, Any]:
    legs = [None if leg is None else leg._asdict() for leg in row.legs]
    return {**asdict(row), "legs": legs}
