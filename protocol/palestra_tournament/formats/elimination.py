"""Single elimination: whoever loses a meeting is out.

The size of the bracket is the next power of two. Seeds are placed so that the top two can only meet in the final, the
top four in the semi-finals, and so on; if there are empty places, the highest seeds get a bye in the first round. A
meeting is won by points over all its matches. If it ends level, pairs of matches are added one at a time, with new
openings and the seats swapped, up to `tie_breaks` of them; if it is still level, the higher seed advances. Withdrawn
players lose their matches by walkover, and with them their meetings.

If a ruling changes who meets whom, what was drawn for others at that table is no part of the meeting, which is drawn
anew; it is again, with its results, if later the same two meet there after all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Annotated, ClassVar, Final

from pydantic import Field

from palestra_tournament.formats.gauntlet import contenders, draw_gauntlet, gauntlet_fixtures, gauntlet_rounds
from palestra_tournament.formats.meetings import matches_of_a_meeting, meeting, meeting_goes_on, pairs_of_matches
from palestra_tournament.formats.pairing import PairRound
from palestra_tournament.interface import Criterion, Draw, Format, Planned, Tie, View
from palestra_tournament.model import Fixture, Tournament
from palestra_tournament.scores import POINTS, WINS, Scores


def survived(t: Tournament, _: Scores) -> Counter[str]:
    """How many rounds of the bracket each player won, including those without an opponent."""
    return Counter(tie.winner for ties in t.spec.format.bracket(t) for tie in ties if tie.winner is not None)


SURVIVED: Final = Criterion("rounds survived", survived)


class Elimination(Format):
    name = "elimination"
    title = "Knockout"
    about = "Whoever loses a meeting is out."
    keys = """\
# tie_breaks = 2                # at most this many extra pairs of matches if a meeting is tied;
                                # if it is still tied, the higher seed advances
"""
    criteria: ClassVar[tuple[Criterion, ...]] = (SURVIVED, POINTS, WINS)
    views: ClassVar[tuple[View, ...]] = ("bracket",)

    tie_breaks: Annotated[int, Field(ge=0, le=10)] = 2

    def qualified(self, t: Tournament) -> tuple[str, ...]:
        """The seeds of the bracket, best first."""
        return contenders(t)

    def bracket_size(self, t: Tournament) -> int:
        """How many qualify."""
        return len(contenders(t))

    def last_before(self, t: Tournament) -> int:
        """The number of the round before the bracket."""
        return gauntlet_rounds(t)

    def draw(self, t: Tournament, _: PairRound) -> Draw | None:
        """First the meetings with reference bots, then the bracket."""
        if meeting_goes_on(t):
            return None
        return draw_gauntlet(t) or self.draw_bracket(t)

    def planned(self, t: Tournament) -> Planned:
        before, size = self.last_before(t), self.bracket_size(t)
        met = {(fixture.round, fixture.table) for fixture in t.fixtures if fixture.round > before}
        left = (size - 1 - len(met)) * matches_of_a_meeting(t)
        return Planned((len(t.fixtures) or self.fixtures_before(t)) + left, before + (size - 1).bit_length())

    def fixtures_before(self, t: Tournament) -> int:
        """The number of fixtures before the bracket."""
        return gauntlet_fixtures(t)

    def bracket(self, t: Tournament) -> tuple[tuple[Tie, ...], ...]:
        """The first of its rounds is the one after `last_before`."""
        seeds, before = self.qualified(t), self.last_before(t)
        fixtures = _by_meeting(t)
        rank = {name: place for place, name in enumerate(seeds)}
        size = 1 << max(1, (len(seeds) - 1).bit_length())
        names = [seeds[seed] if seed < len(seeds) else None for seed in places(size)]
        open_places = [False] * size
        rounds: list[tuple[Tie, ...]] = []
        while len(names) > 1:
            ties = []
            still_open = []
            number = before + len(rounds) + 1
            for table in range(1, len(names) // 2 + 1):
                players = names[2 * table - 2], names[2 * table - 1]
                waits = any(open_places[2 * table - 2 : 2 * table])
                tie = self._tie(t, number, table, players, fixtures[number, table], rank, waits)
                ties.append(tie)
                still_open.append(tie.winner is None and (waits or players != (None, None)))
            rounds.append(tuple(ties))
            names, open_places = [tie.winner for tie in ties], still_open
        return tuple(rounds)

    def _tie(
        self,
        t: Tournament,
        number: int,
        table: int,
        players: tuple[str | None, str | None],
        fixtures: Sequence[Fixture],
        rank: dict[str, int],
        waits: bool,
    ) -> Tie:
        first, second = players
        if first is None or second is None:
            return Tie(number, table, players, (0.0, 0.0), None if waits else first or second)
        points = {first: 0.0, second: 0.0}
        ended = 0
        fixtures = _between(fixtures, players)
        for fixture in fixtures:
            result = t.struck[fixture.id] if fixture.id in t.struck else t.results.get(fixture.id)
            if result is not None:
                ended += 1
                for player, scored in zip(fixture.players, result.points, strict=True):
                    points[player] += scored
        winner = None
        if fixtures and ended == len(fixtures):
            if points[first] != points[second]:
                winner = first if points[first] > points[second] else second
            elif _tie_breaks_played(t, fixtures) >= self.tie_breaks:
                winner = min(first, second, key=lambda name: rank[name])
        return Tie(number, table, players, (points[first], points[second]), winner)

    def draw_bracket(self, t: Tournament) -> Draw | None:
        """New meetings whose players are known, and tie-breaks for meetings that ended level."""
        drawn = _by_meeting(t)
        fresh: list[Fixture] = []
        for ties in self.bracket(t):
            for tie in ties:
                first, second = tie.players
                if tie.winner is not None or first is None or second is None:
                    continue
                fixtures = _between(drawn[tie.round, tie.table], tie.players)
                if not fixtures:
                    after = max((_number(each) for each in drawn[tie.round, tie.table]), default=0)
                    fresh += meeting(t, tie.round, tie.table, (first, second), after)
                elif all(fixture.id in t.results for fixture in fixtures):
                    extra = _tie_breaks_played(t, fixtures)
                    game = t.spec.games[extra % len(t.spec.games)]
                    wanted = [(game, max(_number(each) for each in drawn[tie.round, tie.table]) + 1)]
                    seats = (first, second) if extra % 2 == 0 else (second, first)
                    fresh += pairs_of_matches(t, tie.round, tie.table, seats, wanted)
        return Draw(tuple(fresh)) if fresh else None

    def misplaced(self, t: Tournament) -> list[str]:
        before = self.last_before(t)
        now = {(tie.round, tie.table): {*tie.players} for ties in self.bracket(t) for tie in ties}
        of_bracket = (fixture for fixture in t.fixtures if fixture.round > before)
        return [each.id for each in of_bracket if {*each.players} != now.get((each.round, each.table))]


def _between(fixtures: Iterable[Fixture], players: tuple[str | None, str | None]) -> list[Fixture]:
    return [fixture for fixture in fixtures if {*fixture.players} == {*players}]


def _number(fixture: Fixture) -> int:
    return int(fixture.pair.rpartition("-")[2])


def _by_meeting(t: Tournament) -> defaultdict[tuple[int, int], list[Fixture]]:
    """All fixtures by round and table."""
    found: defaultdict[tuple[int, int], list[Fixture]] = defaultdict(list)
    for fixture in t.fixtures:
        found[fixture.round, fixture.table].append(fixture)
    return found


def places(size: int) -> list[int]:
    """The order of the seeds in a bracket of `size` places, a power of two: [0, 3, 1, 2] for 4."""
    order = [0]
    while len(order) < size:
        order = [seed for high in order for seed in (high, 2 * len(order) - 1 - high)]
    return order


def _tie_breaks_played(t: Tournament, fixtures: Sequence[Fixture]) -> int:
    return len({fixture.pair for fixture in fixtures}) - len(t.spec.games) * t.spec.pairs
