"""What the teacher does with tournaments: checking, creating, starting, pausing, deleting them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from palestra_protocol.reference_bots import REFERENCE_BOTS
from palestra_server.helper import Helper, HelperFailed
from palestra_server.names import nearest
from palestra_server.runtime.catalogue import Catalogue, DirectorError
from palestra_server.runtime.live_tournament import LiveTournament
from palestra_server.runtime.lobby import Lobby
from palestra_server.runtime.outlook import Outlook, outlook
from palestra_server.runtime.reference import References
from palestra_server.runtime.room import Bell, Playing
from palestra_server.runtime.roster import Roster
from palestra_server.runtime.seasons import Seasons
from palestra_server.store import Tournaments
from palestra_tournament import (
    Fault,
    Filled,
    Refused,
    Ruled,
    Spec,
    SpecError,
    Tournament,
    Verdict,
    events,
    faults_of,
    filled,
    group_key,
    join,
    parse_spec,
    rule,
    step,
    too_large,
    warm_up_file,
    warm_up_name,
)

P = ParamSpec("P")
T = TypeVar("T")

E = TypeVar("E", bound=events.Event)
STOPPING: Final = "The server is stopping; ask again when it is back."
HERE: Final = 1000  # characters of a file that is parsed here, which takes less than 10 ms whatever it says
SUGGESTED: Final = 10  # names that nobody has for which one that may be meant is looked for: 1 ms each, of 300


def _parsed(toml: str) -> Spec | tuple[Fault, ...]:
    """The tournament, or what is wrong with its file."""
    try:
        return parse_spec(toml, REFERENCE_BOTS)
    except SpecError as error:
        return tuple(error.problems)


def _checked(act: Callable[[Tournament, E], object], t: Tournament, event: E) -> None:
    """Raises DirectorError if this can't be done to the tournament."""
    try:
        act(t, event)
    except Refused as error:
        raise DirectorError(error.code, str(error)) from None


@dataclass(kw_only=True, eq=False)
class Director:
    """For the event loop's thread. `_files` reads long tournament files; `_wall_ms` reads UTC in ms.

    Its fields are private, since routes are handed a director: what it works with leaves out nothing that is hidden.
    """

    _catalogue: Catalogue
    _book: Tournaments
    _roster: Roster
    _seasons: Seasons
    _references: References
    _lobby: Lobby
    _playing: Playing
    _bell: Bell
    _files: Helper
    _wall_ms: Callable[[], int]

    async def _read(
        self, here: int, read: Callable[Concatenate[str, P], T], toml: str, *args: P.args, **more: P.kwargs
    ) -> T:
        """What `read` makes of a file, in this process if that has at most `here` characters. Raises DirectorError if
        it takes too long.
        """
        try:
            if len(toml) <= here:
                return read(toml, *args, **more)
            return await asyncio.to_thread(lambda: self._files.run(read, toml, *args, **more))
        except HelperFailed as error:
            raise DirectorError("bad_tournament", f"The file could not be checked. {error} Make it simpler.") from None

    async def _parse(self, toml: str) -> Spec:
        """Like `parse_spec`. Raises DirectorError for a file that takes too long."""
        found = await self._read(HERE, _parsed, toml)
        if isinstance(found, Spec):
            return found
        raise SpecError(found)

    async def fill(self, toml: str, changes: Sequence[tuple[str, Any]]) -> Filled:
        """Like `filled`. Raises DirectorError for a file that takes too long."""
        # Each change reads it several times, and may make it longer.
        return await self._read(0 if changes else HERE, filled, toml, changes, self._catalogue.names)

    async def check(self, toml: str) -> tuple[Spec, list[Fault], Outlook | None]:
        """The tournament described by a file, remarks on what may be a mistake, and how long it would take now. Raises
        DirectorError, and SpecError also for what the players on the roster now can't give.
        """
        spec = await self._parse(toml)
        remarks: list[Fault] = []
        invited = self._roster.invited(spec)
        players = len(invited) - len(spec.reference)
        if players > 1 and (faults := faults_of(spec, toml, players)):
            raise SpecError(faults)
        allowed = [row for row in self._roster.rows if not row.banned]
        known = {row.name for row in allowed}
        groups = {group_key(row.group) for row in allowed if row.group}
        if spec.who != "all":
            unknown = [name for name in spec.who.players if name not in known]
            for name in unknown:
                near = nearest(name, known) if len(unknown) <= SUGGESTED else None
                remarks.append(
                    Fault("not_on_roster_near", name=name, near=near) if near else Fault("not_on_roster", name=name)
                )
            remarks += [
                Fault("empty_group", group=group) for group in spec.who.groups if group_key(group) not in groups
            ]
        remarks += [Fault("bot_and_player", name=name) for name in spec.reference if name in known]
        if not invited:
            remarks.append(Fault("nobody"))
        fault = too_large(spec, invited)
        if fault is not None:
            remarks.append(fault)
        if spec.reference and self._references.missing():
            remarks.append(Fault("no_bots_here"))
        if spec.name in self._catalogue:
            remarks.append(Fault("taken", key="name", name=spec.name))
        if spec.start is not None and spec.start.timestamp() * 1000 < self._wall_ms():
            remarks.append(Fault("past_start"))
        return spec, remarks, None if fault else outlook(spec, invited, self._wall_ms())

    async def create(self, toml: str) -> LiveTournament:
        """Create a tournament, which begins at the start time in its file, if any. Raises SpecError, DirectorError,
        StoreError.
        """
        spec = await self._parse(toml)
        files = {spec.name: (toml, spec)}
        if spec.warm_up:
            text = warm_up_file(spec)
            before = await self._parse(text)
            files = {before.name: (text, before), **files}
        names = tuple(reversed(files))  # its own name first: nobody chose the warm-up's
        with self._catalogue.taken(names):
            for name in names:
                if await asyncio.to_thread(self._book.has_matches, name):
                    # A verifier of the records could not tell whose they are.
                    kept = f"The matches of an earlier tournament '{name}' are kept: choose another name."
                    raise DirectorError("name_taken", kept)
            await self._catalogue.create(files.values())
        self._bell.ring()
        return self._catalogue.tournaments[spec.name]

    async def drawn(self, name: str) -> None:
        """Wait until no round of it is being drawn. Raises DirectorError, also if the server stops instead."""
        if name in self._catalogue.damaged:
            return
        if not await (await self._catalogue.fetch(name)).drawn():
            raise DirectorError("stopping", STOPPING)

    def start(self, name: str) -> LiveTournament:
        """Begin it, or its warm-up if that has not begun. Raises DirectorError."""
        live = self._catalogue.get(name)
        if live.tournament is not None or live.is_drawing:
            raise DirectorError(
                "already_begun", f"{name} has begun already; 'palestra-server tournament resume {name}' ends a pause."
            )
        before = self._warm_up_of(live)
        if before is not None and before.state != "completed":
            if before.tournament is None:
                self.start(before.name)
                return live
            raise DirectorError(
                "warming_up",
                f"{before.name} is being played, and comes first; "
                f"'palestra-server tournament finish {before.name}' ends it early.",
            )
        entrants = self._roster.invited(live.spec)
        for name in self._playing.renaming.intersection(one.name for one in entrants):
            raise DirectorError("cannot_begin", f"{name} is being renamed: start {live.name} again.")
        try:
            live.begin(entrants, self._seasons.carrying(live.name, [one.name for one in entrants]))
        except ValueError as error:
            hint = "'palestra-server roster list' shows who there is, and 'who' in its file says whom it invites."
            raise DirectorError("cannot_begin", f"{error} {hint}") from None
        return live

    @contextmanager
    def renaming(self, name: str) -> Iterator[None]:
        """Begin no match and no tournament with this player, whose name is changing. Raises DirectorError if one goes
        on.
        """
        if self._playing.count(name):
            raise DirectorError("player_busy", f"{name} is in a match: rename it afterwards.")
        for live in self._catalogue.tournaments.values():
            if not live.is_over and any(one.name == name for one in live.entrants):
                message = f"{name} plays in the tournament {live.name}: rename it once that is over."
                raise DirectorError("player_busy", message)
        self._playing.renaming.add(name)
        try:
            yield
        finally:
            self._playing.renaming.discard(name)

    def _warm_up_of(self, live: LiveTournament) -> LiveTournament | None:
        """Its warm-up, unless that was over before this start."""
        name = warm_up_name(live.spec)
        return None if name is None else self._catalogue.tournaments.get(name)

    def pause(self, name: str) -> None:
        """Start no more matches; those in progress are played to the end. Raises DirectorError."""
        self._do(name, events.Paused({"code": "host"}, self._wall_ms()), "is not running")

    def resume(self, name: str) -> None:
        """Continue, even during a break, or after `finish`. Raises DirectorError."""
        live = self._catalogue.get(name)
        if not live.draw_again():
            self._do(name, events.Resumed(self._wall_ms()), "is not paused")
        live.overrules_break = True

    def reveal(self, name: str) -> None:
        """Show what is hidden; all of a tournament that can't be read, which can be deleted then. Raises
        DirectorError.
        """
        if name in self._catalogue.damaged and self._catalogue.hides(name):
            self._catalogue.reveal_damaged(name)
            return
        whole = self._catalogue.get(name).tournament
        hidden = () if whole is None else whole.hidden
        self._do(name, events.Revealed(self._wall_ms()), "hides no results")
        self._lobby.revealed(hidden)

    def finish(self, name: str, counts_all: bool = False) -> None:
        """Start nothing more; the standings are final once all matches are over. `counts_all`: also rounds that aren't
        complete then. Raises DirectorError.
        """
        self._do(name, events.Closed(self._wall_ms(), counts_all), "is over")

    def add(self, name: str, players: Sequence[str]) -> None:
        """Enrol these of the roster, who come late: all or none. Raises DirectorError, RosterError."""
        rows = [self._roster.row(player) for player in players]
        for player in self._playing.renaming.intersection(players):
            raise DirectorError("player_busy", f"{player} is being renamed: add it to {name} afterwards.")
        live = self._catalogue.get(name)
        t = live.tournament
        if t is None:
            sentence = f"{name} has not begun yet: who is on the roster then, and invited, takes part."
            raise DirectorError("join_early", sentence)
        for banned in (row.name for row in rows if row.banned):
            raise DirectorError("join_banned", f"{banned} is banned; 'palestra-server roster unban' lifts the ban.")
        joining = [events.Joined(row.name, row.group, self._wall_ms()) for row in rows]
        for event in joining:
            _checked(join, t, event)
            t, _ = step(t, event)
        for event in joining:
            live.feed(event)

    def withdraw(self, name: str, player: str) -> None:
        """Raises DirectorError."""
        self._do(name, events.Withdrew(player, self._wall_ms()), f"has no player {player} that is still in it")

    def reinstate(self, name: str, player: str) -> None:
        """Raises DirectorError."""
        self._do(name, events.Reinstated(player, self._wall_ms()), f"did not withdraw {player}")

    def rule(self, name: str, match: str, verdict: Verdict, winner: str, why: str) -> None:
        """Rule on a match that is over, also of a tournament that is. Raises DirectorError."""
        live = self._catalogue.reopen(name)
        if live.tournament is None:
            raise DirectorError("not_begun", f"{name} has not begun yet.")
        try:
            event = Ruled(match, verdict, winner, why.strip(), self._wall_ms())
        except ValueError as error:
            raise DirectorError("does_not_fit", str(error)) from None
        _checked(rule, live.tournament, event)
        live.feed(event)

    def repeat(self, name: str, match: str) -> None:
        """Have a match whose records can't be read played again. Raises DirectorError."""
        if not self._catalogue.get(name).repeat(match):
            message = (
                f"{name} has no match {match} that cannot go on; "
                f"'palestra-server tournament status {name}' lists those."
            )
            raise DirectorError("does_not_fit", message)

    async def delete(self, name: str) -> None:
        """Delete a tournament; its matches stay in the journal. Raises DirectorError while one is in progress."""
        if name not in self._catalogue:
            self._catalogue.get(name)
        live = self._catalogue.tournaments.get(name)
        if live is not None and live.is_busy:
            raise DirectorError(
                "being_played", f"{name} is being played: pause it, and delete it once its matches are over."
            )
        if self._catalogue.hides(name):
            message = f"{name} hides a round, whose matches would be seen without it: reveal it, and delete it then."
            raise DirectorError("hides", message)
        await self._catalogue.delete(name)
        self._bell.ring()

    def _do(self, name: str, event: events.Event, not_so: str) -> None:
        live = self._catalogue.reopen(name)
        if live.tournament is None:
            raise DirectorError("not_begun", f"{name} has not begun yet.")
        if not live.feed(event):
            over = live.state == "completed" and not isinstance(event, events.Revealed)
            raise DirectorError("does_not_fit", f"{name} {'is over' if over else not_so}.")
