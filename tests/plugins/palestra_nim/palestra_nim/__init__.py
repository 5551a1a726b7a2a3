"""The subtraction game: 21 pieces, each action takes one, two or three, and who takes the last one wins."""

from __future__ import annotations

from dataclasses import dataclass

from palestra_games.interface import (
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

HEAP = 21
MOST = 3


@dataclass(frozen=True, slots=True)
class NimState:
    """`left` pieces; action a takes a + 1 of them."""

    left: int
    to_move: Seat

    def legal_actions(self) -> tuple[int, ...]:
        return tuple(range(min(MOST, self.left)))

    def apply(self, action: int) -> NimState:
        legal = self.legal_actions()
        if type(action) is not int or action not in legal:
            raise illegal_action(action, legal, lambda _: f"there are {self.left} pieces, and {MOST} is the most")
        return NimState(self.left - action - 1, OPPONENT[self.to_move])

    def returns(self) -> tuple[float, float] | None:
        return None if self.left else WIN[OPPONENT[self.to_move]]

    def to_wire(self) -> dict[str, object]:
        return {"left": self.left, "to_move": self.to_move}

    def __str__(self) -> str:
        return f"{'o ' * self.left}({self.left} left, seat {self.to_move} to move)"


class Nim:
    name = "nim"

    def initial_state(self) -> NimState:
        return NimState(HEAP, 0)

    def from_wire(self, wire: object) -> NimState:
        wire = wire_map(wire)
        return NimState(wire_int(wire_value(wire, "left"), "left", 0, HEAP), wire_seat(wire))

    def action_name(self, action: int) -> str:
        return numbered_name(action, "TAKE", MOST)

    def parse_action(self, text: str) -> int:
        return parse_numbered(text, "TAKE", MOST)

    def view(self, state: object) -> BoardView:
        """One row of neutral pieces; a click on one takes it and those to the right of it."""
        state = require_state(state, NimState)
        legal, result = state.legal_actions(), state.returns()
        return BoardView(
            kind="grid",
            rows=1,
            cols=HEAP,
            cells=tuple(CellView("piece" if i < state.left else "empty") for i in range(HEAP)),
            actions=tuple(
                ActionView(a, self.action_name(a), a in legal, (state.left - 1 - a,) if a in legal else ())
                for a in range(MOST)
            ),
            to_move=None if result else state.to_move,
            returns=result,
        )


NIM = Nim()
