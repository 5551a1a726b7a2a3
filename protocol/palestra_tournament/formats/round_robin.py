"""Everybody meets everybody `cycles` times, by Berger tables (FIDE Handbook C.05, annex 1).

With 2m players numbered from 1 in order of seeding, players i and j below 2m meet in round i + j - 1 (minus 2m - 1 if
that is larger); the smaller number has the first seat if i + j is odd, the larger if it is even. The last player meets
i in the round where i would meet itself, and has the second seat against the lower half. With an odd number of players,
the last one is a bye. Every second cycle swaps the seats.

Who comes late meets everybody else in further rounds, one after the other, as often.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeAlias

from pydantic import Field

from palestra_tournament.formats.meetings import matches_of_a_meeting, meeting, meetings_of_latecomer
from palestra_tournament.formats.pairing import PairRound
from palestra_tournament.interface import Draw, Format, Planned
from palestra_tournament.model import Tournament
from palestra_tournament.scores import HEAD_TO_HEAD, POINTS, SONNEBORN_BERGER, WINS

Cycles: TypeAlias = Annotated[int, Field(ge=1, le=50)]


class RoundRobin(Format):
    name = "round-robin"
    title = "Round robin"
    about = "Everybody plays everybody."
    keys = """\
# cycles = 1                    # how many times
"""
    criteria = (POINTS, HEAD_TO_HEAD, SONNEBORN_BERGER, WINS)

    cycles: Cycles = 1

    def draw(self, t: Tournament, _: PairRound) -> Draw | None:
        if t.fixtures:
            return None
        rounds = cycle_rounds(t.seeds, self.cycles)
        return Draw(
            tuple(
                fixture
                for number, pairs in enumerate(rounds, start=1)
                for table, players in enumerate(pairs, start=1)
                for fixture in meeting(t, number, table, players)
            )
        )

    def join(self, t: Tournament) -> Draw:
        return Draw(meetings_of_latecomer(t, t.seeds[:-1], self.cycles))

    def planned(self, t: Tournament) -> Planned:
        meetings, rounds = cycle_size(len(t.seeds), self.cycles)
        return Planned(meetings * matches_of_a_meeting(t), t.round or rounds)


def cycle_size(players: int, cycles: int) -> tuple[int, int]:
    """How many meetings and rounds `cycles` round robins have."""
    return players * (players - 1) // 2 * cycles, (players - 1 + players % 2) * cycles


def berger(count: int) -> list[list[tuple[int, int]]]:
    """The rounds for `count` players numbered from 0, with pairs as (first seat, second seat)."""
    even = count + count % 2
    rounds: list[list[tuple[int, int]]] = [[] for _ in range(even - 1)]
    for i in range(1, even):
        for j in range(i, even):
            number = (i + j - 2) % (even - 1)
            if i != j:
                rounds[number].append((i - 1, j - 1) if (i + j) % 2 else (j - 1, i - 1))
            elif even == count:
                rounds[number].append((i - 1, even - 1) if 2 * i <= even else (even - 1, i - 1))
    return rounds


def cycle_rounds(players: Sequence[str], cycles: int) -> list[list[tuple[str, str]]]:
    """All rounds of `cycles` round robins, with pairs as (first seat, second seat)."""
    tables = berger(len(players))
    return [
        [(players[b], players[a]) if cycle % 2 else (players[a], players[b]) for a, b in pairs]
        for cycle in range(cycles)
        for pairs in tables
    ]
