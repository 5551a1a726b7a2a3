"""The evaluations that `palestra new` writes, which many a first bot still has: no compiled search has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from palestra_bots.evaluations import Evaluation
from palestra_games import Seat, State
from palestra_games.connect4 import Connect4State
from palestra_games.desconecta4 import Desconecta4State
from palestra_games.mancala import MancalaState

NAME: Final = "template"
WON: Final = 1000


@dataclass(frozen=True, slots=True)
class Template:
    """`unit`: what 1 of the bot's is here, so that values are whole numbers."""

    evaluation: Evaluation
    unit: int

    def may_be(self, values: list[float]) -> bool:
        """Whether these can be its values; those of another program hardly are."""
        if self.unit == 1:
            return any(abs(value) == WON for value in values)
        parts = [value * self.unit for value in values if abs(value) < WON]
        return all(abs(part - round(part)) < 1e-6 for part in parts) and any(value % 1 for value in values)


def _middle(state: State, seat: Seat) -> int:
    """One's own pieces alone, the nearer to the middle, the better; in desconecta4 the worse, and without its bombs."""
    board = cast(Connect4State | Desconecta4State, state)
    unit, returns = 12 if board.cols == 7 else 315, board.returns()
    if returns is not None:
        return round(WON * unit * returns[seat])
    stones, sign = board.stones[seat], 1
    if isinstance(board, Desconecta4State):
        stones, sign = stones & ~board.bombs[seat], -1
    height, column = board.rows + 1, (1 << board.rows) - 1
    value = 0
    for col in range(board.cols):
        pieces = (stones >> col * height & column).bit_count()
        value += 2 * unit * pieces // (2 + abs(2 * col - board.cols + 1))
    return sign * value


def _seeds(state: State, seat: Seat) -> int:
    """The lead in seeds, and a finished game counts as such."""
    returns, stores = state.returns(), cast(MancalaState, state).stores
    return stores[seat] - stores[1 - seat] if returns is None else round(WON * returns[seat])


TEMPLATES: Final[Mapping[str, Template]] = {
    "connect4": Template(Evaluation("connect4", NAME, _middle, WON * 12), 12),
    "connect4-8x8": Template(Evaluation("connect4-8x8", NAME, _middle, WON * 315), 315),
    "desconecta4": Template(Evaluation("desconecta4", NAME, _middle, WON * 12), 12),
    "mancala": Template(Evaluation("mancala", NAME, _seeds, WON), 1),
}
