"""What the arena is to play, and the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from palestra_protocol import limits

# A process of the in-process arena imports this module, and must not wait for pydantic.
if TYPE_CHECKING:
    from palestra_client.arena.refereed import Finished
    from palestra_client.arena.unrefereed import Ending
    from palestra_referee import Outcome


@dataclass(frozen=True, slots=True)
class Settings:
    game: str
    move_ms: int = limits.MOVE_MS
    grace_ms: int = limits.GRACE_MS
    ready_ms: int = 60_000
    ply_limit: int = limits.PLY_LIMIT
    jobs: int = 1


class Fixture(NamedTuple):
    """Two matches between two contenders (by index) from the same opening, with the seats swapped for the second.

    `number` is that of the first match, counting from 1. `single`: only the first match is played.

    A tuple, because `in_process` sends thousands, and pickling a dataclass takes three times as long.
    """

    number: int
    pair: tuple[int, int]
    opening: tuple[int, ...]
    single: bool = False

    @property
    def seatings(self) -> tuple[tuple[int, int], ...]:
        """For each match, the contenders at seat 0 and seat 1."""
        first, second = self.pair
        return ((first, second),) if self.single else ((first, second), (second, first))


class Result(NamedTuple):
    """The result of one match. `finished` is the complete match, if it was refereed.

    A tuple, because `in_process` makes thousands per second.
    """

    number: int
    seats: tuple[int, int]
    outcome: Outcome | Ending
    finished: Finished | None = None

    @property
    def returns(self) -> tuple[float, float]:
        return self.outcome.returns

    def points(self, contender: int) -> float:
        """1, 0.5 or 0; this contender must have played."""
        return (1 + self.returns[self.seats.index(contender)]) / 2


def fixtures(contenders: int, matches: int, openings: Sequence[tuple[int, ...]]) -> list[Fixture]:
    """Plan a round robin of `matches` matches per pair of contenders. All pairs use the same openings.

    Fixtures are ordered by round, so that an interrupted run leaves everyone with about as many matches.
    """
    pairs = list(combinations(range(contenders), 2))
    rounds = -(-matches // 2)
    planned: list[Fixture] = []
    number = 1
    for turn in range(rounds):
        for pair in pairs:
            single = 2 * turn + 1 == matches
            planned.append(Fixture(number, pair, openings[turn % len(openings)], single))
            number += 1 if single else 2
    return planned
