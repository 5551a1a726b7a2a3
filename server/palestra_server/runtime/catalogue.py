"""All tournaments in the store: those that may still change, finished ones, and damaged ones.

Tournaments that were over before this start are listed by their summaries and read from the store on demand: a server
with a term of tournaments behind it starts as fast as on its first day.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import structlog

from palestra_games import UnknownGame
from palestra_server.gateway import snapshot_frame
from palestra_server.runtime.live_tournament import LiveTournament, TournamentShell
from palestra_server.runtime.pairing import PairingApart
from palestra_server.runtime.remarks import Remark, remark_parts
from palestra_server.store import StoreAway, StoreError, Tournaments
from palestra_tournament import PairRound, SpecError, pair_round, parse_spec

log = structlog.get_logger()

# Finished tournaments are kept once read, up to this many events in all; the least recently used goes first.
KEPT_EVENTS: Final = 50_000
_UNREADABLE: Final = (StoreError, ValueError, LookupError, TypeError)


class DirectorError(Exception):
    """A request that can't be met; `code` is for programs, the text is a sentence for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Damaged:
    """A tournament that can't be read. `why` is what was found, without the full stop."""

    name: str
    why: str

    @property
    def trouble(self) -> Remark:
        return Remark("damaged", name=self.name, why=self.why)

    def summary(self) -> dict[str, Any]:
        """Like `LiveTournament.summary`, as far as known."""
        return {
            "name": self.name,
            "title": self.name,
            "format": "",
            "games": [],
            "state": "damaged",
            "players": 0,
            "played": 0,
            "total": None,
            "round": 0,
            "rounds": None,
            "why_paused": "",
            "why_paused_parts": None,
            "trouble": self.trouble.sentence,
            "trouble_parts": [remark_parts(self.trouble)],
            "revealed": True,
            "hides": False,
            "scheduled": None,
            "predicted_end": None,
        }

    def snapshot(self) -> dict[str, Any]:
        return {
            **self.summary(),
            "spec": None,
            "seed": None,
            "entrants": [],
            "playing": [],
            "missing": [],
            "withdrawn": {},
        }


class Catalogue:
    """`tournaments` are those that may still change or ended since this start, by name; `damaged`, those that can't be
    read. For the event loop's thread only.
    """

    def __init__(self, shell: TournamentShell, book: Tournaments) -> None:
        self._shell = shell
        self._book = book
        self.tournaments: dict[str, LiveTournament] = {}
        self.damaged: dict[str, Damaged] = {}
        # Tournaments that were over before this start, which never change: all summaries, and those read so far.
        self._summaries: dict[str, Mapping[str, Any]] = {}
        self._past: OrderedDict[str, LiveTournament] = OrderedDict()
        # Their snapshots as frames, keyed by whether they are MessagePack: many watchers may ask at once.
        self._frames: dict[str, dict[bool, bytes]] = {}
        self._reading = asyncio.Lock()
        self._names: dict[str, None] = {}  # of all, in order of creation

    def restore(self) -> None:
        """Read the tournaments that may still change, and the summaries of those that are over. Raises StoreError."""
        for name, summary in self._book.listed():
            self._names[name] = None
            if summary is not None:
                self._summaries[name] = summary
                continue
            try:
                live = self._read(name)
            except _UNREADABLE as error:
                self._cannot_read(name, error)
                continue
            if live.is_over_for_good:
                self._summaries[name] = self.summarise(live)
            else:
                self.tournaments[name] = live

    def _read(self, name: str, pair: PairRound = pair_round) -> LiveTournament:
        toml, records = self._book.read(name)
        live = LiveTournament(self._shell, toml, parse_spec(toml))
        live.restore(records, pair)
        return live

    def _read_apart(self, name: str) -> LiveTournament:
        with PairingApart() as pair:
            return self._read(name, pair)

    def _cannot_read(self, name: str, error: Exception) -> None:
        if isinstance(error, StoreAway):
            raise error
        self.damaged[name] = Damaged(name, found(error))
        log.error("tournament cannot be read", tournament=name, why=str(error))

    def summarise(self, live: LiveTournament) -> Mapping[str, Any]:
        """Have the next start list this tournament, now over, without reading its events."""
        summary = live.summary()
        self._book.summarise(live.name, live.recorded, summary)
        return summary

    # Reading:

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def title(self, name: str | None) -> str | None:
        """What people call this tournament; None if there is none, as when it was deleted after its matches. May be
        called in any thread."""
        if name is None:
            return None
        live = self.tournaments.get(name)
        title: str | None = self._summaries.get(name, {}).get("title") if live is None else live.title
        return title

    def is_over(self, name: str) -> bool:
        return name in self._summaries or (name in self.tournaments and self.tournaments[name].state == "completed")

    def listed(self) -> list[Mapping[str, Any]]:
        """The summaries of all tournaments, newest last."""
        return [self._summary(name) for name in self._names]

    def _summary(self, name: str) -> Mapping[str, Any]:
        if name in self._summaries:
            return self._summaries[name]
        return (self.tournaments.get(name) or self.damaged[name]).summary()

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

    async def _fetch(self, name: str) -> None:
        try:
            live = await asyncio.to_thread(self._read_apart, name)
        except _UNREADABLE as error:
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
        if name in self.damaged:
            raise DirectorError("damaged", self.damaged[name].trouble)
        live = self.tournaments.get(name) or self._past.get(name)
        if live is None:
            sentence = f"There is no tournament {name}; 'palestra-server tournament list' shows all."
            raise DirectorError("unknown_tournament", sentence)
        return live

    async def past_frame(self, topic: str, binary: bool) -> bytes | None:
        name = topic.partition(":")[2]
        try:
            await self.fetch(name)
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

    # Changing:

    async def create(self, name: str, toml: str) -> None:
        """Add a tournament that has not begun. Raises StoreError."""
        live = LiveTournament(self._shell, toml, parse_spec(toml))
        await asyncio.to_thread(self._book.create, name, toml)
        self.tournaments[name] = live
        self._names[name] = None

    async def delete(self, name: str) -> None:
        """Delete a tournament and its events. Raises StoreError."""
        await asyncio.to_thread(self._book.delete, name)
        for known in (self.tournaments, self.damaged, self._summaries, self._past, self._frames, self._names):
            known.pop(name, None)


def found(error: Exception) -> str:
    """What is wrong with a record, without the full stop."""
    named = isinstance(error, StoreError | UnknownGame | SpecError)
    return (str(error).partition("\n")[0] if named else "one of its records makes no sense").rstrip(".")
