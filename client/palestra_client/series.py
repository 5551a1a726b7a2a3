"""A challenge that is repeated until it is accepted, and until enough games are played. Sans-I/O."""

from __future__ import annotations

from collections.abc import Iterable

from palestra_client.effects import Effect, Later, Send, Show, Stop
from palestra_client.match import Match, Result
from palestra_client.notices import Challenged, NotCounted, SeriesEnds, SeriesWaits, Warned
from palestra_games.shipped_openings import shipped_openings
from palestra_protocol.codecs import MSGPACK
from palestra_protocol.messages import Challenge, Error

AGAIN_S = 2.0
_PASSING = {"player_busy", "try_later"}  # temporary refusals: the challenge is made again after a pause
VOIDS_MAX = 3  # after this many matches in a row that count for nobody, the series is given up
_FOR_GOOD = {"unknown_game", "unknown_player", "challenges_off", "self_challenge", "illegal_action"}
WHO_IS_HERE = "`palestra players` lists who is here."


class Series:
    """`games` matches against the opponent of `challenge`; if None, a single match, after which the player stays. Only
    matches that count are counted.

    If the challenge names no seat, the player alternates, starting in seat 0. If it names no opening, the first game in
    each seat begins with the empty board, and later ones with balanced openings, each in both seats: between programs
    that always do the same, a game repeated tells nothing new.
    """

    def __init__(self, challenge: Challenge, games: int | None) -> None:
        self._challenge = challenge
        self._games = games
        self._begun = 0
        self._asked = 0
        self._playing: str | None = None
        self._told: str | None = None
        self._pausing = False
        self._results: list[Result | None] = []
        self._voids = 0
        self._voids_in_a_row = 0
        self._earlier: frozenset[str] = frozenset()
        # Whether the opponent was at this server before: a guest is unknown whenever it is away.
        self._was_there = False

    def not_these(self, matches: Iterable[str]) -> None:
        """Exclude matches that were in progress before this program's first hello: an earlier run asked for them."""
        self._earlier = frozenset(matches)

    def ask(self) -> list[Effect]:
        """Make the challenge, unless its match is in progress or all matches have begun."""
        if self._playing is not None or self._begun >= (self._games or 1):
            return []
        wanted = self._challenge
        if self._games is not None:
            game = self._begun
            if wanted.seat is None:
                wanted = wanted.model_copy(update={"seat": game % 2})
                game //= 2
            openings = shipped_openings(wanted.game)
            if wanted.opening is None and game and openings:
                wanted = wanted.model_copy(update={"opening": openings[(game - 1) % len(openings)]})
        self._pausing = False
        effects: list[Effect] = [Send(MSGPACK.encode(wanted))]
        if not self._asked:
            effects.append(Show(Challenged(wanted.opponent, wanted.game, self._games or 1)))
        self._asked += 1
        return effects

    def began(self, match: Match) -> None:
        """A match began; count it if it is the one we asked for."""
        wanted = self._challenge
        ours = match.tournament is None and (match.opponent, match.game) == (wanted.opponent, wanted.game)
        if ours and match.id not in self._earlier and self._playing is None and self._begun < (self._games or 1):
            self._playing, self._told, self._was_there = match.id, None, True
            self._begun += 1

    def not_played_here(self, match: str) -> None:
        """A match that `began` was played by an earlier run, and the server only repeated its result."""
        if match == self._playing:
            self._playing = None
            self._begun -= 1

    def ended(self, match: str, result: Result | None) -> list[Effect]:
        """A match is over (`result` is None if unknown here): make the next challenge, or end the series."""
        if match != self._playing:
            return []
        self._playing = None
        self._results.append(result)
        if self._games is None:
            return []
        effects: list[Effect] = []
        if result is None or result.counts:
            self._voids_in_a_row = 0
        else:
            self._voids += 1
            self._voids_in_a_row += 1
            self._begun -= 1
            effects.append(Show(NotCounted(result.match, self._voids_in_a_row < VOIDS_MAX)))
        summary = SeriesEnds(self._challenge.opponent, self._challenge.game, tuple(self._results))
        if self._voids_in_a_row == VOIDS_MAX:
            why = f"{VOIDS_MAX} matches in a row did not count: look at what both bots say, and start again."
            return [*effects, Show(summary), Stop(why, failed=True)]
        if len(self._results) - self._voids < self._games:
            return effects + self.ask()
        return [*effects, Show(summary), Stop("The series is over.", failed=False)]

    def refused(self, error: Error) -> list[Effect] | None:
        """Handle an error that may concern the challenge; None if it concerns something else."""
        if self._playing is not None or self._begun >= (self._games or 1) or error.match is not None:
            return None
        comes_back = error.code == "unknown_player" and self._was_there
        if error.code in _FOR_GOOD and not comes_back:
            return self._given_up(error)
        if error.code not in _PASSING and not comes_back:
            return None
        self._was_there = True
        effects: list[Effect] = []
        if not self._pausing:
            self._pausing = True
            effects.append(Later(AGAIN_S))
        if self._told != error.code:
            self._told = error.code
            effects.append(Show(SeriesWaits(error.message)))
        return effects

    def _given_up(self, error: Error) -> list[Effect] | None:
        if error.code != "unknown_player":
            return None if self._games is None else [Stop(error.message, failed=True)]
        why = f"{error.message} {WHO_IS_HERE}"
        if self._games is not None:
            return [Stop(f"{why} A guest has to be there before it is challenged.", failed=True)]
        return [Show(Warned(f"{why} The challenge is dropped; this bot stays, and can be challenged itself."))]
