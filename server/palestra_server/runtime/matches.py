"""Begins matches, resumes them after a restart, and lets their players go when they are over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from palestra_referee import MatchConfig, Restarted, event_from_line, replay, start
from palestra_server.gateway import Hub, PlayerConnection
from palestra_server.runtime.challenges import Challenges
from palestra_server.runtime.live import LiveMatch, MatchShell
from palestra_server.runtime.lobby import Lobby
from palestra_server.runtime.metrics import Tally
from palestra_server.runtime.notices import Unheard
from palestra_server.runtime.reference import References
from palestra_server.runtime.room import Bell, Playing
from palestra_server.runtime.saving import Saving
from palestra_server.store import Journal
from palestra_server.supervision import Supervisor

log = structlog.get_logger()

CANNOT_BEGIN: Final = "The server could not begin this match: tell your teacher, whose log says why."


@dataclass(kw_only=True, eq=False)
class Matches:
    """`now` reads the monotonic clock in ns."""

    peers: Mapping[str, PlayerConnection]
    playing: Playing
    journal: Journal
    saving: Saving
    hub: Hub
    lobby: Lobby
    unheard: Unheard
    challenges: Challenges
    references: References
    tally: Tally
    bell: Bell
    supervisor: Supervisor
    now: Callable[[], int]

    def __post_init__(self) -> None:
        self._shell = MatchShell(
            journal=self.journal,
            hub=self.hub,
            now=self.now,
            supervisor=self.supervisor,
            references=self.references,
            moved=self.lobby.moved,
            announced=self._announced,
            abandoned=self._let_go,
            storage_failed=self.saving.failed,
        )

    def start(self, config: MatchConfig, peers: Mapping[str, PlayerConnection]) -> LiveMatch:
        """Start a match now, between players among `peers`. One who is not there has `ready_ms` to arrive.

        Raises ValueError (a sentence) for an opening that can't be played, and UnknownGame.
        """
        # Every match has its own time axis from 0, since JSON keeps integers only up to 2^53.
        match, effects = start(config, 0)
        live = LiveMatch(self._shell, match, (), offset=-self.now())
        self.playing.enter(live)
        self.lobby.started(live)
        self.tally.started += 1
        log.info("match started", match=live.id, game=config.game, players=config.players)
        live.perform(effects)
        for player in dict.fromkeys(config.players):
            peer = peers.get(player)
            if peer is not None:
                live.attach(peer)
        return live

    def restore(self, match_id: str, records: Sequence[bytes]) -> LiveMatch | None:
        """Resume an unfinished match from its records, canonical JSON each; None if it turns out to be over.

        Raises UnknownGame when its game is no longer installed, ValueError when its journal is inconsistent.
        """
        past = [event_from_line(line) for line in records]
        match = replay(past)
        if match.phase == "finished":
            return None
        # The match's time resumes where it stopped.
        live = LiveMatch(self._shell, match, records, max(event.at for event in past) + 1 - self.now())
        self.playing.enter(live)
        self.lobby.started(live)
        live.feed(Restarted(live.now()))
        log.info("match resumed", match=match_id, ply=match.ply)
        return live

    def serve(self) -> None:
        """Begin the casual matches that were waiting for a player who is free now."""
        for config in self.challenges.due():
            self.begin(config)

    def begin(self, config: MatchConfig) -> LiveMatch | None:
        """`start` a casual match; None if that failed, which the players are told."""
        live = self.supervisor.run("casual match begins", self.supervisor, self.start, config, self.peers)
        if live is None:
            for peer in filter(None, map(self.peers.get, dict.fromkeys(config.players))):
                peer.reject("try_later", CANNOT_BEGIN)
        return live

    def _let_go(self, live: LiveMatch) -> None:
        """It is over, or was given up."""
        self.playing.leave(live)
        self.hub.retire(live.topic)
        self.lobby.ended(live)
        self.bell.ring()
        self.challenges.over(live)
        self.serve()

    def _announced(self, live: LiveMatch) -> None:
        outcome = live.match.outcome
        assert outcome is not None
        for seat, player in enumerate(live.players):
            guest = live.match.config.guests[seat]
            self.unheard.add(player, guest, live, live.peer_of(0 if seat == 0 else 1), live.announced_at)
        self.tally.ended[outcome.reason] = self.tally.ended.get(outcome.reason, 0) + 1
        log.info("match ended", match=live.id, reason=outcome.reason, returns=outcome.returns, detail=outcome.detail)
        if not live.finished.cancelled():  # else it was given up before its result was saved
            self._let_go(live)

    def close(self) -> None:
        """No verdicts from now on. The matches stay as they are in the journal."""
        for live in self.playing.matches.values():
            live.close()
