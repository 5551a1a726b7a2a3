"""The textbook searches, in plain Python over `palestra_games.State`: short, and the yardstick for the fast engine.

Read them in this order, each adds one idea to the one before:

    minimax     the value of a position, defined
    alphabeta   the same value without looking at what can't matter; better the sooner the best action comes first
    ordering    which action to try first
    memory      alpha-beta with a transposition table
    mtdf        the value closed in by zero-window searches (Plaat 1996)
    deepening   depth 1, 2, 3, ... until the clock runs out

All keep values from one fixed seat's view, the maximizer's, and never flip signs. In mancala a player may move twice in
a row, and some evaluations look at one side only; a negamax would be wrong there.
"""

from palestra_bots.search.reference.alphabeta import alphabeta
from palestra_bots.search.reference.deepening import ALGORITHMS, Algorithm, analyse
from palestra_bots.search.reference.memory import alphabeta_with_memory
from palestra_bots.search.reference.minimax import minimax
from palestra_bots.search.reference.mtdf import mtdf
from palestra_bots.search.reference.ordering import Ordering, best_first, natural, rotated
from palestra_bots.search.reference.tree import Line, OutOfTime, Tree
