"""All tournaments in the store: those that may still change, finished ones, and damaged ones.

Tournaments that were over before this start are listed by their summaries and read from the store on demand: a server
with a term of tournaments behind it starts as fast as on its first day.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import structlog

from palestra_games import UnknownGame
from palestra_server.gateway import Refusal, snapshot_frame
from palestra_server.runtime.embargo import VISITOR, Viewer
from palestra_server.runtime.live_tournament import LiveTournament
from palestra_server.runtime.notices import Remark
from palestra_server.runtime.seen_tournament import TournamentShell
from palestra_server.store import NewTournament, StoreAway, StoreError, Tournaments
from palestra_tournament import (
    PairRound,
    Spec,
    SpecError,
    Tournament,
    create,
    event_from_record,
    event_to_record,
    pair_round,
    parse_spec,
    replay,
)

log = structlog.get_logger()

# Finished tournaments are kept once read, up to this many events in all; the least recently used goes first.
KEPT_EVENTS: Final = 50_000


class DirectorError(Exception):
    """A request that can't be met; `code` is for programs, the text is a sentence for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Damaged:
    """A tournament that can't be read. `why` is what was found, without the full stop; `hides`: all its matches are
    hidden, since it may have an embargo.
    """

    name: str
    why: str
    hides: bool

    @property
    def trouble(self) -> Remark:
        return Remark("damaged", name=self.name, why=self.why)

    def summary(self, _: Viewer = VISITOR) -> dict[str, Any]:
        """Like `LiveTournament.summary`, as far as known."""
        return {
            "name": self.name,
            "title": self.name,
            "format": "",
            "format_title": "",
            "views": [],
            "games": [],
            "state": "damaged",
            "players": 0,
            "played": 0,
            "total": None,
            "round": 0,
            "rounds": None,
            "why_paused": None,
            "troubles": [self.trouble.parts],
            "revealed": True,
            "hides": self.hides,
            "closed": False,
            "incomplete": None,
            "counts_all": False,
            "scheduled": None,
            "predicted_end": None,
            "rulings": [],
        }

    def snapshot(self, viewer: Viewer = VISITOR) -> dict[str, Any]:
        return {
            **self.summary(viewer),
            "spec": None,
            "criteria": [],
            "outlook": None,
            "seed": None,
            "carried": None,
            "commitment": None,
            "entrants": [],
            "playing": [],
            "missing": [],
            "withdrawn": {},
            "struck": 0,
        }


class Catalogue:
    """`tournaments` are those that may still change or ended since this start, by name; `damaged`, those that can't be
    read; `titles`, what people call each of them all, written here. For the event loop's thread only.
    """

    def __init__(self, shell: TournamentShell, book: Tournaments, titles: dict[str, str]) -> None:
        self._shell = shell
        self._book = book
        self._titles = titles
        self.tournaments: dict[str, LiveTournament] = {}
        self.damaged: dict[str, Damaged] = {}
        # Tournaments that were over before this start, which never change: all summaries, and those read so far.
        self._summaries: dict[str, Mapping[str, Any]] = {}
        self._past: OrderedDict[str, LiveTournament] = OrderedDict()
        # Their snapshots as frames, keyed by whether they are MessagePack: many watchers may ask at once.
        self._frames: dict[str, dict[bool, bytes]] = {}
        self._reading = asyncio.Lock()
        self._names: dict[str, None] = {}  # of all, in order of creation
        self._coming: set[str] = set()  # being created
        self._going: set[str] = set()  # being deleted

    def restore(self) -> None:
        """Read the tournaments that may still change, and the summaries of those that are over. Raises StoreError."""
        for name, summary in self._book.listed():
            self._names[name] = None
            if summary is not None:
                self._summaries[name] = summary
                self._titles[name] = summary["title"]
                continue
            try:
                live = self._read(name)
            except Exception as error:  # its game or format may be a plug-in
                self._cannot_read(name, error)
                continue
            self._titles[name] = live.title
            if live.is_over_for_good:
                self._summaries[name] = live.keep_summary()
            else:
                self.tournaments[name] = live

    def _read(self, name: str, pair: PairRound = pair_round) -> LiveTournament:
        toml, records = self._book.read(name)
        live = LiveTournament(self._shell, toml, parse_spec(toml), self._book.secret(name))
        live.restore(records, pair)
        return live

    def _cannot_read(self, name: str, error: Exception) -> None:
        if isinstance(error, StoreAway):
            raise error
        hides = self._may_hide(name)
        if hides:
            self._shell.embargo.close(name)
        self.damaged[name] = Damaged(name, defect(error), hides)
        log.error("tournament cannot be read", tournament=name, why=str(error))

    def _may_hide(self, name: str) -> bool:
        try:
            return self._book.has_matches(name) and parse_spec(self._book.file(name)).embargo != "none"
        except Exception:
            return True

    # Reading:

    def __contains__(self, name: object) -> bool:
        return name in self._names

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._names)

    def is_over(self, name: str) -> bool:
        return name in self._summaries or (name in self.tournaments and self.tournaments[name].state == "completed")

    def listed(self, viewer: Viewer = VISITOR) -> list[Mapping[str, Any]]:
        """The summaries of all tournaments, newest last."""
        return [self._summary(name, viewer) for name in self._names if name not in self._going]

    def _summary(self, name: str, viewer: Viewer) -> Mapping[str, Any]:
        if name in self._summaries:
            return self._summaries[name]
        return (self.tournaments.get(name) or self.damaged[name]).summary(viewer)

    def rulings(self, names: Set[str | None], viewer: Viewer) -> dict[str, Mapping[str, Any]]:
        """The last ruling on each match of these tournaments, by match; of those that can't be read, none."""
        past = [self._summaries[name]["rulings"] for name in self._summaries.keys() & names]
        live = [self.tournaments[name].rulings(viewer) for name in self.tournaments.keys() & names]
        return {each["match"]: each for rulings in (*past, *live) for each in rulings}

    async def fetch(self, name: str) -> LiveTournament:
        """The tournament with this name, read in a thread if need be, one at a time.

        Raises DirectorError if there is none or it can't be read; StoreAway.
        """
        if name in self._summaries:
            async with self._reading:
                if name in self._past:
                    self._past.move_to_end(name)
                elif name in self._summaries:
                    await self._fetch(name)
        return self.get(name)

    def reopen(self, name: str) -> LiveTournament:
        """Like `get`; one that was over before this start may change from now on."""
        live = self.get(name)
        if self._past.pop(name, None) is not None:
            del self._summaries[name]
            self._frames.pop(name, None)
            self.tournaments[name] = live
        return live

    async def _fetch(self, name: str) -> None:
        try:
            live = await asyncio.to_thread(self._read, name, self._shell.pair)
        except Exception as error:
            if name in self._summaries:  # else it was deleted meanwhile
                self._cannot_read(name, error)
                del self._summaries[name]
                # So that the next start says so, too.
                self._book.summarise(name, 0, None)
        else:
            if name in self._summaries:
                self._past[name] = live
                self._let_go()

    def _let_go(self) -> None:
        """Forget the least recently used; the latest stays, however large."""
        kept = sum(live.recorded for live in self._past.values())
        while kept > KEPT_EVENTS and len(self._past) > 1:
            name, live = self._past.popitem(last=False)
            self._frames.pop(name, None)
            kept -= live.recorded

    def get(self, name: str) -> LiveTournament:
        """Like `fetch`, which must be awaited first for a tournament that may be over."""
        if name in self._going:
            raise DirectorError("unknown_tournament", f"{name} is being deleted.")
        if name in self.damaged:
            raise DirectorError("damaged", self.damaged[name].trouble)
        live = self.tournaments.get(name) or self._past.get(name)
        if live is None:
            sentence = f"There is no tournament {name}; 'palestra-server tournament list' shows all."
            raise DirectorError("unknown_tournament", sentence)
        return live

    def hides(self, name: str) -> bool:
        """Whether its embargo hides anything now, or may, since it can't be read."""
        known = self.tournaments.get(name) or self.damaged.get(name)
        return known is not None and known.hides

    def troubles(self, viewer: Viewer = VISITOR) -> list[str]:
        """What is damaged, stuck, or failed in the server, in sentences."""
        stuck = [trouble for live in self.tournaments.values() for trouble in live.troubles(viewer)]
        return [*stuck, *(damaged.trouble for damaged in self.damaged.values()), *self.failed(viewer)]

    def failed(self, viewer: Viewer) -> list[Remark]:
        """What failed in the server itself."""
        found = self._shell.supervisor.troubles.items()
        return [Remark("failed", work=work, why=viewer.why(error)) for work, error in found]

    def topic(self, topic: str) -> Mapping[str, Any] | None:
        """The snapshot of `tournament:NAME`; None if it is not among those that may still change."""
        live = self.tournaments.get(topic.partition(":")[2])
        return None if live is None else {"type": "snapshot", **live.snapshot()}

    def past_topic(self, topic: str, binary: bool) -> asyncio.Future[bytes | Refusal | None]:
        return self._shell.supervisor.task(
            "snapshot of a past tournament", self._shell.supervisor, self._past_frame(topic, binary)
        )

    async def _past_frame(self, topic: str, binary: bool) -> bytes | Refusal | None:
        name = topic.partition(":")[2]
        try:
            await self.fetch(name)
        except StoreAway as away:
            return Refusal("try_later", str(away))
        except (DirectorError, StoreError):
            return None
        live = self._past.get(name)
        if live is None:
            return None  # it was created a moment ago
        frames = self._frames.setdefault(name, {})
        if binary not in frames:
            snapshot = {"type": "snapshot", **live.snapshot()}
            frames[binary] = snapshot_frame(topic, self._shell.wall_ms(), snapshot, binary)
        return frames[binary]

    def replayed(self, name: str) -> tuple[Tournament | None, int]:
        """The tournament by its records, and how many there are; for a thread. Raises StoreError, ValueError."""
        toml, records = self._book.read(name)
        return replay(parse_spec(toml), map(event_from_record, records), self._shell.pair), len(records)

    # Changing:

    def reveal_damaged(self, name: str) -> None:
        """Show all its matches to everybody, until the next start."""
        self._shell.embargo.forget(name)
        self.damaged[name] = replace(self.damaged[name], hides=False)

    @contextmanager
    def taken(self, names: Collection[str]) -> Iterator[None]:
        """Keeps these names, which nobody has, for who is about to create tournaments. Raises DirectorError."""
        for name in names:
            if name in self._names or name in self._coming:
                raise DirectorError("name_taken", f"There is a tournament {name} already: choose another name.")
        self._coming.update(names)
        try:
            yield
        finally:
            self._coming.difference_update(names)

    async def create(self, files: Collection[tuple[str, Spec]]) -> None:
        """Add tournaments that have not begun, all or none; their names are `taken`. Raises StoreError."""
        made: list[tuple[LiveTournament, NewTournament]] = []
        for toml, spec in files:
            seed = secrets.randbelow(2**53) if spec.seed is None else spec.seed
            salt = secrets.token_hex(16)
            record = event_to_record(create(spec, seed, salt, self._shell.wall_ms()))
            live = LiveTournament(self._shell, toml, spec, (seed, salt))
            live.restore([record])
            made.append((live, NewTournament(spec.name, toml, seed, salt, record)))
        await asyncio.to_thread(self._book.create, *(new for _, new in made))
        for live, _ in made:
            self.tournaments[live.name] = live
            self._names[live.name] = None
            self._titles[live.name] = live.title

    async def delete(self, name: str) -> None:
        """Delete a tournament and its events: from now on it refuses whatever else is done with it.

        Raises DirectorError, StoreError.
        """
        if name in self._going:
            raise DirectorError("unknown_tournament", f"{name} is being deleted.")
        self._going.add(name)
        live = self.tournaments.pop(name, None)
        try:
            await asyncio.to_thread(self._book.delete, name)
        except BaseException:
            if live is not None:
                self.tournaments[name] = live
            raise
        finally:
            self._going.discard(name)
        for known in (
            self.tournaments,
            self.damaged,
            self._summaries,
            self._past,
            self._frames,
            self._names,
            self._titles,
        ):
            known.pop(name, None)
        self._shell.embargo.forget(name)
        self._shell.claims.forget(name)


def defect(error: Exception) -> str:
    """What is wrong with a record, without the full stop."""
    named = isinstance(error, StoreError | UnknownGame | SpecError)
    return (str(error).partition("\n")[0] if named else "one of its records makes no sense").rstrip(".")
