"""Everybody's scores and tie-breaks (named as in the FIDE Handbook, C.07)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Final

from palestra_games.interface import DRAW
from palestra_tournament.interface import Criterion
from palestra_tournament.model import Bye, Result, Tournament


def counted(results: Iterable[Result]) -> list[Result]:
    """These results as they count.

    A walkover scores nothing for either player if its winner was paired in other matches and came to none: a game to
    which neither player comes is a forfeit for both (FIDE's tournament report file, TRF16, has a "-" for each).
    """
    known = list(results)
    if not any(result.reason == "walkover" for result in known):
        return known
    absent = Presence.of(known).absent
    return [as_counted(result, absent) for result in known]


def as_counted(result: Result, absent: Collection[str]) -> Result:
    """A result as it counts if these players came to no match."""
    return replace(result, returns=DRAW) if result.reason == "walkover" and _winner(result) in absent else result


def counted_byes(byes: Iterable[Bye], results: Iterable[Result]) -> list[Bye]:
    """These byes as they count beside these results: a bye scores nothing for a player who came to no match.

    FIDE's arbiter does not pair absent players (Handbook, C.04.2), so they get no bye either.
    """
    absent = Presence.of(results).absent
    return [bye._replace(points=0.0) if bye.player in absent else bye for bye in byes]


class Presence:
    """Who came to a match. `came`: to one or more; `absent`: players who were paired and came to none."""

    def __init__(self) -> None:
        self._came: set[str] = set()
        self._missed: set[str] = set()

    @classmethod
    def of(cls, results: Iterable[Result]) -> Presence:
        presence = cls()
        for result in results:
            presence.add(result)
        return presence

    def add(self, result: Result) -> None:
        if result.match is not None and result.reason != "void":
            for player, at_fault in zip(result.fixture.players, result.at_fault, strict=True):
                (self._missed if at_fault and result.reason == "not_ready" else self._came).add(player)

    @property
    def came(self) -> frozenset[str]:
        return frozenset(self._came)

    @property
    def absent(self) -> frozenset[str]:
        return frozenset(self._missed - self._came)


def _winner(result: Result) -> str | None:
    first, second = result.points
    return None if first == second else result.fixture.players[0 if first > second else 1]


class Scores:
    """Scores of `players` in these results. A void match doesn't count; a bye counts its points."""

    def __init__(self, players: Iterable[str], results: Iterable[Result], byes: Iterable[Bye] = ()) -> None:
        self.points = dict.fromkeys(players, 0.0)
        # How often each player scored 1, 1/2 and 0.
        self.tally: Counter[tuple[str, float]] = Counter()
        # For each player and opponent: (points, matches).
        self.against: dict[str, dict[str, tuple[float, int]]] = {name: {} for name in self.points}
        for bye in byes:
            self.points[bye.player] += bye.points
        for result in results:
            if result.reason == "void":
                continue
            for seat, player in enumerate(result.fixture.players):
                scored, other = result.points[seat], result.fixture.players[1 - seat]
                self.points[player] += scored
                self.tally[player, scored] += 1
                points, matches = self.against[player].get(other, (0.0, 0))
                self.against[player][other] = (points + scored, matches + 1)

    def buchholz(self, player: str) -> float:
        """The sum of the opponents' points, once per match."""
        return sum(self.points[other] * matches for other, (_, matches) in self.against[player].items())

    def sonneborn_berger(self, player: str) -> float:
        """The sum of the opponents' points, weighted by what was scored against them."""
        return sum(self.points[other] * points for other, (points, _) in self.against[player].items())

    def head_to_head(self, player: str) -> float:
        """Points scored against those with the same points."""
        level = self.points[player]
        return sum(points for other, (points, _) in self.against[player].items() if self.points[other] == level)

    def wins(self, player: str) -> float:
        return float(self.tally[player, 1.0])


def _each(value: Callable[[Scores, str], float]) -> Callable[[Tournament, Scores], dict[str, float]]:
    return lambda _, scores: {player: value(scores, player) for player in scores.points}


POINTS: Final = Criterion("points", lambda _, scores: scores.points)
HEAD_TO_HEAD: Final = Criterion("head to head", _each(Scores.head_to_head))
SONNEBORN_BERGER: Final = Criterion("Sonneborn-Berger", _each(Scores.sonneborn_berger))
BUCHHOLZ: Final = Criterion("Buchholz", _each(Scores.buchholz))
WINS: Final = Criterion("wins", _each(Scores.wins))
