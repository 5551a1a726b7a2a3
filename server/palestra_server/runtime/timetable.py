"""What happens in tournaments without the teacher: planned starts, breaks, matches that begin, and going on after a
restart.

`matchmaking` decides which match begins next. A player with something to play in a tournament can't be challenged to a
casual match (`Claims`); if it is in one already, its tournament match begins alongside.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from palestra_referee import Match, event_from_line, replay
from palestra_server.runtime.catalogue import Catalogue, DirectorError, defect
from palestra_server.runtime.director import Director
from palestra_server.runtime.live_tournament import LiveTournament
from palestra_server.runtime.matches import Matches
from palestra_server.runtime.matchmaking import Matchmaker
from palestra_server.runtime.notices import Notices
from palestra_server.runtime.outlook import within
from palestra_server.runtime.reference import References
from palestra_server.runtime.room import Bell, Playing
from palestra_server.runtime.screen import Screen
from palestra_server.store import Journal, ReadinessBook
from palestra_server.supervision import Supervisor
from palestra_tournament import Notify, Paused, Resumed, readiness, warm_up_name

log = structlog.get_logger()

TICK_S: Final = 1.0  # interval at which starts, breaks and absences are checked


@dataclass(kw_only=True, eq=False)
class Timetable:
    """For the event loop's thread. No match begins before `begin`, which offline commands never call."""

    catalogue: Catalogue
    director: Director
    matchmaker: Matchmaker
    matches: Matches
    playing: Playing
    references: References
    notices: Notices
    journal: Journal
    readiness: ReadinessBook
    screen: Screen
    bell: Bell
    supervisor: Supervisor
    wall_ms: Callable[[], int]

    def __post_init__(self) -> None:
        self._ear = self.bell.ear()
        self._noted: set[str] = set()  # warm-ups whose results have been stored
        self._task: asyncio.Task[None] | None = None
        self.is_open = False

    def begin(self) -> None:
        """The server is running and its matches are restored: continue what was being played."""
        self.is_open = True
        for live in self._tournaments:
            self.supervisor.run("tournament goes on", live, self._catch_up, live)
        self._task = self.supervisor.keep("timetable", self.supervisor, self._run)

    def close(self) -> None:
        self.is_open = False
        if self._task is not None:
            self._task.cancel()
        for live in self._tournaments:
            live.close()

    @property
    def _tournaments(self) -> tuple[LiveTournament, ...]:
        return tuple(self.catalogue.tournaments.values())

    async def _run(self) -> None:
        while True:
            self._ear.clear()
            self.look()
            self.fill()
            # A tournament takes its players before anybody else.
            self.matches.serve()
            try:
                async with asyncio.timeout(TICK_S if self._is_time_awaited() else None):
                    await self._ear.wait()
            except TimeoutError:
                pass

    def _is_time_awaited(self) -> bool:
        return any(
            live.state not in ("draft", "completed") or (live.spec.warm_up and live.tournament is None)
            for live in self._tournaments
        )

    # After a restart:

    def _catch_up(self, live: LiveTournament) -> None:
        """Follow up on the matches that were in progress when the server stopped."""
        t = live.tournament
        if t is None:
            return
        for fixture, match_id in t.playing.items():
            running = self.playing.matches.get(match_id)
            if running is not None:
                live.follow(fixture, running)
        self._settle(live)
        if live.state != "completed":
            for player, why in t.withdrawn.items():
                # Repeated after a restart: nobody knows who heard it.
                self.notices.notify(live.spec, Notify(player, why))

    def _settle(self, live: LiveTournament) -> None:
        """Take the results of matches that were played and not told, after a restart or a failure."""
        t = live.tournament
        if t is None or live.is_drawing:
            return
        for fixture, match_id in t.playing.items():
            if match_id in self.playing.matches or fixture in live.stuck:
                continue
            try:
                past = self._past(match_id)
            except Exception as error:  # its game may be a plug-in
                live.stuck[fixture] = defect(error)
                log.error("match cannot go on; its fixture waits", tournament=live.name, match=match_id, why=str(error))
                continue
            if past is None:
                # The server stopped after recording the match and before starting it.
                live.start(t.by_id[fixture], match_id)
            elif past.outcome is not None:
                live.take_result(fixture, past)
            else:
                live.stuck[fixture] = "it was not restored"

    def _past(self, match_id: str) -> Match | None:
        """A match from the journal; None if there is none of this id."""
        events = [event_from_line(line) for line in self.journal.read_lines(match_id)]
        return replay(events) if events else None

    # Each time something changed, or a second has passed:

    def look(self) -> None:
        now_ms = self.wall_ms()
        for live in self._tournaments:
            self.supervisor.run("tournament is looked at", live, self._look_at, live, now_ms)
        self.supervisor.run("big screen", self.supervisor, self.screen.look, self._tournaments)

    def fill(self) -> None:
        """Begin what can begin."""
        wanted = [live.spec.reference for live in self._tournaments if live.state in ("running", "paused")]
        self.references.want(frozenset(name for names in wanted for name in names))
        self.matchmaker.fill(self._tournaments)

    def _look_at(self, live: LiveTournament, now_ms: int) -> None:
        self._settle(live)
        if live.tournament is None and not live.is_drawing and self._is_due(live, now_ms):
            self._begin_by_itself(live)
        elif live.state in ("running", "paused") and not live.is_undrawn:
            take_break(live, now_ms)
        elif live.state == "completed":
            self._note_readiness(live)

    def _is_due(self, live: LiveTournament, now_ms: int) -> bool:
        """Whether it begins by itself: at its start time, or after its warm-up if the file says so."""
        start, warm_up = live.spec.start, warm_up_name(live.spec)
        before = None if warm_up is None else self.catalogue.tournaments.get(warm_up)
        if start is not None and start.timestamp() * 1000 > now_ms:
            return False
        if warm_up is not None and self.catalogue.is_over(warm_up):
            live.is_held = live.spec.after_warm_up == "wait"
            return not live.is_held
        return start is not None and (before is None or before.tournament is None)

    def _begin_by_itself(self, live: LiveTournament) -> None:
        try:
            self.director.start(live.name)
        except DirectorError as error:
            live.cannot_begin(str(error))

    def _note_readiness(self, live: LiveTournament) -> None:
        """If this was a warm-up, store who is ready, and tell them."""
        t = live.tournament
        if t is None or live.name in self._noted:
            return
        self._noted.add(live.name)
        if not any(warm_up_name(other.spec) == live.name for other in self._tournaments):
            return
        for each in readiness(t):
            self.readiness.put(each.player, each.game, bool(each.ready), self.wall_ms())
            if each.ready:
                self.notices.ready(live.spec, each.player, each.game, each.played)


def take_break(live: LiveTournament, now_ms: int) -> None:
    """Begin or end a break: nothing begins during one, unless the teacher overruled it."""
    assert live.tournament is not None
    clock = datetime.fromtimestamp(now_ms / 1000).time()
    current = next((each for each in live.spec.breaks if within(each, clock)), None)
    if current is None:
        live.overrules_break = False
        why = live.tournament.why_paused
        if why is not None and why["code"] == "break":
            live.feed(Resumed(now_ms))
    elif live.state == "running" and not live.overrules_break:
        first, last = current
        hours = {"begin": f"{first:%H:%M}", "end": f"{last:%H:%M}"}
        log.info("break", tournament=live.name, **hours)
        live.feed(Paused({"code": "break", **hours}, now_ms))
