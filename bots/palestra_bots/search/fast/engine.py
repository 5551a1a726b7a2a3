"""Alpha-beta with memory as a compiled loop, one source for all games.

Loaded once for each game (palestra_bots.kernels.load); what is imported by the plain name is for connect4. There is
no recursion: what a recursive function would keep in its local variables is here a row of `frames`, one for each
ply. So a search can stop after a number of nodes, come back to Python, which looks at the clock, and go on where it
was.

Values are from the view of the player to move (negamax), whole numbers from -WIN to WIN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from palestra_bots.jit import njit
from palestra_bots.kernels.interface import IN_PLAY, INFINITY, SLOTS
from palestra_bots.kernels.load import kernel_for, load_variant, variant_of
from palestra_bots.search.fast.arrays import (
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
    MIRRORS,
    NIBBLE,
    NODES,
    OPEN,
    PLY,
    ROOT_MOVES,
    RUNNING,
    SAME,
    STOP,
    TODO,
    TRIED,
    TURNED,
    UNKNOWN,
    Numbers,
    Words,
)
from palestra_bots.search.fast.table import remember

if TYPE_CHECKING:
    from palestra_bots.search.fast import nodes as position
else:
    position = load_variant("palestra_bots.search.fast.nodes", variant_of(__name__, "connect4"))

kernel = kernel_for(variant_of(__name__, "connect4"))
load, store, play, same_mover = kernel.load, kernel.store, kernel.play, kernel.same_mover
outcome, quiet_outcome, final, evaluate = kernel.outcome, kernel.quiet_outcome, kernel.final, kernel.evaluate
slot, mirror_action = kernel.slot, kernel.mirror_action
value_or_actions, ordered = position.value_or_actions, position.ordered


@njit("int64(uint64[:, ::1], int64[:, ::1], uint64[::1], uint64[:, ::1], int64[::1], int64[::1])")
def search(boards: Words, frames: Numbers, keys: Words, table: Words, history: Numbers, control: Numbers) -> int:
    """Alpha-beta with memory and move ordering, fail-soft: the same value as `search_plain`, from fewer nodes.

    Before the first call the root is in row 0 of `boards`, `frames` and `keys`. Returns RUNNING or FINISHED. A
    bound from the table counts only if it was searched as deep as asked now, or hangs on no estimate: so
    the table changes the number of nodes, never the value.
    """
    ply, nodes, stop = control[PLY], control[NODES], control[STOP]
    depth, evaluation, age, mirrors = control[DEPTH], control[EVALUATION], control[AGE], control[MIRRORS]
    first_of_equals = control[FIRST_OF_EQUALS] != 0
    board = load(boards, ply)
    while True:
        todo = frames[ply, TODO]
        if todo == 0:
            value, still_open, action = frames[ply, BEST], frames[ply, OPEN], frames[ply, ACTION]
            remember(
                table,
                keys[ply],
                depth - ply,
                value,
                frames[ply, ASKED],
                frames[ply, BETA],
                mirror_action(action) if frames[ply, TURNED] != 0 else action,
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
                    value, still_open, more, actions, known_best, key, turned = value_or_actions(
                        child, table, remaining, alpha, beta, evaluation, root_moves, mirrors
                    )
                    nodes += more
                    if value == UNKNOWN:
                        ply += 1
                        board = child
                        store(boards, ply, board)
                        keys[ply] = key
                        frames[ply, TURNED] = turned
                        frames[ply, ALPHA] = alpha
                        frames[ply, ASKED] = alpha
                        frames[ply, BETA] = beta
                        frames[ply, BEST] = -INFINITY
                        frames[ply, ACTION] = -1
                        frames[ply, SAME] = 1 if same else 0
                        frames[ply, ROOT_MOVES] = root_moves
                        frames[ply, OPEN] = 0
                        frames[ply, TODO] = ordered(frames, history, ply, board, actions, remaining, known_best)
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
