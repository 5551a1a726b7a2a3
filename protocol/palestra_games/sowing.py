"""Lookup tables for sowing, on boards of pits and stores packed into one int.

Each cell is a lane of eight bits. Lanes follow the path of the seeds: seat 0's pits from the farthest to pit 1, its
store, then the same for seat 1. What sowing a pit adds to the board then depends only on the pit and its seeds, and a
move is a single addition:

    lane    0  1  2  3  4  5    6      7  8  9 10 11 12   13
    cell   P6 P5 P4 P3 P2 P1  store   O6 O5 O4 O3 O2 O1  store
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from palestra_games.interface import OPPONENT, Seat

LANE = 8
FULL_LANE = (1 << LANE) - 1
SEEDS_MAX = 127
"""Most seeds on a board. A lane can hold twice as many; `Row` relies on the spare bit."""

# Plain tuples: they are unpacked at every move, which takes three times as long with a class of their own.
Landing: TypeAlias = tuple[int, int, int, int, int]
"""A last seed that lands in the mover's own pit: the mask of that pit, a single seed in it, the shift to the lane of
the opposite pit, and what a capture adds to the board for the seed itself and for each seed in the opposite pit."""
Sown: TypeAlias = tuple[int, Seat, int | None, Landing | None]
"""Sowing one pit: what it adds to the board, who moves next, the mask of the mover's pits if this may have emptied
them, and the landing if it is in the mover's own pit."""
Move: TypeAlias = tuple[int, dict[int, Sown]]
"""The mask of a pit, and how the pit is sown, keyed by what the mask leaves of the board; no entry if it is empty."""
Row: TypeAlias = tuple[int, int, dict[int, tuple[int, ...]]]
"""(plus, high, legal): `legal[board + plus & high]` are the pits that hold seeds, because adding 127 sets the top bit
of every lane that isn't empty."""


class Sowing:
    """The tables for `pits` pits per side. There is one object per number (see `sowing`), so `==` is `is`."""

    __slots__ = ("moves", "pits", "rows", "seats", "stores")

    def __init__(self, pits: int) -> None:
        self.pits = pits
        self.seats = self._row(0), self._row(1)
        # For each seat, the mask of its pits.
        self.rows = self._pits(0, FULL_LANE), self._pits(1, FULL_LANE)
        # For each seat, the shift to its store.
        self.stores = LANE * self._lane(0, -1), LANE * self._lane(1, -1)
        # Indexed by seat, then keyed by action.
        self.moves = tuple({pit: self._move(seat, pit) for pit in range(pits)} for seat in (0, 1))

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return sowing, (self.pits,)

    def __repr__(self) -> str:
        return f"sowing({self.pits})"

    def pack(self, pits: tuple[tuple[int, ...], ...], stores: tuple[int, ...]) -> int:
        """The board with these rows (pit 1 first) and stores. Raises ValueError for more than SEEDS_MAX seeds."""
        cells = [seeds for row, store in zip(pits, stores, strict=True) for seeds in (*reversed(row), store)]
        if sum(cells) > SEEDS_MAX:
            raise ValueError(f"There are {sum(cells)} seeds; a board holds at most {SEEDS_MAX}.")
        return int.from_bytes(cells, "little")

    def cells(self, board: int) -> bytes:
        """The seeds in each cell, in lane order."""
        return board.to_bytes(2 * self.pits + 2, "little")

    def _lane(self, seat: int, pit: int) -> int:
        return seat * (self.pits + 1) + self.pits - 1 - pit

    def _pits(self, seat: Seat, seeds: int) -> int:
        """The board with this number in each pit of the seat."""
        return sum(seeds << LANE * self._lane(seat, pit) for pit in range(self.pits))

    def _row(self, seat: Seat) -> Row:
        lanes = [LANE * self._lane(seat, pit) for pit in range(self.pits)]
        legal = {
            sum(SEEDS_MAX + 1 << lane for pit, lane in enumerate(lanes) if held >> pit & 1): tuple(
                pit for pit in range(self.pits) if held >> pit & 1
            )
            for held in range(1 << self.pits)
        }
        return self._pits(seat, SEEDS_MAX), self._pits(seat, SEEDS_MAX + 1), legal

    def _move(self, seat: Seat, pit: int) -> Move:
        origin, store = self._lane(seat, pit), self._lane(seat, -1)
        cells = 2 * self.pits + 2
        passed_by = self._lane(OPPONENT[seat], -1)
        ring = [lane for step in range(cells) if (lane := (origin + 1 + step) % cells) != passed_by]
        own, added = self._pits(seat, FULL_LANE), 0
        sown: dict[int, Sown] = {}
        for seeds in range(1, SEEDS_MAX + 1):
            last = ring[(seeds - 1) % len(ring)]
            added += 1 << LANE * last
            landing = self._landing(last, store) if own >> LANE * last & 1 else None
            emptied = None if added & own else own  # a seed in one of them, and the row can't be empty
            taken = seeds << LANE * origin
            sown[taken] = added - taken, seat if last == store else OPPONENT[seat], emptied, landing
        return FULL_LANE << LANE * origin, sown

    def _landing(self, last: int, store: int) -> Landing:
        # A pit is as far from the start of the board as its opposite is from the end.
        pit, opposite = LANE * last, LANE * (2 * self.pits - last)
        into, single = 1 << LANE * store, 1 << pit
        return FULL_LANE << pit, single, opposite, into - single, into - (1 << opposite)


@cache
def sowing(pits: int) -> Sowing:
    """The one `Sowing` for this number of pits."""
    return Sowing(pits)
