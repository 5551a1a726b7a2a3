"""Makes the tables of large tournaments in another process, so that no bot's frame has to wait for them.

The ratings of 300 players hold the GIL for 20 ms at a stretch (a single call each of SHAKE-256 and LAPACK), however
they are divided among threads. The other process keeps the latest tournaments, so that it is sent only what is new.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import IO, Any, Final, NamedTuple

import structlog

from palestra_server.helper import Helper
from palestra_server.tables.making import make
from palestra_tournament import Fixture, Result, Tournament

log = structlog.get_logger()

KEPT: Final = 4  # tournaments that the other process keeps
PART: Final = 50  # fixtures or results pickled at a stretch, which takes less than 1 ms


class Asked(NamedTuple):
    """A request, followed by `parts` pickles: lists of fixtures and results that are new.

    `rest` is the tournament without any; of those known, the first `fixtures` and `results` are still the first ones.
    """

    table: str
    everything: bool
    name: str
    known: tuple[str, ...]  # what to keep. Everything else can be forgotten.
    rest: Tournament
    fixtures: int
    results: int
    parts: int


class MakingStopped(Exception): ...


class TablesApart:
    """Like `make`, but in another process, which the first call starts; here if that fails. Calls come from one thread
    at a time, and `end` from no other meanwhile; `close` comes from any.
    """

    def __init__(self) -> None:
        self._helper = Helper("palestra_server.tables")
        self._known: dict[str, Tournament] = {}

    def __call__(self, name: str, table: str, t: Tournament, everything: bool) -> bytes:
        """Blocks until the table of the tournament `name` is made. Raises MakingStopped after `close`."""
        if self._helper.closed:
            raise MakingStopped
        try:
            return self._ask(name, table, t, everything)
        except Exception as error:  # an invalid pickle raises nearly anything
            self.end()
            if self._helper.closed:
                raise MakingStopped from None
            log.warning("a table is made in the server's own process", why=str(error), tournament=name, table=table)
            return make(table, t, everything)

    def _ask(self, name: str, table: str, t: Tournament, everything: bool) -> bytes:
        def send(requests: IO[bytes]) -> None:
            for part in self._parts(name, table, t, everything):
                requests.write(pickle.dumps(part, pickle.HIGHEST_PROTOCOL))

        made: bytes = self._helper.ask(send, pickle.load)
        return made

    def _parts(self, name: str, table: str, t: Tournament, everything: bool) -> Iterator[object]:
        before = self._known.pop(name, None)
        self._known[name] = t
        while len(self._known) > KEPT:
            del self._known[next(iter(self._known))]
        results = list(t.results.values())
        same_fixtures = 0 if before is None else _same(before.fixtures, t.fixtures)
        same_results = 0 if before is None else _same(list(before.results.values()), results)
        new: list[Sequence[Fixture | Result]] = [
            values[start : start + PART]
            for values, same in ((t.fixtures, same_fixtures), (results, same_results))
            for start in range(same, len(values), PART)
        ]
        rest = t.but(fixtures=(), by_id={}, results={})
        yield Asked(table, everything, name, tuple(self._known), rest, same_fixtures, same_results, len(new))
        yield from new

    def close(self) -> None:
        """Make nothing more; a waiting call raises MakingStopped."""
        self._helper.close()

    def end(self) -> None:
        """End the other process. The next call starts another."""
        self._known.clear()
        self._helper.end()


def _same(before: Sequence[object], now: Sequence[object]) -> int:
    """How many values at the beginning are identical."""
    differs = (place for place, (old, new) in enumerate(zip(before, now, strict=False)) if old is not new)
    return next(differs, min(len(before), len(now)))


def answer(requests: IO[bytes], answers: IO[bytes]) -> None:
    """In the other process: answers until there are no more requests."""
    known: dict[str, Tournament] = {}
    while True:
        try:
            asked: Asked = pickle.load(requests)
        except EOFError:
            return
        new: list[Any] = [value for _ in range(asked.parts) for value in pickle.load(requests)]
        before = known.get(asked.name, asked.rest)
        fixtures = [*before.fixtures[: asked.fixtures], *(value for value in new if isinstance(value, Fixture))]
        results = [*before.results.values()][: asked.results]
        results += [value for value in new if isinstance(value, Result)]
        t = asked.rest.but(
            fixtures=tuple(fixtures),
            by_id={fixture.id: fixture for fixture in fixtures},
            results={result.fixture.id: result for result in results},
        )
        known = {name: known[name] for name in asked.known if name in known} | {asked.name: t}
        pickle.dump(make(asked.table, t, asked.everything), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()
