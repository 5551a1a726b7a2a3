"""The file of a season, TOML: tournaments that count together, and how."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, Strict, ValidationError

from palestra_protocol.limits import NAME_MAX
from palestra_referee.layout import TOURNAMENT_NAME
from palestra_tournament.faults import Fault
from palestra_tournament.model import Tournament
from palestra_tournament.spec import Rules, ShareRule, SpecError, Table, fault_of, placed
from palestra_tournament.toml_faults import read_toml
from palestra_tournament.toml_places import Path, layout

TOURNAMENTS_MAX = 100
RENAMED_MAX = 1000
Name = Annotated[str, Field(min_length=1, max_length=NAME_MAX)]


class Leg(Table):
    """A tournament of the season."""

    name: Annotated[str, Field(pattern=TOURNAMENT_NAME)]
    weight: Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False), Strict(False)] = 1.0


class SeasonRubric(Rules):
    """`score` gives its points times the share of the highest total there can be, `participation` times the share of
    the tournaments begun so far to which the student came.
    """

    score: ShareRule | None = None


def _legs(value: object) -> object:
    """A name alone is a tournament of weight 1."""
    return [{"name": each} if isinstance(each, str) else each for each in value] if isinstance(value, list) else value


class Season(Table):
    """A season, as described by its file; `example_season` explains each key."""

    name: Annotated[str, Field(pattern=TOURNAMENT_NAME)]
    title: Annotated[str, Field(max_length=100)] = ""
    tournaments: Annotated[
        tuple[Leg, ...], Strict(False), BeforeValidator(_legs), Field(min_length=1, max_length=TOURNAMENTS_MAX)
    ]
    scoring: Literal["place", "points"] = "place"
    best: Annotated[int, Field(ge=0, le=TOURNAMENTS_MAX)] = 0
    ratings: Literal["all", "none"] = "all"
    seeding: Literal["own", "ratings"] = "own"
    renamed: Annotated[dict[Name, Name], Field(default_factory=dict, max_length=RENAMED_MAX)]
    grades: SeasonRubric = SeasonRubric()

    @property
    def display_name(self) -> str:
        return self.title or self.name

    def before(self, name: str) -> tuple[str, ...]:
        """The tournaments that come before this one; () if it is none of the season."""
        names = [leg.name for leg in self.tournaments]
        return tuple(names[: names.index(name)]) if name in names else ()

    def names(self, t: Tournament) -> Mapping[str, str]:
        """Who of this tournament has another name in the season: nobody who would be there twice."""
        there = {entrant.name: entrant for entrant in t.entrants}
        found: dict[str, str] = {}
        for old, new in self.renamed.items():
            if old in there and not there[old].reference and new not in there:
                found[old] = new
                there[new] = there[old]
        return found

    @property
    def counting(self) -> int:
        """How many tournaments count for a student at most."""
        return min(self.best or len(self.tournaments), len(self.tournaments))


def parse_season(text: str) -> Season:
    """Raises SpecError with everything that is wrong with the file."""
    values, read, faults = read_toml(text)
    found: dict[Path, Fault] = {}
    try:
        season = Season.model_validate(values)
        found.update(_inconsistent(season))
    except ValidationError as error:
        found = {problem["loc"]: _fault(problem) for problem in error.errors()}
    if faults or found:
        where = layout(read).places
        raise SpecError([*faults, *(placed(fault, where, path) for path, fault in found.items())])
    return season


def _inconsistent(season: Season) -> Iterator[tuple[Path, Fault]]:
    names = [leg.name for leg in season.tournaments]
    if twice := [f"'{name}'" for name in dict.fromkeys(names) if names.count(name) > 1]:
        yield ("tournaments",), Fault("listed_twice", key="tournaments", names=", ".join(twice))
    if again := sorted(f"'{name}'" for name in {*season.renamed.values()} & season.renamed.keys()):
        yield ("renamed",), Fault("renamed_again", key="renamed", names=", ".join(again))
    if season.scoring == "points" and season.grades.score is not None:
        yield ("grades", "score"), Fault("no_share")
    if season.ratings == "none" and season.grades.rating:
        yield ("grades", "rating"), Fault("no_ratings", key="grades.rating")
    if season.ratings == "none" and season.seeding == "ratings":
        yield ("seeding",), Fault("no_ratings", key="seeding")


def _fault(problem: Any) -> Fault:
    key = str(problem["loc"][-1]) if problem["loc"] else ""
    if problem["type"] == "extra_forbidden":
        known = [*Season.model_fields, *SeasonRubric.model_fields, *Leg.model_fields]
        near = difflib.get_close_matches(key, known, 1)
        return Fault("unknown_key_near", key=key, near=near[0]) if near else Fault("unknown_key", key=key)
    return fault_of(problem)


def example_season(name: str = "spring", tournaments: Sequence[str] = ()) -> str:
    """A complete file, with every key explained; `tournaments` are there already."""
    listed = "\n".join(f'    "{each}",' for each in tournaments or ("week-1", "week-2"))
    later = "# " if tournaments else ""
    return f"""\
# A season: tournaments that count together. Remove the # from a line to set its key.

name = "{name}"
title = "Our league"            # what people see
tournaments = [                 # by their names, in the order in which they are played; they may be created later
{listed}
    # counts twice; 1 is what all others have
    {later}{{ name = "final", weight = 2 }},
]

# scoring = "place"             # 0 for the last student of a tournament to 100 for the first, times its weight;
                                # or "points": the student's points in it, times its weight
# best = 2                      # only each student's best two count; 0: all
# ratings = "all"               # ratings and ranges of ranks from all matches of the season; "none": no ratings
# seeding = "own"               # each tournament is seeded as its file says; "ratings": by ratings from those before
                                # it that are over, so that its first pairings and bracket know who is strong
# renamed = {{ "Ana Ruis" = "Ana Ruiz" }} # who has another name now than when that was played

[grades]                        # the rubric of the season; those of its tournaments do not count here
# maximum = 10
# base = 0
# score = {{ points = 6 }}        # times the share of the highest total that there can be
# participation = {{ points = 2 }} # times the share of the tournaments, so far, to which a student came
# rating = [{{ at_least = 100, points = 1 }}]
                                # if the whole 95 % interval is above
# top = [{{ places = 3, points = 1 }}] # a bonus for the first three
"""
