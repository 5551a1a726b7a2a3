"""Casual matches: who may challenge whom, how often, and who waits for whom.

Guest names cost nothing, so guests are limited by address as well, and all guests together have a limit per opponent.
Challenges waiting for a busy player are served in order, players on the roster first; one that does not wait comes
after all that do.
"""

from __future__ import annotations

import math
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from palestra_games import UnknownGame, game_names, get_game
from palestra_protocol import limits
from palestra_protocol.messages import Challenge
from palestra_referee import MS, MatchConfig, after_opening
from palestra_server.gateway import Allowance, PlayerConnection, PlayerRoster, Refusal, is_proven
from palestra_server.runtime.live import LiveMatch
from palestra_server.runtime.notices import Sentence, notice
from palestra_server.runtime.reference import References
from palestra_server.runtime.room import Claims, Playing
from palestra_server.runtime.saving import NOT_SAVING
from palestra_server.settings import Settings
from palestra_server.store import Journal

# Matches that the guests of one address may start in a burst; then they have four times a player's rate.
ADDRESS_BURST: Final = 4 * limits.CHALLENGE_BURST
VICTIM_BURST: Final = limits.CHALLENGE_BURST  # matches that all guests together may start in a burst against one player
QUEUE_MAX: Final = 50  # challenges waiting for one player
# Unknown names compared with all connected players, in a burst, then one a second: it takes some ms.
HINT_BURST: Final = 3
# How long a player whose challenge was declined can't challenge the same opponent again.
DECLINED_NS: Final = 60 * 10**9


@dataclass(slots=True)
class _Waiting:
    peer: PlayerConnection
    challenge: Challenge


@dataclass(slots=True)
class _Started:
    challenger: str
    address: str
    guest: bool
    opponent: str


@dataclass(kw_only=True, eq=False)
class Challenges:
    """Decides; `Matches` begins what is returned. `now` reads the monotonic clock in ns."""

    settings: Settings
    peers: Mapping[str, PlayerConnection]
    playing: Playing
    claims: Claims
    roster: PlayerRoster
    references: References
    journal: Journal
    now: Callable[[], int]

    def __post_init__(self) -> None:
        interval = self.settings.challenge_ms * MS  # between two matches of one player
        self._queues: defaultdict[str, list[_Waiting]] = defaultdict(list)
        self._started: dict[str, _Started] = {}
        self._declined: dict[tuple[str, str], int] = {}
        self._by_player = Allowance(limits.CHALLENGE_BURST, interval)
        self._by_address = Allowance(ADDRESS_BURST, interval // 4)
        self._by_victim = Allowance(VICTIM_BURST, interval // 4)
        self._hints = Allowance(HINT_BURST, 1000 * MS)

    # Events:

    def take(self, peer: PlayerConnection, challenge: Challenge) -> MatchConfig | None:
        """The match to begin now; None if the challenge waits, or was refused."""
        refusal = self._why_never(peer, challenge)
        if refusal is None:
            try:
                config = self._config(peer, challenge)
            except ValueError as error:
                refusal = Refusal("illegal_action", str(error))
            else:
                refusal = self._why_not_yet(peer, challenge)
                if refusal is None:
                    return self._counted(peer, challenge.opponent, config)
                if refusal.code == "player_busy" and challenge.wait:
                    refusal = self._queue(peer, challenge)
        if refusal is not None:
            peer.reject(*refusal)
        return None

    def left(self, player: str) -> None:
        """A player disconnected: drop its challenge, and tell those who wait for it."""
        for queue in self._queues.values():
            queue[:] = [each for each in queue if each.peer.player != player]
        for each in self._queues.pop(player, ()):
            each.peer.reject("try_later", f"{player} has left; challenge again when it is back.")

    def over(self, live: LiveMatch) -> None:
        """A match ended, or was given up: its players may be free for those who wait."""
        outcome = live.match.outcome
        started = self._started.pop(live.id, None)
        if started is not None and outcome is not None and outcome.reason in ("rules", "ply_limit"):
            self._by_player.give_back(started.challenger)
            if started.guest:
                self._by_address.give_back(started.address)
                self._by_victim.give_back(started.opponent)

    def is_declined(self, live: LiveMatch, player: str) -> bool:
        """Whether `player` resigns from a casual match that somebody else asked for, before it began."""
        started = self._started.get(live.id)
        if started is None or started.opponent != player or live.match.phase != "starting":
            return False
        self._declined = {pair: until for pair, until in self._declined.items() if until > self.now()}
        self._declined[started.challenger, player] = self.now() + DECLINED_NS
        return True

    def due(self) -> Iterator[MatchConfig]:
        """The waiting matches that can begin now, each to be begun before the next is asked for."""
        if self.journal.trouble is not None:
            return
        for opponent in tuple(self._queues):
            queue = self._queues[opponent]
            for each in tuple(queue):
                if each not in queue:  # a match that just began changed the queues
                    continue
                refusal = self._why_never(each.peer, each.challenge)
                busy = refusal is None and self._is_busy(each.peer, opponent) is not None
                if busy:
                    continue
                queue.remove(each)
                if refusal is None:
                    yield self._counted(each.peer, opponent, self._config(each.peer, each.challenge))
                else:
                    each.peer.reject(*refusal)
            if not queue:
                self._queues.pop(opponent, None)

    # Rules:

    def _why_never(self, peer: PlayerConnection, challenge: Challenge) -> Refusal | None:
        """Why the challenge can never be played, however long it waits."""
        try:
            get_game(challenge.game)
        except UnknownGame:
            return Refusal("unknown_game", f"This server has no such game; it has {', '.join(sorted(game_names()))}.")
        opponent = self.peers.get(challenge.opponent)
        if challenge.opponent == peer.player:
            return Refusal("self_challenge", "You cannot challenge yourself; name another player.")
        if opponent is None:
            return self._absent(challenge.opponent)
        if not opponent.challenges:
            return Refusal("challenges_off", f"{challenge.opponent} does not take challenges.")
        wait = self._declined.get((peer.player, challenge.opponent), 0) - self.now()
        if wait > 0:
            return _later(f"{challenge.opponent} refused your challenge", wait)
        return None

    def _absent(self, opponent: str) -> Refusal:
        if opponent in self.roster.names:
            return Refusal("try_later", f"{opponent} is not connected now; challenge again when it is.")
        near: list[str] = []
        if not self._hints.wait("", self.now()):
            self._hints.use("", self.now())
            near = get_close_matches(opponent, self.peers, n=1)
        if near:
            return Refusal("unknown_player", f"Nobody called {opponent} is here; did you mean {near[0]}?")
        return Refusal("unknown_player", f"Nobody called {opponent} is here: check the spelling, capitals included.")

    def _why_not_yet(self, peer: PlayerConnection, challenge: Challenge) -> Refusal | None:
        if self.journal.trouble is not None:
            return Refusal("try_later", NOT_SAVING)
        busy = self._is_busy(peer, challenge.opponent)
        if busy is not None:
            return busy
        if self._queues.get(challenge.opponent):
            return Refusal("player_busy", f"Others wait for {challenge.opponent}: challenge with wait, or later.")
        wait = self._by_player.wait(peer.player, self.now())
        if wait:
            return _later("You started many matches", wait)
        if peer.guest:
            wait = self._by_address.wait(peer.address, self.now())
            if wait:
                return _later("The guests at your address started many matches", wait)
            wait = self._by_victim.wait(challenge.opponent, self.now())
            if wait:
                return _later(f"{challenge.opponent} was challenged by many guests", wait)
        return None

    def _is_busy(self, peer: PlayerConnection, opponent: str) -> Refusal | None:
        for player, name in ((peer.player, "You"), (opponent, opponent)):
            verb = "are" if name == "You" else "is"
            if player in self.playing.renaming:
                return Refusal("player_busy", f"{name} {verb} being renamed; challenge again in a moment.")
            if self.playing.count(player) >= self.references.match_limit(player):
                return Refusal("player_busy", f"{name} {verb} in a match; challenge again when it is over.")
            there = self.peers.get(player)
            tournament = self.claims.of(there) if there is not None and is_proven(there) else None
            if tournament is not None:
                return Refusal("player_busy", f"{name} {verb} wanted in the tournament {tournament}; challenge later.")
        return None

    def _queue(self, peer: PlayerConnection, challenge: Challenge) -> Refusal | None:
        if any(each.peer.player == peer.player for queue in self._queues.values() for each in queue):
            return Refusal("try_later", "You have a challenge waiting already: one at a time.")
        queue = self._queues[challenge.opponent]
        if len(queue) >= QUEUE_MAX:
            return Refusal("try_later", f"{QUEUE_MAX} challenges wait for {challenge.opponent}: challenge later.")
        behind = [number for number, each in enumerate(queue) if each.peer.guest]
        place = behind[0] if behind and not peer.guest else len(queue)
        queue.insert(place, _Waiting(peer, challenge))
        peer.send(notice("queued", Sentence("queued", opponent=challenge.opponent, place=place + 1)))
        return None

    def _config(self, peer: PlayerConnection, challenge: Challenge) -> MatchConfig:
        """Raises ValueError, a sentence, for an opening that can't be played."""
        seat = secrets.randbelow(2) if challenge.seat is None else challenge.seat
        pair = (peer.player, challenge.opponent)
        players = pair if seat == 0 else (pair[1], pair[0])
        guests = self._is_guest(players[0]), self._is_guest(players[1])
        rated = challenge.rated and not any(guests)
        plain, (first, second) = self.settings, challenge.seat_ms or (None, None)
        budgets = (plain.move_ms if first is None else first, plain.move_ms if second is None else second)
        config = MatchConfig(
            match=secrets.token_hex(6),
            game=challenge.game,
            players=players,
            grace_ms=plain.grace_ms,
            ready_ms=plain.ready_ms,
            away_ms=plain.away_ms,
            ply_limit=plain.ply_limit,
            guests=guests,
            opening=challenge.opening or (),
            rated=rated,
            # Where something is at stake, nobody may gain time by leaving.
            away="clock" if rated else "bank",
            move_ms=budgets[0] if budgets[0] == budgets[1] else plain.move_ms,
            seat_ms=None if budgets[0] == budgets[1] else budgets,
        )
        if not after_opening(config)[1]:
            raise ValueError("The opening leaves nothing to play: leave out its last actions.")
        return config

    def _is_guest(self, player: str) -> bool:
        peer = self.peers.get(player)
        return peer is not None and peer.guest

    def _counted(self, peer: PlayerConnection, opponent: str, config: MatchConfig) -> MatchConfig:
        self._by_player.use(peer.player, self.now())
        if peer.guest:
            self._by_address.use(peer.address, self.now())
            self._by_victim.use(opponent, self.now())
        self._started[config.match] = _Started(peer.player, peer.address, peer.guest, opponent)
        return config


def _later(why: str, wait: int) -> Refusal:
    return Refusal("try_later", f"{why}: challenge again in {math.ceil(wait / MS) / 1000:g} s.")
