"""Connect four on 6 x 7 and 8 x 8: drop a piece into a column; four in a row win, a full board is a draw."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

from palestra_games.grid import Grid, grid
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
    wire_map,
    wire_seat,
)

SYMBOLS = {0: ".", 1: "x", 2: "o"}
CELLS = (CellView("empty"), CellView("piece", 0), CellView("piece", 1))


class Connect4State:
    """Action a drops a piece into column a, counting from 0."""

    # What a move needs, and what the next one does: attributes of one object are read and written several times as fast
    # as the fields of a named tuple. Only this module may set them.
    __slots__ = ("_grid", "_heights", "_legal", "_other", "_own", "_to_move")

    _grid: Grid
    _own: int  # the pieces of the seat to move, as in `Grid.counted`
    _other: int
    _heights: int  # as in `Grid.heights`, but every column is closed once the game is won
    _legal: tuple[int, ...]
    _to_move: Seat

    @classmethod
    def of(cls, board: Grid, stones: tuple[int, int], to_move: Seat) -> Connect4State:
        """`stones` as in the property; a line belongs to the seat that moved last."""
        state = cls()
        state._grid = board
        state._own, state._other = (board.counted(stones[seat]) for seat in (to_move, OPPONENT[to_move]))
        state._heights = board.closed if state._other & board.fours else board.heights(stones[0] | stones[1])
        state._legal = board.open_columns[state._heights & board.closed]
        state._to_move = to_move
        return state

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Connect4State):
            return NotImplemented
        return (
            self._own == other._own
            and self._other == other._other
            and self._to_move == other._to_move
            and self._grid is other._grid
        )

    def __hash__(self) -> int:
        return hash((self._own, self._other))

    def __repr__(self) -> str:
        return f"Connect4State.of({self._grid!r}, {self.stones}, {self._to_move})"

    # In C, since a match calls it at every ply.
    to_move = property(attrgetter("_to_move"), doc="The seat that acts next.")

    @property
    def grid(self) -> Grid:
        return self._grid

    @property
    def stones(self) -> tuple[int, int]:
        """Each seat's pieces, in the layout of `palestra_games.grid`."""
        own, other = self._own & self._grid.full, self._other & self._grid.full
        return (other, own) if self._to_move else (own, other)

    @property
    def winner(self) -> Seat | None:
        return OPPONENT[self._to_move] if self._other & self._grid.fours else None

    @property
    def rows(self) -> int:
        return self._grid.rows

    @property
    def cols(self) -> int:
        return self._grid.cols

    @property
    def cells(self) -> tuple[int, ...]:
        """Each cell in wire order (row 0 first, column 0 first): 0 empty, 1 and 2 the pieces of seat 0 and 1."""
        return tuple(self._grid.cells(*self.stones))

    def legal_actions(self) -> tuple[int, ...]:
        return self._legal

    def apply(self, action: int) -> Connect4State:
        board, heights = self._grid, self._heights
        try:
            lane, landings = board.drops[action if type(action) is int else -1]  # True is a key like 1
            piece, higher, fills = landings[heights & lane]
        except KeyError:
            raise illegal_action(action, self._legal, self._why_not) from None
        own = self._own + piece
        state = Connect4State()
        state._grid = board
        state._own = self._other
        state._other = own
        state._to_move = OPPONENT[self._to_move]
        if own & board.fours:
            state._heights = board.closed
            state._legal = ()
        else:
            state._heights = heights = heights + higher
            state._legal = board.open_columns[heights & board.closed] if fills else self._legal
        return state

    def _why_not(self, action: int) -> str:
        return "that column is full" if action in range(self.cols) else f"the columns go from 0 to {self.cols - 1}"

    def returns(self) -> tuple[float, float] | None:
        if self._legal:
            return None
        return DRAW if self.winner is None else WIN[self.winner]

    def to_wire(self) -> dict[str, object]:
        """`rows`, `cols`, `cells` (as in the property) and `to_move`."""
        return {"rows": self.rows, "cols": self.cols, "cells": self._grid.cells(*self.stones), "to_move": self.to_move}

    def __str__(self) -> str:
        result = self.returns()
        if result is None:
            status = f"seat {self.to_move} ({SYMBOLS[self.to_move + 1]}) to move"
        elif self.winner is None:
            status = "over: a draw"
        else:
            status = f"over: seat {self.winner} ({SYMBOLS[self.winner + 1]}) wins"
        return f"{self._grid.draw(self.cells, SYMBOLS)}\n{status}"


@dataclass(frozen=True, slots=True)
class Connect4:
    name: str
    rows: int
    cols: int

    def initial_state(self) -> Connect4State:
        return Connect4State.of(grid(self.rows, self.cols), (0, 0), 0)

    def from_wire(self, wire: object) -> Connect4State:
        """Raises ValueError for boards that can't arise in play, judging by the number of pieces, gaps under pieces and
        finished lines.
        """
        wire = wire_map(wire)
        board = grid(self.rows, self.cols)
        cells = board.read_cells(wire, 2)
        to_move = wire_seat(wire)
        ahead = cells.count(1) - cells.count(2)
        if ahead not in (0, 1):
            raise ValueError(
                f"Seat 0 has {cells.count(1)} pieces and seat 1 has {cells.count(2)}; seats take turns, seat 0 first."
            )
        if to_move != ahead:
            raise ValueError(f"By the number of pieces seat {ahead} is to move, not seat {to_move}.")
        stones = (board.pieces(cells, 1), board.pieces(cells, 2))
        last = OPPONENT[to_move]
        if board.has_line(stones[to_move]):
            raise ValueError(f"Seat {to_move} has four in a row already, so seat {last} can't have moved after that.")
        return Connect4State.of(board, stones, to_move)

    def action_name(self, action: int) -> str:
        return numbered_name(action, "PUT", self.cols)

    def parse_action(self, text: str) -> int:
        return parse_numbered(text, "PUT", self.cols)

    def view(self, state: object) -> BoardView:
        """Clicking anywhere in a column drops a piece there, and the winning line is highlighted."""
        state = require_state(state, Connect4State)
        board, result = state.grid, state.returns()
        cells = [CELLS[value] for value in state.cells]
        if state.winner is not None:
            board.highlight_lines(cells, state.stones[state.winner])
        return BoardView(
            kind="grid",
            rows=board.rows,
            cols=board.cols,
            cells=tuple(cells),
            actions=_actions(self, board, state.legal_actions()),
            to_move=None if result else state.to_move,
            returns=result,
        )


# A watched match is drawn at every move, and mostly the same columns are open as before.
@lru_cache(maxsize=1024)
def _actions(game: Connect4, board: Grid, legal: tuple[int, ...]) -> tuple[ActionView, ...]:
    return tuple(
        ActionView(col, game.action_name(col), col in legal, board.cells_of_column(col)) for col in range(board.cols)
    )


CONNECT4 = Connect4("connect4", rows=6, cols=7)
CONNECT4_8X8 = Connect4("connect4-8x8", rows=8, cols=8)
