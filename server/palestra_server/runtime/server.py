"""The whole referee of one machine: journal, host and gateway, opened and closed in the right order."""

from __future__ import annotations

import asyncio
import time
from importlib.metadata import version

import structlog

from palestra_games import UnknownGame
from palestra_server.gateway import Gateway, GatewaySettings, Hub, serve_gateway
from palestra_server.referee import Event, event_from_record, replay
from palestra_server.runtime.host import Host
from palestra_server.runtime.metrics import Metrics
from palestra_server.runtime.roster import Roster, RosterError
from palestra_server.runtime.settings import Settings
from palestra_server.runtime.snapshots import match_snapshot, past_match
from palestra_server.store import Journal

log = structlog.get_logger()

VERSION = version("palestra-server")
SHUTDOWN_S = 4.0
"""Longest wait for connections and the journal when the server is told to stop; the promise is 5 s."""


class Server:
    """A running referee. Make one with `Server.open`, in a loop from `gateway.new_event_loop`."""

    def __init__(self, settings: Settings, journal: Journal, roster: Roster) -> None:
        self.settings = settings
        self.journal = journal
        self.roster = roster
        self.hub = Hub()
        self.host = Host(settings, journal, self.hub, time.monotonic_ns)
        self.gateway: Gateway | None = None
        self.metrics = Metrics(self.host.tally, lambda: self.opened.counts, lambda: len(self.host.matches))
        self.host.on_turnaround = self.metrics.turnaround.observe
        self.hub.provide("lobby", lambda _topic: self.host.lobby())
        self.hub.provide("match", self._match_topic, self._match_events)

    @classmethod
    async def open(cls, settings: Settings) -> Server:
        """Opens the data folder, takes unfinished matches up again, then listens.

        Raises RosterError, StoreError and GatewayError, each with one sentence for the user.
        """
        if settings.roster is not None and not settings.roster.exists():
            raise RosterError(f"There is no roster {settings.roster}; 'palestra-server roster add' makes one.")
        roster = Roster(settings.roster_path)
        loop = asyncio.get_running_loop()
        server: Server
        journal = Journal(
            settings.data, on_fault=lambda fault: loop.call_soon_threadsafe(lambda: server.host.storage_failed(fault))
        )
        try:
            server = cls(settings, journal, roster)
            server._restore()
            server.gateway = await serve_gateway(
                settings.host,
                settings.port,
                server.host,
                authenticator=roster,
                sessions=journal,
                hub=server.hub,
                settings=GatewaySettings(
                    guests=settings.guests,
                    server_name=f"palestra/{VERSION}",
                    max_connections=settings.max_connections,
                ),
            )
        except BaseException:
            journal.close()
            raise
        return server

    @property
    def opened(self) -> Gateway:
        """The gateway; there is one as soon as `open` returned."""
        assert self.gateway is not None
        return self.gateway

    def events(self, match_id: str) -> list[Event]:
        """The journal of a match; empty if there is none."""
        return [event_from_record(record) for record in self.journal.read_match(match_id)]

    def _restore(self) -> None:
        for match_id in self.journal.unfinished():
            try:
                self.host.restore(match_id, self.events(match_id))
            except (UnknownGame, ValueError, KeyError, TypeError) as error:
                # It stays unfinished in the journal: once the game is installed again it can go on.
                log.warning("match cannot be taken up again", match=match_id, why=str(error))

    def _match_topic(self, topic: str) -> dict[str, object] | None:
        match_id = topic.partition(":")[2]
        live = self.host.matches.get(match_id)
        if live is not None:
            return match_snapshot(live.match, live.now())
        return past_match(match_id, self.events)

    def _match_events(self, topic: str) -> int:
        """How much of a match its watchers were told: every action, and the end."""
        match_id = topic.partition(":")[2]
        live = self.host.matches.get(match_id)
        match = live.match if live is not None else replay(self.events(match_id))
        return len(match.moves) + match.announced

    async def close(self) -> None:
        """Tells every client 1001, lets the journal finish, and returns within about five seconds."""
        self.host.close()
        try:
            async with asyncio.timeout(SHUTDOWN_S):
                await self.opened.close()
        except TimeoutError:
            log.warning("some connections did not close in time")
        await asyncio.to_thread(self.journal.close)
