"""The installed tournament formats, found through the entry-point group `palestra.formats`.

A package provides a format with an entry in its pyproject.toml; the key must equal the format's `name`:

    [project.entry-points."palestra.formats"]
    king-of-the-hill = "palestra_hill:KingOfTheHill"
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from inspect import isabstract
from typing import get_args

from palestra_games.plugins import installed
from palestra_tournament.interface import Criterion, Format, View


@cache
def installed_formats() -> Mapping[str, type[Format]]:
    """By name, the most usual one first. Loads every entry point once per process."""
    found = installed("palestra.formats", _accept, "palestra_tournament")
    return {name: found[name] for name in sorted(found, key=lambda name: (name != "swiss", name))}


def _accept(found: object, name: str) -> type[Format]:
    if not (isinstance(found, type) and issubclass(found, Format)) or isabstract(found):
        raise ValueError("it is not a complete Format (see palestra_tournament.interface)")
    lacking = [each for each in ("name", "title", "about", "criteria") if not hasattr(found, each)]
    if lacking:
        raise ValueError(f"it lacks {', '.join(lacking)}")
    if found.name != name:
        raise ValueError(f"it calls itself '{found.name}'")
    if not found.criteria or not all(isinstance(each, Criterion) for each in found.criteria):
        raise ValueError("its 'criteria' are not a tuple of Criterion, such as (POINTS, WINS)")
    if unknown := [view for view in found.views if view not in get_args(View)]:
        raise ValueError(f"there is no view '{unknown[0]}': 'views' may have {', '.join(get_args(View))}")
    return found
