"""The fast search as an object: a table that is kept, deepening, MTD(f) and the clock around the compiled loops."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from palestra_bots import evaluations
from palestra_bots.analysis_types import Analysis
from palestra_bots.kernels.interface import IN_PLAY, INFINITY, WIN, Board
from palestra_bots.kernels.load import kernel_for
from palestra_bots.search.fast import arrays
from palestra_bots.search.fast.arrays import Numbers, Words
from palestra_bots.search.fast.loops import loops_of
from palestra_bots.search.fast.slices import Slices
from palestra_bots.search.fast.table import action_of, lower_of, probe, upper_of
from palestra_bots.timeman import MAX_DEPTH, Limit
from palestra_games import State

Algorithm = Literal["minimax", "alphabeta", "mtdf"]

AGES: Final = 63


@dataclass(slots=True)
class _Found:
    """What the deepening knows so far."""

    action: int
    value: int
    depth: int
    pv: tuple[int, ...]
    exact: bool
    earlier_value: int = 0  # the value of the depth before


class Searcher:
    """Searches positions of one game with one algorithm and one evaluation, and keeps its table in between.

    One search at a time: give each match and each thread its own. The compiled loops run without the GIL.
    """

    def __init__(
        self,
        game: str,
        algorithm: Algorithm = "mtdf",
        *,
        evaluation: str | None = None,
        plain: bool = False,
        table_bits: int = 21,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`plain`: the textbook, actions in ascending order and no table (always so for minimax). The table has
        2^table_bits entries of 16 bytes. Loads, and if need be compiles, the search of this game.

        KeyError if `game` has no kernel, or the kernel doesn't have this evaluation.
        """
        self.kernel = kernel_for(game)
        self.algorithm = algorithm
        self.evaluation = self.kernel.EVALUATIONS[evaluation or evaluations.default(game).name]
        self.plain = plain or algorithm == "minimax"
        self.loops = loops_of(game)
        self.clock = clock
        self.slices = Slices(clock)
        self.table: Words = np.zeros((2 if self.plain else 1 << table_bits, 2), np.uint64)
        self._boards: Words = np.zeros((MAX_DEPTH + 1, self.kernel.WORDS), np.uint64)
        self._frames: Numbers = np.zeros((MAX_DEPTH + 1, arrays.FRAME), np.int64)
        self._keys: Words = np.zeros(MAX_DEPTH + 1, np.uint64)
        self._history: Numbers = np.zeros(2 * 64, np.int64)
        self._control: Numbers = np.zeros(arrays.CONTROLS, np.int64)
        self._age = 0

    def analyse(self, state: State, limit: Limit) -> Analysis:
        """Searches as deep as `limit` says, deeper and deeper if it gives a time or nodes.

        With a depth alone the action is the first of the best ones by number, as in the textbook. Else
        deepening ends where nothing can change any more: the shortest win is played, and a lost position's action is
        the one that held out longest. `value` and `depth` are those of the last finished depth (depth 1 is always
        finished); `action` may come from the next one, if that was broken off after it had found a better action.
        MTD(f) plays the action that proved the value.

        ValueError if the game is over or the limit is open.
        """
        if state.returns() is not None:
            raise ValueError("The game is over, so there is no action to look for.")
        if limit.is_open:
            raise ValueError(
                "Say how deep to search (depth, in plies), for how long (move_s, in seconds) or how much (nodes)."
            )
        began = self.clock()
        self.slices.start(
            math.inf if limit.move_s is None else began + limit.move_s,
            math.inf if limit.nodes is None else limit.nodes,
        )
        with np.errstate(over="ignore"):  # without the compiler, numpy would warn of arithmetic modulo 2^64
            found, nodes = self._deepen(state, limit.depth, limit.deepens)
        win = self.evaluation.win
        value = found.value
        if win is not None and abs(value) == WIN:
            value = win if value > 0 else -win
        return Analysis(found.action, value, found.depth, nodes, found.pv, self.clock() - began, found.exact)

    def warm_up(self, state: State) -> None:
        """Runs every compiled loop once, and touches the whole table, so that the first move costs nothing extra."""
        self.analyse(state, Limit(depth=2))
        self.table[:] = 0

    def _deepen(self, state: State, deepest: int | None, timed: bool) -> tuple[_Found, int]:
        board = self.kernel.from_state(state)
        legal = state.legal_actions()
        self._begin(board)
        found = _Found(legal[0], 0, 0, (legal[0],), False)
        first = deepest if self.plain and not timed and deepest is not None else 1
        nodes = 0
        for depth in range(first, (deepest or MAX_DEPTH) + 1):
            order = [found.action, *(action for action in legal if action != found.action)] if found.depth else legal
            control = self._control
            control[arrays.DEPTH] = depth
            control[arrays.NODES] = 0
            control[arrays.FIRST_OF_EQUALS] = 1 if depth == deepest and not timed else 0
            if self.algorithm == "mtdf" and not self.plain:
                next_found = self._mtdf(board, order, depth, found)
            else:
                next_found = self._alphabeta(board, order, depth, found)
            nodes += int(control[arrays.NODES])
            if next_found is None:
                break
            if timed and found.depth and next_found.value == -WIN and self.evaluation.win is not None:
                # Every action loses within this depth; the one found before loses as late as any.
                next_found.action, next_found.pv = found.action, found.pv
            found = next_found
            if found.exact and (timed or self.algorithm == "mtdf"):
                break
        return found, nodes

    def _begin(self, board: Board) -> None:
        """A new root: what was learnt about other positions is kept, but counts less."""
        self._age = self._age % AGES + 1
        self._history //= 2
        self._frames[:, arrays.KILLER_1 : arrays.KILLER_2 + 1] = -1
        self._control[:] = 0
        self._control[arrays.AGE] = self._age
        self._control[arrays.EVALUATION] = self.evaluation.number
        self._control[arrays.MINIMAX] = 1 if self.algorithm == "minimax" else 0
        # Below a root that is its own mirror image nearly half of the search repeats itself, below others hardly any.
        symmetric = self.evaluation.mirrors and self.kernel.mirror(board) == board
        self._control[arrays.MIRRORS] = 1 if symmetric else 0
        self._keys[0] = self.kernel.key(board, True)

    def _root(self, board: Board, order: Sequence[int], alpha: int, beta: int) -> None:
        """Sets the root up for one run of a compiled loop. `order`: the actions, the first one to try first."""
        self.kernel.store(self._boards, 0, board)
        frame = self._frames[0]
        frame[arrays.ALPHA] = frame[arrays.ASKED] = alpha
        frame[arrays.BETA] = beta
        frame[arrays.BEST] = -INFINITY
        frame[arrays.ACTION] = frame[arrays.TRIED] = -1
        frame[arrays.LINE] = frame[arrays.OPEN] = 0
        frame[arrays.ROOT_MOVES] = 1
        if self.plain:
            frame[arrays.TODO] = sum(1 << action for action in order)
        else:
            frame[arrays.TODO] = sum((action + 1) << 4 * place for place, action in enumerate(order))
        self._control[arrays.PLY] = 0
        self._control[arrays.NODES] += 1

    def _run(self) -> bool:
        """Runs the compiled loop to its end (True) or to the deadline. Depth 1 always runs to its end."""
        control = self._control
        while not (self.slices.expired and control[arrays.DEPTH] > 1):
            before = int(control[arrays.NODES])
            control[arrays.STOP] = before + self.slices.next()
            if self.plain:
                state = self.loops.search_plain(self._boards, self._frames, control)
            else:
                state = self.loops.search(self._boards, self._frames, self._keys, self.table, self._history, control)
            self.slices.look(int(control[arrays.NODES]) - before)
            if state == arrays.FINISHED:
                return True
        return False

    def _alphabeta(self, board: Board, order: Sequence[int], depth: int, before: _Found) -> _Found | None:
        """One depth with the open window. None if broken off: `before` then has the better action, if one was found."""
        self._root(board, order, -INFINITY, INFINITY)
        finished = self._run()
        frame = self._frames[0]
        action, value = int(frame[arrays.ACTION]), int(frame[arrays.BEST])
        if not finished:
            # The old best action was searched before, so whatever replaced it is better at this depth.
            tried = before.action < frame[arrays.TRIED] if self.plain else value > -INFINITY
            if tried and action != before.action:
                before.action, before.pv = action, (action,)
            return None
        exact = frame[arrays.OPEN] == 0 or (self.evaluation.win is not None and abs(value) == WIN)
        return _Found(action, value, depth, self._line(board, action, value, depth), bool(exact))

    def _mtdf(self, board: Board, order: Sequence[int], depth: int, before: _Found) -> _Found | None:
        """One depth of MTD(f): zero-window passes until the bounds meet (Plaat 1996). None as in `_alphabeta`."""
        # What an estimate says often swings with who moved last, so the guess comes from two plies up.
        lower, upper, value = -INFINITY, INFINITY, before.earlier_value
        lower_open = upper_open = True
        action = before.action
        while lower < upper:
            beta = max(value, lower + 1)
            self._root(board, order, beta - 1, beta)
            if not self._run():
                if lower > -INFINITY and action != before.action:
                    before.action, before.pv = action, (action,)  # it reached what the old one failed to reach
                return None
            frame = self._frames[0]
            value = int(frame[arrays.BEST])
            if value < beta:
                upper, upper_open = value, frame[arrays.OPEN] != 0
            else:
                lower, lower_open = value, frame[arrays.OPEN] != 0
                action = int(frame[arrays.ACTION])
                order = [action, *(other for other in order if other != action)]
        decided = self.evaluation.win is not None and abs(value) == WIN
        exact = decided or not (lower_open or upper_open)
        return _Found(action, value, depth, self._line(board, action, value, depth), bool(exact), before.value)

    def _line(self, board: Board, action: int, value: int, depth: int) -> tuple[int, ...]:
        """The principal variation: kept by the plain search, else read from the table as far as it goes."""
        if self.plain:
            packed = int(self._frames[0][arrays.LINE])
            return tuple(((packed >> shift) & 15) - 1 for shift in range(0, 4 * depth, 4) if (packed >> shift) & 15)
        line = [action]
        root_moves = True
        while len(line) < depth:
            child = self.kernel.play(board, action)
            if self.kernel.outcome(child, action) != IN_PLAY:
                break
            if not self.kernel.same_mover(board, child):
                value, root_moves = -value, not root_moves
            board = child
            key, turned = self.loops.identity(board, root_moves, int(self._control[arrays.MIRRORS]))
            entry = probe(self.table, key)
            action = action_of(entry)
            if turned and action >= 0:
                action = self.kernel.mirror_action(action)
            legal = int(self.kernel.legal(board))
            if action < 0 or not legal >> action & 1 or not lower_of(entry) <= value <= upper_of(entry):
                break
            line.append(action)
        return tuple(line)
