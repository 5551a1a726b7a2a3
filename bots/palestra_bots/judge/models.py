"""Which search says what this bot reported? A sound one, or one with a known flaw: in its depth, its sign, its rules.

A bot reports a depth and a value with each move. A model is a search with an evaluation and at most one flaw; it fits a
move if it gives the same value at the same depth. A model with a flaw that fits nearly all moves, and clearly more than
the sound one does, says what is wrong; a bot whose evaluation isn't one of ours fits none, and nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from palestra_bots import evaluations
from palestra_bots.evaluations import Evaluation
from palestra_bots.search.fast.loops import has_kernel
from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.search.reference.alphabeta import alphabeta
from palestra_bots.search.reference.ordering import natural
from palestra_bots.search.reference.tree import OutOfTime, Tree
from palestra_bots.timeman import Limit
from palestra_games import Seat, State
from palestra_games.mancala import MancalaState
from palestra_protocol.analysis import Flaw

CHEAP: Final = 8_000  # nodes of a position that is searched in plain Python, about 0.2 s
DEAR: Final = 300_000  # nodes of one that only the compiled search is asked for
POSITIONS: Final = 12  # are compared at most
ENOUGH: Final = 5  # fewer say nothing, and neither do values that are nearly all the same:
VARIED: Final = 3
CLEARLY: Final = 3  # values that no sound search explains: then there is a flaw
NEARLY_ALL: Final = 0.85
BOOM: Final = 7  # the action of desconecta4


class Reported(NamedTuple):
    """A move with what the bot said of it: plies searched, and the value for itself."""

    ply: int
    state: State
    depth: int
    value: float


class Fit(NamedTuple):
    """A model that explains `fits` of `of` moves; `flaw` None is the sound search.

    `shown`: a move that only the flaw explains, and what the sound search says there.
    """

    evaluation: str
    flaw: Flaw | None
    fits: int
    of: int
    shown: tuple[Reported, float] | None = None


@dataclass(frozen=True, slots=True)
class _Altered:
    """A state by other rules. `step`: (state, action) -> state, in place of `State.apply`."""

    state: State
    step: Callable[[State, int], State]

    @property
    def to_move(self) -> Seat:
        return self.state.to_move

    def legal_actions(self) -> tuple[int, ...]:
        return self.state.legal_actions()

    def returns(self) -> tuple[float, float] | None:
        return self.state.returns()

    def apply(self, action: int) -> _Altered:
        return _Altered(self.step(self.state, action), self.step)


def _turn_passes(state: State, action: int) -> State:
    child = cast(MancalaState, state.apply(action))
    if child.returns() is not None or child.to_move != state.to_move:
        return child
    return MancalaState.of(child.pits, child.stores, cast(Seat, 1 - child.to_move), child.capture)


def _nothing_captured(state: State, action: int) -> State:
    board = cast(MancalaState, state)
    me, rows, stores = board.to_move, [list(row) for row in board.pits], list(board.stores)
    seeds, rows[me][action] = rows[me][action], 0
    ring = [(me, pit) for pit in range(len(rows[me]) - 1, -1, -1)] + [(me, -1)]
    ring += [(1 - me, pit) for pit in range(len(rows[me]) - 1, -1, -1)]
    at = ring.index((me, action))
    for _ in range(seeds):
        at = (at + 1) % len(ring)
        side, pit = ring[at]
        if pit < 0:
            stores[side] += 1
        else:
            rows[side][pit] += 1
    if not all(map(any, rows)):
        return state.apply(action)  # over: the sweep takes all, captured or not
    mover = me if ring[at] == (me, -1) else 1 - me
    return MancalaState.of((tuple(rows[0]), tuple(rows[1])), (stores[0], stores[1]), cast(Seat, mover), board.capture)


def _all_but_last(state: State) -> Sequence[int]:
    return natural(state)[:-1] or natural(state)


def _no_bombs(state: State) -> Sequence[int]:
    return [action for action in natural(state) if action != BOOM] or natural(state)


RULES: Final[Mapping[Flaw, Callable[[State, int], State]]] = {
    "extra_turn": _turn_passes,
    "capture": _nothing_captured,
}
FLAWS: Final[Mapping[str, tuple[Flaw, ...]]] = {
    "mancala": ("depth", "sign", "view", "last_move", "extra_turn", "capture"),
    "desconecta4": ("depth", "sign", "view", "bomb"),
    "connect4": ("depth", "sign", "view", "last_move"),
    "connect4-8x8": ("depth", "sign", "view", "last_move"),
}


def flawed_value(
    state: State, depth: int, evaluation: Evaluation, flaw: Flaw | None, seat: Seat, nodes: int = CHEAP
) -> float | None:
    """What a search of `depth` plies says the position is worth to `seat`; None if it takes more than `nodes`."""

    def evaluate(reached: Any, who: Seat) -> int:
        board = reached.state if isinstance(reached, _Altered) else reached
        if flaw == "sign" and board.returns() is None:
            return -evaluation(board, who)
        if flaw == "view" and board.returns() is None:
            return evaluation(board, board.to_move)
        return evaluation(board, who)

    ordering = {"last_move": _all_but_last, "bomb": _no_bombs}.get(flaw or "", natural)
    tree = Tree(seat, evaluate, ordering, stop=lambda: tree.nodes > nodes)
    step = None if flaw is None else RULES.get(flaw)
    searched = state if step is None else cast(State, _Altered(state, step))
    try:
        return alphabeta(tree, searched, depth - (flaw == "depth")).value
    except OutOfTime:
        return None


def fits(game: str, moves: Sequence[Reported]) -> list[Fit]:
    """The sound search and the flawed ones with each evaluation of the game, as far as they explain what was reported;
    best first. Empty if too little was reported.
    """
    moves = [move for move in moves if move.depth > 1 and len(move.state.legal_actions()) > 1]
    sounds = [_Sound(game, name, moves) for name in evaluations.names(game) if name != "outcome"]  # that fits anything
    found = [sound.fit for sound in sounds if sound.fit is not None]
    if any(fit.fits > fit.of - CLEARLY for fit in found):
        return sorted(found, key=lambda fit: fit.fits / fit.of, reverse=True)
    flawed = (sound.flawed(flaw) for sound in sounds for flaw in FLAWS.get(game, ()))
    return sorted([*found, *(fit for fit in flawed if fit)], key=lambda fit: fit.fits / fit.of, reverse=True)


def flaw_of(found: Sequence[Fit]) -> Fit | None:
    """The one flaw that explains nearly everything, where no sound search does and no other flaw does as well."""
    best = next((fit for fit in found if fit.flaw is not None), None)
    if best is None or any(fit.flaw is None and fit.fits > fit.of - CLEARLY for fit in found):
        return None
    share = best.fits / best.of
    others = [fit for fit in found if fit.flaw not in (None, best.flaw)]
    return best if share >= NEARLY_ALL and all(fit.fits / fit.of < share for fit in others) else None


class _Sound:
    """The sound search with one evaluation, on the moves that it takes at most DEAR nodes for."""

    def __init__(self, game: str, evaluation: str, moves: Sequence[Reported]) -> None:
        self._evaluation = evaluations.get(game, evaluation)
        self._values: dict[Reported, float] = {}
        self._nodes: dict[Reported, int] = {}
        if moves and has_kernel(moves[0].state, evaluation):
            self._searcher = Searcher(game, "alphabeta", evaluation=evaluation, table_bits=18)
            for move in moves:
                value, self._nodes[move] = self._searched(move, move.depth)
                if value is not None:
                    self._values[move] = value

    @property
    def fit(self) -> Fit | None:
        chosen = self._chosen(DEAR)
        missed = sum(not self._same(self._values[move], move) for move in chosen)
        return Fit(self._evaluation.name, None, len(chosen) - missed, len(chosen)) if chosen else None

    def flawed(self, flaw: Flaw) -> Fit | None:
        """None if the flaw explains too little, or nothing that the sound search does not."""
        chosen = self._chosen(DEAR if flaw == "depth" else CHEAP)
        missed, shown = 0, None
        for move in chosen:
            if flaw == "depth":
                value = self._searched(move, move.depth - 1)[0]
            else:
                value = flawed_value(move.state, move.depth, self._evaluation, flaw, move.state.to_move)
            if value is None or not self._same(value, move):
                missed += 1
                if missed > len(chosen) * (1 - NEARLY_ALL):
                    return None
            elif shown is None and not self._same(self._values[move], move):
                shown = move, self._values[move]
        return Fit(self._evaluation.name, flaw, len(chosen) - missed, len(chosen), shown) if shown else None

    def _chosen(self, nodes: int) -> list[Reported]:
        """Those to compare, the cheapest first; none if they are too few, or say too little."""
        found = sorted(
            (move for move in self._values if self._nodes[move] <= nodes), key=self._nodes.__getitem__, reverse=True
        )[:POSITIONS]
        varied = len(found) >= ENOUGH and len({move.value for move in found}) >= VARIED
        return found[::-1] if varied else []

    def _searched(self, move: Reported, depth: int) -> tuple[float | None, int]:
        found = self._searcher.analyse(move.state, Limit(depth=depth, nodes=DEAR))
        return found.value if found.depth == depth or found.exact else None, found.nodes

    def _same(self, value: float, move: Reported) -> bool:
        if self._evaluation.decides(value):  # every program has its own number for a win
            return value * move.value > 0
        return value == move.value
