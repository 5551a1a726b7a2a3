"""What the fast search asks of a game.

A board is a tuple of `WORDS` unsigned 64-bit words, always seen from the player to move. All functions but
`from_state` are compiled, pure and allocate nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

Board = tuple[np.uint64, ...]
Boards = NDArray[np.uint64]  # one board a row

IN_PLAY: Final = 0
WON: Final = 1  # the player to move has won
LOST: Final = 2
DRAWN: Final = 3

# The value of a won game, if the evaluation tells won games from others by the value. Estimates stay below.
WIN: Final = 32_000
INFINITY: Final = WIN + 1  # beyond every value: the bound of a window that is open on that side

FORCED_WIN: Final = 1  # `tactics`: the player to move wins with this move
FORCED_LOSS_1: Final = 2  # `tactics`: every move loses at once
FORCED_LOSS_2: Final = 3  # `tactics`: every move lets the opponent win with the next one

# The number of the evaluation "outcome" in every kernel: it knows the end of a game and nothing else.
OUTCOME: Final = 9

BOUNDS_PLIES: Final = 2  # the search asks for `bounds` this near the leaves

SLOTS: Final = 64  # history slots of one side: `slot` stays below


@dataclass(frozen=True, slots=True)
class KernelEvaluation:
    """One of the evaluations in palestra_bots.evaluations, as a kernel knows it."""

    number: int  # the number by which `evaluate` chooses it

    win: int | None  # what WIN reads as in its units; None if a finished game is valued by a margin

    # Whether a position and its mirror image are worth the same, by the rules of the game and this evaluation.
    mirrors: bool = False


class Kernel(Protocol):
    """A game as compiled functions. Modules implement it."""

    WORDS: int
    BOARD: str  # Numba's name of the board's type
    EVALUATIONS: dict[str, KernelEvaluation]

    def fits(self, state: Any) -> bool:
        """Whether the kernel plays by the rules of this state."""

    def from_state(self, state: Any) -> Board:
        """The board of a state that fits."""

    def load(self, boards: Boards, row: int) -> Board:
        """The board in one row of an array."""

    def store(self, boards: Boards, row: int, board: Board) -> None:
        """Write a board into one row of an array."""

    def legal(self, board: Board) -> np.uint64:
        """The legal actions of a game in play, as a set: bit a is action a."""

    def play(self, board: Board, action: int) -> Board:
        """The board after a legal action, seen from whoever moves next."""

    def same_mover(self, board: Board, child: Board) -> bool:
        """Whether the player who moved from `board` to `child` moves again."""

    def outcome(self, board: Board, action: int) -> int:
        """IN_PLAY, WON, LOST or DRAWN for the player to move on a board just reached by `action`."""

    def quiet_outcome(self, board: Board, action: int) -> int:
        """The same, cheaper, for an action that `tactics` let pass."""

    def final(self, board: Board, outcome: int, evaluation: int) -> int:
        """The value of a finished game for the player to move: WIN, -WIN, 0, or a margin."""

    def evaluate(self, board: Board, evaluation: int, root_moves: bool) -> int:
        """The estimate of a position in play, for the player to move; `root_moves`: who is the searching player."""

    def key(self, board: Board, root_moves: bool) -> np.uint64:
        """A well-mixed hash of all that the value depends on."""

    def mirror(self, board: Board) -> Board:
        """The mirror image of a board; the board itself in a game where no evaluation `mirrors`."""

    def mirror_action(self, action: int) -> int:
        """What an action is called on the mirror image."""

    def tactics(self, board: Board, legal: np.uint64, remaining: int) -> tuple[int, np.uint64]:
        """A verdict (0: none) and the actions worth searching, so that the value to this depth stays the same."""

    def bounds(self, board: Board, evaluation: int, root_moves: bool, remaining: int) -> tuple[int, int]:
        """Between which values a search of `remaining` (at most BOUNDS_PLIES) plies must end, told from the estimate
        of a position that `tactics` let pass; (-INFINITY, INFINITY) if nothing is known, or an end of the game is near.
        """

    def priority(self, board: Board, action: int, remaining: int) -> int:
        """A guess of how good an action is, for move ordering: from 0 to 1000."""

    def slot(self, board: Board, action: int) -> int:
        """Where the history of this action is kept: 0 to SLOTS - 1."""
