"""The gate: whatever leaves the server over HTTP about matches and tournaments is asked for here, with who will see it.

A route gets a `View`, which is the gate for whoever asks, and none of what the gate keeps: the journal, the catalogue
and the matches in progress leave nothing out. Only `/export.zip` goes past it: a process of its own reads the store,
and leaves out what is hidden by itself (`store.archive`); and the big screen's podium, which the teacher begins, or
an end that hides nothing (`screen`). Watchers get what a visitor may see (`watching`, `lobby`, and
`LiveTournament` for its topic).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, Unpack

from prometheus_client import CollectorRegistry

from palestra_protocol.analysis import Analysis, LiveValue
from palestra_referee import Match
from palestra_server.gateway import Refusal
from palestra_server.runtime.catalogue import Catalogue, DirectorError
from palestra_server.runtime.embargo import EMBARGOED, VISITOR, Embargo, Viewer
from palestra_server.runtime.finished import FinishedMatches, Found
from palestra_server.runtime.judging import Leases, LiveJudging
from palestra_server.runtime.live import LiveMatch
from palestra_server.runtime.metrics import Metrics
from palestra_server.runtime.move_times import MoveTimes, MoveTimesOf
from palestra_server.runtime.player_versions import PlayerVersions
from palestra_server.runtime.ratings import Ratings, Strength
from palestra_server.runtime.room import Playing
from palestra_server.runtime.seasons import Seasons
from palestra_server.runtime.table_cache import TableCache
from palestra_server.store import NOTHING, By, Counted, Hidden, MatchSummary, Note, Store, Tally, Which
from palestra_server.tables import Asked, Made
from palestra_tournament import Tournament, first_loss_of_leader

T = TypeVar("T")


class NotShown(DirectorError):
    """There is no such match, or this viewer may not see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Closed by default: who is not known to be allowed to see something gets what a visitor gets."""

    catalogue: Catalogue
    seasons: Seasons
    embargo: Embargo
    playing: Playing
    titles: Mapping[str, str]
    store: Store
    finished: FinishedMatches
    table_cache: TableCache
    move_times: MoveTimesOf
    ratings: Ratings
    versions: PlayerVersions
    metrics: Metrics
    leases: Leases
    live: LiveJudging

    def of(self, viewer: Viewer) -> View:
        return View(self, viewer)


@dataclass(frozen=True, slots=True)
class View:
    """What one viewer may see. Methods that read the store raise StoreError."""

    _gate: Gate
    _viewer: Viewer

    @property
    def public(self) -> View:
        """What everybody may see."""
        return self._gate.of(VISITOR)

    @property
    def _without(self) -> Hidden:
        return NOTHING if self._viewer.sees_hidden else self._gate.embargo.hidden

    async def _read(self, read: Callable[[Hidden], T]) -> T:
        """What `read` finds, given what to leave out; again if more was hidden while it waited for a thread."""
        while True:
            without = self._without
            found = await asyncio.to_thread(read, without)
            if without == self._without:
                return found

    # Tournaments:

    def tournaments(self) -> list[Mapping[str, Any]]:
        """The summaries of all, newest last."""
        return self._gate.catalogue.listed(self._viewer)

    async def tournament(self, name: str) -> dict[str, Any]:
        """Raises DirectorError if there is none."""
        catalogue = self._gate.catalogue
        try:
            return (await catalogue.fetch(name)).snapshot(self._viewer)
        except DirectorError:
            if name not in catalogue.damaged:
                raise
            return catalogue.damaged[name].snapshot(self._viewer)

    async def file(self, name: str) -> str:
        """The file that it was created from. Raises DirectorError, also while a seed in it is a secret."""
        live = await self._gate.catalogue.fetch(name)
        if live.tournament is None and live.spec.seed is not None and self._viewer.role != "teacher":
            raise DirectorError("not_begun", f"{name} has not begun yet: its file has the seed, a secret until then.")
        return live.toml

    async def table(self, name: str, asked: Asked) -> Made:
        """A table of a tournament, as sent. Raises DirectorError, HelperFailed and HelperStopped."""
        live = await self._gate.catalogue.fetch(name)
        if live.tournament is None:
            raise DirectorError("not_begun", f"{name} has not begun yet: it has no fixtures and no standings.")
        return await self._gate.table_cache.table(live, asked, self._viewer)

    def going_on(self) -> list[Tournament]:
        """Those that have begun and are not over."""
        every = self._gate.catalogue.tournaments.values()
        return [self._viewer.tournament(live.tournament) for live in every if live.tournament and not live.is_over]

    def failed(self) -> list[dict[str, Any]]:
        """What failed in the server itself, as remarks; for the teacher only."""
        found = self._gate.catalogue.failed(self._viewer) if self._viewer.role == "teacher" else []
        return [each.parts for each in found]

    def troubles(self) -> list[str]:
        """What needs the teacher's attention, in sentences."""
        return self._gate.catalogue.troubles(self._viewer)

    def acts(self, kept: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """What was done with a teacher's rights; to a tournament that hides something, not about whom or what."""

        def told(one: Mapping[str, Any]) -> Mapping[str, Any]:
            name = one["about"].get("name", "")
            of_tournament = one["act"].startswith("tournaments ") and not self._viewer.sees_hidden
            return {**one, "about": {"name": name}} if of_tournament and self._gate.catalogue.hides(name) else one

        return [told(one) for one in kept]

    # Seasons:

    def seasons(self) -> list[dict[str, Any]]:
        return self._gate.seasons.listed(self._viewer)

    def season(self, name: str) -> dict[str, Any]:
        """Raises DirectorError."""
        return self._gate.seasons.summary(name, self._viewer)

    async def season_table(self, name: str, table: str, language: str | None = None) -> bytes:
        """Raises DirectorError, StoreError, HelperFailed."""
        return await self._gate.seasons.table(name, table, self._viewer, language)

    # Matches:

    async def matches(self, limit: int, **which: Unpack[Which]) -> tuple[list[dict[str, Any]], str | None]:
        """The newest of these, and the `before` of those that follow, None if these are the last.

        It is no number: from those one could count the hidden matches in between.
        """
        found = await self._read(lambda without: self._gate.store.journal.matches(limit, without, **which))
        return self._entries(found), found[-1].match if len(found) == limit else None

    async def match(self, match_id: str) -> SeenMatch:
        """Raises NotShown."""
        live = self._gate.playing.matches.get(match_id)
        # A match that has just begun isn't in the journal yet.
        found = await asyncio.to_thread(self._gate.store.journal.summary, match_id)
        if found is not None:
            players, tournament = found.players, found.tournament
        elif live is not None:
            players, tournament = live.match.config.players, live.match.config.tournament
        else:
            hint = "an id has 12 letters and digits, as in the address of a match's page"
            raise NotShown("unknown_match", f"There is no match {match_id[:64]!r} here: {hint}.")
        may_see = self._viewer.sees_hidden or self._viewer.player in players
        if not may_see and self._gate.embargo.hides(match_id, tournament):
            raise NotShown("embargoed", EMBARGOED)
        title = self._gate.titles.get(tournament or "")
        entry, receipt = (self._entries([found])[0], found.receipt) if found else (None, None)
        return SeenMatch(self._gate, self._viewer, match_id, live, title, entry, receipt)

    async def in_tournament(self, match_id: str) -> tuple[list[dict[str, Any]], str | None]:
        """What was ruled on a match, in order, and who lost it as the leader who had never lost. Raises NotShown."""
        entry = (await self.match(match_id)).entry
        if entry is None or entry["tournament"] not in self._gate.catalogue:
            return [], None
        try:
            live = await self._gate.catalogue.fetch(entry["tournament"])
        except DirectorError:
            return [], None
        t = live.seen_by(self._viewer)
        if t is None:
            return [], None
        rulings = [each for each in live.rulings(self._viewer) if each["match"] == match_id]
        return rulings, await asyncio.to_thread(first_loss_of_leader, t, match_id)

    def _entries(self, found: Sequence[MatchSummary]) -> list[dict[str, Any]]:
        """Matches in a listing. `started` and `ended` are UTC in milliseconds since 1970; `ruling` is the last."""
        rulings = self._gate.catalogue.rulings({one.tournament for one in found}, self._viewer)
        return [
            {
                "match": one.match,
                "game": one.game,
                "players": one.players,
                "tournament": one.tournament,
                "tournament_title": self._gate.titles.get(one.tournament or ""),
                "rated": one.rated,
                "started": one.created_ms,
                "ended": one.finished_ms,
                "versions": one.versions,
                "plies": one.plies,
                "returns": one.returns,
                "reason": one.reason,
                "why": one.why,
                "ruling": rulings.get(one.match),
                "live": one.match in self._gate.playing.matches,
                "judged": one.judged,
            }
            for one in found
        ]

    def to_judge_live(self, games: Sequence[str]) -> tuple[bool, dict[str, Any] | None]:
        """Whether a match is judged while it is played, and its position if no judge was given that. For judges."""
        live = self._gate.live
        if not live.is_on():
            return False, None
        found = live.lend(games)
        if found is None:
            return True, None
        return True, {"match": found.id, "game": found.match.config.game, "actions": found.match.actions}

    def judged_live(self, match_id: str, value: LiveValue) -> None:
        """Takes what a judge says of such a position."""
        self._gate.live.told(match_id, value)

    async def to_judge(self, games: Sequence[str]) -> str | None:
        """The newest match that nobody has judged, which is the caller's for a while. For judges, who see all."""
        gate = self._gate
        gate.leases.asked(games)
        found = await asyncio.to_thread(gate.store.analyses.missing, games, gate.leases.withheld())
        if found is not None:
            gate.leases.lend(found)
        return found

    # Players:

    async def tallies(self) -> dict[str, Tally]:
        return await self._read(self._gate.store.tallies.of_all)

    async def player(self, name: str) -> tuple[list[Counted], MoveTimes | None, list[Strength], Mapping[str, bool]]:
        """What is known of a player's matches, and which games its bot passed its check for. Times and strengths never
        count hidden matches: they are the same for all.
        """
        store, public, sees_all = self._gate.store, self.public, self._viewer.sees_hidden

        def read(hidden: Hidden) -> tuple[list[Counted], MoveTimes | None, Mapping[str, bool]]:
            counted = store.tallies.of_player(name, NOTHING if sees_all else hidden)
            return counted, self._gate.move_times(name, hidden, counted), store.readiness.passed().get(name, {})

        counted, times, ready = await public._read(read)
        strengths = await self._gate.ratings.of(name, lambda: public._without)
        return counted, times, strengths, ready

    async def scores(
        self, name: str, by: By, opponent: str | None, limit: int, start: int
    ) -> tuple[list[dict[str, Any]], int | None]:
        """A player's results by opponent, tournament or game, and where the next ones start, None after the last."""
        scores = self._gate.store.tallies.scores
        found = await self._read(
            lambda without: scores(name, by, without, opponent=opponent, limit=limit + 1, start=start)
        )
        titles = self._gate.titles if by == "tournament" else {}
        rows = [{**each._asdict(), "title": titles.get(each.of or "")} for each in found[:limit]]
        return rows, start + limit if len(found) > limit else None

    async def versions(self, name: str, older: str | None, newer: str | None) -> dict[str, Any]:
        """A player's versions, the newest first, and two of them compared: the newest two, unless others are named."""
        return await self._read(lambda without: self._gate.versions.compared(name, without, older, newer))

    async def failures(self, name: str, limit: int) -> list[dict[str, Any]]:
        """The newest matches that the player lost by a fault; a player may see all of its own."""
        own = self._viewer.player == name
        failures = self._gate.store.tallies.failures
        return self._entries(await self._read(lambda without: failures(name, limit, NOTHING if own else without)))

    # The server:

    def metrics(self) -> CollectorRegistry:
        """Raises NotShown: counts of everything tell how long hidden matches were, and so who ended them."""
        if any(self._without):
            raise NotShown("embargoed", "While a round is hidden, the metrics are for the server's own scraper only.")
        return self._gate.metrics.registry


@dataclass(frozen=True, slots=True)
class SeenMatch:
    """A match that its viewer may see. `entry` is as in a listing, `receipt` None until it is over."""

    _gate: Gate
    _viewer: Viewer
    _id: str
    _live: LiveMatch | None
    title: str | None
    entry: dict[str, Any] | None
    receipt: str | None

    async def made(self, kind: str, make: Callable[[Match, int | None], bytes]) -> Found:
        """What `make` returns for it and the time on its axis (None if it is over); called in a thread. `kind` is its
        name in the cache.

        None if its records can't be replayed.
        """
        live = self._live
        at = None if live is None else live.now()
        known = None if live is None else live.match
        kind = kind if known is None else f"{kind} at ply {known.ply} {known.phase}"
        answer = self._gate.finished.ask(self._id, kind, lambda match: make(match, at), known)
        # Others may be waiting for the same answer, so a client that goes away must not cancel it.
        return answer if isinstance(answer, Refusal) else await asyncio.shield(answer)

    async def made_of_records(self, kind: str, make: Callable[[list[bytes]], bytes]) -> Found:
        """As `made`, of its records as they are written; those of a match that is over never change."""
        read = self._gate.store.journal.read_lines
        if self._live is None and self.entry is not None and self.entry["ended"] is not None:
            answer = self._gate.finished.keep(self._id, kind, lambda: make(read(self._id)))
            return answer if isinstance(answer, Refusal) else await asyncio.shield(answer)
        try:
            return await asyncio.to_thread(lambda: make(read(self._id)))
        except ValueError:
            return None

    async def analysis(self) -> bytes | None:
        """What the judge says of it, as JSON; None if it was not judged yet."""
        return await asyncio.to_thread(self._gate.store.analyses.of, self._id)

    @property
    def analysis_expected(self) -> bool:
        """Whether a judge is at work that will come to it once it is over."""
        entry = self.entry
        if entry is None or entry["reason"] == "void":  # no judge is given these
            return False
        return self._gate.leases.expected(self._id, entry["game"])

    async def judged(self, analysis: Analysis) -> None:
        """Keeps what the judge says."""
        await asyncio.to_thread(self._gate.store.analyses.put, analysis)
        self._gate.leases.answered(self._id)

    async def notes(self) -> list[Note]:
        """What the viewer's own bots noted; for the teacher those of both players. A guest's are for the teacher only:
        who is on the roster under that name now may be somebody else.
        """
        if self._viewer.role == "visitor" or self.entry is None:
            return []
        stored = await asyncio.to_thread(self._gate.store.notes.of, self._id)
        found = {each.ply: each for each in (*stored, *(() if self._live is None else self._live.notes))}
        if not found or self._viewer.role == "teacher":
            return list(found.values())
        if self._live is not None:
            guests = self._live.match.config.guests
        else:
            guests = json.loads((await self.records())[0])["config"]["guests"]
        players, player = self.entry["players"], self._viewer.player
        return [each for each in found.values() if players[each.seat] == player and not guests[each.seat]]

    async def records(self) -> list[bytes]:
        """Each as canonical JSON."""
        return await asyncio.to_thread(self._gate.store.journal.read_lines, self._id)
