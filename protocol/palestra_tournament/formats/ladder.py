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
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

from palestra_tournament import draws
from palestra_tournament.formats.meetings import Draw, meeting
from palestra_tournament.model import Fixture, Tournament

LOTS: Final = 2**24
CERTAIN: Final = 10**9
AGAIN: Final = 2 * CERTAIN  # the cost of a pair whose order is certain, and of an immediate rematch


def draw_ladder(t: Tournament) -> Draw | None:
    """Meetings for the idle players, if there are enough of them."""
    waiting = {name for fixture in t.fixtures[t.settled :] if fixture.id not in t.results for name in fixture.players}
    idle = [name for name in t.active if name not in waiting]
    busy = len(t.active) - len(idle)
    if len(idle) <= max(1, busy):
        return None
    meetings = {(fixture.round, fixture.table): fixture.players for fixture in t.fixtures}
    met = Counter(name for players in meetings.values() for name in players)
    if t.spec.rounds is not None:
        idle = [name for name in idle if met[name] < t.spec.rounds]
    if len(idle) <= max(1, busy):
        return None
    number = t.round + 1
    fixtures: list[Fixture] = []
    for table, (a, b) in enumerate(_pairs(t, idle, meetings.values(), met), start=1):
        seats = (a, b) if draws.below(2, t.seed, f"seats|{number}|{a}|{b}") else (b, a)
        fixtures += meeting(t, number, table, seats)
    return Draw(tuple(fixtures))


def _pairs(
    t: Tournament, idle: Sequence[str], meetings: Iterable[tuple[str, str]], met: Counter[str]
) -> list[tuple[str, str]]:
    """The cheapest matching; with an odd number, one of the players with the most meetings has to wait."""
    count = len(idle)
    last = {name: {*players} for players in meetings for name in players}
    ratings, counts = pairing_ratings(t)
    edges = []
    for a, b in combinations(range(count), 2):
        one, other = idle[a], idle[b]
        both = counts[one] + counts[other]
        doubt = (ratings[one] - ratings[other]) ** 2 * counts[one] * counts[other] // both if both else 0
        again = AGAIN if last.get(one) == {one, other} == last.get(other) else 0
        lot = draws.below(LOTS, t.seed, f"ladder|{t.round + 1}|{'|'.join(sorted((one, other)))}")
        edges.append((a, b, (min(doubt, CERTAIN) + again) * LOTS * count + lot))
    most = max(met[name] for name in idle)
    edges += [(a, count, (most - met[idle[a]]) * AGAIN * LOTS * count**2 + a) for a in range(count) if count % 2]
    import rustworkx  # imported late: with numpy it would add a tenth to the server's start

    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * (count + count % 2))
    graph.add_edges_from(edges)
    ceiling = max(cost for _, _, cost in edges) + 1
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda cost: ceiling - cost)
    return [(idle[a], idle[b]) for a, b in sorted(sorted(pair) for pair in matching) if b < count]


def pairing_ratings(t: Tournament) -> tuple[dict[str, int], dict[str, int]]:
    """Everybody's rating and number of matches, from the results in the order in which they came in."""
    ratings = dict.fromkeys(t.seeds, 0)
    counts = dict.fromkeys(t.seeds, 0)
    for result in t.results.values():
        if result.match is None or (t.rules > 1 and result.points == (0.0, 0.0)):
            continue
        one, other = result.fixture.players
        d = ratings[one] - ratings[other]
        expected = 500 + 500 * d // (abs(d) + 400)
        surprise = round(1000 * result.points[0]) - expected
        for name, sign in ((one, 1), (other, -1)):
            ratings[name] += (32 + 128 // (counts[name] + 1)) * sign * surprise // 1000
            counts[name] += 1
    return ratings, counts
