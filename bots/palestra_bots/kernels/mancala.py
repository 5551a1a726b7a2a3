"""Mancala, Kalah(6, 4) with captures of a non-empty pit, with the seeds packed in bytes.

A board is (row of the player to move, row of the other, seat to move). In a row's word, byte i is the player's pit
i + 1 (pit 1 is nearest the store) and byte 6 the store. Sowing adds two words from a table; no seed is moved alone.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, mix, popcount
from palestra_bots.kernels.interface import IN_PLAY, INFINITY, OUTCOME, WIN, WON, Board, Boards, KernelEvaluation
from palestra_games import State
from palestra_games.mancala import MancalaState

PITS: Final = 6
SEEDS: Final = 48
RING: Final = 2 * PITS + 1
WORDS: Final = 3
BOARD: Final = "UniTuple(uint64,3)"
TURNS: Final = 1
EVALUATIONS: Final = {
    "stores": KernelEvaluation(0, win=None),
    "turns": KernelEvaluation(TURNS, win=None),
    "outcome": KernelEvaluation(OUTCOME, win=1),
}

BYTE: Final = np.uint64(0xFF)
EIGHT: Final = np.uint64(8)
ROW: Final = np.uint64(0x0000FFFFFFFFFFFF)
STORE: Final = np.uint64(48)  # how far the store's byte is shifted
LOW_BITS: Final = np.uint64(0x0000010101010101)
HIGH_BITS: Final = np.uint64(0x0000808080808080)
TO_STORE: Final = np.uint64(0x0000060504030201)  # in each pit the seeds that reach the store
SUM_SHIFT: Final = np.uint64(40)

# What sowing `seeds` seeds from pit + 1 adds to one's own row and to the other's, and where the last seed falls:
# 0 to 5 is one of the own pits, 6 the store, 7 a pit of the other.
SOW_OWN: Final = np.zeros((PITS, SEEDS + 1), np.uint64)
SOW_OTHER: Final = np.zeros((PITS, SEEDS + 1), np.uint64)
LAST: Final = np.zeros((PITS, SEEDS + 1), np.int64)
for _pit in range(PITS):
    for _seeds in range(1, SEEDS + 1):
        for _step in range(1, _seeds + 1):
            # Along the ring: own pits from 6 down to 1 at 0 to 5, the store at 6, the other's pits from 6 down to 1.
            _cell = (PITS - 1 - _pit + _step) % RING
            if _cell <= PITS:
                _byte = PITS - 1 - _cell if _cell < PITS else PITS
                SOW_OWN[_pit, _seeds] += np.uint64(1 << 8 * _byte)
                LAST[_pit, _seeds] = _byte
            else:
                SOW_OTHER[_pit, _seeds] += np.uint64(1 << 8 * (RING - 1 - _cell))
                LAST[_pit, _seeds] = PITS + 1


def fits(state: State) -> bool:
    """6 pits a side, up to 48 seeds (which is what the tables hold), and captures of a non-empty pit."""
    if not isinstance(state, MancalaState) or len(state.pits[0]) != PITS or state.capture != "non-empty":
        return False
    return sum(map(sum, (*state.pits, state.stores))) <= SEEDS


def from_state(state: MancalaState) -> Board:
    seat = state.to_move
    own, other = (
        sum(seeds << 8 * byte for byte, seeds in enumerate((*state.pits[player], state.stores[player])))
        for player in (seat, 1 - seat)
    )
    return np.uint64(own), np.uint64(other), np.uint64(seat)


@njit(f"{BOARD}(uint64[:, ::1], int64)")
def load(boards: Boards, row: int) -> Board:
    return boards[row, 0], boards[row, 1], boards[row, 2]


@njit(f"void(uint64[:, ::1], int64, {BOARD})")
def store(boards: Boards, row: int, board: Board) -> None:
    boards[row, 0] = board[0]
    boards[row, 1] = board[1]
    boards[row, 2] = board[2]


@njit(f"uint64({BOARD})")
def legal(board: Board) -> np.uint64:
    # A byte from 1 to 48 has its high bit set once 127 is added to it; then the six bits are gathered.
    filled = (((board[0] & ROW) + (HIGH_BITS - LOW_BITS)) & HIGH_BITS) >> np.uint64(7)
    return (filled * np.uint64(0x0102040810204080)) >> np.uint64(56)


@njit("int64(uint64)")
def in_store(row: np.uint64) -> int:
    return int(np.int64(row >> STORE))


@njit("uint64(uint64)")
def gathered(row: np.uint64) -> np.uint64:
    """The row with all seeds put into its store."""
    seeds = (((row & ROW) * LOW_BITS) >> SUM_SHIFT) & BYTE
    return ((row >> STORE) + seeds) << STORE


@njit(f"{BOARD}({BOARD}, int64)")
def play(board: Board, action: int) -> Board:
    """Sow a pit, capture, and empty the board if a row is empty."""
    shift = EIGHT * np.uint64(action)
    seeds = (board[0] >> shift) & BYTE
    own = board[0] - (seeds << shift) + SOW_OWN[action, seeds]
    other = board[1] + SOW_OTHER[action, seeds]
    last = LAST[action, seeds]
    if last < PITS:
        place = EIGHT * np.uint64(last)
        across = EIGHT * np.uint64(PITS - 1 - last)
        captured = (other >> across) & BYTE
        if (own >> place) & BYTE == ONE and captured != ZERO:
            own = own - (ONE << place) + ((captured + ONE) << STORE)
            other -= captured << across
    if own & ROW == ZERO or other & ROW == ZERO:
        own, other = gathered(own), gathered(other)
    if last == PITS:
        return own, other, board[2]
    return other, own, board[2] ^ ONE


@njit(f"boolean({BOARD}, {BOARD})")
def same_mover(board: Board, child: Board) -> bool:
    """The last seed in one's own store gives another move."""
    return bool(board[2] == child[2])


@njit(f"int64({BOARD}, int64)")
def outcome(board: Board, action: int) -> int:
    """The game is over when no pit holds a seed; the stores say the rest (see `final`)."""
    return WON if (board[0] | board[1]) & ROW == ZERO else IN_PLAY


quiet_outcome = outcome


@njit(f"int64({BOARD}, int64, int64)")
def final(board: Board, outcome: int, evaluation: int) -> int:
    """The difference of the stores, or only who has more."""
    margin = in_store(board[0]) - in_store(board[1])
    if evaluation == OUTCOME:
        return WIN if margin > 0 else -WIN if margin < 0 else 0
    return margin


@njit("int64(uint64)")
def _turns(row: np.uint64) -> int:
    """How many pits of a row would give another turn: those that don't differ from TO_STORE."""
    others = (((row & ROW) ^ TO_STORE) + (HIGH_BITS - LOW_BITS)) & HIGH_BITS
    return PITS - popcount(others)


@njit(f"int64({BOARD}, int64, boolean)")
def evaluate(board: Board, evaluation: int, root_moves: bool) -> int:
    """`stores`: the difference of the stores; `turns`: and a seed for each pit that would give another turn."""
    if evaluation == OUTCOME:
        return 0
    margin = in_store(board[0]) - in_store(board[1])
    return margin + _turns(board[0]) - _turns(board[1]) if evaluation == TURNS else margin


@njit(f"uint64({BOARD}, boolean)")
def key(board: Board, root_moves: bool) -> np.uint64:
    """Both rows with their stores; the seat doesn't matter, as all is seen from the player to move."""
    return mix(board[0] ^ mix(board[1] + ONE))


@njit(f"{BOARD}({BOARD})")
def mirror(board: Board) -> Board:
    """A row of pits has no mirror image."""
    return board


@njit("int64(int64)")
def mirror_action(action: int) -> int:
    return action


@njit(f"Tuple((int64, uint64))({BOARD}, uint64, int64)")
def tactics(board: Board, legal: np.uint64, remaining: int) -> tuple[int, np.uint64]:
    """Nothing is forced."""
    return 0, legal


@njit(f"UniTuple(int64,2)({BOARD}, int64, boolean, int64)")
def bounds(board: Board, evaluation: int, root_moves: bool, remaining: int) -> tuple[int, int]:
    """One move can change too much."""
    return -INFINITY, INFINITY


@njit(f"int64({BOARD}, int64, int64)")
def priority(board: Board, action: int, remaining: int) -> int:
    """Another move first, then by what goes into the store; pits near the store before those far away."""
    child = play(board, action)
    if same_mover(board, child):
        return 900 + PITS - action
    return 16 * (in_store(child[1]) - in_store(board[0])) + PITS - action


@njit(f"int64({BOARD}, int64)")
def slot(board: Board, action: int) -> int:
    """The pit, and whether it holds more seeds than it takes to reach the store."""
    seeds = (board[0] >> (EIGHT * np.uint64(action))) & BYTE
    return action * 8 + int(min(np.int64(seeds), np.int64(7)))
