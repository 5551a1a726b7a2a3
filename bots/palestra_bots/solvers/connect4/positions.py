"""Positions as bitboards, and what follows from the rules alone."""

from __future__ import annotations

from palestra_bots.solvers.connect4.bitboard import CELLS, COLS, ROWS, Word, has_four

# A position as in `bitboard`: stones of the player to move, all stones.
Position = tuple[int, int]


def after(position: Position, action: int) -> Position | None:
    """The position after a stone in a column, in the view of the next player; None if the column is full."""
    own, mask = position
    column = ((1 << ROWS) - 1) << action * (ROWS + 1)
    cell = (mask + (1 << action * (ROWS + 1))) & column
    return (own ^ mask, mask | cell) if cell else None


def is_won(position: Position) -> bool:
    own, mask = position
    return has_four(Word(own ^ mask))


def followers(position: Position) -> list[tuple[int, Position]]:
    """(action, position after it) of all legal actions, ascending; the mover must still be able to move."""
    pairs = ((action, after(position, action)) for action in range(COLS))
    return [(action, following) for action, following in pairs if following is not None]


def wins_at_once(position: Position) -> bool:
    return any(is_won(following) for _, following in followers(position))


def plies_left(score: int, ply: int) -> int:
    """Plies to the end of the game under perfect play, from a position at `ply` with `score` for its mover."""
    if score == 0:
        return CELLS - ply
    # The winner completes a four with ply number `last`, and is the mover if `last - ply` is odd.
    last = CELLS + 2 - 2 * abs(score)
    if (last - ply) % 2 != (score > 0):
        last -= 1
    return last - ply
