"""What the gateway calls: players who come, leave and say something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import structlog

from palestra_protocol import CloseCode
from palestra_referee import Voided
from palestra_server.gateway import Arrival, PlayerConnection, PlayerMessage, SparingLog, is_proven, name_taken
from palestra_server.names import shapes
from palestra_server.runtime.challenges import Challenges
from palestra_server.runtime.lobby import Lobby, is_person
from palestra_server.runtime.matches import Matches
from palestra_server.runtime.metrics import Tally
from palestra_server.runtime.notices import Notices, Unheard
from palestra_server.runtime.room import Bell, Playing, Presence
from palestra_server.runtime.saving import NEVER_SAVING, NOT_SAVING, Saving

log = structlog.get_logger()


class Host:
    """Implements `gateway.PlayerHost`. `now` reads the monotonic clock in ns."""

    def __init__(
        self,
        *,
        presence: Presence,
        playing: Playing,
        matches: Matches,
        challenges: Challenges,
        saving: Saving,
        lobby: Lobby,
        notices: Notices,
        unheard: Unheard,
        tally: Tally,
        bell: Bell,
        now: Callable[[], int],
    ) -> None:
        self._presence = presence
        self._playing = playing
        self._matches = matches
        self._challenges = challenges
        self._saving = saving
        self._lobby = lobby
        self._notices = notices
        self._unheard = unheard
        self._tally = tally
        self._bell = bell
        self._now = now
        self._closing = False
        # A guest's name is new each time; a player on the roster is known, and found among any number of guests.
        self._sparing = SparingLog(now)

    def close(self) -> None:
        """The server is stopping: whoever comes is sent away, and nothing counts as said or left any more."""
        self._closing = True

    def busy(self, player: str) -> bool:
        return self._playing.count(player) > 0

    def matches_of(self, player: str, guest: bool) -> Sequence[str]:
        matches = self._playing.matches
        return sorted(match for match in self._playing.of(player) if matches[match].seats_of(player, guest))

    def on_join(self, peer: PlayerConnection) -> None:
        """Attach the player to its unfinished matches, and send what it missed."""
        if self._closing:
            peer.close(CloseCode.GOING_AWAY, "The server is going away: connect again.")
            return
        if self._saving.fault.done():
            peer.close(CloseCode.TRY_LATER, NEVER_SAVING)
            return
        if not self._saving.works.is_set():
            peer.reject("try_later", NOT_SAVING)
        share = "" if peer.guest else peer.player
        self._sparing.info("player joined", share, player=peer.player, guest=peer.guest, client=peer.client)
        self._presence.enter(peer)
        self._lobby.tell("player_joined", player=peer.player, person=is_person(peer))
        mine = self.matches_of(peer.player, peer.guest)
        if is_proven(peer):
            self._end_matches_of_guest(peer.player)
        missed = self._unheard.again(peer, self._now())
        for live in (*missed, *(self._playing.matches[match] for match in mine)):
            live.attach(peer, peer.joined.at)
        self._notices.arrived(peer)
        self._bell.ring()

    def on_leave(self, peer: PlayerConnection) -> None:
        self._unheard.left(peer)
        if not self._presence.leave(peer):
            return
        self._sparing.info("player left", "" if peer.guest else peer.player, player=peer.player)
        self._lobby.tell("player_left", player=peer.player)
        self._challenges.left(peer.player)
        if not (self._saving.fault.done() or self._closing):
            for match in self.matches_of(peer.player, peer.guest):
                self._playing.matches[match].detach(peer)

    def take_names(self, names: Iterable[str]) -> None:
        """These are players on the roster from now on: guests who have such a name, or one that looks like it, are sent
        away, and their matches count for nobody.
        """
        owners = {shape: name for name in names for shape in shapes(name)}
        playing = {player for live in self._playing.matches.values() for player in live.players}
        for name in playing | self._presence.peers.keys():
            owner = next((owners[shape] for shape in shapes(name) if shape in owners), None)
            if owner is None:
                continue
            self._end_matches_of_guest(name)
            peer = self._presence.peers.get(name)
            if peer is not None and not is_proven(peer):
                peer.reject("name_taken", name_taken(owner), fatal=True)
                peer.close(CloseCode.BAD_TOKEN, "This name is somebody's on the roster now.")

    def _end_matches_of_guest(self, name: str) -> None:
        for match in self.matches_of(name, True):
            live = self._playing.matches[match]
            live.feed(Voided({"code": "name_taken", "player": name}, live.now()))

    def on_message(self, peer: PlayerConnection, message: PlayerMessage, arrival: Arrival) -> None:
        if self._closing or self._saving.fault.done():
            return
        if message.type == "challenge":
            config = self._challenges.take(peer, message)
            if config is not None:
                self._matches.begin(config)
            return
        live = self._playing.matches.get(message.match)
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
                self._tally.acted((self._now() - arrival.seen) / 1e9)
        elif message.type == "ready":
            live.ready(peer, arrival)
        elif message.type == "resign":
            if self._challenges.is_declined(live, peer.player):
                live.feed(Voided({"code": "refused", "player": peer.player}, live.now()))
            elif message.takes_back and live.match.config.tournament is None and not live.match.config.rated:
                live.feed(Voided({"code": "taken_back", "player": peer.player}, live.now()))
            else:
                live.resign(peer, message, arrival)
