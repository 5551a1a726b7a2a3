"""The whole server: store, host and gateway, opened and closed in the right order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import structlog

from palestra_games import UnknownGame
from palestra_referee import Event, Match, event_from_line, replay
from palestra_server import VERSION
from palestra_server.gateway import Gateway, GatewaySettings, Hub, Refusal, serve_gateway, snapshot_frame
from palestra_server.runtime.capacity import Capacity
from palestra_server.runtime.director import Director
from palestra_server.runtime.histories import Histories
from palestra_server.runtime.host import Host
from palestra_server.runtime.live import drops_of
from palestra_server.runtime.messages import EMBARGOED
from palestra_server.runtime.metrics import Metrics
from palestra_server.runtime.past import Past
from palestra_server.runtime.reference import ReferenceBots
from palestra_server.runtime.roster import Roster
from palestra_server.runtime.shown import Shown
from palestra_server.runtime.snapshots import match_snapshot
from palestra_server.settings import Settings
from palestra_server.store import Store, StoreError, wall_clock_ms

log = structlog.get_logger()

SHUTDOWN_S = 4.0  # time limit for connections and the journal when the server stops; the promise is 5 s


_JUMP = 1_000_000  # more than a match has events, so that numbers after a restart never overlap earlier ones


def told(match: Match) -> int:
    """How many events the watchers of a match have been sent: every action, and the end.

    The number jumps at a restart: a watcher from before may have seen actions that were not on disk yet, and must not
    resume from there.
    """
    return len(match.moves) + match.announced + _JUMP * match.restarts


def replay_over(events: Sequence[Event]) -> Match | None:
    """The match of these records; None if there are none, or it is not over."""
    match = replay(events) if events else None
    return match if match is not None and match.phase == "finished" else None


def _own_side(host: str) -> str:
    """The address by which a process on this machine reaches a server that listens on `host`."""
    if host in ("", "0.0.0.0"):
        return "127.0.0.1"
    if host == "::":
        return "[::1]"
    return f"[{host}]" if ":" in host else host


class HouseRoster:
    """Implements `gateway.PlayerRoster`: the players on the roster, and the reference bots that run here."""

    def __init__(self, roster: Roster, references: ReferenceBots) -> None:
        self._roster = roster
        self._references = references

    def player_for(self, token: str) -> str | None:
        return self._references.player_for(token) or self._roster.player_for(token)

    def is_taken_back(self, token: str) -> bool:
        return self._roster.is_taken_back(token)

    def token_hash(self, player: str) -> str | None:
        return self._references.token_hash(player) or self._roster.token_hash(player)

    @property
    def names(self) -> tuple[str, ...]:
        return *self._roster.names, *self._references.names


class Server:
    """A running referee; see `Server.open`, in a loop from `gateway.new_event_loop`."""

    def __init__(self, settings: Settings, store: Store, roster: Roster) -> None:
        self.settings = settings
        self.store = store
        self.journal = store.journal
        self.roster = roster
        self.histories = Histories(store)
        self.hub = Hub()
        self.host = Host(settings, self.journal, self.hub, time.monotonic_ns)
        self.gateway: Gateway | None = None
        self.metrics = Metrics(self.host.tally, lambda: self.opened.counts, lambda: len(self.host.matches))
        self.host.on_turnaround = self.metrics.turnaround.observe
        self.past = Past(lambda match_id: replay_over(self.events(match_id)))
        self.shown = Shown(lambda: self.director.open)
        self.references = ReferenceBots(settings.data, settings.bots)
        self.director = Director(
            self.host,
            self.hub,
            store.tournaments,
            self._invited,
            self.references,
            Capacity(time.monotonic, time.process_time, lambda: self.host.tally.actions),
            self._result_of,
            store.readiness.put,
            wall_clock_ms,
        )
        self.host.match_limit = self.references.match_limit
        players = HouseRoster(roster, self.references)
        self.host.is_known = lambda name: name in players.names
        self.hub.provide("lobby", lambda _topic: self.host.lobby.snapshot())
        self.hub.provide("match", self._match_topic, self._match_events, self._past_topic)

    @classmethod
    async def offline(cls, settings: Settings) -> Server:
        """A server without sockets and matches, for commands when none is running.

        Raises RosterError and StoreError.
        """
        loop = asyncio.get_running_loop()
        server: Server
        store = Store(
            settings.data,
            settings.database,
            on_fault=lambda fault: loop.call_soon_threadsafe(lambda: server.host.storage_failed(fault)),
            on_trouble=lambda why: loop.call_soon_threadsafe(lambda: server.host.storage_troubled(why)),
        )
        try:
            roster = Roster(store.players)
            roster.take_over(settings.data)
            server = cls(settings, store, roster)
            server.director.catalogue.restore()
        except BaseException:
            store.close()
            raise
        return server

    @classmethod
    async def open(cls, settings: Settings, page_port: int | None = None) -> Server:
        """Open the data folder, resume unfinished matches, then listen. `page_port`: the web port, if there is one.

        Raises RosterError, StoreError and GatewayError, each with one sentence for the user.
        """
        server = await cls.offline(settings)
        try:
            server._restore()
            server.gateway = await serve_gateway(
                settings.host,
                settings.port,
                server.host,
                roster=HouseRoster(server.roster, server.references),
                sessions=server.journal,
                hub=server.hub,
                settings=GatewaySettings(
                    guests=settings.guests,
                    server_name=f"palestra/{VERSION}",
                    max_watchers=settings.max_watchers,
                    max_guests=settings.max_guests,
                    max_per_address=settings.max_per_address,
                    site=settings.site,
                    page_port=page_port,
                    origins=settings.origins,
                    proxies=settings.proxies,
                ),
            )
        except BaseException:
            server.store.close()
            raise
        server.references.open(f"ws://{_own_side(settings.host)}:{server.opened.port}")
        server.director.begin()
        return server

    @property
    def opened(self) -> Gateway:
        """The gateway, which exists as soon as `open` has returned."""
        assert self.gateway is not None
        return self.gateway

    def events(self, match_id: str) -> list[Event]:
        return [event_from_line(line) for line in self.journal.read_lines(match_id)]

    def _restore(self) -> None:
        for match_id in self.journal.unfinished():
            try:
                self.host.restore(match_id, self.journal.read_lines(match_id))
            except (UnknownGame, ValueError, KeyError, TypeError, StoreError) as error:
                # It stays unfinished in the journal, and can resume once the game is installed again.
                log.warning("match cannot be resumed", match=match_id, why=str(error))

    def _match_topic(self, topic: str) -> dict[str, object] | None:
        live = self.host.matches.get(topic.partition(":")[2])
        if live is not None and self.host.is_hidden(live.id):
            return None
        return None if live is None else live.snapshot(self.host.title_of(live.match.config.tournament))

    def _match_events(self, topic: str) -> int:
        return told(self.host.matches[topic.partition(":")[2]].match)

    def _past_topic(self, topic: str, binary: bool) -> asyncio.Future[bytes | None] | Refusal:
        def frame(match: Match) -> bytes:
            return snapshot_frame(
                topic, told(match), match_snapshot(match, None, self.host.title_of(match.config.tournament)), binary
            )

        match_id = topic.partition(":")[2]
        if self.host.is_hidden(match_id):
            return Refusal("unknown_topic", EMBARGOED)
        return self.past.ask(match_id, f"frame {binary}", frame)

    def _result_of(self, match_id: str) -> tuple[Match, tuple[int, int]] | None:
        events = self.events(match_id)
        return (replay(events), drops_of(events)) if events else None

    def _invited(self) -> list[tuple[str, str]]:
        return [(row.name, row.group) for row in self.roster.rows if not row.banned]

    async def close(self) -> None:
        """Close every connection with 1001 and let the journal finish; takes about five seconds at most."""
        self.director.close()
        self.host.close()
        await self.references.close()
        if self.gateway is not None:
            try:
                async with asyncio.timeout(SHUTDOWN_S):
                    await self.gateway.close()
            except TimeoutError:
                log.warning("some connections did not close in time")
        await asyncio.to_thread(self.past.close)
        await asyncio.to_thread(self.shown.close)
        await asyncio.to_thread(self.store.close)
