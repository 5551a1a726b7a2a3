"""Kalah: sow the seeds of a pit, capture, and finish with more seeds in your store.

The course plays Kalah(6, 4) and captures only if the opposite pit holds seeds. Pit 1 is next to the player's own
store. Seeds travel round this ring, as seen by the player who sows, skipping the opponent's store:

    P6 P5 P4 P3 P2 P1  own store  O6 O5 O4 O3 O2 O1  and P6 again
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from operator import attrgetter

from palestra_games.interface import (
    DRAW,
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
from palestra_games.sowing import EMPTY, FULL_LANE, Capture, Side, Sowing, sowing


class MancalaState:
    """Action a sows pit a + 1 of the seat to move. Once the game is over, all pits are empty."""

    # See `Connect4State`. Only this module may set them.
    __slots__ = ("_board", "_legal", "_side", "_to_move")

    _side: Side
    _board: int  # all cells; see `palestra_games.sowing`
    _legal: tuple[int, ...]
    _to_move: Seat

    @classmethod
    def of(
        cls,
        pits: tuple[tuple[int, ...], tuple[int, ...]],
        stores: tuple[int, int],
        to_move: Seat,
        capture: Capture = "non-empty",
    ) -> MancalaState:
        """`pits[seat]` holds that seat's pits, starting with pit 1 (next to its store); `stores[seat]` is its store."""
        rules = sowing(len(pits[0]), capture)
        state = cls()
        state._side = side = rules.sides[to_move]
        state._board = board = rules.pack(pits, stores)
        state._legal = side.holding[board & side.held]
        state._to_move = to_move
        return state

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MancalaState):
            return NotImplemented
        return self._board == other._board and self._side is other._side

    def __hash__(self) -> int:
        return hash((self._board, self._to_move))

    def __repr__(self) -> str:
        return f"MancalaState.of({self.pits}, {self.stores}, {self._to_move}, {self.capture!r})"

    # In C, since a match calls it at every ply.
    to_move = property(attrgetter("_to_move"), doc="The seat that acts next.")

    @property
    def sowing(self) -> Sowing:
        return self._side.sowing

    @property
    def capture(self) -> Capture:
        return self._side.sowing.capture

    @property
    def pits(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Each seat's pits, starting with pit 1 (next to its store)."""
        count, cells = self.sowing.pits, self.sowing.cells(self._board)
        return tuple(cells[count - 1 :: -1]), tuple(cells[2 * count : count : -1])

    @property
    def stores(self) -> tuple[int, int]:
        first, second = self.sowing.stores
        return self._board >> first & FULL_LANE, self._board >> second

    def legal_actions(self) -> tuple[int, ...]:
        return self._legal

    def apply(self, action: int) -> MancalaState:
        side, board = self._side, self._board
        try:
            pit, sown = side.moves[action if type(action) is int else -1]  # True is a key like 1
            added, emptied, was_empty, prize, after, seat, held, holding = sown[board & pit]
        except KeyError:
            raise illegal_action(action, self._legal, self._why_not) from None
        if prize is None or board & was_empty:
            board += added
        else:
            board += added
            opposite, alone, each, own = prize
            taken = board >> opposite & FULL_LANE
            if taken > EMPTY or side.sowing.capture == "any":
                board += alone + each * taken
                emptied = own
        legal = holding[board & held]
        # It is over when a row is empty: the next mover's, or the mover's own.
        if not legal or (emptied is not None and not board & emptied):
            board = side.sowing.gathered(board)
            legal = ()
        state = MancalaState()
        state._side = after
        state._board = board
        state._legal = legal
        state._to_move = seat
        return state

    def _why_not(self, action: int) -> str:
        count = self.sowing.pits
        return "that pit is empty" if action in range(count) else f"the pits go from 0 to {count - 1}"

    def returns(self) -> tuple[float, float] | None:
        if self._legal:
            return None
        first, second = self.stores
        return DRAW if first == second else WIN[0] if first > second else WIN[1]

    def to_wire(self) -> dict[str, object]:
        """`pits` (two rows, pit 1 first), `stores` and `to_move`."""
        return {"pits": [list(row) for row in self.pits], "stores": list(self.stores), "to_move": self.to_move}

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
    """Kalah with `pits` pits per side, `seeds` seeds in each at the start, and a capture rule."""

    pits: int = 6
    seeds: int = 4
    capture: Capture = "non-empty"

    @property
    def name(self) -> str:
        """The course's game is "mancala"; variants have names of their own, such as "mancala-3x2-any"."""
        size = "" if (self.pits, self.seeds) == (6, 4) else f"-{self.pits}x{self.seeds}"
        return f"mancala{size}" + ("" if self.capture == "non-empty" else f"-{self.capture}")

    def initial_state(self) -> MancalaState:
        """Every pit full, both stores empty, seat 0 to move."""
        row = (self.seeds,) * self.pits
        return MancalaState.of((row, row), (0, 0), 0, self.capture)

    def from_wire(self, wire: object) -> MancalaState:
        """Raises ValueError for a wrong type or length, a wrong number of seeds, or a single empty row (the game would
        be over, and the other row's seeds in the store).
        """
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
            raise ValueError(
                f"The row of seat {empty} is empty, so the game is over and all seeds belong in the stores."
            )
        return MancalaState.of((pits[0], pits[1]), (stores[0], stores[1]), wire_seat(wire), self.capture)

    def action_name(self, action: int) -> str:
        return numbered_name(action, "PIT", self.pits)

    def parse_action(self, text: str) -> int:
        return parse_numbered(text, "PIT", self.pits)

    def view(self, state: object) -> BoardView:
        """Seat 0's row at the bottom with its store at the right, seat 1's opposite."""
        state = require_state(state, MancalaState)
        count, result = self.pits, state.returns()
        seeds = state.sowing.cells(state._board)
        return BoardView(
            kind="pits",
            rows=2,
            cols=count,
            cells=(
                *[_pit(0, each) for each in seeds[:count]],
                *[_pit(1, each) for each in seeds[2 * count : count : -1]],
            ),
            actions=_actions(self, state.to_move, state.legal_actions()),
            to_move=None if result else state.to_move,
            returns=result,
            stores=state.stores,
        )


# A watched match is drawn at every move, and most of the drawing stays the same.
@cache
def _pit(seat: Seat, seeds: int) -> CellView:
    return CellView("pit", seat, seeds)


@lru_cache(maxsize=1024)
def _actions(game: Mancala, mover: Seat, legal: tuple[int, ...]) -> tuple[ActionView, ...]:
    cell = range(game.pits - 1, -1, -1) if mover == 0 else range(game.pits, 2 * game.pits)
    return tuple(ActionView(pit, game.action_name(pit), pit in legal, (cell[pit],)) for pit in range(game.pits))


MANCALA = Mancala()
