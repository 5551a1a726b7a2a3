"""What the searches ask about one position: its name in the table, the order of its actions, what is known at once.

Loaded once for each game, like palestra_bots.search.fast.engine.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, lowest
from palestra_bots.kernels.interface import BOUNDS_PLIES, FORCED_WIN, IN_PLAY, INFINITY, SLOTS, WIN, Board
from palestra_bots.kernels.load import kernel_for, variant_of
from palestra_bots.search.fast.arrays import (
    ETC_PLIES,
    KILLER_1,
    KILLER_2,
    KILLER_BONUS,
    NIBBLE,
    SCORES,
    UNKNOWN,
    Numbers,
    Words,
)
from palestra_bots.search.fast.table import (
    SETTLED_LOWER,
    SETTLED_UPPER,
    action_of,
    lower_of,
    plies_of,
    probe,
    upper_of,
)

kernel = kernel_for(variant_of(__name__, "connect4"))
legal, play, same_mover, quiet_outcome = kernel.legal, kernel.play, kernel.same_mover, kernel.quiet_outcome
final, evaluate, tactics, bounds = kernel.final, kernel.evaluate, kernel.tactics, kernel.bounds
key_of, mirror, mirror_action = kernel.key, kernel.mirror, kernel.mirror_action
priority, slot = kernel.priority, kernel.slot

# A constant of the compiled code: games without mirror images pay nothing for those of others.
HAS_MIRRORS: Final = any(evaluation.mirrors for evaluation in kernel.EVALUATIONS.values())


@njit(f"Tuple((uint64, int64))({kernel.BOARD}, boolean, int64)")
def identity(board: Board, root_moves: bool, mirrors: int) -> tuple[np.uint64, int]:
    """The key of a position in the table, and whether it is the mirror image that has it (TURNED).

    With `mirrors` a position and its mirror image share the smaller key of both.
    """
    key = key_of(board, root_moves)
    if HAS_MIRRORS and mirrors != 0:
        image = key_of(mirror(board), root_moves)
        if image < key:
            return image, 1
    return key, 0


@njit(f"int64(int64[:, ::1], int64[::1], int64, {kernel.BOARD}, uint64, int64, int64)")
def ordered(
    frames: Numbers,
    history: Numbers,
    ply: int,
    board: Board,
    actions: np.uint64,
    remaining: int,
    known_best: int,
) -> int:
    """The actions as a TODO list, the most promising first: the table's, the killers', then by kernel and history."""
    killer_1, killer_2 = frames[ply, KILLER_1], frames[ply, KILLER_2]
    scores = frames[ply, SCORES:]
    count = 0
    while actions != ZERO:
        action = lowest(actions)
        actions &= actions - ONE
        if action == known_best:
            score = 1 << 40
        else:
            score = (priority(board, action, remaining) << 11) + history[(ply & 1) * SLOTS + slot(board, action)]
            if action == killer_1:
                score += KILLER_BONUS
            elif action == killer_2:
                score += KILLER_BONUS >> 1
        # Insertion sort; the action number in the low bits keeps equal ones ascending.
        entry = (score << 4) | (NIBBLE - 1 - action)
        place = count
        while place > 0 and scores[place - 1] < entry:
            scores[place] = scores[place - 1]
            place -= 1
        scores[place] = entry
        count += 1
    todo = 0
    while count > 0:
        count -= 1
        todo = (todo << 4) | (NIBBLE - (scores[count] & NIBBLE))
    return todo


@njit(f"Tuple((int64, int64, int64))({kernel.BOARD}, uint64, int64, int64, int64)")
def _last_ply(board: Board, actions: np.uint64, beta: int, evaluation: int, root_moves: int) -> tuple[int, int, int]:
    """A position one ply above the leaves, in one go: (value, OPEN, nodes). Cuts at `beta`."""
    best, still_open, nodes = -INFINITY, 0, 0
    while actions != ZERO:
        action = lowest(actions)
        actions &= actions - ONE
        child = play(board, action)
        same = same_mover(board, child)
        nodes += 1
        result = quiet_outcome(child, action)
        if result != IN_PLAY:
            value, leaf = final(child, result, evaluation), 0
        else:
            value, leaf = evaluate(child, evaluation, (root_moves != 0) == same), 1
        if not same:
            value = -value
        best = max(best, value)
        if best >= beta:
            return best, leaf, nodes
        still_open |= leaf
    return best, still_open, nodes


@njit(f"Tuple((int64, int64))({kernel.BOARD}, uint64[:, ::1], uint64, int64, int64, int64, int64)")
def _known_cut(
    board: Board, table: Words, actions: np.uint64, remaining: int, beta: int, root_moves: int, mirrors: int
) -> tuple[int, int]:
    """Enhanced transposition cut-off: (value, OPEN) of a child that the table knows to reach `beta`, else -INFINITY.

    Source: Schaeffer and Plaat, "New Advances in Alpha-Beta Searching", 1996.
    """
    while actions != ZERO:
        action = lowest(actions)
        actions &= actions - ONE
        child = play(board, action)
        same = same_mover(board, child)
        key, _ = identity(child, (root_moves != 0) == same, mirrors)
        entry = probe(table, key)
        plies = plies_of(entry)
        settled = entry & (SETTLED_LOWER if same else SETTLED_UPPER) != ZERO
        if plies == remaining - 1 or (plies < remaining - 1 and settled):
            value = lower_of(entry) if same else -upper_of(entry)
            if value >= beta:
                return value, 0 if settled else 1
    return -INFINITY, 1


@njit(
    f"Tuple((int64, int64, int64, uint64, int64, uint64, int64))({kernel.BOARD}, uint64[:, ::1], int64, int64, int64, "
    "int64, int64, int64)"
)
def value_or_actions(
    board: Board, table: Words, remaining: int, alpha: int, beta: int, evaluation: int, root_moves: int, mirrors: int
) -> tuple[int, int, int, np.uint64, int, np.uint64, int]:
    """What can be said about a position in play without searching it.

    (value or UNKNOWN, OPEN, nodes, actions, known best action or -1, key, TURNED): by what the kernel sees, by the
    leaves if they are the next ply, or by the table; else the actions worth searching, and what `search` needs to
    know of the table. Without a look at the table there is no key.
    """
    verdict, actions = tactics(board, legal(board), remaining)
    if verdict != 0:
        return WIN if verdict == FORCED_WIN else -WIN, 0, 0, actions, -1, ZERO, 0
    if remaining <= BOUNDS_PLIES:
        lower, upper = bounds(board, evaluation, root_moves != 0, remaining)
        if lower >= beta:
            return lower, 1, 0, actions, -1, ZERO, 0
        if upper <= alpha:
            return upper, 1, 0, actions, -1, ZERO, 0
    if remaining == 1:
        value, still_open, nodes = _last_ply(board, actions, beta, evaluation, root_moves)
        return value, still_open, nodes, actions, -1, ZERO, 0
    key, turned = identity(board, root_moves != 0, mirrors)
    entry = probe(table, key)
    known_best = action_of(entry)
    if turned != 0 and known_best >= 0:
        known_best = mirror_action(known_best)
    plies, lower, upper = plies_of(entry), lower_of(entry), upper_of(entry)
    settled_lower, settled_upper = entry & SETTLED_LOWER != ZERO, entry & SETTLED_UPPER != ZERO
    lower_holds = plies == remaining or (plies < remaining and settled_lower)
    upper_holds = plies == remaining or (plies < remaining and settled_upper)
    if lower_holds and (lower >= beta or (lower == upper and upper_holds)):
        return lower, 0 if settled_lower else 1, 0, actions, known_best, key, turned
    if upper_holds and upper <= alpha:
        return upper, 0 if settled_upper else 1, 0, actions, known_best, key, turned
    if remaining >= ETC_PLIES:
        value, still_open = _known_cut(board, table, actions, remaining, beta, root_moves, mirrors)
        if value > -INFINITY:
            return value, still_open, 0, actions, known_best, key, turned
    return UNKNOWN, 0, 0, actions, known_best, key, turned
