"""Kalah: sow the seeds of a pit, capture, and have more in the store at the end.

The course's game is Kalah(6, 4), where a capture needs a pit with seeds on the other side. Pit 1 is nearest the own
store. Seen by the player who sows, the seeds go round this ring, never through the opponent's store:

    P6 P5 P4 P3 P2 P1  own store  O6 O5 O4 O3 O2 O1  and P6 again
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from palestra_games.interface import (
    DRAW,
    OPPONENT,
    WIN,
    ActionView,
    BoardView,
    CellView,
    Seat,
    illegal_action,
    numbered_name,
    parse_numbered,
    require_state,
    wire_ints,
    wire_map,
    wire_seat,
    wire_value,
)

Capture = Literal["non-empty", "any"]
"""Whether a capture needs seeds in the opposite pit. "any" captures the single seed alone, too (Irving, Donkers and
Uiterwijk, "Solving Kalah", ICGA Journal 2000)."""


@dataclass(frozen=True, slots=True)
class MancalaState:
    """A position: `pits[seat]` are that seat's pits, pit 1 (nearest the own store) first; `stores[seat]` its store.

    Action a sows pit a + 1 of the seat to move. When the game is over all pits are empty.
    """

    pits: tuple[tuple[int, ...], tuple[int, ...]]
    stores: tuple[int, int]
    to_move: Seat
    capture: Capture = "non-empty"

    def legal_actions(self) -> tuple[int, ...]:
        """The own pits that hold seeds, ascending, from 0; () when the game is over."""
        return tuple([pit for pit, seeds in enumerate(self.pits[self.to_move]) if seeds])

    def apply(self, action: int) -> MancalaState:
        """The position after sowing pit `action` (from 0). Raises `IllegalAction`."""
        seat, count = self.to_move, len(self.pits[0])
        mine, theirs = self.pits[seat], self.pits[OPPONENT[seat]]
        if type(action) is not int or not 0 <= action < count or not mine[action]:
            raise illegal_action(action, self.legal_actions(), self._why_not)

        # The ring: own pits at 0 .. count-1, the own store at `count`, the opponent's pits behind it.
        ring = [*reversed(mine), self.stores[seat], *reversed(theirs)]
        origin = count - 1 - action
        seeds, ring[origin] = ring[origin], 0
        last = origin + seeds
        for cell in range(origin + 1, last + 1):
            ring[cell % len(ring)] += 1
        last %= len(ring)
        if last < count and ring[last] == 1:
            opposite = 2 * count - last
            if ring[opposite] or self.capture == "any":
                ring[count] += 1 + ring[opposite]
                ring[last] = ring[opposite] = 0

        mine, theirs, store = tuple(ring[count - 1 :: -1]), tuple(ring[:count:-1]), ring[count]
        their_store = self.stores[OPPONENT[seat]]
        if not any(mine) or not any(theirs):
            store, their_store = store + sum(mine), their_store + sum(theirs)
            mine = theirs = (0,) * count
        pits, stores = ((mine, theirs), (store, their_store)) if seat == 0 else ((theirs, mine), (their_store, store))
        return MancalaState(pits, stores, seat if last == count else OPPONENT[seat], self.capture)

    def _why_not(self, action: int) -> str:
        count = len(self.pits[0])
        return "that pit is empty" if action in range(count) else f"the pits go from 0 to {count - 1}"

    def returns(self) -> tuple[float, float] | None:
        """None in play; then the larger store wins, and equal stores are a draw."""
        if any(self.pits[0]):
            return None
        first, second = self.stores
        return DRAW if first == second else WIN[0] if first > second else WIN[1]

    def to_wire(self) -> dict[str, object]:
        """`pits`: the two rows of pits, pit 1 first; `stores`; `to_move`."""
        return {
            "pits": [list(row) for row in self.pits],
            "stores": list(self.stores),
            "to_move": self.to_move,
        }

    def __str__(self) -> str:
        def line(label: str, numbers: tuple[int, ...] | range) -> str:
            return f"{label:>12}" + "".join(f"{number:4}" for number in numbers)

        count = len(self.pits[0])
        result = self.returns()
        if result is None:
            status = f"seat {self.to_move} to move"
        else:
            status = "over: a draw" if result == DRAW else f"over: seat {result.index(1.0)} wins"
        return "\n".join(
            (
                line("pit", range(1, count + 1)),
                line(f"seat 1 ({self.stores[1]})", self.pits[1]),
                line("", self.pits[0][::-1]) + f"  seat 0 ({self.stores[0]})",
                line("", range(count, 0, -1)) + "  pit",
                status,
            )
        )


@dataclass(frozen=True, slots=True)
class Mancala:
    """The rules of Kalah with `pits` pits a side, `seeds` seeds in each at the start, and a capture variant."""

    pits: int = 6
    seeds: int = 4
    capture: Capture = "non-empty"

    @property
    def name(self) -> str:
        """ "mancala" for the course's game; the variants have their own names, such as "mancala-3x2-any"."""
        size = "" if (self.pits, self.seeds) == (6, 4) else f"-{self.pits}x{self.seeds}"
        return f"mancala{size}" + ("" if self.capture == "non-empty" else f"-{self.capture}")

    def initial_state(self) -> MancalaState:
        """All seeds in the pits, seat 0 to move."""
        row = (self.seeds,) * self.pits
        return MancalaState((row, row), (0, 0), 0, self.capture)

    def from_wire(self, wire: object) -> MancalaState:
        """The state that `to_wire` wrote; ValueError for a wrong type or length, a number of seeds that is not the
        game's, or one row alone that is empty (the other one would have been put into its store)."""
        wire = wire_map(wire)
        total = 2 * self.pits * self.seeds
        rows = wire_value(wire, "pits")
        if not isinstance(rows, list | tuple) or len(rows) != 2:
            raise ValueError("pits must be a list of two rows of pits.")
        pits = tuple(wire_ints(row, f"pits[{seat}]", self.pits, total) for seat, row in enumerate(rows))
        stores = wire_ints(wire_value(wire, "stores"), "stores", 2, total)
        held = sum(stores) + sum(map(sum, pits))
        if held != total:
            raise ValueError(f"There are {held} seeds on the board; this game has {total}.")
        if any(pits[0]) != any(pits[1]):
            empty = 1 if any(pits[0]) else 0
            raise ValueError(f"The row of seat {empty} is empty, so the game is over and all seeds are in the stores.")
        return MancalaState((pits[0], pits[1]), (stores[0], stores[1]), wire_seat(wire), self.capture)

    def action_name(self, action: int) -> str:
        """ "PIT 3" for action 2."""
        return numbered_name(action, "PIT", self.pits)

    def parse_action(self, text: str) -> int:
        """The pit, from 0, of "PIT 3", "pit 3" or "3"."""
        return parse_numbered(text, "PIT", self.pits)

    def view(self, state: object) -> BoardView:
        """Pits and stores: seat 0's row at the bottom with its store at the right end, seat 1's opposite."""
        state = require_state(state, MancalaState)
        count, legal, result = len(state.pits[0]), state.legal_actions(), state.returns()
        row_0 = [CellView("pit", 0, seeds) for seeds in reversed(state.pits[0])]
        row_1 = [CellView("pit", 1, seeds) for seeds in state.pits[1]]
        return BoardView(
            kind="pits",
            rows=2,
            cols=count,
            cells=(*row_0, *row_1),
            actions=tuple(
                ActionView(
                    pit,
                    self.action_name(pit),
                    pit in legal,
                    (count - 1 - pit if state.to_move == 0 else count + pit,),
                )
                for pit in range(count)
            ),
            to_move=None if result else state.to_move,
            returns=result,
            stores=state.stores,
        )


MANCALA = Mancala()
