"""Desconecta-4 BOOM on 7 x 7: connect four where making a line loses, with bombs.

Players alternate, and every action ends the turn. In every fifth round the piece a player drops is a bomb, unless they
already have one on the board. BOOM removes the player's own pieces from the bomb's row, and whatever stood above them
falls by one. Whoever owns four in a row (bombs count) loses, no matter who moved; a full board without a line is a
draw. Games can go on forever, so a match needs a ply limit.
"""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter

from palestra_games.grid import grid
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
    wire_int,
    wire_map,
    wire_seat,
    wire_value,
)

SIZE = 7
BOOM = 7  # the action that follows the seven columns
BOMB_EVERY = 5  # in every round divisible by this, a seat without a bomb drops one
SYMBOLS = {0: ".", 1: "x", 2: "o", 4: "X", 5: "O"}
CELLS = {
    0: CellView("empty"),
    1: CellView("piece", 0),
    2: CellView("piece", 1),
    4: CellView("bomb", 0),
    5: CellView("bomb", 1),
}

GRID = grid(SIZE, SIZE)
# A column takes 8 bits in the layout of `palestra_games.grid`, so shifting right by n makes row n the bottom row.
COLUMN_BITS = SIZE + 1
WHOLE_COLUMN = (1 << SIZE) - 1
DROPS, FOURS, CLOSED, FULL = GRID.drops, GRID.fours, GRID.closed, GRID.full
# Legal actions without and with a bomb, keyed by the closed columns. A full board ends the game regardless.
ACTIONS = {shut: (columns, (*columns, BOOM)) if columns else ((), ()) for shut, columns in GRID.open_columns.items()}


class Desconecta4State:
    """Actions 0 to 6 drop a piece into that column; 7 is BOOM.

    Two states are equal if they have the same cells, player to move and round modulo 5.
    """

    rows = cols = SIZE
    # See `Connect4State`. Only this module may set them.
    __slots__ = ("_bomb", "_heights", "_legal", "_other", "_other_bomb", "_own", "_round", "_to_move")

    _own: int  # the pieces of the seat to move with its bomb, as in `Grid.counted`
    _other: int
    _bomb: int  # the bomb of the seat to move alone, or 0
    _other_bomb: int
    _heights: int  # as in `Grid.heights`, but every column is closed once there is a line
    _legal: tuple[int, ...]
    _round: int
    _to_move: Seat

    @classmethod
    def of(cls, stones: tuple[int, int], bombs: tuple[int, int], round: int, to_move: Seat) -> Desconecta4State:
        """The arguments are as in the properties."""
        state, rival = cls(), OPPONENT[to_move]
        state._own, state._other = GRID.counted(stones[to_move]), GRID.counted(stones[rival])
        state._bomb, state._other_bomb = bombs[to_move], bombs[rival]
        lines = (state._own | state._other) & GRID.fours
        state._heights = GRID.closed if lines else GRID.heights(stones[0] | stones[1])
        state._legal = ACTIONS[state._heights & GRID.closed][state._bomb != 0]
        state._round = round
        state._to_move = to_move
        return state

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Desconecta4State):
            return NotImplemented
        return (
            self._own == other._own
            and self._other == other._other
            and self._to_move == other._to_move
            and self._bomb == other._bomb
            and self._other_bomb == other._other_bomb
            and (self._round - other._round) % BOMB_EVERY == 0
        )

    def __hash__(self) -> int:
        return hash((self._own, self._other, self._bomb, self._other_bomb, self._to_move, self._round % BOMB_EVERY))

    def __repr__(self) -> str:
        return f"Desconecta4State.of({self.stones}, {self.bombs}, {self.round}, {self.to_move})"

    # In C, since a match calls it at every ply.
    to_move = property(attrgetter("_to_move"), doc="The seat that acts next.")

    @property
    def round(self) -> int:
        """1 for the first action of both seats, 2 for the second, and so on."""
        return self._round

    @property
    def stones(self) -> tuple[int, int]:
        """Each seat's pieces including its bomb, in the layout of `palestra_games.grid`."""
        own, other = self._own & GRID.full, self._other & GRID.full
        return (other, own) if self._to_move else (own, other)

    @property
    def bombs(self) -> tuple[int, int]:
        """Each seat's bomb alone, or 0."""
        return (self._other_bomb, self._bomb) if self._to_move else (self._bomb, self._other_bomb)

    @property
    def loser(self) -> Seat | None:
        return None if self._legal else losing_seat(self.stones)

    @property
    def cells(self) -> tuple[int, ...]:
        """Each cell in wire order (row 0 first, column 0 first): 0 empty, 1 and 2 the pieces of seat 0 and 1,
        4 and 5 their bombs."""
        cells = GRID.cells(*self.stones)
        for bomb in self.bombs:
            if bomb:
                cells[GRID.bits.index(bomb)] += 3
        return tuple(cells)

    def legal_actions(self) -> tuple[int, ...]:
        return self._legal

    def apply(self, action: int) -> Desconecta4State:
        if type(action) is not int:  # True is a key like 1
            raise illegal_action(action, self._legal, self._why_not)
        if action == BOOM and BOOM in self._legal:
            return self._boom()
        heights, bomb, round, seat = self._heights, self._bomb, self._round, self._to_move
        try:
            lane, landings = DROPS[action]
            piece, higher, _ = landings[heights & lane]
        except KeyError:
            raise illegal_action(action, self._legal, self._why_not) from None
        own, rival_bomb = self._own + piece, self._other_bomb
        state = Desconecta4State()
        state._own = self._other
        state._other = own
        state._bomb = rival_bomb
        state._other_bomb = bomb if bomb or round % BOMB_EVERY else piece & FULL
        state._round = round + seat
        state._to_move = OPPONENT[seat]
        if own & FOURS:  # the other seat gained nothing
            state._heights = CLOSED
            state._legal = ()
        else:
            state._heights = heights = heights + higher
            state._legal = ACTIONS[heights & CLOSED][rival_bomb != 0]
        return state

    def _why_not(self, action: int) -> str:
        if action == BOOM:
            return "BOOM needs a bomb of your own on the board"
        return "that column is full" if action in range(SIZE) else f"the actions go from 0 to {BOOM}"

    def _boom(self) -> Desconecta4State:
        seat = self._to_move
        row = (self._bomb.bit_length() - 1) % COLUMN_BITS
        removed = self.stones[seat] & (GRID.floor << row)
        # In the columns that lose a piece, cells above the row fall and cells below it stay.
        columns = (removed >> row) * WHOLE_COLUMN
        above = columns & ~(GRID.floor * ((2 << row) - 1))
        stays = GRID.full & ~above & ~removed

        def fall(pieces: int) -> int:
            return pieces & stays | (pieces & above) >> 1

        first, second = self.stones
        bombs = fall(self.bombs[0]), fall(self.bombs[1])
        return Desconecta4State.of((fall(first), fall(second)), bombs, self._round + seat, OPPONENT[seat])

    def returns(self) -> tuple[float, float] | None:
        if self._legal:
            return None
        loser = self.loser
        return DRAW if loser is None else WIN[OPPONENT[loser]]

    def to_wire(self) -> dict[str, object]:
        """`rows`, `cols`, `cells` (as in the property), `to_move` and `round`."""
        return {"rows": SIZE, "cols": SIZE, "cells": list(self.cells), "to_move": self.to_move, "round": self.round}

    def __str__(self) -> str:
        result = self.returns()
        if result is None:
            status = f"round {self.round}, seat {self.to_move} ({SYMBOLS[self.to_move + 1]}) to move"
        elif self.loser is None:
            status = "over: a draw"
        else:
            status = f"over: seat {self.loser} ({SYMBOLS[self.loser + 1]}) has a line and loses"
        return f"{GRID.draw(self.cells, SYMBOLS)}\n{status}"


def losing_seat(stones: tuple[int, int]) -> Seat | None:
    """The seat that loses because it has a line, or None.

    If both have one, the line that starts first counts, scanning row by row from the bottom and left to right. (A line
    starts at its left end, or at the bottom if it is vertical.)
    """
    first, second = stones
    if not GRID.has_line(first):
        return 1 if GRID.has_line(second) else None
    if not GRID.has_line(second):
        return 0
    starts = [0, 0]
    for shift in GRID.shifts:
        starts[0] |= GRID.line_anchors(first, shift)
        starts[1] |= GRID.line_anchors(second, shift)
    for bit in GRID.bits:  # row 0 first, column 0 first
        if bit & starts[0]:
            return 0
        if bit & starts[1]:
            return 1
    raise AssertionError("a line has a start")


class Desconecta4:
    name = "desconecta4"

    def initial_state(self) -> Desconecta4State:
        return Desconecta4State.of((0, 0), (0, 0), 1, 0)

    def from_wire(self, wire: object) -> Desconecta4State:
        """Raises ValueError for a wrong type, size or range, a floating piece or a second bomb. The number of pieces
        isn't checked against the round, which only matters modulo 5.
        """
        wire = wire_map(wire)
        cells = GRID.read_cells(wire, 5)
        if 3 in cells:
            raise ValueError("A cell is 0, 1, 2, 4 or 5, not 3.")
        for seat in (0, 1):
            if cells.count(4 + seat) > 1:
                raise ValueError(f"Seat {seat} has {cells.count(4 + seat)} bombs; it can have only one.")
        stones = (GRID.pieces(cells, 1, 4), GRID.pieces(cells, 2, 5))
        return Desconecta4State.of(
            stones,
            bombs=(GRID.pieces(cells, 4), GRID.pieces(cells, 5)),
            round=wire_int(wire_value(wire, "round"), "round", 1),
            to_move=wire_seat(wire),
        )

    def action_name(self, action: int) -> str:
        return "BOOM" if action == BOOM and type(action) is int else numbered_name(action, "PUT", SIZE)

    def parse_action(self, text: str) -> int:
        return BOOM if text.strip().upper() == "BOOM" else parse_numbered(text, "PUT", SIZE)

    def view(self, state: object) -> BoardView:
        """Clicking anywhere in a column drops a piece there, BOOM is a button, and the losing line is highlighted."""
        state = require_state(state, Desconecta4State)
        result = state.returns()
        cells = [CELLS[value] for value in state.cells]
        if state.loser is not None:
            GRID.highlight_lines(cells, state.stones[state.loser])
        return BoardView(
            kind="grid",
            rows=SIZE,
            cols=SIZE,
            cells=tuple(cells),
            actions=_actions(state.legal_actions()),
            to_move=None if result else state.to_move,
            returns=result,
        )


DESCONECTA4 = Desconecta4()


# A watched match is drawn at every move, and mostly the same columns are open as before.
@lru_cache(maxsize=1024)
def _actions(legal: tuple[int, ...]) -> tuple[ActionView, ...]:
    columns = [
        ActionView(col, DESCONECTA4.action_name(col), col in legal, GRID.cells_of_column(col)) for col in range(SIZE)
    ]
    return (*columns, ActionView(BOOM, "BOOM", BOOM in legal))
