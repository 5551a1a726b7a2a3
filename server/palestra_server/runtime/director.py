"""All tournaments of this server: creating, starting, pausing and restoring them.

`matchmaking` decides which match begins next. A player with something to play here can't be challenged to a casual
match; if it is in one already, its tournament match begins alongside.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import structlog

from palestra_referee import Match
from palestra_server.gateway import Hub, PlayerConnection
from palestra_server.names import REFERENCE_BOTS
from palestra_server.runtime.breaks import Breaks
from palestra_server.runtime.capacity import Capacity
from palestra_server.runtime.catalogue import Catalogue, DirectorError, found
from palestra_server.runtime.host import Host
from palestra_server.runtime.live_tournament import LiveTournament, TournamentShell
from palestra_server.runtime.matchmaking import Matchmaker, References
from palestra_server.runtime.news import BY_HOST, News
from palestra_server.runtime.remarks import Remark
from palestra_server.store import StoreError, Tournaments
from palestra_tournament import (
    Began,
    Closed,
    Ended,
    Entrant,
    Event,
    Fault,
    Notify,
    Paused,
    Reinstated,
    Resumed,
    Revealed,
    Spec,
    Withdrew,
    group_key,
    parse_spec,
    readiness,
    warm_up_file,
    warm_up_name,
)

log = structlog.get_logger()

TICK_S: Final = 1.0  # interval at which starts, breaks and absences are checked


class Director:
    """For the event loop's thread. No match begins before `begin`, which offline commands never call.

    `roster` returns everybody's name and group, in order; `wall_ms` reads UTC in ms. `past` reads a match from the
    journal, with each seat's lost connections; None if there is no such match. `on_change` is called with every event
    of every tournament.
    """

    def __init__(
        self,
        host: Host,
        hub: Hub,
        book: Tournaments,
        roster: Callable[[], Sequence[tuple[str, str]]],
        references: References,
        capacity: Capacity,
        past: Callable[[str], tuple[Match, tuple[int, int]] | None],
        keep_readiness: Callable[[str, str, bool, str, int], None],
        wall_ms: Callable[[], int],
    ) -> None:
        self._host = host
        self._roster = roster
        self._book = book
        self._references = references
        self._past = past
        self._keep_readiness = keep_readiness
        self._wall_ms = wall_ms
        self._loop = asyncio.get_running_loop()
        self._news = News(host.peers)
        self._shell = TournamentShell(host, hub, book, wall_ms, self._news.notify, self._changed)
        self._matchmaker = Matchmaker(host, references, capacity, self._loop.time)
        self._breaks = Breaks()
        self.catalogue = Catalogue(self._shell, book)
        self.tournaments = self.catalogue.tournaments
        self.on_change: Callable[[LiveTournament, Event], None] = lambda _live, _event: None
        self._needed: dict[str, tuple[object, frozenset[str]]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._filling = False
        self.open = False
        hub.provide("tournament", self._snapshot, past=self._past_snapshot)
        host.on_arrival = self._arrived
        host.on_free = self.kick
        host.needed = self.needed
        host.is_hidden = self.is_hidden
        host.title_of = self.catalogue.title
        host.is_ours = lambda player: player in references.names

    # Opening and closing:

    def begin(self) -> None:
        """The server is running and the host has restored its matches: continue what was being played."""
        self.open = True
        for live in self.tournaments.values():
            self._catch_up(live)
        self._look_at_references()
        self._arm()
        self.kick()

    def _catch_up(self, live: LiveTournament) -> None:
        """Follow up on the matches that were in progress when the server stopped."""
        t = live.now
        if t is None:
            return
        for fixture, match_id in t.playing.items():
            running = self._host.matches.get(match_id)
            if running is not None:
                live.follow(fixture, running)
                continue
            try:
                past = self._past(match_id)
            except (StoreError, ValueError, LookupError, TypeError) as error:
                live.stuck[fixture] = found(error)
                log.error("match cannot go on; its fixture waits", tournament=live.name, match=match_id, why=str(error))
                continue
            if past is None:
                # The server stopped after recording the match and before starting it.
                live.play(t.by_id[fixture])
            elif past[0].outcome is not None:
                live.take_result(fixture, *past)
            else:
                live.stuck[fixture] = "it was not restored"
        if live.state != "completed":
            for player, why in t.withdrawn.items():
                # Repeated after a restart: nobody knows who heard it.
                self._news.notify(live.spec, Notify(player, why))

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self.open = False
        for live in self.tournaments.values():
            live.close()

    @property
    def troubles(self) -> list[str]:
        """What is damaged or stuck: a sentence or two for each tournament concerned."""
        stuck = [live.trouble for live in self.tournaments.values() if live.state != "completed"]
        return [*filter(None, stuck), *(damaged.trouble for damaged in self.catalogue.damaged.values())]

    # What the teacher does:

    def check(self, toml: str) -> tuple[Spec, list[Fault]]:
        """The tournament described by a file, and remarks on what may be a mistake. Raises SpecError."""
        spec = parse_spec(toml, REFERENCE_BOTS)
        remarks: list[Fault] = []
        invited = self.invited(spec)
        known = {name for name, _ in self._roster()}
        groups = {group_key(group) for _, group in self._roster() if group}
        if spec.who != "all":
            remarks += [Fault("not_on_roster", name=name) for name in spec.who.players if name not in known]
            remarks += [
                Fault("empty_group", group=group) for group in spec.who.groups if group_key(group) not in groups
            ]
        remarks += [Fault("bot_and_player", name=name) for name in spec.reference if name in known]
        if not invited:
            remarks.append(Fault("nobody"))
        if spec.reference and self._references.missing():
            remarks.append(Fault("no_bots_here"))
        if spec.start is not None and spec.start.timestamp() * 1000 < self._wall_ms():
            remarks.append(Fault("past_start"))
        return spec, remarks

    def invited(self, spec: Spec) -> list[Entrant]:
        """Who takes part according to the current roster, followed by the reference bots."""
        players = [Entrant(name, group) for name, group in self._roster() if spec.invites(name, group)]
        return players + [Entrant(name, "", True) for name in spec.reference]

    async def create(self, toml: str) -> LiveTournament:
        """Create a tournament, which begins at the start time in its file, if any. Raises SpecError, StoreError."""
        spec = parse_spec(toml, REFERENCE_BOTS)
        files = {spec.name: toml}
        before = warm_up_name(spec)
        if before is not None:
            files = {before: warm_up_file(spec), **files}
        for name in reversed(files):  # its own name first: nobody chose the warm-up's
            if name in self.catalogue:
                raise DirectorError("name_taken", f"There is a tournament {name} already: choose another name.")
            if await asyncio.to_thread(self._book.has_matches, name):
                # A verifier of the records could not tell whose they are.
                kept = f"The matches of an earlier tournament '{name}' are kept: choose another name."
                raise DirectorError("name_taken", kept)
        for name, text in files.items():
            await self.catalogue.create(name, text)
        self._arm()
        return self.tournaments[spec.name]

    def start(self, name: str) -> LiveTournament:
        live = self.catalogue.get(name)
        if live.now is not None or live.is_drawing:
            raise DirectorError(
                "already_begun", f"{name} has begun already; 'palestra-server tournament resume {name}' ends a pause."
            )
        before = self._warm_up_of(live)
        if before is not None and before.state != "completed":
            if before.now is None:
                self.start(before.name)
                return live
            raise DirectorError(
                "warming_up",
                f"{before.name} is being played, and {name} begins by itself after it; "
                f"'palestra-server tournament finish {before.name}' ends it early.",
            )
        try:
            live.begin(self.invited(live.spec))
        except ValueError as error:
            hint = "'palestra-server roster list' shows who there is, and 'who' in its file says whom it invites."
            raise DirectorError("cannot_begin", f"{error} {hint}") from None
        return live

    def _warm_up_of(self, live: LiveTournament) -> LiveTournament | None:
        """Its warm-up, unless that was over before this start."""
        name = warm_up_name(live.spec)
        return None if name is None else self.tournaments.get(name)

    def pause(self, name: str) -> LiveTournament:
        """Start no more matches; those in progress are played to the end. Raises DirectorError."""
        return self._do(name, Paused(Remark("host").sentence, self._wall_ms()), "is not running")

    def resume(self, name: str) -> LiveTournament:
        """Continue, even during a break. Raises DirectorError."""
        self._breaks.overrule(name)
        live = self.catalogue.get(name)
        if live.draw_again():
            return live
        return self._do(name, Resumed(self._wall_ms()), "is not paused")

    def reveal(self, name: str) -> LiveTournament:
        hidden = self.catalogue.get(name).hidden
        live = self._do(name, Revealed(self._wall_ms()), "hides no results")
        for match in hidden:
            if match in self._host.matches:
                self._host.lobby.started(self._host.matches[match])
        return live

    def finish(self, name: str) -> LiveTournament:
        """Start nothing more; the standings are final once all matches are over. Raises DirectorError."""
        return self._do(name, Closed(self._wall_ms()), "is over")

    def withdraw(self, name: str, player: str) -> LiveTournament:
        return self._do(name, Withdrew(player, BY_HOST, self._wall_ms()), f"has no player {player} that is still in it")

    def reinstate(self, name: str, player: str) -> LiveTournament:
        return self._do(name, Reinstated(player, self._wall_ms()), f"did not withdraw {player}")

    def repeat(self, name: str, match: str) -> LiveTournament:
        """Have a match whose records can't be read played again. Raises DirectorError."""
        live = self.catalogue.get(name)
        if not live.repeat(match):
            message = (
                f"{name} has no match {match} that cannot go on; "
                f"'palestra-server tournament status {name}' lists those."
            )
            raise DirectorError("does_not_fit", message)
        return live

    async def delete(self, name: str) -> None:
        """Delete a tournament; its matches stay in the journal. Raises DirectorError while one is in progress."""
        if name not in self.catalogue:
            self.catalogue.get(name)
        live = self.tournaments.get(name)
        if live is not None and live.is_busy:
            raise DirectorError(
                "being_played", f"{name} is being played: pause it, and delete it once its matches are over."
            )
        await self.catalogue.delete(name)
        self._look_at_references()

    def _do(self, name: str, event: Event, not_so: str) -> LiveTournament:
        live = self.catalogue.get(name)
        if live.now is None:
            raise DirectorError("not_begun", f"{name} has not begun yet.")
        if not live.feed(event):
            over = live.state == "completed" and not isinstance(event, Revealed)
            raise DirectorError("does_not_fit", f"{name} {'is over' if over else not_so}.")
        return live

    # What happens without the teacher:

    def kick(self) -> None:
        """Something changed: check soon whether a match can begin."""
        if self.open and not self._filling:
            self._filling = True
            self._loop.call_soon(self._fill_now)

    def _fill_now(self) -> None:
        self._filling = False
        self.fill()

    def _arm(self) -> None:
        goes_on = any(
            live.state not in ("draft", "completed") or (live.spec.warm_up and live.now is None)
            for live in self.tournaments.values()
        )
        if self.open and goes_on and self._timer is None:
            self._timer = self._loop.call_later(TICK_S, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.look()
        self.fill()
        self._arm()

    def look(self) -> None:
        now_ms = self._wall_ms()
        for live in tuple(self.tournaments.values()):
            if live.now is None and not live.is_drawing and self._is_due(live, now_ms):
                self._begin_by_itself(live)
            elif live.state in ("running", "paused") and not live.is_undrawn:
                self._breaks.look(live, now_ms)

    def _is_due(self, live: LiveTournament, now_ms: int) -> bool:
        """Whether it begins by itself: at its start time or, if there is a warm-up, as soon as that is over."""
        start, warm_up, before = live.spec.start, warm_up_name(live.spec), self._warm_up_of(live)
        if start is not None and start.timestamp() * 1000 > now_ms:
            return False
        if before is not None and before.now is not None:
            return before.state == "completed"
        return start is not None or (warm_up is not None and self.catalogue.is_over(warm_up))

    def _begin_by_itself(self, live: LiveTournament) -> None:
        try:
            self.start(live.name)
        except DirectorError as error:
            log.warning("tournament cannot begin yet", tournament=live.name, why=str(error))

    def fill(self) -> None:
        if self.open:
            self._matchmaker.fill(self.tournaments.values())

    def needed(self, player: str) -> str | None:
        """The tournament in which this player has something to play now, or None."""
        for live in self.tournaments.values():
            t = live.now
            if t is None or t.phase != "running":
                continue
            known = self._needed.get(live.name)
            if known is None or known[0] is not t:
                open_ = (fixture for fixture in t.fixtures[t.settled :] if fixture.id not in t.results)
                players = frozenset(name for fixture in open_ for name in fixture.players) - t.references
                known = self._needed[live.name] = (t, players)
            if player in known[1]:
                return live.name
        return None

    @property
    def hidden(self) -> frozenset[str]:
        """The matches under embargo, visible only to the teacher and their players."""
        return frozenset().union(*(live.hidden for live in self.tournaments.values()))

    def is_hidden(self, match: str) -> bool:
        return any(match in live.hidden for live in self.tournaments.values())

    def _changed(self, live: LiveTournament, event: Event) -> None:
        """Called after each event of a tournament has been recorded and published."""
        if isinstance(event, Began) and live.now is not None:
            self._news.tell_all(live.spec, live.now.active, "begins")
        if live.is_over_for_good:
            self.catalogue.summarise(live)
        if live.now is not None and live.state == "completed" and isinstance(event, Ended | Closed | Withdrew):
            self._news.tell_all(live.spec, live.now.active, "over")
            self._note_readiness(live)
        if not isinstance(event, Ended) or live.state == "completed":
            self._look_at_references()
        self.on_change(live, event)
        self._arm()
        self.kick()

    def _note_readiness(self, live: LiveTournament) -> None:
        """If this was a warm-up, store who is ready, and tell them."""
        if live.now is None or not any(warm_up_name(other.spec) == live.name for other in self.tournaments.values()):
            return
        for each in readiness(live.now):
            self._keep_readiness(each.player, each.game, bool(each.ready), each.why, self._wall_ms())
            if each.ready:
                self._news.ready(live.spec, each.player, each.game, each.played)

    def _look_at_references(self) -> None:
        if not self.open:
            return
        wanted = [live.spec.reference for live in self.tournaments.values() if live.state in ("running", "paused")]
        self._references.want(frozenset(name for names in wanted for name in names))

    def _arrived(self, peer: PlayerConnection) -> None:
        """A player connected: send the notices it missed; a match may be waiting for it."""
        self._news.arrived(peer)
        self.kick()

    def _snapshot(self, topic: str) -> Mapping[str, Any] | None:
        live = self.tournaments.get(topic.partition(":")[2])
        return None if live is None else {"type": "snapshot", **live.snapshot()}

    def _past_snapshot(self, topic: str, binary: bool) -> asyncio.Future[bytes | None]:
        return self._loop.create_task(self.catalogue.past_frame(topic, binary))
