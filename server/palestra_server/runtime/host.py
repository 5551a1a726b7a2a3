"""What the gateway calls: players who come, leave and say something."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import structlog

from palestra_protocol.limits import CloseCode
from palestra_referee import Voided
from palestra_server.gateway import (
    AT_ONCE,
    PAUSE_S,
    Arrival,
    PlayerConnection,
    PlayerMessage,
    SparingLog,
    elsewhere,
    is_proven,
    name_taken,
)
from palestra_server.names import guises
from palestra_server.runtime.challenges import Challenges
from palestra_server.runtime.lobby import Lobby, is_person
from palestra_server.runtime.matches import Matches
from palestra_server.runtime.metrics import Tally
from palestra_server.runtime.notices import Notices, Unheard
from palestra_server.runtime.room import Bell, Playing, Presence
from palestra_server.runtime.saving import NEVER_SAVING, NOT_SAVING, Saving

log = structlog.get_logger()


@dataclass(kw_only=True, eq=False)
class Host:
    """Implements `gateway.PlayerHost`. `now` reads the monotonic clock in ns."""

    presence: Presence
    playing: Playing
    matches: Matches
    challenges: Challenges
    saving: Saving
    lobby: Lobby
    notices: Notices
    unheard: Unheard
    tally: Tally
    bell: Bell
    now: Callable[[], int]

    def __post_init__(self) -> None:
        self._closing = False
        # A guest's name is new each time; a player on the roster is known, and found among any number of guests.
        self._sparing = SparingLog(self.now)

    def close(self) -> None:
        """The server is stopping: whoever comes is sent away, and nothing counts as said or left any more."""
        self._closing = True

    async def send_on(self, address: str) -> None:
        """The players go on at the node with this address, a few at a time, so that none waits there for the others."""
        peers = tuple(self.presence.peers.values())
        for first in range(0, len(peers), AT_ONCE):
            for peer in peers[first : first + AT_ONCE]:
                error = elsewhere(address)
                peer.send(error)
                peer.close(CloseCode.TRY_LATER, error["message"])
            await asyncio.sleep(PAUSE_S)

    def busy(self, player: str) -> bool:
        return self.playing.count(player) > 0

    def matches_of(self, player: str, guest: bool) -> Sequence[str]:
        matches = self.playing.matches
        return sorted(match for match in self.playing.of(player) if matches[match].seats_of(player, guest))

    def on_join(self, peer: PlayerConnection) -> None:
        """Attach the player to its unfinished matches, and send what it missed."""
        if self._closing:
            peer.close(CloseCode.GOING_AWAY, "The server is going away: connect again.")
            return
        if self.saving.fault.done():
            peer.close(CloseCode.TRY_LATER, NEVER_SAVING)
            return
        if not self.saving.works.is_set():
            peer.reject("try_later", NOT_SAVING)
        share = "" if peer.guest else peer.player
        self._sparing.info("player joined", share, player=peer.player, guest=peer.guest, client=peer.client)
        self.presence.enter(peer)
        self.lobby.tell("player_joined", player=peer.player, person=is_person(peer))
        mine = self.matches_of(peer.player, peer.guest)
        if is_proven(peer):
            self._end_matches_of_guest(peer.player)
        missed = self.unheard.again(peer, self.now())
        for live in (*missed, *(self.playing.matches[match] for match in mine)):
            live.attach(peer, peer.joined.at)
        self.notices.arrived(peer)
        self.bell.ring()

    def on_leave(self, peer: PlayerConnection) -> None:
        self.unheard.left(peer)
        if not self.presence.leave(peer):
            return
        self._sparing.info("player left", "" if peer.guest else peer.player, player=peer.player)
        self.lobby.tell("player_left", player=peer.player)
        self.challenges.left(peer.player)
        if not (self.saving.fault.done() or self._closing):
            for match in self.matches_of(peer.player, peer.guest):
                self.playing.matches[match].detach(peer)

    def take_names(self, names: Iterable[str]) -> None:
        """These are players on the roster from now on: guests who have such a name, or one that looks like it, are sent
        away, and their matches count for nobody.
        """
        owners = {guise: name for name in names for guise in guises(name)}
        playing = {player for live in self.playing.matches.values() for player in live.players}
        for name in playing | self.presence.peers.keys():
            owner = next((owners[guise] for guise in guises(name) if guise in owners), None)
            if owner is None:
                continue
            self._end_matches_of_guest(name)
            peer = self.presence.peers.get(name)
            if peer is not None and not is_proven(peer):
                peer.dismiss("name_taken", name_taken(owner), CloseCode.BAD_TOKEN)

    def _end_matches_of_guest(self, name: str) -> None:
        for match in self.matches_of(name, True):
            live = self.playing.matches[match]
            live.feed(Voided({"code": "name_taken", "player": name}, live.now()))

    def on_message(self, peer: PlayerConnection, message: PlayerMessage, arrival: Arrival) -> None:
        if self._closing or self.saving.fault.done():
            return
        if message.type == "challenge":
            config = self.challenges.take(peer, message)
            if config is not None:
                self.matches.begin(config)
            return
        live = self.playing.matches.get(message.match)
        if live is None:
            peer.reject(
                "unknown_match",
                "There is no such match in progress; it may be over. Use the match of your latest turn message.",
                match=message.match,
            )
        elif not live.holds(peer):
            peer.reject("not_in_match", "You do not play in this match.", match=message.match)
        elif message.type == "action":
            moves = live.match.moves
            live.act(peer, message, arrival)
            if live.match.moves is not moves:
                self.tally.acted((self.now() - arrival.seen) / 1e9)
        elif message.type == "ready":
            live.ready(peer, arrival)
        elif message.type == "resign":
            if self.challenges.is_declined(live, peer.player):
                live.feed(Voided({"code": "refused", "player": peer.player}, live.now()))
            elif message.takes_back and live.match.config.tournament is None and not live.match.config.rated:
                live.feed(Voided({"code": "taken_back", "player": peer.player}, live.now()))
            else:
                live.resign(peer, message, arrival)
