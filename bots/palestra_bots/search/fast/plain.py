"""Textbook alpha-beta and minimax as a compiled loop, one source for all games; built like `engine.search`."""

from __future__ import annotations

import numpy as np

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import lowest
from palestra_bots.kernels.interface import IN_PLAY, INFINITY
from palestra_bots.kernels.load import kernel_for, variant_of
from palestra_bots.search.fast.arrays import (
    ACTION,
    ALPHA,
    BEST,
    BETA,
    DEPTH,
    EVALUATION,
    FINISHED,
    LINE,
    LINE_BITS,
    MINIMAX,
    NODES,
    OPEN,
    PLY,
    ROOT_MOVES,
    RUNNING,
    SAME,
    STOP,
    TODO,
    TRIED,
    Numbers,
    Words,
)

kernel = kernel_for(variant_of(__name__, "connect4"))
load, store, legal, play, same_mover = kernel.load, kernel.store, kernel.legal, kernel.play, kernel.same_mover
outcome, final, evaluate = kernel.outcome, kernel.final, kernel.evaluate


@njit("int64(uint64[:, ::1], int64[:, ::1], int64[::1])")
def search_plain(boards: Words, frames: Numbers, control: Numbers) -> int:
    """Textbook alpha-beta, or minimax: actions in ascending order, no table, every position counted.

    Before the first call the root is in row 0 of `boards` and `frames`. Returns RUNNING or FINISHED.
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
