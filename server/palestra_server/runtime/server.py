"""The whole referee of one machine: store, host and gateway, opened and closed in the right order."""

from __future__ import annotations

import asyncio
import time
from functools import lru_cache
from importlib.metadata import version

import structlog

from palestra_games import UnknownGame
from palestra_referee import Event, Match, event_from_line, replay
from palestra_server.gateway import Gateway, GatewaySettings, Hub, serve_gateway
from palestra_server.runtime.histories import Histories
from palestra_server.runtime.host import Host
from palestra_server.runtime.metrics import Metrics
from palestra_server.runtime.roster import Roster
from palestra_server.runtime.settings import Settings
from palestra_server.runtime.snapshots import match_snapshot
from palestra_server.store import Store, StoreError

log = structlog.get_logger()

VERSION = version("palestra-server")
SHUTDOWN_S = 4.0
"""Longest wait for connections and the journal when the server is told to stop; the promise is 5 s."""


PAST_KEPT = 256
"""Snapshots of matches that are over."""


_JUMP = 1_000_000
"""More than a match has events."""


def told(match: Match) -> int:
    """How many events the watchers of a match have been told: every action, and the end.

    The number jumps at a restart: who watched before it may have seen actions that were not on disk yet, and must not
    go on from there.
    """
    return len(match.moves) + match.announced + _JUMP * match.restarts


class Server:
    """A running referee. Make one with `Server.open`, in a loop from `gateway.new_event_loop`."""

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
        # What is over does not change any more, and replaying it takes the loop's time from the matches.
        self._past = lru_cache(PAST_KEPT)(self._read_past)
        self.hub.provide("lobby", lambda _topic: self.host.lobby.snapshot())
        self.hub.provide("match", self._match_topic, self._match_events)

    @classmethod
    async def offline(cls, settings: Settings) -> Server:
        """Everything but the sockets and the matches in progress: what commands work on when no server runs.

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
        except BaseException:
            store.close()
            raise
        return server

    @classmethod
    async def open(cls, settings: Settings) -> Server:
        """Opens the data folder, takes unfinished matches up again, then listens.

        Raises RosterError, StoreError and GatewayError, each with one sentence for the user.
        """
        server = await cls.offline(settings)
        try:
            server._restore()
            server.gateway = await serve_gateway(
                settings.host,
                settings.port,
                server.host,
                authenticator=server.roster,
                sessions=server.journal,
                hub=server.hub,
                settings=GatewaySettings(
                    guests=settings.guests,
                    server_name=f"palestra/{VERSION}",
                    max_watchers=settings.max_watchers,
                    max_guests=settings.max_guests,
                    max_per_address=settings.max_per_address,
                    site=settings.site,
                    origins=settings.origins,
                ),
            )
        except BaseException:
            server.store.close()
            raise
        return server

    @property
    def opened(self) -> Gateway:
        """The gateway; there is one as soon as `open` returned."""
        assert self.gateway is not None
        return self.gateway

    def events(self, match_id: str) -> list[Event]:
        """The journal of a match; empty if there is none."""
        return [event_from_line(line) for line in self.journal.read_lines(match_id)]

    def _restore(self) -> None:
        for match_id in self.journal.unfinished():
            try:
                self.host.restore(match_id, self.journal.read_lines(match_id))
            except (UnknownGame, ValueError, KeyError, TypeError, StoreError) as error:
                # It stays unfinished in the journal: once the game is installed again it can go on.
                log.warning("match cannot be taken up again", match=match_id, why=str(error))

    def _match_topic(self, topic: str) -> dict[str, object] | None:
        match_id = topic.partition(":")[2]
        live = self.host.matches.get(match_id)
        return match_snapshot(live.match, live.now()) if live is not None else self._past(match_id)[0]

    def _match_events(self, topic: str) -> int:
        match_id = topic.partition(":")[2]
        live = self.host.matches.get(match_id)
        return told(live.match) if live is not None else self._past(match_id)[1]

    def _read_past(self, match_id: str) -> tuple[dict[str, object] | None, int]:
        try:
            events = self.events(match_id)
            match = replay(events) if events else None
        except (UnknownGame, ValueError, KeyError, TypeError, StoreError) as error:
            log.warning("match cannot be shown", match=match_id, why=str(error))
            match = None
        return (None, 0) if match is None else (match_snapshot(match, None), told(match))

    async def close(self) -> None:
        """Tells every client 1001, lets the journal finish, and returns within about five seconds."""
        self.host.close()
        if self.gateway is not None:
            try:
                async with asyncio.timeout(SHUTDOWN_S):
                    await self.gateway.close()
            except TimeoutError:
                log.warning("some connections did not close in time")
        await asyncio.to_thread(self.store.close)
