"""Which matches are being judged, so that several judges share the work; the one judged while it is played."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection
from typing import Final

from palestra_protocol.analysis import LiveValue
from palestra_server.runtime.live import LiveMatch
from palestra_server.runtime.room import Playing

LEASE_S: Final = 120.0  # a judge that has not answered by then is thought dead: another one gets the match
LOANS_MAX: Final = 3  # a match that was lent this often without an answer can't be judged, it seems


class Leases:
    """Forgotten when the server ends: a match that is judged twice gets the same answer twice."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}
        self._loans = Counter[str]()
        self._asked: dict[str, float] = {}

    def asked(self, games: Collection[str]) -> None:
        """A judge that knows these games asks for a match."""
        self._asked.update(dict.fromkeys(games, self._clock()))

    def expected(self, match_id: str, game: str) -> bool:
        """Whether there is a judge that will come to this match, as far as is known."""
        asked = self._asked.get(game)
        return asked is not None and self._clock() < asked + LEASE_S and self._loans[match_id] < LOANS_MAX

    def lend(self, match_id: str) -> None:
        self._until[match_id] = self._clock() + LEASE_S
        self._loans[match_id] += 1

    def answered(self, match_id: str) -> None:
        self._until.pop(match_id, None)
        self._loans.pop(match_id, None)

    def withheld(self) -> list[str]:
        """The matches that judges have now, and those that no judge could answer for."""
        now = self._clock()
        return [match for match, until in self._until.items() if until > now or self._loans[match] >= LOANS_MAX]


class LiveJudging:
    """The match in play that judges follow for the big screen, one at most.

    What a position is worth is told once it has been played on: it then helps neither player. `changed` is called
    whenever something else is to be told.
    """

    def __init__(self, playing: Playing, changed: Callable[[], None]) -> None:
        self._playing = playing
        self._changed = changed
        self.match: str | None = None
        self.value: LiveValue | None = None  # what may be told
        self._held: LiveValue | None = None
        self._lent = -1  # the latest position that a judge was given

    def follow(self, match: str | None) -> None:
        """This match from now on, or none."""
        if match != self.match:
            self.match, self.value, self._held, self._lent = match, None, None, -1

    def lend(self, games: Collection[str]) -> LiveMatch | None:
        """The match, if it stands at a position that no judge was given yet."""
        live = self._live
        if live is None or live.match.config.game not in games or live.match.ply <= self._lent:
            return None
        self._lent = live.match.ply
        return live

    def is_on(self) -> bool:
        """Whether there is such a match: then a judge should ask again soon."""
        self._release()
        return self._live is not None

    def told(self, match: str, value: LiveValue) -> None:
        """A judge's answer, which nobody may want any more."""
        if match == self.match:
            self._release()
            if self._held is None or self._held.ply < value.ply:
                self._held = value
                self._release()

    def _release(self) -> None:
        live, held = self._live, self._held
        if held is not None and (live is None or held.ply < live.match.ply):
            self._held = None
            if self.value is None or self.value.ply < held.ply:
                self.value = held
                self._changed()

    @property
    def _live(self) -> LiveMatch | None:
        live = self._playing.matches.get(self.match or "")
        return None if live is None or live.match.phase != "playing" else live
