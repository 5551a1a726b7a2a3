"""Groups in which everybody meets everybody, then elimination among the first `qualify` of each.

Players are dealt into the groups by their seeds, to and fro (1 to A, 2 to B, 3 to B, 4 to A, ...). The order in a
group is by points, head to head, Sonneborn-Berger, wins, and then the seed. The winners of the groups are the first
seeds of the bracket, then come the seconds, and so on. Reference bots take no part.
"""

from __future__ import annotations

from palestra_tournament.formats.elimination import contenders, draw_bracket
from palestra_tournament.formats.meetings import Draw, meeting
from palestra_tournament.formats.round_robin import cycle_rounds
from palestra_tournament.model import Fixture, Tournament
from palestra_tournament.scores import Scores


def group_members(t: Tournament) -> list[list[str]]:
    """The players of each group, in the order of their seeds."""
    players = contenders(t)
    count = -(-len(players) // t.spec.group_size)
    groups: list[list[str]] = [[] for _ in range(count)]
    for place, name in enumerate(players):
        lap, index = divmod(place, count)
        groups[count - 1 - index if lap % 2 else index].append(name)
    return groups


def group_orders(t: Tournament) -> list[list[str]]:
    """The members of each group, the best first, by the results of the group stage."""
    stage = group_rounds(t)
    # Nobody meets anybody of another group in this stage, so one count does for all.
    scores = Scores(contenders(t), (result for result in t.results.values() if result.fixture.round <= stage))
    place = {name: index for index, name in enumerate(t.seeds)}

    def merit(name: str) -> tuple[float, ...]:
        figures = (scores.points[name], scores.head_to_head(name), scores.sonneborn_berger(name), scores.wins(name))
        return *(-figure for figure in figures), place[name]

    return [sorted(members, key=merit) for members in group_members(t)]


def group_rounds(t: Tournament) -> int:
    """How many rounds the groups have."""
    return max(len(cycle_rounds(members, t.spec.cycles)) for members in group_members(t))


def qualified(t: Tournament) -> tuple[str, ...]:
    """The seeds of the bracket: winners of the groups, then the seconds, ..."""
    orders = group_orders(t)
    return tuple(order[place] for place in range(t.spec.qualify) for order in orders if place < len(order))


def draw_groups(t: Tournament) -> Draw | None:
    """First all matches of the groups; once they are played, the bracket."""
    if not t.fixtures:
        return _draw_stage(t)
    stage = group_rounds(t)
    if any(fixture.id not in t.results for fixture in t.fixtures[t.settled :] if fixture.round <= stage):
        return None
    seeds = qualified(t)
    return draw_bracket(t, seeds, stage) if len(seeds) > 1 else None


def _draw_stage(t: Tournament) -> Draw:
    fixtures: list[Fixture] = []
    schedules = [cycle_rounds(members, t.spec.cycles) for members in group_members(t)]
    for index in range(max(map(len, schedules))):
        pairs = [pair for rounds in schedules for pair in (rounds[index] if index < len(rounds) else ())]
        fixtures += [f for table, pair in enumerate(pairs, start=1) for f in meeting(t, index + 1, table, pair)]
    return Draw(tuple(fixtures))
