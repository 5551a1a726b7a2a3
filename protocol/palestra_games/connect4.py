"""Connect four on 6 x 7 and 8 x 8: drop a piece into a column; four in a row win, a full board is a draw."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

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


@dataclass(frozen=True, slots=True)
class Connect4State:
    """A position on bitboards: `stones[seat]` is the set of that seat's pieces, as `palestra_games.grid` lays it out.

    Action a drops a piece into column a, both from 0.
    """

    grid: Grid
    stones: tuple[int, int]
    to_move: Seat
    winner: Seat | None = field(compare=False)
    """The seat that has four in a row. It follows from `stones`; kept because every call needs it."""

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
        """The columns with room, ascending; () when the game is over."""
        if self.winner is not None:
            return ()
        first, second = self.stones
        return self.grid.open_columns[(first | second) & self.grid.top]

    def apply(self, action: int) -> Connect4State:
        """The position after a piece was dropped into column `action`. Raises `IllegalAction`."""
        legal = self.legal_actions()
        if type(action) is not int or action not in legal:
            raise illegal_action(action, legal, self._why_not)
        board, seat = self.grid, self.to_move
        first, second = self.stones
        # Adding the column's lowest bit to its pieces carries up to the first free cell.
        cell = ((first | second) + board.bottom[action]) & board.column[action]
        if seat == 0:
            first |= cell
            won = board.has_line(first)
        else:
            second |= cell
            won = board.has_line(second)
        return Connect4State(board, (first, second), OPPONENT[seat], seat if won else None)

    def _why_not(self, action: int) -> str:
        return "that column is full" if action in range(self.cols) else f"the columns go from 0 to {self.cols - 1}"

    def returns(self) -> tuple[float, float] | None:
        """None in play; a win for the seat with four in a row; a draw when the board is full without."""
        if self.winner is not None:
            return WIN[self.winner]
        first, second = self.stones
        return DRAW if first | second == self.grid.full else None

    def to_wire(self) -> dict[str, object]:
        """`rows`, `cols`, `cells` (see there) and `to_move`."""
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
    """The rules of connect four on a board of `rows` x `cols`."""

    name: str
    rows: int
    cols: int

    def initial_state(self) -> Connect4State:
        """The empty board, seat 0 to move."""
        return Connect4State(grid(self.rows, self.cols), (0, 0), 0, None)

    def from_wire(self, wire: object) -> Connect4State:
        """The state that `to_wire` wrote; ValueError for anything that no sequence of actions leads to as far as
        the counts, the pieces under a piece and the lines can tell."""
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
        return Connect4State(board, stones, to_move, last if board.has_line(stones[last]) else None)

    def action_name(self, action: int) -> str:
        """ "PUT 3" for action 2."""
        return numbered_name(action, "PUT", self.cols)

    def parse_action(self, text: str) -> int:
        """The column, from 0, of "PUT 3", "put 3" or "3"."""
        return parse_numbered(text, "PUT", self.cols)

    def view(self, state: object) -> BoardView:
        """The grid; a click anywhere in a column drops a piece there, and the winning line is highlighted."""
        state = require_state(state, Connect4State)
        board, legal, result = state.grid, state.legal_actions(), state.returns()
        lines = 0 if state.winner is None else board.line_cells(state.stones[state.winner])
        return BoardView(
            kind="grid",
            rows=state.rows,
            cols=state.cols,
            cells=tuple(
                HIGHLIGHTED[value] if bit & lines else CELLS[value]
                for bit, value in zip(board.bits, state.cells, strict=True)
            ),
            actions=tuple(
                ActionView(col, self.action_name(col), col in legal, board.cells_of_column(col))
                for col in range(state.cols)
            ),
            to_move=None if result else state.to_move,
            returns=result,
        )


CONNECT4 = Connect4("connect4", rows=6, cols=7)
CONNECT4_8X8 = Connect4("connect4-8x8", rows=8, cols=8)
