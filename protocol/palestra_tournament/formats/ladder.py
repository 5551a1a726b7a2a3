"""A ladder runs continuously and pairs the players whose order is least certain.

As soon as more than half of the players are idle, those are paired, so that nobody waits for the slowest. A pair costs
d^2 * a * b / (a + b), where d is the difference of their ratings and a, b are their numbers of matches: up to a
constant, the square of how many standard errors they are apart. The cheapest matching is played; two players don't meet
twice in a row if that can be avoided, and ties are broken by lot.

These ratings are only used for pairing, and are whole numbers so that they are the same everywhere: everyone starts at
0, and a match moves both players by K * (score - expected) / 1000, where the score is 1000 for a win, expected = 500 +
500 d / (|d| + 400), and K = 32 + 128 / (that player's matches so far + 1). Divisions round down. By rules 2, a match
that is worth nothing to either (void, or nobody was ready) moves neither; by rules 1 the first seat has lost it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from palestra_tournament import draws
from palestra_tournament.formats.meetings import matches_of_a_meeting, meeting
from palestra_tournament.formats.pairing import PairRound, cheapest_matching
from palestra_tournament.formats.swiss import Rounds
from palestra_tournament.interface import Draw, Format, Planned
from palestra_tournament.model import Fixture, Result, Tournament
from palestra_tournament.scores import BUCHHOLZ, HEAD_TO_HEAD, POINTS, SONNEBORN_BERGER

LOTS: Final = 2**24
CERTAIN: Final = 10**9
AGAIN: Final = 2 * CERTAIN  # the cost of a pair whose order is certain, and of an immediate rematch


class Ladder(Format):
    name = "ladder"
    title = "Ladder"
    about = "Runs continuously, pairing the players whose order is least certain."
    keys = """\
# rounds = 20                   # meetings for each bot; without it the ladder runs until you finish it
"""
    criteria = (POINTS, BUCHHOLZ, SONNEBORN_BERGER, HEAD_TO_HEAD)
    has_last_round = False

    rounds: Rounds | None = None

    def draw(self, t: Tournament, _: PairRound) -> Draw | None:
        """Meetings for the idle players, if there are enough of them."""
        idle = [name for name in t.active if name not in t.pending]
        busy = len(t.active) - len(idle)
        if len(idle) <= max(1, busy):
            return None
        history = t.by_id.fold(_History, _History.add)
        met = history.met
        if self.rounds is not None:
            idle = [name for name in idle if met[name] < self.rounds]
        if len(idle) <= max(1, busy):
            return None
        number = t.round + 1
        fixtures: list[Fixture] = []
        for table, (a, b) in enumerate(_pairs(t, idle, history), start=1):
            seats = (a, b) if draws.below(2, t.seed, f"seats|{number}|{a}|{b}") else (b, a)
            fixtures += meeting(t, number, table, seats)
        return Draw(tuple(fixtures))

    def join(self, _: Tournament) -> Draw:
        """At the end, without a rating: the newcomer's order is the least certain."""
        return Draw(())

    def planned(self, t: Tournament) -> Planned:
        total = None if self.rounds is None else self.rounds * len(t.active) // 2 * matches_of_a_meeting(t)
        return Planned(total, None)


class _History:
    """How many meetings everybody had, and against whom the last of them."""

    def __init__(self) -> None:
        self.met: Counter[str] = Counter()
        self.last: dict[str, str] = {}
        self._latest = 0, 0

    def add(self, fixture: Fixture) -> None:
        if (fixture.round, fixture.table) != self._latest:
            one, other = fixture.players
            self.met.update(fixture.players)
            self.last[one], self.last[other] = other, one
            self._latest = fixture.round, fixture.table


def _pairs(t: Tournament, idle: Sequence[str], history: _History) -> list[tuple[str, str]]:
    """The cheapest matching; with an odd number, one of the players with the most meetings has to wait."""
    met, last = history.met, history.last
    count = len(idle)
    ratings, counts = pairing_ratings(t)
    edges = []
    for a, b in combinations(range(count), 2):
        one, other = idle[a], idle[b]
        both = counts[one] + counts[other]
        doubt = (ratings[one] - ratings[other]) ** 2 * counts[one] * counts[other] // both if both else 0
        again = AGAIN if last.get(one) == other and last.get(other) == one else 0
        lot = draws.below(LOTS, t.seed, f"ladder|{t.round + 1}|{'|'.join(sorted((one, other)))}")
        edges.append((a, b, (min(doubt, CERTAIN) + again) * LOTS * count + lot))
    most = max(met[name] for name in idle)
    edges += [(a, count, (most - met[idle[a]]) * AGAIN * LOTS * count**2 + a) for a in range(count) if count % 2]
    return [(idle[a], idle[b]) for a, b in cheapest_matching(count, edges) if b < count]


def pairing_ratings(t: Tournament) -> tuple[Counter[str], Counter[str]]:
    """Everybody's rating and number of matches, from the results in the order in which they came in."""
    return t.results.fold(lambda: (Counter[str](), Counter[str]()), _rate)


def _rate(rated: tuple[Counter[str], Counter[str]], result: Result) -> None:
    if result.match is None or result.points == (0.0, 0.0):
        return
    ratings, counts = rated
    one, other = result.fixture.players
    d = ratings[one] - ratings[other]
    expected = 500 + 500 * d // (abs(d) + 400)
    surprise = round(1000 * result.points[0]) - expected
    for name, sign in ((one, 1), (other, -1)):
        ratings[name] += (32 + 128 // (counts[name] + 1)) * sign * surprise // 1000
        counts[name] += 1
