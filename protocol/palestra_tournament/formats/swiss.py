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
from math import ceil, log2

from palestra_tournament.formats.gauntlet import contenders, draw_gauntlet, gauntlet_rounds
from palestra_tournament.formats.meetings import Draw, matches_of_a_meeting, meeting
from palestra_tournament.formats.pairing import PairRound, Round, pair_round
from palestra_tournament.model import Bye, Tournament


def swiss_rounds(t: Tournament) -> int:
    """As the spec says, else enough to find the best (a binary logarithm) and two more; never more than opponents."""
    count = len(contenders(t))
    return min(t.spec.rounds or ceil(log2(count)) + 2, count - 1 + count % 2)


def draw_swiss(t: Tournament, pair: PairRound = pair_round) -> Draw | None:
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
    found, idle = pair(history.as_round(ranked, number))
    order = {name: place for place, name in enumerate(ranked)}
    tables = sorted(found, key=lambda two: min(order[two[0]], order[two[1]]))
    fixtures = tuple(f for table, two in enumerate(tables, start=1) for f in meeting(t, number, table, two))
    points = float(matches_of_a_meeting(t))
    return Draw(fixtures, () if idle is None else (Bye(number, idle, points),))


class History:
    """What the rounds so far mean for the next one."""

    def __init__(self, t: Tournament) -> None:
        self.t = t
        self.place = {name: place for place, name in enumerate(t.seeds)}
        # Twice the points, a whole number.
        self.half_points: Counter[str] = Counter()
        # Matches with the first seat less those with the second.
        self.seats: Counter[str] = Counter()
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

    def as_round(self, ranked: Sequence[str], number: int) -> Round:
        """What the pairs of round `number` among these players are drawn from."""
        t, place = self.t, {name: place for place, name in enumerate(ranked)}
        met = []
        for pair, times in self.met.items():
            a, b = sorted(place.get(name, -1) for name in pair)
            if a >= 0:
                met.append((a, b, times))
        return Round(
            seed=t.seed,
            number=number,
            before=t.round,
            players=tuple(ranked),
            half_points=tuple(self.half_points[name] for name in ranked),
            seats=tuple(self.seats[name] for name in ranked) if matches_of_a_meeting(t) % 2 else None,
            byes=tuple(self.byes[name] for name in ranked),
            met=tuple(met),
        )
