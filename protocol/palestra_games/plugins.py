"""What installed packages provide through an entry-point group: games here, and others elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

T = TypeVar("T")


def installed(group: str, accept: Callable[[object, str], T], ours: str) -> dict[str, T]:
    """Everything in the group, by name, in order of the names.

    `accept` gets what was loaded and its name, and raises ValueError with the reason if it doesn't fit. What does not
    load or fit is left out with a warning. Entries from the package `ours` come first, so that none is replaced.
    """
    loaded: dict[str, T] = {}
    values: dict[str, str] = {}
    for entry in sorted(entry_points(group=group), key=lambda e: (not e.value.startswith(f"{ours}."), e.name)):
        if values.setdefault(entry.name, entry.value) != entry.value:
            _leave_out(entry, f"the name is taken by '{values[entry.name]}'")
        elif entry.name not in loaded:
            try:
                found = entry.load()
            except (Exception, SystemExit) as error:  # third-party code: it may raise anything, and call sys.exit()
                _leave_out(entry, f"it does not load ({type(error).__name__}: {error})")
                continue
            try:
                loaded[entry.name] = accept(found, entry.name)
            except ValueError as error:
                _leave_out(entry, str(error))
    return dict(sorted(loaded.items()))


def _leave_out(entry: EntryPoint, why: str) -> None:
    kind = entry.group.removeprefix("palestra.").removesuffix("s")
    warnings.warn(f"The {kind} '{entry.name}' from '{entry.value}' is left out: {why}.", stacklevel=2)
