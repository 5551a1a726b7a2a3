"""The searches as compiled loops, one source for all games.

Loaded once for each game (palestra_bots.kernels.load); what is imported by the plain name is for connect4. Both
functions are alpha-beta without recursion: what a recursive function would keep in its local variables is here a
row of `frames`, one for each ply. So a search can stop after a number of nodes, come back to Python, which looks
at the clock, and go on where it was.

Values are from the view of the player to move (negamax), whole numbers from -WIN to WIN.
"""

from __future__ import annotations

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, lowest
from palestra_bots.kernels.interface import FORCED_WIN, IN_PLAY, INFINITY, SLOTS, WIN, Board
from palestra_bots.kernels.load import kernel_for, variant_of
from palestra_bots.search.fast.layout import (
    ACTION,
    AGE,
    ALPHA,
    ASKED,
    BEST,
    BETA,
    DEPTH,
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
    remember,
    upper_of,
)

kernel = kernel_for(variant_of(__name__, "connect4"))
load, store, legal, play, same_mover = kernel.load, kernel.store, kernel.legal, kernel.play, kernel.same_mover
outcome, quiet_outcome, final, evaluate = kernel.outcome, kernel.quiet_outcome, kernel.final, kernel.evaluate
key_of, tactics, priority, slot = kernel.key, kernel.tactics, kernel.priority, kernel.slot


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


@njit(f"int64(uint64[:, ::1], int64[:, ::1], int64[::1], int64, {kernel.BOARD}, uint64, int64, int64)")
def _ordered(
    boards: Words,  # noqa: ARG001
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
            score = (priority(board, action, remaining) << 14) + history[(ply & 1) * SLOTS + slot(board, action)]
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
                    verdict, actions = tactics(child, legal(child), remaining)
                    if verdict != 0:
                        value = WIN if verdict == FORCED_WIN else -WIN
                    else:
                        key = key_of(child, root_moves != 0)
                        entry = probe(table, key)
                        plies, lower, upper = plies_of(entry), lower_of(entry), upper_of(entry)
                        lower_holds = plies == remaining or (plies < remaining and entry & SETTLED_LOWER != ZERO)
                        upper_holds = plies == remaining or (plies < remaining and entry & SETTLED_UPPER != ZERO)
                        if lower_holds and (lower >= beta or (lower == upper and upper_holds)):
                            value = lower
                            still_open = 0 if entry & SETTLED_LOWER != ZERO else 1
                        elif upper_holds and upper <= alpha:
                            value = upper
                            still_open = 0 if entry & SETTLED_UPPER != ZERO else 1
                        else:
                            ply += 1
                            board = child
                            store(boards, ply, board)
                            keys[ply] = key
                            frames[ply, ALPHA] = alpha
                            frames[ply, ASKED] = alpha
                            frames[ply, BETA] = beta
                            frames[ply, BEST] = -INFINITY
                            frames[ply, ACTION] = -1
                            frames[ply, SAME] = 1 if same else 0
                            frames[ply, ROOT_MOVES] = root_moves
                            frames[ply, OPEN] = 0
                            known = action_of(entry)
                            frames[ply, TODO] = _ordered(boards, frames, history, ply, board, actions, remaining, known)
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
