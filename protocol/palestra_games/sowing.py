"""Lookup tables for sowing, on boards of pits and stores packed into one int.

Each cell is a lane of eight bits. Lanes follow the path of the seeds: seat 0's pits from the farthest to pit 1, its
store, then the same for seat 1. What sowing a pit adds to the board then depends only on the pit and its seeds, and a
move is a single addition:

    lane    0  1  2  3  4  5    6      7  8  9 10 11 12   13
    cell   P6 P5 P4 P3 P2 P1  store   O6 O5 O4 O3 O2 O1  store

The lane of a store has its seeds, that of a pit 127 more: its highest bit is set if and only if there are any.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, TypeAlias

from palestra_games.interface import OPPONENT, Seat

LANE = 8
FULL_LANE = (1 << LANE) - 1
SEEDS_MAX = EMPTY = 127  # most seeds on a board, and what the lane of an empty pit holds
HELD = EMPTY + 1  # the highest bit of a lane

# Whether a capture needs seeds in the opposite pit. "any" also captures the last seed on its own (Irving, Donkers and
# Uiterwijk, "Solving Kalah", ICGA Journal 2000).
Capture = Literal["non-empty", "any"]

# Plain tuples: they are unpacked at every move, which takes three times as long with a class of their own.
# A capture: the shift to the lane of the opposite pit, what it adds to the board for the last seed (as if that lane
# held no 127 more) and for each unit of the opposite lane, and the `held` mask of the mover.
Prize: TypeAlias = tuple[int, int, int, int]
Holding: TypeAlias = dict[int, tuple[int, ...]]
# Sowing one pit: what it adds to the board; the `held` mask of the mover if its pits may be empty then and the other
# seat moves next; if the last seed lands in one of them, the mask that tells whether that pit was empty, and the
# capture; the side that moves next and, so that a move need not fetch them from there, its `seat`, `held` and
# `holding`.
Sown: TypeAlias = "tuple[int, int | None, int, Prize | None, Side, Seat, int, Holding]"
# The mask of a pit, and how the pit is sown, keyed by what the mask leaves of the board; no entry if it is empty.
Move: TypeAlias = tuple[int, dict[int, Sown]]


class Side:
    """The tables of the seat to move. `holding[board & held]` are its pits that hold seeds, and `moves` are keyed by
    action."""

    __slots__ = ("held", "holding", "moves", "seat", "sowing")

    moves: dict[int, Move]

    def __init__(self, rules: Sowing, seat: Seat) -> None:
        self.sowing = rules
        self.seat: Seat = seat
        self.held = rules.row(seat, HELD)
        lanes = [HELD << LANE * rules.lane(seat, pit) for pit in range(rules.pits)]
        self.holding: Holding = {
            sum(lane for pit, lane in enumerate(lanes) if held >> pit & 1): tuple(
                pit for pit in range(rules.pits) if held >> pit & 1
            )
            for held in range(1 << rules.pits)
        }

    def __reduce__(self) -> tuple[object, tuple[int, Capture, Seat]]:
        return _side, (self.sowing.pits, self.sowing.capture, self.seat)


class Sowing:
    """The tables for `pits` pits per side. There is one object per number and rule (see `sowing`), so `==` is `is`."""

    __slots__ = ("capture", "empty", "pits", "sides", "stores")

    def __init__(self, pits: int, capture: Capture) -> None:
        self.pits = pits
        self.capture: Capture = capture
        # The empty board.
        self.empty = self.row(0, EMPTY) + self.row(1, EMPTY)
        # For each seat, the shift to its store.
        self.stores = LANE * self.lane(0, -1), LANE * self.lane(1, -1)
        self.sides = Side(self, 0), Side(self, 1)
        for side in self.sides:
            side.moves = {pit: self._move(side.seat, pit) for pit in range(pits)}

    def __reduce__(self) -> tuple[object, tuple[int, Capture]]:
        return sowing, (self.pits, self.capture)

    def __repr__(self) -> str:
        return f"sowing({self.pits}, {self.capture!r})"

    def pack(self, pits: tuple[tuple[int, ...], ...], stores: tuple[int, ...]) -> int:
        """The board with these rows (pit 1 first) and stores. Raises ValueError for more than SEEDS_MAX seeds."""
        cells = [seeds for row, store in zip(pits, stores, strict=True) for seeds in (*reversed(row), store)]
        if sum(cells) > SEEDS_MAX:
            raise ValueError(f"There are {sum(cells)} seeds; a board holds at most {SEEDS_MAX}.")
        return self.empty + int.from_bytes(cells, "little")

    def cells(self, board: int) -> bytes:
        """The seeds in each cell, in lane order."""
        return (board - self.empty).to_bytes(2 * self.pits + 2, "little")

    def gathered(self, board: int) -> int:
        """The final board: each player's row goes into that player's store."""
        cells, side = self.cells(board), self.pits + 1
        first, second = self.stores
        return self.empty + (sum(cells[:side]) << first) + (sum(cells[side:]) << second)

    def lane(self, seat: int, pit: int) -> int:
        """The lane of a pit (from 0), or with -1 of the store."""
        return seat * (self.pits + 1) + self.pits - 1 - pit

    def row(self, seat: Seat, seeds: int) -> int:
        """The board with this number in each pit of the seat."""
        return sum(seeds << LANE * self.lane(seat, pit) for pit in range(self.pits))

    def _move(self, seat: Seat, pit: int) -> Move:
        origin, store = self.lane(seat, pit), self.lane(seat, -1)
        cells = 2 * self.pits + 2
        passed_by = self.lane(OPPONENT[seat], -1)
        ring = [lane for step in range(cells) if (lane := (origin + 1 + step) % cells) != passed_by]
        held, added = self.sides[seat].held, 0
        sown: dict[int, Sown] = {}
        for seeds in range(1, SEEDS_MAX + 1):
            last = ring[(seeds - 1) % len(ring)]
            added += 1 << LANE * last
            after = self.sides[seat if last == store else OPPONENT[seat]]
            # With a seed in one of its pits the row can't be empty; the next mover's is checked in any case.
            emptied = None if added & self.row(seat, FULL_LANE) or last == store else held
            was_empty, prize = 0, None
            if HELD << LANE * last & held and seeds <= len(ring):  # after more than a lap it has at least two seeds
                # After just one, the last seed is back in the pit that was sown.
                was_empty = HELD << LANE * last if last != origin else 0
                # A pit is as far from the start of the board as its opposite is from the end.
                opposite, into = LANE * (2 * self.pits - last), 1 << LANE * store
                each = into - (1 << opposite)
                prize = opposite, into - (1 << LANE * last) - EMPTY * each, each, held
            taken = seeds << LANE * origin
            sown[taken + (EMPTY << LANE * origin)] = (
                added - taken,
                emptied,
                was_empty,
                prize,
                after,
                after.seat,
                after.held,
                after.holding,
            )
        return FULL_LANE << LANE * origin, sown


@cache
def sowing(pits: int, capture: Capture) -> Sowing:
    return Sowing(pits, capture)


def _side(pits: int, capture: Capture, seat: Seat) -> Side:
    return sowing(pits, capture).sides[seat]
