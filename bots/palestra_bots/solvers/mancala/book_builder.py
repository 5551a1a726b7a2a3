"""Builds the opening book by solving. It can be stopped at any time and resumes where it was.

The book follows our own play: at each position where we are to move, the one move that is kept in the book; then every
reply, whole sequences of moves of an opponent who moves again included. A position that is solved from an empty table
in EASY_NODES nodes needs no entry, and nothing below it is looked at. Positions are taken breadth first, so that an
unfinished book is perfect as far as it goes; seat 0, whose tree is ten times smaller, is some turns ahead.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from palestra_bots.solvers.books import Entry, noted
from palestra_bots.solvers.mancala import cache
from palestra_bots.solvers.mancala.book import number_of_state
from palestra_bots.solvers.mancala.solver import Solver
from palestra_games import Seat
from palestra_games.mancala import MANCALA, MancalaState

EASY_NODES: Final = 1_000_000  # about half a second on one core of an ordinary machine

_EASY_TABLE_BITS: Final = 20
_AHEAD: Final = 3
_SEATS: Final[tuple[Seat, Seat]] = (0, 1)
_EASY: Final = -1  # stands for the action in the notes on a position that needs no entry


class Progress(NamedTuple):
    """How far a run has come: rounds done, and what is left of this round.

    A round holds the positions of one of our turns: of seat 0's first one and so on, of seat 1's _AHEAD rounds later.
    """

    rounds: int
    left: int


def our_turns(state: MancalaState, seat: Seat) -> Iterator[MancalaState]:
    """The positions in play, with `seat` to move, that the opponent can reach from `state` by their own moves."""
    if state.returns() is not None:
        return
    if state.to_move == seat:
        yield state
        return
    for action in state.legal_actions():
        yield from our_turns(state.apply(action), seat)


def after(state: MancalaState, action: int) -> Iterator[MancalaState]:
    """The positions where it is our turn next, once we have played `action`."""
    yield from our_turns(state.apply(action), state.to_move)


def build(
    notes: Path,
    *,
    table_bits: int = 25,
    deadline: float | None = None,
    most_entries: int = 120_000,
    report: Callable[[Progress], None] = lambda _: None,
) -> dict[int, Entry]:
    """Solves until nothing is left, `deadline` (by time.monotonic) has passed, or the book is full; the entries.

    `notes`: a text file with what is known so far, a line `number value action` for each position.
    """
    known = {number: Entry(value, action) for number, value, action in (map(int, words) for words in noted(notes))}
    endgame = cache.load(MANCALA.pits, MANCALA.capture)
    # Easy is what is easy with the table that every player has, whatever stands on this machine.
    quick, thorough = Solver(endgame.head(cache.DEFAULT_SEEDS), _EASY_TABLE_BITS), Solver(endgame, table_bits)
    start = MANCALA.initial_state()
    # The positions of each round. We are to move in all of them, so a position says which seat we have.
    rounds: defaultdict[int, dict[int, MancalaState]] = defaultdict(dict)
    for seat in _SEATS:
        rounds[seat * _AHEAD] = {number_of_state(state): state for state in our_turns(start, seat)}
    while rounds:
        now = min(rounds)
        level = rounds.pop(now)
        below: dict[int, MancalaState] = {}
        for place, (number, state) in enumerate(level.items()):
            if number not in known:
                entries = _hard(known)
                report(Progress(now, len(level) - place))
                if len(entries) >= most_entries or (deadline is not None and time.monotonic() > deadline):
                    return entries
                quick.clear()
                easy = quick.solve(state, node_limit=EASY_NODES)
                found = (
                    easy
                    if easy.solved
                    else thorough.solve(state, guesses=(easy.lower if easy.action is not None else 0,))
                )
                stored = state.stores[state.to_move] - state.stores[1 - state.to_move]
                assert found.action is not None  # nothing broke it off
                known[number] = Entry(found.lower - stored, _EASY if easy.solved else found.action)
                with notes.open("a") as file:
                    file.write(f"{number} {known[number].value} {known[number].action}\n")
            action = known[number].action
            if action != _EASY:
                below |= {number_of_state(reached): reached for reached in after(state, action)}
        if below:
            rounds[now + 1] |= below
    return _hard(known)


def _hard(known: Mapping[int, Entry]) -> dict[int, Entry]:
    return {number: entry for number, entry in known.items() if entry.action != _EASY}
