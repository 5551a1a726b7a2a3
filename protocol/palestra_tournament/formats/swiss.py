"""Swiss system: in each round everybody meets somebody with about the same points, and nobody twice.

If the file names reference bots, everybody meets each of them first, and those points count.

A round is a minimum-cost matching of all players who aren't withdrawn (plus a bye, if their number is odd), found by
`rustworkx.max_weight_matching`. The criteria, in order of priority:

1. nobody meets the same opponent again, and nobody has a second bye;
2. the bye goes to a player with the fewest points;
3. nobody's numbers of matches in the first and the second seat differ by more than two;
4. opponents have similar points: the sum of squared differences is minimal;
5. players get the seat that they had less often;
6. among players level on points, the upper half (by seeding) meets the lower half.

Ties are broken by numbers drawn from the seed. As long as there are at most half as many rounds as players, a round
without a repeated meeting always exists (Dirac 1952: every player has at least n/2 possible opponents left). Later, or
after many withdrawals, two players may meet again rather than sit out.

From FIDE's Dutch system (Handbook C.04.3) this keeps: no repeated meeting (C1), one bye (C2) for the lowest (C5), seats
that differ by at most two (C3), equal scores first (C6, C7), then equal seats (C12, C13), upper against lower half. It
leaves out: pairing score brackets from the top down, because one matching of all players minimises the differences
overall; protection of floaters (C14-C21), because meetings of several matches make scores too fine for brackets; three
equal colours in a row, because bots don't mind; and the exemption of topscorers. Seats only matter if openings aren't
swapped: otherwise each meeting is balanced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import ceil, log2
from typing import Annotated, TypeAlias

from pydantic import Field

from palestra_tournament.faults import Fault
from palestra_tournament.formats.gauntlet import (
    contenders,
    draw_gauntlet,
    gauntlet_fixtures,
    gauntlet_rounds,
    references,
)
from palestra_tournament.formats.meetings import matches_of_a_meeting, meeting, meetings_of_latecomer
from palestra_tournament.formats.pairing import PairRound, Round
from palestra_tournament.interface import Draw, Format, Planned
from palestra_tournament.model import Bye, Tournament
from palestra_tournament.scores import BUCHHOLZ, HEAD_TO_HEAD, POINTS, SONNEBORN_BERGER, counted, counted_byes

Rounds: TypeAlias = Annotated[int, Field(ge=1, le=1000)]


class Swiss(Format):
    name = "swiss"
    title = "Swiss system"
    about = "In each round everybody plays somebody with about the same points, and nobody twice."
    keys = """\
# rounds = 7                    # default: enough to find the winner, plus two; one per reference bot comes on top
"""
    criteria = (POINTS, BUCHHOLZ, SONNEBORN_BERGER, HEAD_TO_HEAD)

    rounds: Rounds | None = None

    def faults(self, players: int | None) -> Iterator[Fault]:
        if players is not None and self.rounds is not None and self.rounds > (most := opponents(players)):
            yield Fault("many_rounds", key="rounds", rounds=self.rounds, players=players, most=most)

    def draw(self, t: Tournament, pair: PairRound) -> Draw | None:
        """The next round, once all results of the previous one are in; the first one meets the reference bots."""
        if not t.fixtures and t.references:
            return draw_gauntlet(t)
        number = t.round + 1
        if t.settled < len(t.fixtures) or number > gauntlet_rounds(t) + self.swiss_rounds(t):
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

    def join(self, t: Tournament) -> Draw | None:
        """The reference bots now, and others from the next round on, if there is one; nothing for earlier rounds."""
        if t.round >= gauntlet_rounds(t) + self.swiss_rounds(t):
            return None
        return Draw(meetings_of_latecomer(t, references(t), in_this_round=True))

    def planned(self, t: Tournament) -> Planned:
        before = gauntlet_rounds(t)
        rounds = before + self.swiss_rounds(t)
        players = sum(name not in t.withdrawn for name in contenders(t))
        left = (rounds - max(t.round, before)) * (players // 2) * matches_of_a_meeting(t)
        return Planned((len(t.fixtures) or gauntlet_fixtures(t)) + left, rounds)

    def swiss_rounds(self, t: Tournament) -> int:
        """As many as the file says, or else enough to find the winner (log2) plus two; never more than opponents."""
        count = len(contenders(t))
        return min(self.rounds or ceil(log2(count)) + 2, opponents(count))


def opponents(players: int) -> int:
    """How many rounds there can be without a repeated meeting or bye."""
    return players - 1 + players % 2


class History:
    """The rounds so far, as they matter for the next one."""

    def __init__(self, t: Tournament) -> None:
        self.t = t
        self.place = {name: place for place, name in enumerate(t.seeds)}
        # Twice the points, so that they are whole numbers.
        self.half_points: Counter[str] = Counter()
        # Matches in the first seat minus those in the second.
        self.seats: Counter[str] = Counter()
        self.met = Counter(frozenset(fixture.players) for fixture in t.fixtures)
        self.byes = Counter(bye.player for bye in t.byes)
        for bye in counted_byes(t.byes, t.results.values()):
            self.half_points[bye.player] += round(2 * bye.points)
        for result in counted(t.results.values()):
            for seat, player in enumerate(result.fixture.players):
                self.half_points[player] += round(2 * result.points[seat])
                if result.match is not None:
                    self.seats[player] += 1 - 2 * seat

    def ranked(self, names: Iterable[str]) -> list[str]:
        """Most points first, then the higher seed."""
        return sorted(names, key=lambda name: (-self.half_points[name], self.place[name]))

    def as_round(self, ranked: Sequence[str], number: int) -> Round:
        """What round `number` among these players is drawn from."""
        t, place = self.t, {name: place for place, name in enumerate(ranked)}
        met = []
        for pair, times in self.met.items():
            a, b = sorted(place.get(name, -1) for name in pair)
            if a >= 0:
                met.append((a, b, times))
        return Round(
            seed=t.seed,
            number=number,
            players=tuple(ranked),
            half_points=tuple(self.half_points[name] for name in ranked),
            seats=tuple(self.seats[name] for name in ranked) if matches_of_a_meeting(t) % 2 else None,
            byes=tuple(self.byes[name] for name in ranked),
            met=tuple(met),
        )
