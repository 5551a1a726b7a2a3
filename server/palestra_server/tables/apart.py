"""Makes the tables of large tournaments in another process, so that no bot's frame has to wait for them.

The ratings of 300 players hold the GIL for 20 ms at a stretch (a single call each of SHAKE-256 and LAPACK), however
they are divided among threads. The other process keeps the latest tournaments, so that it is sent only what is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from palestra_server.helper import Helper
from palestra_server.tables.making import make
from palestra_tournament import Fixture, GrowingMap, Result, Tournament

KEPT: Final = 4  # tournaments that the other process keeps
PART: Final = 100  # fixtures or results sent at a stretch, which are pickled in less than 1 ms

# In the other process: fixtures and results of the latest tournaments, by name.
_kept: dict[str, tuple[list[Fixture], list[Result]]] = {}


class Forgotten(Exception):
    """The other process does not have what it was sent before: it is a new one, or kept others."""


class TablesApart:
    """Like `make`, but in a helper process. For one thread at a time."""

    def __init__(self, helper: Helper) -> None:
        self._helper = helper
        self._sent: dict[str, Tournament] = {}

    def __call__(self, name: str, table: str, t: Tournament) -> bytes:
        """Blocks until the table of the tournament `name` is made. Raises HelperFailed."""
        before = self._sent.pop(name, None)
        try:
            made = self._make(name, table, t, before)
        except Forgotten:
            made = self._make(name, table, t, None)
        self._sent[name] = t
        if len(self._sent) > KEPT:
            del self._sent[next(iter(self._sent))]
        return made

    def _make(self, name: str, table: str, t: Tournament, before: Tournament | None) -> bytes:
        results = list(t.results.values())
        same_fixtures = 0 if before is None else _same(before.fixtures, t.fixtures)
        same_results = 0 if before is None else _same(list(before.results.values()), results)
        self._helper.run(_cut, name, same_fixtures, same_results)
        new: list[Fixture | Result] = [*t.fixtures[same_fixtures:], *results[same_results:]]
        for start in range(0, len(new), PART):
            self._helper.run(_add, name, new[start : start + PART])
        rest = t.but(fixtures=(), by_id=GrowingMap(), pending={}, results=GrowingMap())
        return self._helper.run(_made, name, table, rest, (len(t.fixtures), len(results)))


def _same(before: Sequence[object], now: Sequence[object]) -> int:
    """How many values at the beginning are identical."""
    differs = (place for place, (old, new) in enumerate(zip(before, now, strict=False)) if old is not new)
    return next(differs, min(len(before), len(now)))


# In the other process:


def _cut(name: str, fixtures: int, results: int) -> None:
    """Keep only the first ones of this tournament, and only a few other tournaments."""
    kept = _kept.pop(name, ([], []))
    _kept[name] = kept[0][:fixtures], kept[1][:results]
    if len(_kept) > KEPT:
        del _kept[next(iter(_kept))]


def _add(name: str, new: Sequence[Fixture | Result]) -> None:
    fixtures, results = _kept.setdefault(name, ([], []))
    for value in new:
        if isinstance(value, Fixture):
            fixtures.append(value)
        else:
            results.append(value)


def _made(name: str, table: str, rest: Tournament, counts: tuple[int, int]) -> bytes:
    """The table of `rest` with the fixtures and results kept, which should be so many."""
    fixtures, results = _kept.get(name, ([], []))
    if (len(fixtures), len(results)) != counts:
        raise Forgotten
    by_id = GrowingMap((fixture.id, fixture) for fixture in fixtures)
    by_fixture = GrowingMap((result.fixture.id, result) for result in results)
    return make(table, rest.but(fixtures=tuple(fixtures), by_id=by_id, results=by_fixture))
