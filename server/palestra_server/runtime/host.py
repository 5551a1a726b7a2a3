"""Players and matches: the gateway's callbacks, the matches in progress, casual challenges."""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Callable, Sequence

import structlog

from palestra_protocol import CloseCode
from palestra_referee import MS, MatchConfig, Restarted, Voided, event_from_line, replay, start
from palestra_referee.sentences import sentence
from palestra_server.gateway import Arrival, Hub, PlayerConnection, PlayerMessage, SparingLog
from palestra_server.runtime.challenges import Challenges
from palestra_server.runtime.live import LiveMatch, MatchShell, drops_of
from palestra_server.runtime.lobby import Lobby
from palestra_server.runtime.messages import NOT_SAVING
from palestra_server.runtime.metrics import Tally
from palestra_server.runtime.unheard import Unheard
from palestra_server.settings import Settings
from palestra_server.store import Journal

log = structlog.get_logger()


class Host:
    """Implements `gateway.PlayerHost`. Everything here runs in the event loop's thread.

    `now` reads the monotonic clock in ns. `storage_fault` is set to a sentence when nothing will be written any more;
    to wait for it use `asyncio.shield`. `saving` is set while results can be saved: no match begins without it.
    `is_ours`: whether this machine runs the bot of that name, which costs nobody anything by being late. `match_limit`:
    how many matches a player may be in at the same time.

    The roster sets `is_known`: whether a name is on it, connected or not. The tournaments set five functions:
    `on_arrival` is told who joined, `on_free` that a match is over, `needed` returns the tournament that has something
    to play for a player now, `is_hidden` whether a match is under embargo, so that nobody may watch it, and `title_of`
    what people call a tournament.
    """

    def __init__(self, settings: Settings, journal: Journal, hub: Hub, now: Callable[[], int]) -> None:
        self.settings = settings
        self._journal = journal
        self.hub = hub
        self.tally = Tally()
        self.on_turnaround: Callable[[float], None] = lambda _: None
        self.on_arrival: Callable[[PlayerConnection], None] = lambda _: None
        self.on_free: Callable[[], None] = lambda: None
        self.needed: Callable[[str], str | None] = lambda _: None
        self.is_known: Callable[[str], bool] = lambda _: False
        self.is_hidden: Callable[[str], bool] = lambda _: False
        self.title_of: Callable[[str | None], str | None] = lambda _: None
        self.is_ours: Callable[[str], bool] = lambda _: False
        self.match_limit: Callable[[str], int] = lambda _: 1
        self.storage_fault: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.saving = asyncio.Event()
        self.saving.set()
        self._closing = False
        # A guest's name is new each time; a player on the roster is known, and found among any number of guests.
        self._sparing = SparingLog(now)
        self.peers: dict[str, PlayerConnection] = {}
        self.matches: dict[str, LiveMatch] = {}
        self._of_player: defaultdict[str, set[str]] = defaultdict(set)
        self._unheard = Unheard()
        self._awaited: defaultdict[str, list[asyncio.Event]] = defaultdict(list)
        self.challenges = Challenges(self, now, settings.challenge_ms * MS)
        self._now = now
        loop = asyncio.get_running_loop()
        self.lobby = Lobby(
            hub,
            loop,
            self.peers,
            self.matches,
            self.busy,
            lambda match: self.is_hidden(match),
            lambda tournament: self.title_of(tournament),
        )
        self._shell = MatchShell(
            journal,
            hub,
            now,
            loop,
            self.lobby.moved,
            self._announced,
            self.storage_failed,
            lambda player: self.is_ours(player),
        )

    async def joined(self, player: str) -> None:
        while player not in self.peers:
            arrival = asyncio.Event()
            self._awaited[player].append(arrival)
            await arrival.wait()

    # Matches:

    def busy(self, player: str) -> bool:
        return bool(self._of_player.get(player))

    def is_full(self, player: str) -> bool:
        """Whether the player has reached its limit: one match, unless it is a sparring partner."""
        return len(self._of_player.get(player, ())) >= self.match_limit(player)

    def configured(self, game: str, players: tuple[str, str]) -> MatchConfig:
        """A match with the server's settings; `players[0]` takes seat 0."""
        return MatchConfig(
            match=secrets.token_hex(6),
            game=game,
            players=players,
            move_ms=self.settings.move_ms,
            grace_ms=self.settings.grace_ms,
            ready_ms=self.settings.ready_ms,
            away_ms=self.settings.away_ms,
            ply_limit=self.settings.ply_limit,
            guests=(self._is_guest(players[0]), self._is_guest(players[1])),
        )

    def start_match(self, config: MatchConfig) -> LiveMatch:
        """Start a match now. A player who is not connected has `ready_ms` to arrive.

        Raises ValueError (a sentence) for an opening that can't be played, and UnknownGame.
        """
        # Every match has its own time axis from 0, since JSON keeps integers only up to 2^53.
        match, effects = start(config, 0)
        live = LiveMatch(self._shell, match, (), offset=-self._now())
        self._enter(live)
        self.tally.started += 1
        log.info("match started", match=live.id, game=config.game, players=config.players)
        live.perform(effects)
        for player in dict.fromkeys(config.players):
            peer = self.peers.get(player)
            if peer is not None:
                live.attach(player, peer)
        return live

    def _is_guest(self, player: str) -> bool:
        peer = self.peers.get(player)
        return peer is not None and peer.guest

    def restore(self, match_id: str, records: Sequence[bytes]) -> LiveMatch | None:
        """Resume an unfinished match from its records, canonical JSON each; None if it turns out to be over.

        Raises UnknownGame when its game is no longer installed, ValueError when its journal is inconsistent.
        """
        past = [event_from_line(line) for line in records]
        match = replay(past)
        if match.phase == "finished":
            return None
        # The match's time resumes where it stopped.
        live = LiveMatch(self._shell, match, records, past[-1].at + 1 - self._now(), drops_of(past))
        self._enter(live)
        live.feed(Restarted(live.now()))
        log.info("match resumed", match=match_id, ply=match.ply)
        return live

    def _enter(self, live: LiveMatch) -> None:
        self.matches[live.id] = live
        for player in live.players:
            self._of_player[player].add(live.id)
        self.lobby.started(live)

    def _announced(self, live: LiveMatch) -> None:
        outcome = live.finished.result()
        self.matches.pop(live.id, None)
        for seat, player in enumerate(live.players):
            self._of_player[player].discard(live.id)
            if not self._of_player[player]:
                del self._of_player[player]
            guest = live.match.config.guests[seat]
            self._unheard.add(player, guest, live, live.peer_of(0 if seat == 0 else 1), live.announced_at)
        self.hub.retire(live.topic)
        self.tally.ended[outcome.reason] = self.tally.ended.get(outcome.reason, 0) + 1
        log.info("match ended", match=live.id, reason=outcome.reason, returns=outcome.returns, detail=outcome.detail)
        self.lobby.ended(live)
        # A tournament takes its players before anybody else.
        self.on_free()
        self.challenges.over(live)

    @property
    def cannot_save(self) -> bool:
        return self._journal.trouble is not None

    def storage_troubled(self, why: str | None) -> None:
        """Writing fails for now (None: works again): matches continue, no result is announced, and no match begins."""
        if why is None:
            self.saving.set()
            self.on_free()
            self.challenges.serve()
            return
        self.saving.clear()
        for peer in self.peers.values():
            peer.reject("try_later", NOT_SAVING)

    def storage_failed(self, error: BaseException) -> None:
        """Writing failed for good: nothing more is announced, and everybody is asked to come back later.

        The matches stay as they are in the journal; a restart resumes them from there.
        """
        if self.storage_fault.done():
            return
        self.storage_fault.set_result(str(error))
        log.error("storage failed", detail=str(error))
        for live in self.matches.values():
            live.close()
        for peer in tuple(self.peers.values()):
            peer.close(CloseCode.TRY_LATER, "The server cannot save results right now; try again later.")

    def close(self) -> None:
        """The server is stopping: no verdicts from now on. The matches stay as they are in the journal."""
        self._closing = True
        self.lobby.close()
        for live in self.matches.values():
            live.close()

    # The gateway's callbacks:

    def matches_of(self, player: str, guest: bool) -> Sequence[str]:
        # A guest's matches are not for the roster's player of the same name.
        return sorted(m for m in self._of_player.get(player, ()) if guest or not self.matches[m].is_guest(player))

    def on_join(self, peer: PlayerConnection) -> None:
        """Attach the player to its unfinished matches, and send results it missed."""
        if self._closing:
            peer.close(CloseCode.GOING_AWAY, "The server is going away: connect again.")
            return
        if self.storage_fault.done():
            peer.close(CloseCode.TRY_LATER, "The server cannot save results right now; try again later.")
            return
        if not self.saving.is_set():
            peer.reject("try_later", NOT_SAVING)
        share = "" if peer.guest else peer.player
        self._sparing.info("player joined", share, player=peer.player, guest=peer.guest, client=peer.client)
        self.peers[peer.player] = peer
        for waiting in self._awaited.pop(peer.player, ()):
            waiting.set()
        self.lobby.tell("player_joined", player=peer.player)
        for match in self._of_player.get(peer.player, set()).difference(self.matches_of(peer.player, peer.guest)):
            live = self.matches[match]
            live.feed(Voided(sentence({"code": "name_taken", "player": peer.player}), live.now()))
        missed = self._unheard.again(peer, self._now())
        for live in (*missed, *(self.matches[match] for match in self.matches_of(peer.player, peer.guest))):
            live.attach(peer.player, peer, peer.joined.at)
        self.on_arrival(peer)

    def on_leave(self, peer: PlayerConnection) -> None:
        self._unheard.left(peer)
        if self.peers.get(peer.player) is not peer:
            return
        self._sparing.info("player left", "" if peer.guest else peer.player, player=peer.player)
        del self.peers[peer.player]
        self.lobby.tell("player_left", player=peer.player)
        self.challenges.left(peer.player)
        if not (self.storage_fault.done() or self._closing):
            for match in self.matches_of(peer.player, peer.guest):
                self.matches[match].detach(peer.player, peer)

    def on_message(self, peer: PlayerConnection, message: PlayerMessage, arrival: Arrival) -> None:
        if self.storage_fault.done() or self._closing:
            return
        if message.type == "challenge":
            self.challenges.take(peer, message)
            return
        live = self.matches.get(message.match)
        if live is None:
            peer.reject(
                "unknown_match",
                "There is no such match in progress; it may be over. Use the match of your latest turn message.",
                match=message.match,
            )
        elif peer.player not in live.players:
            peer.reject("not_in_match", "You do not play in this match.", match=message.match)
        elif message.type == "action":
            moves = live.match.moves
            live.act(peer.player, message, arrival)
            if live.match.moves is not moves:
                self.tally.actions += 1
                self.on_turnaround((self._now() - arrival.seen) / 1e9)
        elif message.type == "ready":
            live.ready(peer.player, arrival)
        elif message.type == "resign":
            if self.challenges.is_declined(live, peer.player):
                live.feed(Voided(sentence({"code": "refused", "player": peer.player}), live.now()))
            else:
                live.resign(peer.player, arrival)
