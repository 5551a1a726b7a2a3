"""The whole server: every part, made once and handed to those that use it, from top to bottom.

Whoever writes a part is named with it; everybody else only reads it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Self

import structlog

from palestra_server import VERSION
from palestra_server.gateway import Gateway, GatewaySettings, Guesses, Hub, StampedListener, serve_gateway
from palestra_server.helper import Helper
from palestra_server.runtime.catalogue import Catalogue
from palestra_server.runtime.challenges import Challenges
from palestra_server.runtime.director import Director
from palestra_server.runtime.embargo import Embargo
from palestra_server.runtime.finished import FinishedMatches, finished_match
from palestra_server.runtime.gate import Gate
from palestra_server.runtime.host import Host
from palestra_server.runtime.judging import Leases
from palestra_server.runtime.lobby import Lobby
from palestra_server.runtime.machines import Machines
from palestra_server.runtime.matches import Matches
from palestra_server.runtime.matchmaking import Capacity, Matchmaker
from palestra_server.runtime.metrics import Metrics, Tally
from palestra_server.runtime.move_times import MoveTimesOf
from palestra_server.runtime.notices import Notices, Unheard
from palestra_server.runtime.player_versions import PlayerVersions
from palestra_server.runtime.ratings import Ratings
from palestra_server.runtime.reference import Admitted, References
from palestra_server.runtime.room import Bell, Claims, Playing, Presence
from palestra_server.runtime.roster import Roster
from palestra_server.runtime.round_drawing import paired_by
from palestra_server.runtime.saving import Saving
from palestra_server.runtime.screen import Screen
from palestra_server.runtime.seasons import Seasons
from palestra_server.runtime.seen_tournament import TournamentShell
from palestra_server.runtime.table_cache import TableCache
from palestra_server.runtime.teachers import TeacherKeys
from palestra_server.runtime.timetable import Timetable
from palestra_server.runtime.watching import MatchTopics
from palestra_server.settings import EVERYWHERE, Settings
from palestra_server.store import JournalBroken, Store, StoreError, wall_clock_ms
from palestra_server.supervision import Supervisor
from palestra_tournament import PairRound

log = structlog.get_logger()

# Time limit for checking a tournament file. On a busy machine the process, which has the lowest priority, takes seconds
# to load the formats alone.
FILE_S: Final = 20.0
SAVED_S: Final = 1.0  # time limit for what was decided when a node hands over
SHUTDOWN_S: Final = 4.0  # time limit for connections and the journal when the server stops; the promise is 5 s


class House:
    """A server that is put together; see `House.open`, in a loop from `gateway.new_event_loop`.

    `now` reads the monotonic clock in ns, `wall_ms` UTC in ms.
    """

    def __init__(
        self,
        settings: Settings,
        supervisor: Supervisor,
        *,
        hub: Hub | None = None,
        references: References | None = None,
        capacity: Capacity | None = None,
        pair: PairRound | None = None,
        machines: Machines | None = None,
        now: Callable[[], int] = time.monotonic_ns,
        wall_ms: Callable[[], int] = wall_clock_ms,
    ) -> None:
        """Open the data folder. Raises RosterError and StoreError."""
        if machines is not None:
            wall_ms = machines.wall_ms
        self.settings = settings
        self.supervisor = supervisor
        self._is_alone = False  # nobody else uses its supervisor
        self.gateway: Gateway | None = None
        self.machines = machines

        # What is known now, each written by the parts named and read by many:
        self.presence = Presence()  # who is connected: Host
        self.playing = Playing()  # matches in progress: Matches
        self.embargo = Embargo()  # what may not be seen yet: each LiveTournament, and Catalogue
        self.claims = Claims()  # which tournament wants a player: each LiveTournament, and Catalogue
        self.titles: dict[str, str] = {}  # what people call a tournament: Catalogue
        self.tally = Tally()  # what is counted: Matches, Host
        self.bell = Bell()
        peers, players = self.presence.peers, self.presence.proven
        self.notices = Notices(players)  # what players are to hear, though they may be away
        self.unheard = Unheard()

        # What is kept:
        self.saving = Saving(peers, self.playing, self.bell)
        self.store = Store(
            settings.data,
            settings.database,
            lease=None if machines is None else machines.lease,
            wall_ms=wall_ms,
            on_fault=lambda fault: supervisor.from_thread("storage failed", supervisor, self.saving.failed, fault),
            on_trouble=lambda why: supervisor.from_thread("storage troubled", supervisor, self.saving.troubled, why),
        )
        self.journal = self.store.journal
        try:
            self.roster = Roster(self.store.players)
            self.teachers = TeacherKeys(self.store.teachers)
        except BaseException:
            self.store.close()
            raise
        self.references = references or References(settings.data, supervisor, settings.bots)
        self.admitted = Admitted(self.roster, self.references)
        self.guesses = Guesses()  # wrong tokens on both ports

        # Matches:
        self.hub = hub or Hub(wall_ms=wall_ms)
        self.lobby = Lobby(
            hub=self.hub,
            peers=peers,
            playing=self.playing,
            embargo=self.embargo,
            titles=self.titles,
            supervisor=supervisor,
        )
        self.challenges = Challenges(
            settings=settings,
            peers=peers,
            playing=self.playing,
            claims=self.claims,
            roster=self.admitted,
            references=self.references,
            journal=self.journal,
            now=now,
        )
        self.matches = Matches(
            peers=peers,
            playing=self.playing,
            journal=self.journal,
            saving=self.saving,
            hub=self.hub,
            lobby=self.lobby,
            unheard=self.unheard,
            challenges=self.challenges,
            references=self.references,
            tally=self.tally,
            bell=self.bell,
            supervisor=supervisor,
            now=now,
        )
        self.host = Host(
            presence=self.presence,
            playing=self.playing,
            matches=self.matches,
            challenges=self.challenges,
            saving=self.saving,
            lobby=self.lobby,
            notices=self.notices,
            unheard=self.unheard,
            tally=self.tally,
            bell=self.bell,
            now=now,
        )

        # Tournaments:
        self.helper = Helper()
        shell = TournamentShell(
            players=players,
            invited=self.roster.invited,
            matches=self.matches,
            saving=self.saving,
            hub=self.hub,
            book=self.store.tournaments,
            notices=self.notices,
            embargo=self.embargo,
            claims=self.claims,
            bell=self.bell,
            supervisor=supervisor,
            wall_ms=wall_ms,
            ply_limit=settings.ply_limit,
            pair=pair or paired_by(self.helper),
            titles=self.titles,
        )
        self.catalogue = Catalogue(shell, self.store.tournaments, self.titles)
        self.files = Helper(longest_s=FILE_S)
        self.seasons = Seasons(self.store.seasons, self.catalogue, self.helper)
        self.director = Director(
            _catalogue=self.catalogue,
            _book=self.store.tournaments,
            _roster=self.roster,
            _seasons=self.seasons,
            _references=self.references,
            _lobby=self.lobby,
            _playing=self.playing,
            _bell=self.bell,
            _files=self.files,
            _wall_ms=wall_ms,
        )
        self.screen = Screen(
            catalogue=self.catalogue,
            director=self.director,
            playing=self.playing,
            hub=self.hub,
            book=self.store.screen,
            supervisor=supervisor,
        )
        self.timetable = Timetable(
            catalogue=self.catalogue,
            director=self.director,
            matchmaker=Matchmaker(
                players=players,
                playing=self.playing,
                references=self.references,
                capacity=capacity or Capacity(time.monotonic, time.process_time, lambda: self.tally.actions),
                saving=self.saving,
                journal=self.journal,
                supervisor=supervisor,
                now_s=asyncio.get_running_loop().time,
            ),
            matches=self.matches,
            playing=self.playing,
            references=self.references,
            notices=self.notices,
            journal=self.journal,
            readiness=self.store.readiness,
            screen=self.screen,
            bell=self.bell,
            supervisor=supervisor,
            wall_ms=wall_ms,
        )

        # What is shown:
        self.finished = FinishedMatches(partial(finished_match, self.journal), supervisor)
        self.table_cache = TableCache(lambda: self.timetable.is_open)
        self.ratings = Ratings(self.store, supervisor, Helper())
        self.metrics = Metrics(self.tally, lambda: self.opened.counts, lambda: len(self.playing.matches), machines)
        self.gate = Gate(
            catalogue=self.catalogue,
            seasons=self.seasons,
            embargo=self.embargo,
            playing=self.playing,
            titles=self.titles,
            store=self.store,
            finished=self.finished,
            table_cache=self.table_cache,
            move_times=MoveTimesOf(self.store),
            ratings=self.ratings,
            versions=PlayerVersions(self.store),
            metrics=self.metrics,
            leases=Leases(),
            live=self.screen.live,
        )
        topics = MatchTopics(playing=self.playing, finished=self.finished, embargo=self.embargo, titles=self.titles)
        self.hub.provide("lobby", lambda _topic: self.lobby.snapshot())
        self.hub.provide("screen", lambda _topic: self.screen.state())
        self.hub.provide("match", topics.snapshot, topics.event_count, topics.past)
        self.hub.provide("tournament", self.catalogue.topic, past=self.catalogue.past_topic)

    @classmethod
    async def offline(
        cls, settings: Settings, supervisor: Supervisor | None = None, machines: Machines | None = None
    ) -> Self:
        """A server without sockets and matches, for commands when none is running.

        Raises RosterError and StoreError.
        """
        house = cls(settings, supervisor or await Supervisor.open(), machines=machines)
        house._is_alone = supervisor is None
        try:
            house.catalogue.restore()
            house.seasons.restore()
        except BaseException:
            house.store.close()
            raise
        return house

    @classmethod
    async def open(
        cls,
        settings: Settings,
        page_port: int | None = None,
        supervisor: Supervisor | None = None,
        machines: Machines | None = None,
        sockets: Sequence[StampedListener] = (),
    ) -> Self:
        """Open the data folder, resume unfinished matches, then listen. `page_port`: the web port, if there is one;
        `supervisor` outlives the house, if it is given; `machines`: those that share the database; `sockets`: for bots,
        if they are open already.

        Raises RosterError, StoreError and GatewayError, each with one sentence for the user.
        """
        house = await cls.offline(settings, supervisor, machines)
        try:
            house.restore()
            house.gateway = await serve_gateway(
                settings.host,
                settings.port,
                house.host,
                roster=house.admitted,
                sessions=house.journal,
                hub=house.hub,
                guesses=house.guesses,
                settings=GatewaySettings.of(
                    settings,
                    server_name=f"palestra/{VERSION}",
                    server_id=house.store.archive.server_id(),
                    page_port=page_port,
                    nodes=tuple if machines is None else machines.addresses,
                    run=None if machines is None else machines.me.run,
                ),
                sockets=sockets,
            )
            if house.store.lease is not None:
                await asyncio.to_thread(house.store.lease.opened)
        except BaseException:
            await house.close()
            raise
        house.references.open(f"ws://{_own_side(settings.host)}:{house.opened.port}")
        house.timetable.begin()
        return house

    def restore(self) -> None:
        """Resume the matches that were in progress. Raises StoreError."""
        for match_id, records in self.journal.unfinished().items():
            try:
                if isinstance(records, StoreError):
                    raise records
                self.matches.restore(match_id, records)
            except Exception as error:
                # Its game may be a plug-in. It stays unfinished in the journal, and can resume once that is mended.
                log.warning("match cannot be resumed", match=match_id, why=str(error))

    @property
    def opened(self) -> Gateway:
        """The gateway, which exists as soon as `open` has returned."""
        assert self.gateway is not None
        return self.gateway

    async def close(self) -> None:
        """Let the journal finish, and close every connection with 1001; takes about five seconds at most.

        The matches stay as they are in the journal. If another node can go on with them, it gets the lease, and the
        players stay connected here until it is open.
        """
        self.timetable.close()
        self.screen.close()
        self.host.close()
        self.lobby.close()
        self.matches.close()
        if self.machines is not None and self._hands_over:
            await self._save()
            await asyncio.to_thread(self.store.hand_over)
            # The next one starts reference bots of its own: these are not to be sent there.
            there, _ = await asyncio.gather(self.machines.next_referee(), self.references.close())
            if there is not None:
                await self.host.send_on(there.bots)
        await self.references.close()
        if self.gateway is not None:
            try:
                async with asyncio.timeout(SHUTDOWN_S):
                    await self.gateway.close()
            except TimeoutError:
                log.warning("some connections did not close in time")
        if self._is_alone:
            await self.supervisor.close()
        for part in (self.finished, self.table_cache, self.ratings, self.helper, self.files, self.store):
            await asyncio.to_thread(part.close)

    @property
    def _hands_over(self) -> bool:
        lease, machines = self.store.lease, self.machines
        holds = self.gateway is not None and lease is not None and lease.left_s > 0 and not self.saving.fault.done()
        return holds and machines is not None and bool(machines.successors(machines.me.name))

    async def _save(self) -> None:
        """Until what was decided is saved and told."""
        saved: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        tell = partial(self.supervisor.from_thread, "all saved", self.supervisor)
        with contextlib.suppress(JournalBroken, TimeoutError):
            self.journal.when_durable(lambda error: tell(saved.set_result, error))
            await asyncio.wait_for(asyncio.shield(saved), SAVED_S)


def _own_side(host: str) -> str:
    """The address by which a process on this machine reaches a server that listens on `host`."""
    if host == EVERYWHERE:
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
