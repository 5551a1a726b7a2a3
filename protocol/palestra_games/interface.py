"""What a game is: immutable states, a game object that creates and names them, and the view that a page draws.

A new game implements the protocols `State` and `Game` (there is no base class) and registers its game object in the
entry-point group `palestra.games`; see `palestra_games.installed_games`.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, Literal, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

Seat = Literal[0, 1]  # A side of the board. Seat 0 moves first.

SEATS: Final[tuple[Seat, Seat]] = (0, 1)
OPPONENT: Final[tuple[Seat, Seat]] = (1, 0)  # `OPPONENT[seat]` is the other seat

# `WIN[seat]`: the returns of a game that this seat won.
WIN: Final[tuple[tuple[float, float], tuple[float, float]]] = ((1.0, -1.0), (-1.0, 1.0))

DRAW: Final[tuple[float, float]] = (0.0, 0.0)

ConcreteState = TypeVar("ConcreteState")


WIRE_MAX: Final = 2**53 - 1  # the largest number on the wire: up to here JSON means the same in every language

_BRIEFLY: Final = reprlib.Repr()
_BRIEFLY.maxlevel = 2
_SHOWN_MAX: Final = 80


class State(Protocol):
    """A position. Immutable and hashable: `apply` returns a new one, so states can be kept, shared and used as keys.

    Two states are equal if the rules can't tell them apart, however they were reached.
    """

    @property
    def to_move(self) -> Seat:
        """The seat that acts next (meaningless once the game is over)."""

    def legal_actions(self) -> tuple[int, ...]:
        """The actions of the seat to move, ascending; () if and only if the game is over."""

    def apply(self, action: int) -> Self:
        """The position after `action`. Raises `IllegalAction` for anything not in `legal_actions()`."""

    def returns(self) -> tuple[float, float] | None:
        """None while in play; then what seats 0 and 1 get: (1, -1), (-1, 1) or (0, 0)."""

    def to_wire(self) -> dict[str, object]:
        """The position as plain values (int, str, list, dict) for msgpack and JSON; the inverse of `Game.from_wire`."""

    def __str__(self) -> str:
        """The board as shown in a terminal."""


@runtime_checkable
class Game(Protocol):
    """The rules of one game: where it starts, what its actions are called and how its states are sent."""

    @property
    def name(self) -> str:
        """The name used to register the game and in challenges, such as "connect4"."""

    def initial_state(self) -> State:
        """The position at ply 0."""

    def from_wire(self, wire: object) -> State:
        """The state written by `State.to_wire`. Trusts nothing: raises ValueError, with a one-sentence message, for a
        wrong type, length or range, or a position that the rules can't produce. Unknown keys are ignored.
        """

    def action_name(self, action: int) -> str:
        """The name people use, such as "PUT 3" for action 2. Raises ValueError if no state has this action."""

    def parse_action(self, text: str) -> int:
        """The action typed by a person: its name in any case, or just its number. Raises ValueError for others."""

    def view(self, state: State) -> BoardView:
        """What a page needs to draw `state`. Raises TypeError for a state of another game."""


class IllegalAction(ValueError):
    """`State.apply` was given an illegal action; `str()` is a sentence to show to people."""

    def __init__(self, action: object, legal: tuple[int, ...], sentence: str) -> None:
        super().__init__(action, legal, sentence)
        self.action = action
        self.legal = legal
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


def _shown(value: object) -> str:
    """A value from outside, truncated for a sentence. Never raises, whatever its class does."""
    try:
        text = _BRIEFLY.repr(value)
    except Exception:  # an int of thousands of digits, a foreign repr()
        text = f"a {type(value).__name__} that can't be shown"
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN_MAX else text[: _SHOWN_MAX - 3] + "..."


def illegal_action(action: object, legal: tuple[int, ...], why_not: Callable[[int], str]) -> IllegalAction:
    """The `IllegalAction` to raise. `why_not` says why the game refuses an int, such as "that pit is empty"."""
    shown = _shown(action)
    if type(action) is not int:
        sentence = f"An action is a plain int, and {shown} is of type {type(action).__name__}; use int(...)."
    elif not legal:
        sentence = f"The game is over, so action {shown} can't be played."
    else:
        sentence = f"Action {shown} is not legal: {why_not(action)}; choose one of {', '.join(map(str, legal))}."
    return IllegalAction(action, legal, sentence)


def numbered_name(action: int, word: str, count: int) -> str:
    """The name of an action from 0 to count - 1, such as "PUT 3" for action 2. Raises ValueError for others."""
    if type(action) is not int or not 0 <= action < count:
        raise ValueError(f"There is no action {_shown(action)}; {word} actions go from 0 to {count - 1}.")
    return f"{word} {action + 1}"


def parse_numbered(text: str, word: str, count: int) -> int:
    """The action that `text` names: "PUT 3", "put 3" and "3" are action 2. Raises ValueError for others."""
    match = re.fullmatch(rf"\s*(?:{word}\s+)?0*([1-9][0-9]?)\s*", text, re.IGNORECASE | re.ASCII)
    if match is None or int(match[1]) > count:
        raise ValueError(f"{_shown(text)} is not an action; write {word} 1 to {word} {count}, or just the number.")
    return int(match[1]) - 1


@dataclass(frozen=True, slots=True)
class CellView:
    """One cell as drawn: `kind` is "empty", "piece", "bomb" or "pit" (games may add their own, drawn as a disc with
    the first letter of the kind).

    `seat` sets the colour (None is neutral), `count` is the number of seeds in a pit (0 elsewhere), and `highlight`
    marks the cells that decided the game.
    """

    kind: str
    seat: Seat | None = None
    count: int = 0
    highlight: bool = False
    # The cell as plain values, made with it: a game that keeps its few cells and reuses them has its boards written
    # sooner, and the boards of a match take less memory.
    wire: Mapping[str, object] = field(init=False, repr=False, compare=False)
    # For writers of boards: the cell in MessagePack (True) and in JSON (False), once needed.
    encoded: dict[bool, bytes] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        wire = {"kind": self.kind, "seat": self.seat, "count": self.count, "highlight": self.highlight}
        object.__setattr__(self, "wire", wire)
        object.__setattr__(self, "encoded", {})


@dataclass(frozen=True, slots=True)
class ActionView:
    """One action of the seat to move: a `name` for its label, whether it is `legal` now, and the indices of the `cells`
    that play it when clicked (a whole column, one pit); without cells it is a button. The rectangles around the cells
    of two legal actions must not overlap: a click would play the later one.
    """

    action: int
    name: str
    legal: bool
    cells: tuple[int, ...] = ()
    wire: Mapping[str, object] = field(init=False, repr=False, compare=False)  # the action as plain values
    encoded: dict[bool, bytes] = field(init=False, repr=False, compare=False)  # as in `CellView`

    def __post_init__(self) -> None:
        wire = {"action": self.action, "name": self.name, "legal": self.legal, "cells": list(self.cells)}
        object.__setattr__(self, "wire", wire)
        object.__setattr__(self, "encoded", {})


class BoardView(NamedTuple):
    """All a page needs to draw a position without knowing the game.

    `cells` has rows * cols entries, bottom row first, each row from left to right. With `kind` "pits", the bottom row
    is seat 0's, and `stores` has the seeds of seat 0 (drawn at the right end) and seat 1 (at the left); with "grid" it
    is None. Once the game is over, `to_move` is None and `returns` is set.
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
        """The same fields as plain values for msgpack and JSON, with lists for tuples. Not to be changed: its parts are
        shared.
        """
        return {
            "kind": self.kind,
            "rows": self.rows,
            "cols": self.cols,
            "cells": [cell.wire for cell in self.cells],
            "actions": [action.wire for action in self.actions],
            "to_move": self.to_move,
            "returns": None if self.returns is None else list(self.returns),
            "stores": None if self.stores is None else list(self.stores),
        }


def require_state(state: object, kind: type[ConcreteState]) -> ConcreteState:
    if not isinstance(state, kind):
        raise TypeError(f"This view is for a {kind.__name__}, not for a {type(state).__name__}.")
    return state


def wire_map(wire: object) -> Mapping[object, object]:
    if not isinstance(wire, Mapping):
        raise ValueError(f"A state on the wire is a map, not {_shown(wire)}.")
    return wire


def wire_value(wire: Mapping[object, object], key: str) -> object:
    if key not in wire:
        raise ValueError(f"The state has no '{key}'.")
    return wire[key]


def wire_int(value: object, what: str, low: int, high: int = WIRE_MAX) -> int:
    """Raises ValueError unless `value` is an int (bools don't count) from `low` to `high` inclusive."""
    if type(value) is not int or not low <= value <= high:
        wanted = f"from {low} to {high}" if high > low else f"equal to {low}"
        raise ValueError(f"{what} must be an int {wanted}, not {_shown(value)}.")
    return value


def wire_ints(value: object, what: str, length: int, high: int = WIRE_MAX) -> tuple[int, ...]:
    """Raises ValueError unless `value` is a list of `length` ints from 0 to `high`."""
    if not isinstance(value, list | tuple):
        raise ValueError(f"{what} must be a list of {length} ints, not {_shown(value)}.")
    if len(value) != length:
        raise ValueError(f"{what} must hold {length} ints, not {len(value)}.")
    return tuple(wire_int(item, f"{what}[{index}]", 0, high) for index, item in enumerate(value))


def wire_seat(wire: Mapping[object, object]) -> Seat:
    """The value of `to_move`; raises ValueError unless it is 0 or 1."""
    return 1 if wire_int(wire_value(wire, "to_move"), "to_move", 0, 1) else 0


def positions(game: Game, actions: Iterable[int]) -> list[State]:
    """The position at the start of the game, and the one after each of these actions. Raises `IllegalAction`."""
    return list(accumulate(actions, lambda state, action: state.apply(action), initial=game.initial_state()))


def play_text(game: Game, text: str, where: str) -> tuple[State, tuple[int, ...]]:
    """The position after actions written by a person, and the actions: numbers from 0 as on the wire, or names, with
    commas between them (blanks will do where no name has one).

    ValueError, in one sentence that says `where` it is and which action is wrong.
    """
    state, actions = game.initial_state(), list[int]()
    for ply, word in enumerate(filter(None, map(str.strip, text.split("," if "," in text else None)))):
        try:
            actions.append(int(word) if word.lstrip("-").isdecimal() else game.parse_action(word))
            state = state.apply(actions[-1])
        except ValueError as error:  # IllegalAction is one
            commas = "" if "," in text or word.lstrip("-").isdecimal() else " Put commas between names."
            raise ValueError(f"{where}, ply {ply}: {error}{commas}") from None
    return state, tuple(actions)
