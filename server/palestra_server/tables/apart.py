"""Makes the tables of large tournaments in another process, so that no bot's frame has to wait for them.

The ratings of 300 players hold the GIL for 20 ms at a stretch (a single call each of SHAKE-256 and LAPACK), however
they are divided among threads. The other process keeps the latest tournaments, so that it is sent only what is new.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from palestra_server.helper import Helper, HelperFailed
from palestra_server.tables.making import Asked, make
from palestra_tournament import Fixture, GrowingMap, Result, Tournament

KEPT: Final = 4  # tournaments that the other process keeps
PART: Final = 400  # fixtures or results sent at a stretch, which are pickled in less than 1 ms


@dataclass(slots=True)
class _Parts:
    """What grows in a tournament, by fixture id."""

    fixtures: GrowingMap[Fixture] = field(default_factory=GrowingMap)
    results: GrowingMap[Result] = field(default_factory=GrowingMap)

    def counts(self) -> tuple[int, int]:
        return len(self.fixtures), len(self.results)


class TableFile:
    """A file without a name, which is gone with the last one who has this: 25 MB at once would keep the loop from the
    players.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @property
    def size(self) -> int:
        return os.fstat(self._handle).st_size

    def read(self, start: int, count: int) -> bytes:
        return os.pread(self._handle, count, start)

    def __del__(self) -> None:
        os.close(self._handle)


Made: TypeAlias = bytes | TableFile  # a table, as it is sent

# In the other process: the latest tournaments, by name.
_kept: dict[str, _Parts] = {}


class Forgotten(Exception):
    """The other process does not have what it was sent before: it is a new one, or kept others."""


class TablesApart:
    """Like `make`, but in a helper process. For one thread at a time."""

    def __init__(self, helper: Helper) -> None:
        self._helper = helper
        self._sent: dict[str, Tournament] = {}

    def __call__(self, name: str, asked: Asked, t: Tournament, file: Path | None = None) -> bytes:
        """Blocks until the table of the tournament `name` is made; a `file` gets it instead of who asks. Raises
        HelperFailed.
        """
        before = self._sent.pop(name, None)
        try:
            made = self._make(name, asked, t, file, before)
        except Forgotten:
            made = self._make(name, asked, t, file, None)
        self._sent[name] = t
        if len(self._sent) > KEPT:
            del self._sent[next(iter(self._sent))]
        return made

    def _make(self, name: str, asked: Asked, t: Tournament, file: Path | None, before: Tournament | None) -> bytes:
        same = (0, 0) if before is None else (t.by_id.same(before.by_id), t.results.same(before.results))
        self._helper.run(_cut, name, *same)
        new: tuple[Fixture | Result, ...] = (
            *islice(t.fixtures, same[0], None),
            *islice(t.results.values(), same[1], None),
        )
        for start in range(0, len(new), PART):
            self._helper.run(_add, name, new[start : start + PART])
        rest = t.but(fixtures=(), by_id=GrowingMap(), pending={}, results=GrowingMap())
        return self._helper.run(_made, name, asked, rest, (len(t.fixtures), len(t.results)), file)


# In the other process:


def _cut(name: str, fixtures: int, results: int) -> None:
    """Keep only the first ones of this tournament, and only a few other tournaments."""
    kept = _kept.pop(name, _Parts())
    if len(kept.fixtures) > fixtures:
        kept.fixtures = GrowingMap(islice(kept.fixtures.items(), fixtures))
    if len(kept.results) > results:
        kept.results = GrowingMap(islice(kept.results.items(), results))
    _kept[name] = kept
    if len(_kept) > KEPT:
        del _kept[next(iter(_kept))]


def _add(name: str, new: Sequence[Fixture | Result]) -> None:
    kept = _kept.setdefault(name, _Parts())
    kept.fixtures = kept.fixtures.plus((each.id, each) for each in new if isinstance(each, Fixture))
    kept.results = kept.results.plus((each.fixture.id, each) for each in new if isinstance(each, Result))


def _made(name: str, asked: Asked, rest: Tournament, counts: tuple[int, int], file: Path | None) -> bytes:
    """The table of `rest` with the fixtures and results kept, which should be so many."""
    kept = _kept.get(name, _Parts())
    if kept.counts() != counts:
        raise Forgotten
    made = make(asked, rest.but(fixtures=tuple(kept.fixtures.values()), by_id=kept.fixtures, results=kept.results))
    if file is None:
        return made
    try:
        file.write_bytes(made)
    except OSError as error:
        raise HelperFailed(f"There is no room for it ({error.strerror}).") from None
    return b""
