"""Round-robin groups, then single elimination among the top `qualify` of each.

Players are dealt to the groups by seed, back and forth (1 to A, 2 to B, 3 to B, 4 to A, ...). Groups are ranked by
points, head to head, Sonneborn-Berger, wins, and finally seed. The group winners are the top seeds of the bracket,
followed by the runners-up, and so on.
"""

from __future__ import annotations

from palestra_tournament.formats.elimination import draw_bracket
from palestra_tournament.formats.gauntlet import contenders, draw_gauntlet, gauntlet_rounds
from palestra_tournament.formats.meetings import Draw, meeting, meeting_goes_on
from palestra_tournament.formats.round_robin import cycle_rounds
from palestra_tournament.model import Fixture, Tournament
from palestra_tournament.scores import Scores, counted


def group_members(t: Tournament) -> list[list[str]]:
    players = contenders(t)
    count = -(-len(players) // t.spec.group_size)
    groups: list[list[str]] = [[] for _ in range(count)]
    for place, name in enumerate(players):
        lap, index = divmod(place, count)
        groups[count - 1 - index if lap % 2 else index].append(name)
    return groups


def group_orders(t: Tournament) -> list[list[str]]:
    """The players of each group, best first, by the results of the group stage."""
    first, last = gauntlet_rounds(t) + 1, last_group_round(t)
    # Groups don't mix in this stage, so one table of scores serves all of them.
    stage = (result for result in t.results.values() if first <= result.fixture.round <= last)
    scores = Scores(contenders(t), counted(stage, t.rules))
    place = {name: index for index, name in enumerate(t.seeds)}

    def merit(name: str) -> tuple[float, ...]:
        figures = (scores.points[name], scores.head_to_head(name), scores.sonneborn_berger(name), scores.wins(name))
        return *(-figure for figure in figures), place[name]

    return [sorted(members, key=merit) for members in group_members(t)]


def last_group_round(t: Tournament) -> int:
    longest = max(len(cycle_rounds(members, t.spec.cycles)) for members in group_members(t))
    return gauntlet_rounds(t) + longest


def qualified(t: Tournament) -> tuple[str, ...]:
    """The seeds of the bracket: the group winners, then the runners-up, and so on."""
    orders = group_orders(t)
    return tuple(order[place] for place in range(t.spec.qualify) for order in orders if place < len(order))


def draw_groups(t: Tournament) -> Draw | None:
    """First the meetings with reference bots, then all matches of the groups, and once they are over, the bracket."""
    before, last = gauntlet_rounds(t), last_group_round(t)
    if len(t.fixtures) == 0 and before:
        return draw_gauntlet(t)
    if t.round <= before:
        return _draw_stage(t, before)
    if any(fixture.id not in t.results for fixture in t.fixtures[t.settled :] if fixture.round <= last):
        return None
    if t.round > last and meeting_goes_on(t):
        return None
    seeds = qualified(t)
    return draw_bracket(t, seeds, last) if len(seeds) > 1 else None


def _draw_stage(t: Tournament, before: int) -> Draw:
    fixtures: list[Fixture] = []
    schedules = [cycle_rounds(members, t.spec.cycles) for members in group_members(t)]
    for index in range(max(map(len, schedules))):
        pairs = [pair for rounds in schedules for pair in (rounds[index] if index < len(rounds) else ())]
        fixtures += [
            f for table, pair in enumerate(pairs, start=1) for f in meeting(t, before + index + 1, table, pair)
        ]
    return Draw(tuple(fixtures))
