"""Bounds on the score that hold without any search.

Scores are Pascal Pons': half the empty cells that are left when the game ends, rounded up, positive when the
player to move wins; 0 is a draw. All functions look at a *quiet* position: nobody completes a four with the
next stone (see `search.settle`).

**No four left open.** A player who has no four cells in line free of the other's stones cannot win any more.

**Answering strategies.** After Victor Allis, "A Knowledge-based Approach of Connect-Four" (1988). Let R be the
player who does *not* move now, and let R answer every stone with the cell right above it whenever that is
possible ("follow-up"; for the second player of the game this is *claimeven*). Who gets which cell is then
settled, apart from a few, so the result can be read off the board:

- A column with an even number of empty cells falls into pairs (lower, upper). Whoever of the two starts a
  pair, it is always the mover M: R's answer closes it. M gets the lower cells, R the upper ones.
- A column with an odd number of empty cells is called *loose* here. Rows are counted from 1; six rows means its
  lowest empty cell is in an even row. Once that cell is filled, the rest is pairs (odd row below, even row above).
- Two loose columns can be coupled: when M takes the lowest empty cell of one, R takes that of the other. So
  M gets exactly one of the two cells, by M's choice, and R the other. Cells above them as said: M odd, R even.

*First player to move* (the number of empty cells is even, so the number of loose columns is even too): couple
the loose columns. R, the second player, can answer every stone until the board is full. M ends up with a subset
of "M's stones + empty odd cells + the chosen loose cells". If there is no four in that set, M never wins: the
score is at most 0. If besides R's share holds a four, R has won at the latest when R's last cell of that four is
filled, so the score is negative. The empty cells above that cell in its column remain: at least
(6 - row) of them. A cell where R already threatens to complete a four ends the game when it is reached: M's cells
above it in that column do not count.

*Second player to move* (the number of loose columns is odd): if R, the first player, threatens to complete a four
in an odd row of a loose column j, then leave j aside and couple the other loose columns. R answers in j by
follow-up too: there, M gets the even cells and R the odd ones, until R fills the threatened cell and wins. M
cannot wait for ever: outside j every stone of M has an answer, so at last M has to play in j, and M's last cell in j
before the threat has R's answer above it. R wins, if there is no four in "M's stones + what M gets outside j + the
even cells of j below the threat". The cells above the threat remain empty at the end.

With more loose columns than one pair M is given all of their cells and R none: cheaper to test, and still sound.
"""

from __future__ import annotations

from palestra_bots.jit import njit
from palestra_bots.kernels.bits import ONE, ZERO, popcount
from palestra_bots.solvers.connect4.bitboard import (
    BOARD,
    BOTTOM,
    DIAGONAL_DOWN,
    DIAGONAL_UP,
    EVEN_ROWS,
    ODD_ROWS,
    STRIDE,
    TWO,
    Word,
    has_four,
)

# Greater than every score: "no bound".
NO_BOUND = 99

_ROW_2 = Word(int(BOTTOM) << 1)
_ROWS_2_4 = Word(int(BOTTOM) << 1 | int(BOTTOM) << 3)


@njit("uint64(uint64)")
def live_cells(usable: Word) -> Word:
    """The cells that belong to at least one line of four within `usable` (own stones and empty cells)."""
    live = ZERO
    for shift in (ONE, STRIDE, DIAGONAL_DOWN, DIAGONAL_UP):
        pairs = usable & (usable >> shift)
        starts = pairs & (pairs >> (shift + shift))
        starts |= starts << shift
        live |= starts | (starts << (shift + shift))
    return live


@njit("uint64(uint64)")
def above(cells: Word) -> Word:
    """Every cell that stands higher up in the same column than one of `cells`."""
    higher = (cells << ONE) & BOARD
    for _ in range(4):
        higher |= (higher << ONE) & BOARD
    return higher


@njit("int64(uint64, uint64)")
def _even_win(stones: Word, cells: Word) -> int:
    """Least score of a player who surely gets all `cells` (in even rows): 0 if they make no four.

    The last cell filled of a four stands at most as high as its highest one; (6 - row) cells stay empty.
    """
    if not has_four(stones | cells):
        return 0
    if has_four(stones | (cells & _ROW_2)):
        return 3
    if has_four(stones | (cells & _ROWS_2_4)):
        return 2
    return 1


@njit("int64(uint64, uint64, uint64)")
def _first_player_at_most(own: Word, mask: Word, rival_threats: Word) -> int:
    """Upper bound for the first player, to move, against claimeven (module text); NO_BOUND if it fails."""
    rival = own ^ mask
    empty = BOARD ^ mask
    reached = ~above(rival_threats & EVEN_ROWS)
    odd = empty & ODD_ROWS & reached
    even = empty & EVEN_ROWS & reached
    loose = (mask + BOTTOM) & EVEN_ROWS
    if loose == ZERO:
        if has_four(own | odd):
            return NO_BOUND
        return -_even_win(rival, even)
    one = loose & (~loose + ONE)
    other = loose ^ one
    if other & (other - ONE):
        if has_four(own | odd | loose):
            return NO_BOUND
        return -_even_win(rival, even & ~loose)
    if has_four(own | odd | one) or has_four(own | odd | other):
        return NO_BOUND
    return -min(_even_win(rival, even & ~one), _even_win(rival, even & ~other))


@njit("int64(uint64, uint64, uint64)")
def _second_player_at_most(own: Word, mask: Word, rival_threats: Word) -> int:
    """Upper bound for the second player, to move, against an odd threat (module text); NO_BOUND if none."""
    bound = NO_BOUND
    odd_threats = rival_threats & ODD_ROWS
    if odd_threats == ZERO:
        return bound
    empty = BOARD ^ mask
    # Outside j the rival gets even cells: where one of them completes a four, the game goes no higher.
    outside = empty & ODD_ROWS & ~above(rival_threats & EVEN_ROWS)
    loose = (mask + BOTTOM) & EVEN_ROWS
    todo = loose
    while todo:
        lowest = todo & (~todo + ONE)
        todo ^= lowest
        column = above(lowest) | lowest
        threat = column & odd_threats
        if threat == ZERO:
            continue
        threat = threat & (~threat + ONE)
        share = own | (outside & ~column) | (empty & EVEN_ROWS & column & (threat - ONE))
        rest = loose ^ lowest
        one = rest & (~rest + ONE)
        other = rest ^ one
        if other & (other - ONE):
            one = other = rest
        if has_four(share | one) or has_four(share | other):
            continue
        if threat & BOTTOM:
            score = 3
        elif (threat >> TWO) & BOTTOM:
            score = 2
        else:
            score = 1
        bound = min(bound, -score)
    return bound


@njit("int64(uint64, uint64, uint64)")
def reply_bound(own: Word, mask: Word, rival_threats: Word) -> int:
    """Upper bound for the player to move of a quiet position, from what the rival gets by answering.

    `rival_threats` are the cells where the rival would complete a four. NO_BOUND where nothing is proved.
    """
    if popcount(mask) & 1 == 0:
        return _first_player_at_most(own, mask, rival_threats)
    return _second_player_at_most(own, mask, rival_threats)
