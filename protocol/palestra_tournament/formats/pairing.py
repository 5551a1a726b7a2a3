"""The pairs of a Swiss round: a minimum-cost matching of all players (`swiss` explains the costs).

This is a pure function of a small value. With hundreds of players it takes a tenth of a second of CPU time, and
`rustworkx` holds the GIL for most of it: a server should have another process do it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import Final, NamedTuple, TypeAlias

from palestra_tournament import draws

SEATS_APART: Final = 2  # how much a player's numbers of matches in the first and the second seat may differ
WIDEST: Final = 300  # differences of scores are capped here, in half points
# A prime. Each player's lot is one plus a number drawn below LOTS - 1 (label `swiss|ROUND|NAME`); the lot of a pair is
# the product of both, modulo LOTS.
LOTS: Final = 2**24 - 3
# Upper bounds of the parts of a pair's cost (0: the number of players), most important first: earlier meetings or byes,
# points of whoever has the bye above the last, seats beyond SEATS_APART, squared difference of points, imbalance of
# seats, distance from upper half against lower half, and the lot, which makes the cheapest round unique.
BOUNDS: Final = (50, WIDEST + 1, 10, WIDEST**2 + 1, 50, 0, LOTS)


@dataclass(frozen=True, slots=True)
class Round:
    """Everything a round is drawn from, as plain values.

    `players` are sorted best first. For each of them, `half_points` is twice the points, `seats` the matches in the
    first seat minus those in the second (None if every meeting is balanced anyway), and `byes` the byes so far. `met`
    says how often two of them have met, by index in `players`, lower one first.
    """

    seed: int
    number: int
    players: tuple[str, ...]
    half_points: tuple[int, ...]
    seats: tuple[int, ...] | None
    byes: tuple[int, ...]
    met: tuple[tuple[int, int, int], ...]


class Pairs(NamedTuple):
    """The pairs as (first seat, second seat), and who has the bye, if anyone."""

    pairs: tuple[tuple[str, str], ...]
    idle: str | None


PairRound: TypeAlias = Callable[[Round], Pairs]


def pair_round(of: Round) -> Pairs:
    count, score = len(of.players), of.half_points
    level = Counter(score)
    again, above, apart, difference, imbalance, fold, lot = _digits(count)
    lots = [1 + draws.below(LOTS - 1, of.seed, f"swiss|{of.number}|{name}") for name in of.players]
    differs = [min(WIDEST, points) ** 2 * difference for points in range(score[0] - score[-1] + 1)] if count else []
    costs: list[int] = []
    for a in range(count):
        points, mine, half = score[a], lots[a] * lot, level[score[a]] // 2 + a
        for b in range(a + 1, count):
            less = points - score[b]
            costs.append(mine * lots[b] % (LOTS * lot) + (differs[less] if less else abs(b - half) * fold))
    # The index in `costs` where the pairs of each player begin.
    begin = [0, *accumulate(range(count - 1, 0, -1))]
    if of.seats is not None:
        for a in range(count):
            for b in range(a + 1, count):
                beyond, uneven = _seats(of, of.seats, a, b)[1]
                costs[begin[a] + b - a - 1] += beyond * apart + uneven * imbalance
    for a, b, times in of.met:
        costs[begin[a] + b - a - 1] += times * again
    edges = [(a, b, costs[begin[a] + b - a - 1]) for a in range(count) for b in range(a + 1, count)]
    for a in range(count) if count % 2 else ():
        parts = of.byes[a], min(WIDEST, score[a] - score[-1]), lots[a]
        edges.append((a, count, sum(map(mul, parts, (again, above, lot)))))
    pairs, idle = [], None
    for a, b in cheapest_matching(count, edges):
        if b == count:
            idle = of.players[a]
        elif of.seats is None:
            pairs.append((of.players[a], of.players[b]))
        else:
            pairs.append(_seats(of, of.seats, a, b)[0])
    return Pairs(tuple(pairs), idle)


def cheapest_matching(count: int, edges: Sequence[tuple[int, int, int]]) -> list[list[int]]:
    """The pairs of `count` players, given (one, other, cost) of each possible one; if it is odd, `count` is the bye."""
    import rustworkx  # imported late: with numpy it would add a tenth to the server's start

    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * (count + count % 2))
    graph.add_edges_from(edges)
    ceiling = max(cost for _, _, cost in edges) + 1
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=ceiling.__sub__)
    return sorted(sorted(pair) for pair in matching)


def _digits(count: int) -> list[int]:
    """The weight of one unit of each part of the cost, so that it outweighs all later parts in a whole round.

    The total stays below 2^126 for 500 players: rustworkx computes with 128 bits.
    """
    digits = [1]
    for bound in reversed(BOUNDS[1:]):
        digits.append(digits[-1] * (bound or count) * count)
    return digits[::-1]


def _seats(of: Round, seats: tuple[int, ...], a: int, b: int) -> tuple[tuple[str, str], tuple[int, int]]:
    """Who should have the first seat, as (first, second), and the cost: (beyond SEATS_APART, imbalance).

    If both ways cost the same, the one with the lower number (label `seats|ROUND|FIRST|SECOND`) is taken.
    """

    def cost(first: int, second: int) -> tuple[int, int]:
        apart = abs(seats[first] + 1), abs(seats[second] - 1)
        return sum(max(0, value - SEATS_APART) for value in apart), sum(value**2 for value in apart)

    def lot(first: int, second: int) -> int:
        return draws.number(of.seed, f"seats|{of.number}|{of.players[first]}|{of.players[second]}")

    one, other = cost(a, b), cost(b, a)
    if one < other or (one == other and lot(a, b) < lot(b, a)):
        return (of.players[a], of.players[b]), one
    return (of.players[b], of.players[a]), other
