"""What an evaluation is: a guess, in whole numbers, at how good a position is for a seat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from palestra_games import Seat, State

# The value of a position for a seat, whoever is to move, finished games included. Whole numbers, since MTD(f) steps by
# one. What the two seats get need not add up to zero, so a search keeps to one seat's view.
Evaluate = Callable[[State, Seat], int]

ConcreteState = TypeVar("ConcreteState")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Call it like its function: `evaluation(state, seat)`."""

    game: str
    name: str
    function: Evaluate
    # The value of a game won; that of a lost one is `-win`, and a position in play always lies between. None if the
    # evaluation doesn't tell finished games from others by the value (mancala's stores).
    win: int | None

    def __call__(self, state: State, seat: Seat) -> int:
        return self.function(state, seat)

    def decides(self, value: float) -> bool:
        """Whether a searched value proves that the game is won or lost, however deep a search goes on."""
        return self.win is not None and abs(value) >= self.win


def state_of(kind: type[ConcreteState], state: object, evaluation: str) -> ConcreteState:
    """`state`, checked to be of this kind; TypeError, in one sentence, if it is of another game."""
    if not isinstance(state, kind):
        raise TypeError(f"The evaluation '{evaluation}' is for a {kind.__name__}, not a {type(state).__name__}.")
    return state


OUTCOME_WON: Final = 1


def outcome(state: State, seat: Seat) -> int:
    """1 for a game won, -1 for one lost, 0 for a draw and for every position in play: all that any game can tell."""
    result = state.returns()
    return 0 if result is None else round(result[seat] * OUTCOME_WON)
