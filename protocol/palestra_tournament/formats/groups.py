"""Round-robin groups, then single elimination among the top `qualify` of each.

Players are dealt to the groups by seed, back and forth (1 to A, 2 to B, 3 to B, 4 to A, ...). Groups are ranked by
points, head to head, Sonneborn-Berger, wins, and finally seed. The group winners are the top seeds of the bracket,
followed by the runners-up, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final

from pydantic import Field

from palestra_tournament.faults import Fault
from palestra_tournament.formats.elimination import SURVIVED, Elimination
from palestra_tournament.formats.gauntlet import contenders, draw_gauntlet, gauntlet_fixtures, gauntlet_rounds
from palestra_tournament.formats.meetings import matches_of_a_meeting, meeting, meeting_goes_on
from palestra_tournament.formats.pairing import PairRound
from palestra_tournament.formats.round_robin import Cycles, cycle_rounds, cycle_size
from palestra_tournament.interface import Criterion, Draw, Tie
from palestra_tournament.model import Fixture, Tournament
from palestra_tournament.scores import POINTS, SONNEBORN_BERGER, Scores, counted


def group_places(t: Tournament, _: Scores) -> dict[str, float]:
    """Everybody's place in its group, from 1."""
    return {name: float(place) for order in t.spec.format.groups(t) for place, name in enumerate(order, start=1)}


PLACE: Final = Criterion("place in the group", group_places, less_is_better=True)


class Groups(Elimination):
    name = "groups"
    title = "Groups, then knockout"
    about = "Groups in which everybody plays everybody, then elimination among the best."
    keys = f"""\
# group_size = 4                # most players in a group
# qualify = 2                   # how many of each group advance
# cycles = 1                    # how many times everybody plays everybody in a group
{Elimination.keys}"""
    criteria = (SURVIVED, PLACE, POINTS, SONNEBORN_BERGER)
    views = ("groups", "bracket")

    cycles: Cycles = 1
    group_size: Annotated[int, Field(ge=2, le=64)] = 4
    qualify: Annotated[int, Field(ge=1, le=32)] = 2

    def faults(self, players: int | None) -> Iterator[Fault]:
        smallest = self.group_size if players is None else players // -(-players // self.group_size)
        if self.qualify > smallest:
            yield Fault("many_qualify", key="qualify", qualify=self.qualify, most=smallest)

    def members(self, t: Tournament) -> list[list[str]]:
        """The players of each group, in order of seeding."""
        players = contenders(t)
        count = -(-len(players) // self.group_size)
        groups: list[list[str]] = [[] for _ in range(count)]
        for place, name in enumerate(players):
            lap, index = divmod(place, count)
            groups[count - 1 - index if lap % 2 else index].append(name)
        return groups

    def groups(self, t: Tournament) -> tuple[tuple[str, ...], ...]:
        """The players of each group, best first, by the results of the group stage."""
        first, last = gauntlet_rounds(t) + 1, self.last_before(t)
        # Groups don't mix in this stage, so one table of scores serves all of them.
        stage = (result for result in t.results.values() if first <= result.fixture.round <= last)
        scores = Scores(contenders(t), counted(stage))
        place = {name: index for index, name in enumerate(t.seeds)}

        def merit(name: str) -> tuple[float, ...]:
            figures = (scores.points[name], scores.head_to_head(name), scores.sonneborn_berger(name), scores.wins(name))
            return *(-figure for figure in figures), place[name]

        return tuple(tuple(sorted(members, key=merit)) for members in self.members(t))

    def qualified(self, t: Tournament) -> tuple[str, ...]:
        """The group winners, then the runners-up, and so on."""
        orders = self.groups(t)
        return tuple(order[place] for place in range(self.qualify) for order in orders if place < len(order))

    def bracket_size(self, t: Tournament) -> int:
        return sum(min(self.qualify, len(members)) for members in self.members(t))

    def last_before(self, t: Tournament) -> int:
        return gauntlet_rounds(t) + max(cycle_size(len(members), self.cycles)[1] for members in self.members(t))

    def fixtures_before(self, t: Tournament) -> int:
        meetings = sum(cycle_size(len(members), self.cycles)[0] for members in self.members(t))
        return gauntlet_fixtures(t) + meetings * matches_of_a_meeting(t)

    def bracket(self, t: Tournament) -> tuple[tuple[Tie, ...], ...]:
        """Nothing as long as groups are being played, or if only one player comes out of them."""
        last = self.last_before(t)
        played = all(fixture.id in t.results for fixture in t.fixtures if fixture.round <= last)
        return super().bracket(t) if played and self.bracket_size(t) > 1 else ()

    def draw(self, t: Tournament, _: PairRound) -> Draw | None:
        """First the meetings with reference bots, then all matches of the groups, and last the bracket."""
        before, last = gauntlet_rounds(t), self.last_before(t)
        if not t.fixtures and before:
            return draw_gauntlet(t)
        if t.round <= before:
            return self._draw_stage(t, before)
        if t.settled < len(t.fixtures) and t.fixtures[t.settled].round <= last:
            return None
        if t.round > last and meeting_goes_on(t):
            return None
        return self.draw_bracket(t)

    def _draw_stage(self, t: Tournament, before: int) -> Draw:
        fixtures: list[Fixture] = []
        schedules = [cycle_rounds(members, self.cycles) for members in self.members(t)]
        for index in range(max(map(len, schedules))):
            pairs = [pair for rounds in schedules for pair in (rounds[index] if index < len(rounds) else ())]
            fixtures += [
                f for table, pair in enumerate(pairs, start=1) for f in meeting(t, before + index + 1, table, pair)
            ]
        return Draw(tuple(fixtures))
