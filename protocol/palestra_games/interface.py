"""What a game is: immutable states, a game object that makes and names them, and the view that a page draws.

A new game implements `State` and `Game` (no base class to inherit from) and registers its game object under
the entry-point group `palestra.games`; see `palestra_games.registry`.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol, Self, TypeVar, runtime_checkable

Seat = Literal[0, 1]
"""A side of the board. Seat 0 moves first."""

OPPONENT: Final[tuple[Seat, Seat]] = (1, 0)
"""`OPPONENT[seat]` is the other seat."""

WIN: Final[tuple[tuple[float, float], tuple[float, float]]] = ((1.0, -1.0), (-1.0, 1.0))
"""`WIN[seat]` are the returns of a game won by that seat."""

DRAW: Final[tuple[float, float]] = (0.0, 0.0)

ConcreteState = TypeVar("ConcreteState")


class State(Protocol):
    """A position. Immutable and hashable: `apply` gives a new one, so states can be kept, shared and used as keys.

    Two states are equal when the rules can't tell them apart, however they came about.
    """

    @property
    def to_move(self) -> Seat:
        """The seat that acts next (of no meaning once the game is over)."""

    def legal_actions(self) -> tuple[int, ...]:
        """The actions of the seat to move, ascending; () when the game is over, and only then."""

    def apply(self, action: int) -> Self:
        """The position after `action`. Raises `IllegalAction` for anything not in `legal_actions()`."""

    def returns(self) -> tuple[float, float] | None:
        """None in play; when over what seat 0 and seat 1 get: (1, -1), (-1, 1) or (0, 0)."""

    def to_wire(self) -> dict[str, object]:
        """The position as plain values (int, str, list, dict) for msgpack and JSON; `Game.from_wire` reads it."""

    def __str__(self) -> str:
        """The board as a person reads it in a terminal."""


@runtime_checkable
class Game(Protocol):
    """The rules of one game: where it starts, how its actions are called and how its states travel."""

    @property
    def name(self) -> str:
        """The name under which the game is registered and challenged, such as "connect4"."""

    def initial_state(self) -> State:
        """The position at ply 0."""

    def from_wire(self, wire: object) -> State:
        """The state that `State.to_wire` wrote. Trusts nothing: ValueError, in one sentence, for a wrong type,
        length or range, or a position that the rules can't produce. Unknown keys are ignored."""

    def action_name(self, action: int) -> str:
        """The name people use, such as "PUT 3" for action 2. ValueError if no state has such an action."""

    def parse_action(self, text: str) -> int:
        """The action that a person wrote: its name in any case, or only its number as shown. ValueError if none."""

    def view(self, state: State) -> BoardView:
        """What a page needs to draw `state`. TypeError for a state of another game."""


class IllegalAction(ValueError):
    """`State.apply` was given something that is not a legal action; `str()` is a sentence for a person."""

    def __init__(self, action: object, legal: tuple[int, ...], sentence: str) -> None:
        super().__init__(action, legal, sentence)
        self.action = action
        self.legal = legal
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


def illegal_action(action: object, legal: tuple[int, ...], why_not: Callable[[int], str]) -> IllegalAction:
    """The `IllegalAction` to raise. `why_not` gives the game's reason for an int it refuses ("that pit is empty")."""
    shown = reprlib.repr(action)
    if type(action) is not int:
        sentence = f"An action is a plain int, and {shown} is of type {type(action).__name__}; use int(...)."
    elif not legal:
        sentence = f"The game is over, so action {shown} can't be played."
    else:
        sentence = f"Action {shown} is not legal: {why_not(action)}; choose one of {', '.join(map(str, legal))}."
    return IllegalAction(action, legal, sentence)


def numbered_name(action: int, word: str, count: int) -> str:
    """The name of action 0 .. count-1: "PUT 3" for action 2. ValueError outside."""
    if type(action) is not int or not 0 <= action < count:
        raise ValueError(f"There is no action {reprlib.repr(action)}; {word} actions go from 0 to {count - 1}.")
    return f"{word} {action + 1}"


def parse_numbered(text: str, word: str, count: int) -> int:
    """The action that `text` names: "PUT 3", "put 3" and "3" are action 2. ValueError otherwise."""
    match = re.fullmatch(rf"\s*(?:{word}\s+)?0*([1-9][0-9]?)\s*", text, re.IGNORECASE | re.ASCII)
    if match is None or int(match[1]) > count:
        raise ValueError(f"{reprlib.repr(text)} is no action; write {word} 1 to {word} {count}, or only the number.")
    return int(match[1]) - 1


@dataclass(frozen=True, slots=True)
class CellView:
    """One cell as drawn: `kind` is "empty", "piece", "bomb" or "pit" (a game may add its own words).

    `seat` gives the colour (None: neutral), `count` the seeds of a pit (0 elsewhere), and `highlight` marks the
    cells that decided a game that is over.
    """

    kind: str
    seat: Seat | None = None
    count: int = 0
    highlight: bool = False


@dataclass(frozen=True, slots=True)
class ActionView:
    """One action of the seat to move: its `name` for a label, whether it is `legal` now, and the indices of the
    `cells` that play it when clicked (a whole column, one pit); without cells it is a button."""

    action: int
    name: str
    legal: bool
    cells: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BoardView:
    """A position as a page draws it, without knowing the game.

    `cells` has rows * cols entries, the bottom row first and each row from left to right. With `kind` "pits" the
    bottom row is seat 0's, and `stores` holds the seeds of seat 0 (drawn at the right end) and seat 1 (at the left);
    with "grid" it is None. `to_move` is None and `returns` set when the game is over.
    """

    kind: Literal["grid", "pits"]
    rows: int
    cols: int
    cells: tuple[CellView, ...]
    actions: tuple[ActionView, ...]
    to_move: Seat | None
    returns: tuple[float, float] | None
    stores: tuple[int, int] | None = None

    def to_wire(self) -> dict[str, object]:
        """Plain values for msgpack and JSON, the same names as here, lists in place of tuples."""
        # Written out, as dataclasses.asdict copies deeply and takes fifteen times as long.
        return {
            "kind": self.kind,
            "rows": self.rows,
            "cols": self.cols,
            "cells": [
                {"kind": cell.kind, "seat": cell.seat, "count": cell.count, "highlight": cell.highlight}
                for cell in self.cells
            ],
            "actions": [
                {"action": a.action, "name": a.name, "legal": a.legal, "cells": list(a.cells)} for a in self.actions
            ],
            "to_move": self.to_move,
            "returns": None if self.returns is None else list(self.returns),
            "stores": None if self.stores is None else list(self.stores),
        }


def require_state(state: object, kind: type[ConcreteState]) -> ConcreteState:
    """`state`, known to be of this kind; TypeError if it is of another game."""
    if not isinstance(state, kind):
        raise TypeError(f"This view is for a {kind.__name__}, not for a {type(state).__name__}.")
    return state


def wire_map(wire: object) -> Mapping[object, object]:
    """`wire`, known to be a map; ValueError if not."""
    if not isinstance(wire, Mapping):
        raise ValueError(f"A state on the wire is a map, not {reprlib.repr(wire)}.")
    return wire


def wire_value(wire: Mapping[object, object], key: str) -> object:
    """The value at `key`; ValueError if there is none."""
    if key not in wire:
        raise ValueError(f"The state has no '{key}'.")
    return wire[key]


def wire_int(value: object, what: str, low: int, high: int | None = None) -> int:
    """`value`, known to be an int (a bool is none) from `low` to `high`, both included; ValueError if not."""
    if type(value) is not int or value < low or (high is not None and value > high):
        wanted = f"of {low} or more" if high is None else f"from {low} to {high}" if high > low else f"equal to {low}"
        raise ValueError(f"{what} must be an int {wanted}, not {reprlib.repr(value)}.")
    return value


def wire_ints(value: object, what: str, length: int, high: int | None = None) -> tuple[int, ...]:
    """`value`, known to be a list of `length` ints from 0 to `high`; ValueError if not."""
    if not isinstance(value, list | tuple):
        raise ValueError(f"{what} must be a list of {length} ints, not {reprlib.repr(value)}.")
    if len(value) != length:
        raise ValueError(f"{what} must hold {length} ints, not {len(value)}.")
    return tuple(wire_int(item, f"{what}[{index}]", 0, high) for index, item in enumerate(value))


def wire_seat(wire: Mapping[object, object]) -> Seat:
    """The value of `to_move`, 0 or 1; ValueError if it is something else."""
    return 1 if wire_int(wire_value(wire, "to_move"), "to_move", 0, 1) else 0
