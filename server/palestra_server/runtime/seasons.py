"""Seasons: their files, and their tables as each viewer may see them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, Final, TypeAlias

import structlog

from palestra_server.helper import Helper
from palestra_server.languages import LANGUAGES
from palestra_server.runtime.catalogue import Catalogue, DirectorError
from palestra_server.runtime.embargo import Viewer
from palestra_server.runtime.seen_tournament import Version
from palestra_server.store import SeasonFiles
from palestra_server.tables import compact_json
from palestra_tournament import Carried, Fault, SpecError, Tournament
from palestra_tournament.season import Season, parse_season
from palestra_tournament.season_tables import (
    Played,
    SeasonRow,
    carry_over,
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
        # The tables made last, with what they were made from: the season, and the versions of its tournaments.
        self._made: dict[_Key, tuple[Season, tuple[Version | None, ...], bytes]] = {}
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
        names = [leg.name for leg in season.tournaments]
        if season.seeding == "ratings":
            seeded = {leg.name: other.name for other in self._seeding() for leg in other.tournaments}
            if twice := [name for name in names if seeded.get(name, season.name) != season.name]:
                raise SpecError([Fault("seeded_twice", name=twice[0], other=seeded[twice[0]])])
        remarks = [Fault("no_tournament", name=name) for name in names if name not in self._catalogue]
        there = [
            await self._catalogue.fetch(name)
            for name in names
            if name in self._catalogue and name not in self._catalogue.damaged
        ]
        entrants = {one.name for live in there for one in live.entrants}
        if entrants:
            remarks += [Fault("renamed_nobody", name=name) for name in season.renamed if name not in entrants]
        if graded := [live.name for live in there if not live.spec.grades.is_empty]:
            code = "unmarked_season" if season.grades.is_empty else "other_rubric"
            remarks.append(Fault(code, names=", ".join(graded)))
        return season, remarks

    async def create(self, toml: str) -> tuple[Season, list[Fault]]:
        """As `check`. Raises SpecError, DirectorError, StoreError."""
        season, remarks = await self.check(toml)
        if season.name in self._known:
            raise DirectorError("name_taken", f"There is a season {season.name} already: choose another name.")
        await asyncio.to_thread(self._files.create, season.name, toml)
        self._known[season.name] = toml, season
        return season, remarks

    async def delete(self, name: str) -> None:
        """Its tournaments stay. Raises DirectorError, StoreError."""
        self._get(name)
        await asyncio.to_thread(self._files.delete, name)
        self._known.pop(name, None)
        self._made = {key: made for key, made in self._made.items() if key[0] != name}

    def carrying(self, name: str, players: Sequence[str]) -> Callable[[], Carried] | None:
        """What makes, in a thread, what a season carries over into this tournament's seeding; None if none does."""
        for season in self._seeding():
            over = [each for each in season.before(name) if self._catalogue.is_over(each)]
            if earlier := [each for each in over if not self._catalogue.hides(each)]:
                return partial(self._carry, season.name, earlier, players)
        return None

    def _seeding(self) -> list[Season]:
        """Those whose ratings seed their tournaments."""
        return [season for _, season in self._known.values() if season.seeding == "ratings"]

    def _carry(self, season: str, names: Sequence[str], players: Sequence[str]) -> Carried:
        read = map(self._catalogue.replayed, names)
        earlier = [(t, events) for t, events in read if t is not None and t.phase == "completed"]
        if len(players) > HERE:
            return self._apart.run(carry_over, season, earlier, players)
        return carry_over(season, earlier, players)

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
            "seeding": season.seeding,
            "graded": not season.grades.is_empty,
            "hides": any(self._catalogue.hides(leg.name) for leg in season.tournaments),
        }

    async def table(self, name: str, table: str, viewer: Viewer, language: str | None = None) -> bytes:
        """As sent, with each tournament as this viewer may see it. Raises DirectorError, StoreError, HelperFailed."""
        season = self._get(name)[1]
        played: list[Tournament | None] = []
        versions = []
        for leg in season.tournaments:
            live = None
            if leg.name in self._catalogue and leg.name not in self._catalogue.damaged:
                live = await self._catalogue.fetch(leg.name)
            seen = None if live is None else live.seen_by(viewer)
            played.append(None if seen is None else seen.but(shown=None, hidden=frozenset()))
            versions.append(None if live is None else live.version)
        key = name, table, viewer.sees_hidden
        async with self._making:
            made = self._made.get(key)
            if made is None or made[:2] != (season, tuple(versions)):
                large = sum(len(t.entrants) for t in played if t is not None) > HERE
                asked = season, played, table
                make = partial(self._apart.run, make_season, *asked) if large else partial(make_season, *asked)
                made = season, tuple(versions), await asyncio.to_thread(make)
                self._made[key] = made
        if language is None:
            return made[2]
        return LANGUAGES[language].table(made[2].decode(), None).encode()


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
