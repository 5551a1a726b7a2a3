"""Connect four on 6 x 7 and 8 x 8: drop a piece into a column; four in a row win, a full board is a draw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

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
HIGHLIGHTED = tuple(replace(cell, highlight=True) for cell in CELLS)


new = tuple.__new__  # what a NamedTuple's constructor calls in the end; skips the Python frame around it


class Connect4State(NamedTuple):
    """A position. `first` and `second` are the pieces of seats 0 and 1, laid out by `Grid.in_lines` for `apply`;
    `stones` gives them with one bit per cell. Action a drops a piece into column a, counting from 0.
    """

    grid: Grid
    first: int
    second: int
    to_move: Seat
    winner: Seat | None
    """The seat with four in a row. Derived from the pieces, but stored because every call needs it."""

    @property
    def stones(self) -> tuple[int, int]:
        """Each seat's pieces, in the layout of `palestra_games.grid`."""
        full = self.grid.full
        return self.first & full, self.second & full

    @property
    def rows(self) -> int:
        return self.grid.rows

    @property
    def cols(self) -> int:
        return self.grid.cols

    @property
    def cells(self) -> tuple[int, ...]:
        """Each cell in wire order (row 0 first, column 0 first): 0 empty, 1 and 2 the pieces of seat 0 and 1."""
        return tuple(self.grid.cells(*self.stones))

    def legal_actions(self) -> tuple[int, ...]:
        """The columns that aren't full, ascending; () when the game is over."""
        board, first, second, _, winner = self
        return board.open_columns[(first | second) & board.top] if winner is None else ()

    def apply(self, action: int) -> Connect4State:
        """The position after dropping a piece into column `action`. Raises `IllegalAction`."""
        board, first, second, seat, winner = self
        try:
            column, free = board.drops[action if type(action) is int and winner is None else -1]
            cell = free[(first | second) & column]
        except KeyError:
            raise illegal_action(action, self.legal_actions(), self._why_not) from None
        if seat:
            second |= cell
            pairs = second & second >> 1
        else:
            first |= cell
            pairs = first & first >> 1
        winner = seat if pairs & pairs >> 2 else None
        return new(Connect4State, (board, first, second, OPPONENT[seat], winner))

    def _why_not(self, action: int) -> str:
        return "that column is full" if action in range(self.cols) else f"the columns go from 0 to {self.cols - 1}"

    def returns(self) -> tuple[float, float] | None:
        """None while in play; a win for the seat with four in a row; a draw if the board fills up without one."""
        if self.winner is not None:
            return WIN[self.winner]
        return None if self.legal_actions() else DRAW

    def to_wire(self) -> dict[str, object]:
        """`rows`, `cols`, `cells` (as in the property) and `to_move`."""
        return {"rows": self.rows, "cols": self.cols, "cells": self.grid.cells(*self.stones), "to_move": self.to_move}

    def __str__(self) -> str:
        result = self.returns()
        if result is None:
            status = f"seat {self.to_move} ({SYMBOLS[self.to_move + 1]}) to move"
        elif self.winner is None:
            status = "over: a draw"
        else:
            status = f"over: seat {self.winner} ({SYMBOLS[self.winner + 1]}) wins"
        return f"{self.grid.draw(self.cells, SYMBOLS)}\n{status}"


@dataclass(frozen=True, slots=True)
class Connect4:
    """The rules of connect four on a `rows` x `cols` board."""

    name: str
    rows: int
    cols: int

    def initial_state(self) -> Connect4State:
        """The empty board, seat 0 to move."""
        return Connect4State(grid(self.rows, self.cols), 0, 0, 0, None)

    def from_wire(self, wire: object) -> Connect4State:
        """The state that `to_wire` wrote. Raises ValueError for boards that cannot arise in play, as far as the
        number of pieces, gaps under pieces and finished lines can tell."""
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
        first, second = (board.in_lines(pieces) for pieces in stones)
        return Connect4State(board, first, second, to_move, last if board.has_line(stones[last]) else None)

    def action_name(self, action: int) -> str:
        """Such as "PUT 3" for action 2."""
        return numbered_name(action, "PUT", self.cols)

    def parse_action(self, text: str) -> int:
        """The column (from 0) meant by "PUT 3", "put 3" or "3"."""
        return parse_numbered(text, "PUT", self.cols)

    def view(self, state: object) -> BoardView:
        """A grid: clicking anywhere in a column drops a piece there, and the winning line is highlighted."""
        state = require_state(state, Connect4State)
        board, result = state.grid, state.returns()
        lines = 0 if state.winner is None else board.line_cells(state.stones[state.winner])
        return BoardView(
            kind="grid",
            rows=state.rows,
            cols=state.cols,
            cells=tuple(
                HIGHLIGHTED[value] if bit & lines else CELLS[value]
                for bit, value in zip(board.bits, state.cells, strict=True)
            ),
            actions=_actions(self, board, state.legal_actions()),
            to_move=None if result else state.to_move,
            returns=result,
        )


# A watched match is drawn at every move, and its columns are mostly open as before.
@lru_cache(maxsize=1024)
def _actions(game: Connect4, board: Grid, legal: tuple[int, ...]) -> tuple[ActionView, ...]:
    return tuple(
        ActionView(col, game.action_name(col), col in legal, board.cells_of_column(col)) for col in range(board.cols)
    )


CONNECT4 = Connect4("connect4", rows=6, cols=7)
CONNECT4_8X8 = Connect4("connect4-8x8", rows=8, cols=8)
