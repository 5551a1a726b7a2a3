"""Swiss system: in each round everybody meets somebody with about as many points, and nobody twice.

If the file names reference bots, everybody meets each of them first, and the points of that count.

A round is a matching of least cost among all players who are not withdrawn (and nobody, if their number is odd), found
by `rustworkx.max_weight_matching`. What counts, each before all that follows:

1. nobody meets the same opponent again, and nobody has a second bye;
2. the bye goes to whoever has fewest points;
3. nobody's matches with the first seat exceed those with the second by more than two, or fall short by more;
4. opponents have as many points as each other: the least sum of squared differences;
5. both get the seat that they had less often;
6. of those level on points, the upper half (by the seeding) meets the lower half.

What has the same cost is decided by numbers drawn from the seed. While the rounds are no more than half the players, a
round without a second meeting always exists (Dirac 1952: every player has at least n/2 possible opponents left);
later, or after many withdrawals, two may meet again rather than stay idle.

Of FIDE's Dutch system (Handbook C.04.3) are kept: no second meeting (C1), one bye (C2) for the lowest (C5), seats that
differ by two at the most (C3), equal scores first (C6, C7), equal seats next (C12, C13), upper against lower half. Left
out: the order in which brackets are paired from the top down, since one matching over all players finds the
least differences overall; floaters' protection (C14-C21), since a meeting of several matches has scores too fine for
brackets; three equal colours in a row, since bots don't tire of a seat; and the exemption of topscorers. Seats matter
only when openings are not swapped: otherwise both have them equally often in each meeting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import ceil, log2
from operator import mul
from typing import Final

from palestra_tournament import draws
from palestra_tournament.formats.gauntlet import contenders, draw_gauntlet, gauntlet_rounds
from palestra_tournament.formats.meetings import Draw, matches_of_a_meeting, meeting
from palestra_tournament.model import Bye, Tournament

SEATS_APART: Final = 2
"""How far the matches with the first and the second seat may be apart."""
WIDEST: Final = 300
"""Differences of scores are counted up to here, in half points."""
LOTS: Final = 2**24 - 3
"""A prime. Each player's lot is 1 more than a number drawn of LOTS - 1 (label `swiss|ROUND|NAME`); that of a pair is
the product of the two, modulo LOTS."""
BOUNDS: Final = (50, WIDEST + 1, 10, WIDEST**2 + 1, 50, 0, LOTS)
"""What a pair costs, the first counting first, and the bound of each part (0: the number of players): meetings or byes
before, points above the last of whoever has the bye, seats beyond SEATS_APART, squared difference of points, imbalance
of seats, distance from upper half against lower half, and the lot. The lot makes the cheapest round the only one."""


def swiss_rounds(t: Tournament) -> int:
    """As the spec says, else enough to find the best (a binary logarithm) and two more; never more than opponents."""
    count = len(contenders(t))
    return min(t.spec.rounds or ceil(log2(count)) + 2, count - 1 + count % 2)


def draw_swiss(t: Tournament) -> Draw | None:
    """The next round, once all results of the one before are there; first of all the meetings with reference bots."""
    if not t.fixtures and t.references:
        return draw_gauntlet(t)
    number = t.round + 1
    if t.settled < len(t.fixtures) or number > gauntlet_rounds(t) + swiss_rounds(t):
        return None
    players = [name for name in contenders(t) if name not in t.withdrawn]
    if len(players) < 2:
        return None
    history = History(t)
    ranked = history.ranked(players)
    pairs, idle = pair_round(t, history, ranked, number)
    order = {name: place for place, name in enumerate(ranked)}
    pairs.sort(key=lambda pair: min(order[pair[0]], order[pair[1]]))
    fixtures = tuple(f for table, pair in enumerate(pairs, start=1) for f in meeting(t, number, table, pair))
    points = float(matches_of_a_meeting(t))
    return Draw(fixtures, () if idle is None else (Bye(number, idle, points),))


class History:
    """What the rounds so far mean for the next one."""

    def __init__(self, t: Tournament) -> None:
        self.t = t
        self.place = {name: place for place, name in enumerate(t.seeds)}
        self.half_points: Counter[str] = Counter()
        """Twice the points, a whole number."""
        self.seats: Counter[str] = Counter()
        """Matches with the first seat less those with the second."""
        self.met = Counter(frozenset(fixture.players) for fixture in t.fixtures)
        self.byes = Counter(bye.player for bye in t.byes)
        for bye in t.byes:
            self.half_points[bye.player] += round(2 * bye.points)
        for result in t.results.values():
            for seat, player in enumerate(result.fixture.players):
                self.half_points[player] += round(2 * result.points[seat])
                if result.reason != "walkover":
                    self.seats[player] += 1 - 2 * seat

    def ranked(self, names: Iterable[str]) -> list[str]:
        """Most points first, then the higher seed."""
        return sorted(names, key=lambda name: (-self.half_points[name], self.place[name]))


def pair_round(
    t: Tournament, history: History, ranked: Sequence[str], number: int
) -> tuple[list[tuple[str, str]], str | None]:
    """The pairs of round `number` among these players, as (first seat, second seat), and who has the bye."""
    count = len(ranked)
    score = [history.half_points[name] for name in ranked]
    level = Counter(score)
    digits = _digits(count)
    lots = [1 + draws.below(LOTS - 1, t.seed, f"swiss|{number}|{name}") for name in ranked]
    import rustworkx  # and numpy with it: a tenth of a server's start, and needed when a round is drawn

    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * (count + count % 2))
    edges = []
    for a, b in combinations(range(count), 2):
        one, other = ranked[a], ranked[b]
        apart, imbalance = _seats(t, history, one, other)[1]
        fold = abs(b - a - level[score[a]] // 2) if score[a] == score[b] else 0
        difference = min(WIDEST, score[a] - score[b])
        again = history.met[frozenset((one, other))]
        parts = (again, 0, apart, difference**2, imbalance, fold, lots[a] * lots[b] % LOTS)
        edges.append((a, b, sum(map(mul, parts, digits))))
    for a in range(count) if count % 2 else ():
        above = min(WIDEST, score[a] - score[-1])
        again = history.byes[ranked[a]]
        edges.append((a, count, sum(map(mul, (again, above, 0, 0, 0, 0, lots[a]), digits))))
    graph.add_edges_from(edges)
    ceiling = max(cost for _, _, cost in edges) + 1
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda cost: ceiling - cost)
    pairs, idle = [], None
    for a, b in sorted(sorted(pair) for pair in matching):
        if b == count:
            idle = ranked[a]
        else:
            pairs.append(_seats(t, history, ranked[a], ranked[b])[0])
    return pairs, idle


def _digits(count: int) -> list[int]:
    """What one unit of each part of the cost is worth, so that it outweighs all that follows in a whole round.

    All together stay below 2^126 for 500 players: rustworkx counts with 128 bits.
    """
    digits = [1]
    for bound in reversed(BOUNDS[1:]):
        digits.append(digits[-1] * (bound or count) * count)
    return digits[::-1]


def _seats(t: Tournament, history: History, one: str, other: str) -> tuple[tuple[str, str], tuple[int, int]]:
    """Who should have the first seat, as (first, second), and what that costs: (beyond SEATS_APART, imbalance).

    Of two that cost the same, the one with the lower number (label `seats|ROUND BEFORE|FIRST|SECOND`) is taken.
    """
    if matches_of_a_meeting(t) % 2 == 0:
        return (one, other), (0, 0)

    def cost(first: str, second: str) -> tuple[int, int]:
        apart = abs(history.seats[first] + 1), abs(history.seats[second] - 1)
        return sum(max(0, value - SEATS_APART) for value in apart), sum(value**2 for value in apart)

    seatings = sorted(
        (cost(*pair), draws.number(t.seed, f"seats|{t.round}|{'|'.join(pair)}"), pair)
        for pair in ((one, other), (other, one))
    )
    return seatings[0][2], seatings[0][0]
