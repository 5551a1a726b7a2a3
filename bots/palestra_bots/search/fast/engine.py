"""The searches as compiled loops, one source for all games.

Loaded once for each game (palestra_bots.kernels.load); what is imported by the plain name is for connect4. Both
functions are alpha-beta without recursion: what a recursive function would keep in its local variables is here a
row of `frames`, one for each ply. So a search can stop after a number of nodes, come back to Python, which looks
at the clock, and go on where it was.

Values are from the view of the player to move (negamax), whole numbers from -WIN to WIN.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, lowest
from palestra_bots.kernels.interface import BOUNDS_PLIES, FORCED_WIN, IN_PLAY, INFINITY, SLOTS, WIN, Board
from palestra_bots.kernels.load import kernel_for, variant_of
from palestra_bots.search.fast.layout import (
    ACTION,
    AGE,
    ALPHA,
    ASKED,
    BEST,
    BETA,
    DEPTH,
    ETC_PLIES,
    EVALUATION,
    FINISHED,
    FIRST_OF_EQUALS,
    KILLER_1,
    KILLER_2,
    KILLER_BONUS,
    LINE,
    LINE_BITS,
    MINIMAX,
    NIBBLE,
    NODES,
    OPEN,
    PLY,
    ROOT_MOVES,
    RUNNING,
    SAME,
    SCORES,
    STOP,
    TODO,
    TRIED,
    UNKNOWN,
    Numbers,
    Words,
)
from palestra_bots.search.fast.table import (
    NOTHING,
    SETTLED_LOWER,
    SETTLED_UPPER,
    action_of,
    lower_of,
    plies_of,
    probe,
    remember,
    upper_of,
)

kernel = kernel_for(variant_of(__name__, "connect4"))
load, store, legal, play, same_mover = kernel.load, kernel.store, kernel.legal, kernel.play, kernel.same_mover
outcome, quiet_outcome, final, evaluate = kernel.outcome, kernel.quiet_outcome, kernel.final, kernel.evaluate
key_of, tactics, bounds, priority, slot = kernel.key, kernel.tactics, kernel.bounds, kernel.priority, kernel.slot

TABLE: Final = "uint64[:, ::1]"


@njit("int64(uint64[:, ::1], int64[:, ::1], int64[::1])")
def search_plain(boards: Words, frames: Numbers, control: Numbers) -> int:
    """Textbook alpha-beta, or minimax: actions in ascending order, no table, every position counted.

    Before the first call the root stands in row 0 of `boards` and `frames`. Returns RUNNING or FINISHED.
    """
    ply, nodes, stop = control[PLY], control[NODES], control[STOP]
    depth, evaluation, cut = control[DEPTH], control[EVALUATION], control[MINIMAX] == 0
    board = load(boards, ply)
    while True:
        todo = frames[ply, TODO]
        if todo == 0:
            if ply == 0:
                control[PLY], control[NODES] = ply, nodes
                return FINISHED
            value, line = frames[ply, BEST], frames[ply, LINE]
            still_open, same = frames[ply, OPEN], frames[ply, SAME] != 0
            ply -= 1
            board = load(boards, ply)
        else:
            if nodes >= stop:
                control[PLY], control[NODES] = ply, nodes
                return RUNNING
            action = lowest(np.uint64(todo))
            frames[ply, TODO] = todo & (todo - 1)
            frames[ply, TRIED] = action
            child = play(board, action)
            same = same_mover(board, child)
            nodes += 1
            result = outcome(child, action)
            line = 0
            still_open = 0
            if result != IN_PLAY:
                value = final(child, result, evaluation)
            elif ply + 1 == depth:
                value = evaluate(child, evaluation, (frames[ply, ROOT_MOVES] != 0) == same)
                still_open = 1
            else:
                alpha, beta = frames[ply, ALPHA], frames[ply, BETA]
                root_moves = frames[ply, ROOT_MOVES]
                ply += 1
                board = child
                store(boards, ply, board)
                frames[ply, ALPHA] = alpha if same else -beta
                frames[ply, BETA] = beta if same else -alpha
                frames[ply, BEST] = -INFINITY
                frames[ply, TODO] = np.int64(legal(board))
                frames[ply, SAME] = 1 if same else 0
                frames[ply, ROOT_MOVES] = root_moves if same else 1 - root_moves
                frames[ply, OPEN] = 0
                frames[ply, LINE] = 0
                continue

        # `value` is that of the position after TRIED.
        if not same:
            value = -value
        frames[ply, OPEN] |= still_open
        if value > frames[ply, BEST]:
            frames[ply, BEST] = value
            frames[ply, ACTION] = frames[ply, TRIED]
            frames[ply, LINE] = ((line << 4) | (frames[ply, TRIED] + 1)) & LINE_BITS
            if value > frames[ply, ALPHA]:
                frames[ply, ALPHA] = value
                if cut and value >= frames[ply, BETA]:
                    frames[ply, TODO] = 0


@njit(f"int64(int64[:, ::1], int64[::1], int64, {kernel.BOARD}, uint64, int64, int64)")
def _ordered(
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


@njit(f"Tuple((int64, int64))({kernel.BOARD}, uint64[:, ::1], uint64, int64, int64, int64)")
def _known_cut(
    board: Board, table: Words, actions: np.uint64, remaining: int, beta: int, root_moves: int
) -> tuple[int, int]:
    """Enhanced transposition cut-off: (value, OPEN) of a child that the table knows to reach `beta`, else -INFINITY.

    Source: Schaeffer and Plaat, "New Advances in Alpha-Beta Searching", 1996.
    """
    while actions != ZERO:
        action = lowest(actions)
        actions &= actions - ONE
        child = play(board, action)
        same = same_mover(board, child)
        entry = probe(table, key_of(child, (root_moves != 0) == same))
        plies = plies_of(entry)
        settled = entry & (SETTLED_LOWER if same else SETTLED_UPPER) != ZERO
        if plies == remaining - 1 or (plies < remaining - 1 and settled):
            value = lower_of(entry) if same else -upper_of(entry)
            if value >= beta:
                return value, 0 if settled else 1
    return -INFINITY, 1


@njit(
    f"Tuple((int64, int64, int64, uint64, uint64))({kernel.BOARD}, uint64[:, ::1], int64, int64, int64, int64, int64)"
)
def _at_once(
    board: Board, table: Words, remaining: int, alpha: int, beta: int, evaluation: int, root_moves: int
) -> tuple[int, int, int, np.uint64, np.uint64]:
    """What can be said about a position in play without searching it: (value or UNKNOWN, OPEN, nodes, actions, entry).

    By what the kernel sees, by the leaves if they are the next ply, or by the table; else the actions worth
    searching, and what the table has.
    """
    verdict, actions = tactics(board, legal(board), remaining)
    if verdict != 0:
        return WIN if verdict == FORCED_WIN else -WIN, 0, 0, actions, NOTHING
    if remaining <= BOUNDS_PLIES:
        lower, upper = bounds(board, evaluation, root_moves != 0, remaining)
        if lower >= beta:
            return lower, 1, 0, actions, NOTHING
        if upper <= alpha:
            return upper, 1, 0, actions, NOTHING
    if remaining == 1:
        value, still_open, nodes = _last_ply(board, actions, beta, evaluation, root_moves)
        return value, still_open, nodes, actions, NOTHING
    entry = probe(table, key_of(board, root_moves != 0))
    plies, lower, upper = plies_of(entry), lower_of(entry), upper_of(entry)
    settled_lower, settled_upper = entry & SETTLED_LOWER != ZERO, entry & SETTLED_UPPER != ZERO
    lower_holds = plies == remaining or (plies < remaining and settled_lower)
    upper_holds = plies == remaining or (plies < remaining and settled_upper)
    if lower_holds and (lower >= beta or (lower == upper and upper_holds)):
        return lower, 0 if settled_lower else 1, 0, actions, entry
    if upper_holds and upper <= alpha:
        return upper, 0 if settled_upper else 1, 0, actions, entry
    if remaining >= ETC_PLIES:
        value, still_open = _known_cut(board, table, actions, remaining, beta, root_moves)
        if value > -INFINITY:
            return value, still_open, 0, actions, entry
    return UNKNOWN, 0, 0, actions, entry


@njit("int64(uint64[:, ::1], int64[:, ::1], uint64[::1], uint64[:, ::1], int64[::1], int64[::1])")
def search(boards: Words, frames: Numbers, keys: Words, table: Words, history: Numbers, control: Numbers) -> int:
    """Alpha-beta with memory and move ordering, fail-soft: the same value as `search_plain`, from fewer nodes.

    Before the first call the root stands in row 0 of `boards`, `frames` and `keys`. Returns RUNNING or FINISHED. A
    bound from the table counts only if it was searched as deep as asked now, or hangs on no estimate: so
    the table changes the number of nodes, never the value.
    """
    ply, nodes, stop = control[PLY], control[NODES], control[STOP]
    depth, evaluation, age = control[DEPTH], control[EVALUATION], control[AGE]
    first_of_equals = control[FIRST_OF_EQUALS] != 0
    board = load(boards, ply)
    while True:
        todo = frames[ply, TODO]
        if todo == 0:
            value, still_open = frames[ply, BEST], frames[ply, OPEN]
            remember(
                table,
                keys[ply],
                depth - ply,
                value,
                frames[ply, ASKED],
                frames[ply, BETA],
                frames[ply, ACTION],
                still_open,
                age,
            )
            if ply == 0:
                control[PLY], control[NODES] = ply, nodes
                return FINISHED
            same = frames[ply, SAME] != 0
            ply -= 1
            board = load(boards, ply)
        else:
            if nodes >= stop:
                control[PLY], control[NODES] = ply, nodes
                return RUNNING
            action = (todo & NIBBLE) - 1
            frames[ply, TODO] = todo >> 4
            frames[ply, TRIED] = action
            child = play(board, action)
            same = same_mover(board, child)
            nodes += 1
            result = outcome(child, action) if ply == 0 else quiet_outcome(child, action)
            still_open = 0
            if result != IN_PLAY:
                value = final(child, result, evaluation)
            else:
                remaining = depth - ply - 1
                root_moves = frames[ply, ROOT_MOVES] if same else 1 - frames[ply, ROOT_MOVES]
                if remaining == 0:
                    value = evaluate(child, evaluation, root_moves != 0)
                    still_open = 1
                else:
                    alpha, beta = frames[ply, ALPHA], frames[ply, BETA]
                    if first_of_equals and ply == 0 and action < frames[ply, ACTION]:
                        alpha -= 1  # as good as the best one is enough for an earlier action
                    if not same:
                        alpha, beta = -beta, -alpha
                    value, still_open, more, actions, entry = _at_once(
                        child, table, remaining, alpha, beta, evaluation, root_moves
                    )
                    nodes += more
                    if value == UNKNOWN:
                        ply += 1
                        board = child
                        store(boards, ply, board)
                        keys[ply] = key_of(board, root_moves != 0)
                        frames[ply, ALPHA] = alpha
                        frames[ply, ASKED] = alpha
                        frames[ply, BETA] = beta
                        frames[ply, BEST] = -INFINITY
                        frames[ply, ACTION] = -1
                        frames[ply, SAME] = 1 if same else 0
                        frames[ply, ROOT_MOVES] = root_moves
                        frames[ply, OPEN] = 0
                        frames[ply, TODO] = _ordered(frames, history, ply, board, actions, remaining, action_of(entry))
                        continue

        # `value` is that of the position after TRIED.
        if not same:
            value = -value
        action = frames[ply, TRIED]
        best = frames[ply, BEST]
        if value > best or (first_of_equals and ply == 0 and value == best and action < frames[ply, ACTION]):
            frames[ply, BEST] = value
            frames[ply, ACTION] = action
            if value > frames[ply, ALPHA]:
                frames[ply, ALPHA] = value
        if value >= frames[ply, BETA]:
            # Cut: the bound hangs on this one action only.
            frames[ply, OPEN] = still_open
            frames[ply, TODO] = 0
            remaining = depth - ply
            if remaining > 1:
                if frames[ply, KILLER_1] != action:
                    frames[ply, KILLER_2] = frames[ply, KILLER_1]
                    frames[ply, KILLER_1] = action
                place = (ply & 1) * SLOTS + slot(board, action)
                # Grows ever slower, so that it stays below 2^14 and forgets.
                gain = min(remaining * remaining, 256)
                history[place] += 16 * gain - ((history[place] * gain) >> 10)
        else:
            frames[ply, OPEN] |= still_open
