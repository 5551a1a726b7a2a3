"""Single elimination: whoever loses a meeting is out.

The size of the bracket is the next power of two. Seeds are placed so that the top two can only meet in the final, the
top four in the semi-finals, and so on; if there are empty places, the highest seeds get a bye in the first round. A
meeting is won by points over all its matches. If it ends level, pairs of matches are added one at a time, with new
openings and the seats swapped, up to `tie_breaks` of them; if it is still level, the higher seed advances. Withdrawn
players lose their matches by walkover, and with them their meetings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from palestra_tournament.formats.gauntlet import contenders, draw_gauntlet, gauntlet_rounds
from palestra_tournament.formats.meetings import Draw, meeting, meeting_goes_on, pairs_of_matches
from palestra_tournament.model import Fixture, Tournament


class Tie(NamedTuple):
    """A meeting in the bracket. A player is None if not yet known, or if the place stays empty.

    `points` is what each has scored so far; `winner` is None until the meeting is decided.
    """

    round: int
    table: int
    players: tuple[str | None, str | None]
    points: tuple[float, float]
    winner: str | None


def places(size: int) -> list[int]:
    """The order of the seeds in a bracket of `size` places, a power of two: [0, 3, 1, 2] for 4."""
    order = [0]
    while len(order) < size:
        order = [seed for high in order for seed in (high, 2 * len(order) - 1 - high)]
    return order


def bracket_ties(t: Tournament, seeds: Sequence[str], before: int = 0) -> list[list[Tie]]:
    """The rounds of these players' bracket as far as results allow; the first is round `before` + 1."""
    fixtures: defaultdict[tuple[int, int], list[Fixture]] = defaultdict(list)
    for fixture in t.fixtures:
        fixtures[fixture.round, fixture.table].append(fixture)
    rank = {name: place for place, name in enumerate(seeds)}
    size = 1 << max(1, (len(seeds) - 1).bit_length())
    names = [seeds[seed] if seed < len(seeds) else None for seed in places(size)]
    open_places = [False] * size
    rounds: list[list[Tie]] = []
    while len(names) > 1:
        ties = []
        still_open = []
        number = before + len(rounds) + 1
        for table in range(1, len(names) // 2 + 1):
            players = names[2 * table - 2], names[2 * table - 1]
            waits = any(open_places[2 * table - 2 : 2 * table])
            tie = _tie(t, number, table, players, fixtures[number, table], rank, waits)
            ties.append(tie)
            still_open.append(tie.winner is None and (waits or players != (None, None)))
        rounds.append(ties)
        names, open_places = [tie.winner for tie in ties], still_open
    return rounds


def _tie(
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
    for fixture in fixtures:
        result = t.results.get(fixture.id)
        if result is not None:
            ended += 1
            for player, scored in zip(fixture.players, result.points, strict=True):
                points[player] += scored
    winner = None
    if fixtures and ended == len(fixtures):
        if points[first] != points[second]:
            winner = max(players, key=lambda name: points[name or ""])
        elif _tie_breaks_played(t, fixtures) >= t.spec.tie_breaks:
            winner = min(first, second, key=lambda name: rank[name])
    return Tie(number, table, players, (points[first], points[second]), winner)


def _tie_breaks_played(t: Tournament, fixtures: Sequence[Fixture]) -> int:
    return len({fixture.pair for fixture in fixtures}) - len(t.spec.games) * t.spec.pairs


def draw_bracket(t: Tournament, seeds: Sequence[str], before: int = 0) -> Draw | None:
    """New meetings whose players are known, and tie-breaks for meetings that ended level."""
    drawn: defaultdict[tuple[int, int], list[Fixture]] = defaultdict(list)
    for fixture in t.fixtures:
        drawn[fixture.round, fixture.table].append(fixture)
    fresh: list[Fixture] = []
    for ties in bracket_ties(t, seeds, before):
        for tie in ties:
            first, second = tie.players
            if tie.winner is not None or first is None or second is None:
                continue
            fixtures = drawn[tie.round, tie.table]
            if not fixtures:
                fresh += meeting(t, tie.round, tie.table, (first, second))
            elif all(fixture.id in t.results for fixture in fixtures):
                extra = _tie_breaks_played(t, fixtures)
                game = t.spec.games[extra % len(t.spec.games)]
                wanted = [(game, t.spec.pairs + 1 + extra)]
                seats = (first, second) if extra % 2 == 0 else (second, first)
                fresh += pairs_of_matches(t, tie.round, tie.table, seats, wanted)
    return Draw(tuple(fresh)) if fresh else None


def draw_elimination(t: Tournament) -> Draw | None:
    """First the meetings with reference bots, then the bracket."""
    if meeting_goes_on(t):
        return None
    return draw_gauntlet(t) or draw_bracket(t, contenders(t), gauntlet_rounds(t))
