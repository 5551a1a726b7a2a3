"""The baseline of `solver_connect4`: the algorithm of Pascal Pons' tutorial, reimplemented from its text.

Null-window negamax, bisecting from the middle; columns ordered by threats made, then from the centre; immediately
losing moves pruned; and a table of about 2**23 entries with one bound each. Every call counts as a node, as in
his tables.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, popcount
from palestra_bots.solvers.connect4.bitboard import BOARD, BOTTOM, COLUMN, Word, threats

# Prime, so that a truncated key would identify a position; here the whole 56-bit key is stored.
TABLE_SIZE = 8_388_593
_VALUE_BITS, _VALUE = Word(8), Word(255)
_LEAST = -18
_LOWER_BOUNDS_FROM = 38

_CENTRE_LAST = np.array([int(COLUMN) << (7 * col) for col in (6, 0, 5, 1, 4, 2, 3)], np.uint64)


@njit("int64(uint64, uint64, int64, int64, int64, uint64[::1], uint64[:, ::1], int64[:, ::1], int64[::1])")
def negamax(
    own: Word,
    mask: Word,
    moves: int,
    alpha: int,
    beta: int,
    table: npt.NDArray[np.uint64],
    cells: npt.NDArray[np.uint64],
    scores: npt.NDArray[np.int64],
    nodes: npt.NDArray[np.int64],
) -> int:
    """Fail-hard score of a position in which the player to move can't win at once."""
    nodes[0] += 1
    rival = own ^ mask
    possible = (mask + BOTTOM) & BOARD
    rival_threats = threats(rival, mask)
    forced = possible & rival_threats
    if forced:
        if forced & (forced - ONE):
            return -((42 - moves) // 2)
        possible = forced
    possible &= ~(rival_threats >> ONE)
    if possible == ZERO:
        return -((42 - moves) // 2)
    if moves >= 40:
        return 0
    alpha = max(alpha, -((40 - moves) // 2))
    if alpha >= beta:
        return alpha
    beta = min(beta, (41 - moves) // 2)
    if alpha >= beta:
        return beta
    key = own + mask
    slot = np.int64(key % Word(table.size))
    if table[slot] >> _VALUE_BITS == key:
        value = int(np.int64(table[slot] & _VALUE))
        if value >= _LOWER_BOUNDS_FROM:
            alpha = max(alpha, value - _LOWER_BOUNDS_FROM + _LEAST)
        elif value > 0:
            beta = min(beta, value - 1 + _LEAST)
        if alpha >= beta:
            return alpha if value >= _LOWER_BOUNDS_FROM else beta
    count = 0
    for column in _CENTRE_LAST:
        cell = possible & column
        if cell:
            score = popcount(threats(own | cell, mask))
            at = count
            while at > 0 and scores[moves, at - 1] > score:
                scores[moves, at] = scores[moves, at - 1]
                cells[moves, at] = cells[moves, at - 1]
                at -= 1
            scores[moves, at] = score
            cells[moves, at] = cell
            count += 1
    while count > 0:
        count -= 1
        cell = cells[moves, count]
        value = -negamax(rival, mask | cell, moves + 1, -beta, -alpha, table, cells, scores, nodes)
        if value >= beta:
            table[slot] = (key << _VALUE_BITS) | Word(value - _LEAST + _LOWER_BOUNDS_FROM)
            return value
        alpha = max(alpha, value)
    table[slot] = (key << _VALUE_BITS) | Word(alpha - _LEAST + 1)
    return alpha


class PonsSolver:
    """Scores by the baseline. `nodes` accumulates over calls to `score`; `clear` empties the table."""

    def __init__(self) -> None:
        self._table = np.zeros(TABLE_SIZE, np.uint64)
        self._cells = np.zeros((42, 7), np.uint64)
        self._scores = np.zeros((42, 7), np.int64)
        self._nodes = np.zeros(1, np.int64)

    @property
    def nodes(self) -> int:
        return int(self._nodes[0])

    def clear(self) -> None:
        self._table.fill(0)

    def score(self, own: int, mask: int) -> int:
        """Exact score of an unfinished position (layout: `palestra_bots.solvers.connect4.bitboard`)."""
        moves = mask.bit_count()
        if int(threats(Word(own), Word(mask))) & (mask + int(BOTTOM)):
            return (43 - moves) // 2
        least, greatest = -((42 - moves) // 2), (43 - moves) // 2
        while least < greatest:
            middle = least + (greatest - least) // 2
            if middle <= 0 and int(least / 2) < middle:
                middle = int(least / 2)
            elif middle >= 0 and int(greatest / 2) > middle:
                middle = int(greatest / 2)
            found = negamax(
                Word(own),
                Word(mask),
                moves,
                middle,
                middle + 1,
                self._table,
                self._cells,
                self._scores,
                self._nodes,
            )
            if found <= middle:
                greatest = found
            else:
                least = found
        return least
