"""One key for all positions that are worth the same for a plain reason: mirror images and dead stones.

**Dead stones.** A stone is *live* while some line of four through it holds no stone of the other colour. The
colour of a stone that is not live can be forgotten: a line is still open to a player exactly if every stone on
it is a live stone of that player. (If the line is open to them, all stones on it are theirs, and live through
this very line. The other way round is plain.) So the value of a position depends on nothing but the filled cells,
the live stones of both players, and who is to move, which the number of filled cells tells. Win distances depend
on the same, so equal keys mean equal scores. (The idea of leaving out stones that cannot matter is known from
other programs; the argument is ours.)

The key has two words: `stones` = the mover's live stones + filled cells + bottom row, which is one-to-one, seven
bits a column and never 0 (Tromp's and Pons' key), and `dead` = the cells that hold a dead stone. Nothing is lost: a
table that compares both words never takes one position for another.

**Mirror images** get the smaller of the two keys.
"""

from __future__ import annotations

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, mix
from palestra_bots.solvers.connect4.bitboard import BOTTOM, Word, mirrored

_MULTIPLIER = Word(0xC2B2AE3D27D4EB4F)


@njit("UniTuple(uint64, 2)(uint64, uint64, uint64, uint64)")
def key_of(own: Word, mask: Word, own_live: Word, rival_live: Word) -> tuple[Word, Word]:
    """(stones, dead) of a position; `*_live` are the cells of lines still open to either (`live_cells`)."""
    dead = mask & ~((own & own_live) | (rival_live & ~own))
    stones = (own & ~dead) + mask + BOTTOM
    stones_mirrored = mirrored(stones)
    if stones < stones_mirrored:
        return stones, dead
    dead_mirrored = mirrored(dead)
    if stones_mirrored < stones or dead_mirrored < dead:
        return stones_mirrored, dead_mirrored
    return stones, dead


@njit("uint64(uint64, uint64, uint64)")
def bucket_of(stones: Word, dead: Word, buckets: Word) -> Word:
    """Number of the table bucket for a key; `buckets` is a power of two."""
    return mix(stones ^ (dead * _MULTIPLIER)) & (buckets - ONE)
