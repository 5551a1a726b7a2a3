"""Where the compiled searches keep what they know: the columns of their arrays, and their result codes."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]

# Columns of `control`, the search as a whole.
PLY: Final = 0
NODES: Final = 1
STOP: Final = 2  # come back to Python when NODES reaches this
DEPTH: Final = 3
EVALUATION: Final = 4
MINIMAX: Final = 5  # `search_plain`: 1 to search everything, without cuts
FIRST_OF_EQUALS: Final = 6  # `search`: 1 to find, of all best actions at the root, the one that is first by number
AGE: Final = 7  # `search`: the number of this search, from 1 to 63
MIRRORS: Final = 8  # `search`: 1 to let mirror images share their entry of the table
CONTROLS: Final = 9

# Columns of `frames`, one position on the way from the root. ALPHA, BETA and BEST are seen by the player to move.
ALPHA: Final = 0
BETA: Final = 1
BEST: Final = 2
ACTION: Final = 3  # the action that has BEST
# The actions not tried yet: `search_plain` a set, `search` a list of action + 1 in four bits each, next one first.
TODO: Final = 4
TRIED: Final = 5  # the action that is being searched
SAME: Final = 6  # 1 if the player to move also made the move that led here
OPEN: Final = 7  # 1 if the value hangs on an estimate, 0 if on ends of games only
LINE: Final = 8  # `search_plain`: the principal variation from here, in the same format as a TODO list
ASKED: Final = 9  # ALPHA as it was at first
ROOT_MOVES: Final = 10  # 1 if the player to move is the one who moves at the root
KILLER_1: Final = 11
KILLER_2: Final = 12
SCORES: Final = 13  # the first of eight columns to sort the actions in
TURNED: Final = 21  # `search`: 1 if the table knows the position as its mirror image
FRAME: Final = 24

# What a killer counts beside the kernel's priority (times 2^11) and the history (below 2^14).
KILLER_BONUS: Final = 1 << 15

UNKNOWN: Final = 1 << 20  # no value
ETC_PLIES: Final = 4  # from this depth on, every child is looked up in the table before any is searched

RUNNING: Final = 0
FINISHED: Final = 1

NIBBLE: Final = 15
LINE_BITS: Final = 0x0FFF_FFFF_FFFF_FFFF
