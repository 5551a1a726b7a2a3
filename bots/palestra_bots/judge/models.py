"""Which search says what this bot reported? A sound one, or one with a known flaw: in its depth, its sign, its rules.

A bot reports a depth and a value with each move. A model is a search with an evaluation and at most one flaw; it fits a
move if it gives the same value at the same depth. A model with a flaw that fits nearly all moves, and clearly more than
the sound one does, says what is wrong; a bot whose evaluation isn't one of ours fits none, and nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, cast

from palestra_bots import evaluations
from palestra_bots.evaluations import Evaluation
from palestra_bots.judge.template import TEMPLATES, Template
from palestra_bots.search.fast.loops import has_kernel
from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.search.reference.alphabeta import alphabeta
from palestra_bots.search.reference.ordering import natural
from palestra_bots.search.reference.tree import OutOfTime, Tree
from palestra_bots.timeman import Limit
from palestra_games import Seat, State
from palestra_games.mancala import MancalaState
from palestra_protocol.analysis import Flaw

CHEAP: Final = 8_000  # nodes that a position takes that is searched in plain Python, too, about 0.2 s
PLAIN: Final = 30_000  # nodes that plain Python may take for it, which has no table and orders nothing
SLOW: Final = 60_000  # of one that must be searched so, about a second
DEAR: Final = 300_000  # nodes of one that only the compiled search is asked for
POSITIONS: Final = 12  # are compared at most, and so many of other matches,
OTHERS: Final = 40  # of those that lie least deep
ENOUGH: Final = 5  # fewer say nothing, and neither do values that are nearly all the same:
VARIED: Final = 3
CLEARLY: Final = 3  # values that no sound search explains: then a flaw that explains NEARLY_ALL values is named,
AT_LEAST: Final = 2  # or, with so many, one that explains all of them
NEARLY_ALL: Final = 0.85
BOOM: Final = 7  # the action of desconecta4


class Reported(NamedTuple):
    """A move with what the bot said of it: plies searched, and the value for itself. `match`: 0 for the one judged."""

    ply: int
    state: State
    depth: int
    value: float
    match: int = 0


def reported(
    states: Sequence[State], moves: Iterable[tuple[int, Mapping[str, Any]]], seat: int, match: int = 0
) -> Iterator[Reported]:
    """`moves` by their plies, as the API tells them."""
    for ply, move in moves:
        info = move.get("info") or {}
        if states[ply].to_move == seat and info.get("depth") and info.get("value") is not None:
            yield Reported(ply, states[ply], info["depth"], info["value"], match)


class Fit(NamedTuple):
    """A model that explains `fits` of `of` moves, some of them of so many other `matches`; `flaw` None is the sound
    search.

    Only the flaw explains `telling` moves; `shown` is one of them, in the match judged, and what the sound search says.
    """

    evaluation: str
    flaw: Flaw | None
    fits: int
    of: int
    shown: tuple[Reported, float] | None = None
    matches: int = 0
    telling: int = 0


@dataclass(frozen=True, slots=True)
class _Misread:
    """A state as a search sees it that does not know the rules."""

    state: State

    def legal_actions(self) -> tuple[int, ...]:
        return self.state.legal_actions()

    def returns(self) -> tuple[float, float] | None:
        return self.state.returns()


@dataclass(frozen=True, slots=True)
class _Altered(_Misread):
    """By other rules. `step`: (state, action) -> state, in place of `State.apply`."""

    step: Callable[[State, int], State]

    @property
    def to_move(self) -> Seat:
        return self.state.to_move

    def apply(self, action: int) -> _Altered:
        return _Altered(self.step(self.state, action), self.step)


@dataclass(frozen=True, slots=True)
class _Alternating(_Misread):
    """By a search that takes the sides in turn, ply by ply, whoever is on the move by the rules."""

    to_move: Seat

    def apply(self, action: int) -> _Alternating:
        return _Alternating(self.state.apply(action), cast(Seat, 1 - self.to_move))


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


# Three ways not to know the extra turn: to give it to the other player; to maximize and minimize in turn, whoever is on
# the move ("alternate"); and as negamax, which also takes each value for that of the player on the move ("negate").
# Nor need who leaves out the last move do so at the root, where another loop may choose ("last_reply").
Model = Flaw | Literal["alternate", "negate", "last_reply"]
RULES: Final[Mapping[Model | None, Callable[[State, int], State]]] = {
    "extra_turn": _turn_passes,
    "capture": _nothing_captured,
}
ANYWHERE: Final[tuple[Model, ...]] = ("depth", "sign", "view", "ends", "last_move", "last_reply")
FLAWS: Final[Mapping[str, tuple[Model, ...]]] = {
    "mancala": (*ANYWHERE, "extra_turn", "alternate", "negate", "capture"),
    "desconecta4": (*ANYWHERE, "bomb"),
    "connect4": ANYWHERE,
    "connect4-8x8": ANYWHERE,
}


RULES_OF_ENDS: Final[Mapping[str, tuple[Flaw, ...]]] = {"desconecta4": ("bomb",)}  # that lose a game at once


def flawed_value(
    state: State, depth: int, evaluation: Evaluation, flaw: Model | None, seat: Seat, nodes: int = CHEAP
) -> float | None:
    """What a search of `depth` plies says the position is worth to `seat`; None if it takes more than `nodes`."""

    def evaluate(reached: Any, who: Seat) -> int:
        board = reached.state if isinstance(reached, _Misread) else reached
        if flaw == "sign" and board.returns() is None:
            return -evaluation(board, who)
        if flaw == "ends" and board.returns() is not None:
            return -evaluation(board, who)
        if flaw == "view" and board.returns() is None:
            return evaluation(board, board.to_move)
        if flaw == "negate":
            value = evaluation(board, board.to_move)
            return value if reached.to_move == who else -value
        return evaluation(board, who)

    def but_last_reply(reached: State) -> Sequence[int]:
        return natural(reached) if reached is state else _all_but_last(reached)

    orderings = {"last_move": _all_but_last, "last_reply": but_last_reply, "bomb": _no_bombs}
    ordering = orderings.get(flaw or "", natural)
    tree = Tree(seat, evaluate, ordering, stop=lambda: tree.nodes > nodes)
    searched: Any = state
    if flaw in ("alternate", "negate"):
        searched = _Alternating(state, state.to_move)
    elif (step := RULES.get(flaw)) is not None:
        searched = _Altered(state, step)
    try:
        return alphabeta(tree, searched, depth - (flaw == "depth")).value
    except OutOfTime:
        return None


def fits(game: str, moves: Sequence[Reported], others: Sequence[Reported] = ()) -> list[Fit]:
    """The sound search and the flawed ones with each evaluation of the game, as far as they explain what was reported;
    best first. Empty if too little was reported.

    `others`, of the same program in other matches, count where these moves leave it open whether there is a flaw.
    """
    found = _fits(game, moves)
    if flaw_of(found) is not None or any(fit.flaw is None and fit.fits == fit.of for fit in found):
        return found
    # The least deep say most for the nodes they take: there, hardly a game is decided.
    more = _fits(game, [*sorted(others, key=lambda move: move.depth)[:OTHERS], *moves]) if others else []
    return found if flaw_of(more) is None else more


def _fits(game: str, moves: Sequence[Reported]) -> list[Fit]:
    values = [move.value for move in moves]
    moves = [move for move in moves if move.depth > 1 and len(move.state.legal_actions()) > 1 and not _own_win(move)]
    sounds = [_Sound(game, name, moves) for name in evaluations.names(game) if name != "outcome"]  # that fits anything
    found = [sound.fit for sound in sounds if sound.fit is not None]
    if any(fit.fits > fit.of - AT_LEAST for fit in found):
        return sorted(found, key=lambda fit: fit.fits / fit.of, reverse=True)
    found += [fit for sound in sounds for flaw in FLAWS.get(game, ()) if (fit := sound.flawed(flaw)) is not None]
    template = TEMPLATES.get(game)
    if flaw_of(found) is None and template is not None and template.may_be(values):
        plain = _Plain(template, moves)
        found += [fit for fit in (plain.fit, *map(plain.flawed, FLAWS[game])) if fit is not None]
    return sorted(found, key=lambda fit: fit.fits / fit.of, reverse=True)


def _own_win(move: Reported) -> bool:
    """Whether the value is the bot's own number for a won game, where our evaluations go on counting seeds."""
    board = move.state
    return isinstance(board, MancalaState) and abs(move.value) > sum(map(sum, (*board.pits, board.stores)))


def flaw_of(found: Sequence[Fit]) -> Fit | None:
    """The one flaw that explains nearly everything, where no sound search does and no other flaw does as well."""
    best = max((fit for fit in found if fit.flaw is not None), key=lambda fit: fit.fits / fit.of, default=None)
    if best is None:
        return None
    share = best.fits / best.of
    shown = AT_LEAST if share == 1 else CLEARLY
    if any(fit.flaw is None and fit.fits > fit.of - shown for fit in found):
        return None
    # BOOM is the last action of a list: who leaves that out does not know the bomb, either.
    same = (None, best.flaw, "last_move" if best.flaw == "bomb" else None)
    others = [fit for fit in found if fit.flaw not in same]
    return best if share >= NEARLY_ALL and all(fit.fits / fit.of < share for fit in others) else None


class _Sound:
    """The sound search with one evaluation, on the moves that it takes at most DEAR nodes for."""

    unit = 1

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

    def flawed(self, flaw: Model) -> Fit | None:
        """None if the flaw explains too little, or less than AT_LEAST values that the sound search does not."""
        chosen = self._chosen(DEAR if flaw == "depth" else CHEAP)
        compared, missed, missed_here, shown = 0, 0, 0, list[Reported]()
        for move in chosen:
            if flaw == "depth":
                value = self._searched(move, move.depth - 1)[0]
            else:
                value = flawed_value(move.state, move.depth, self._evaluation, flaw, move.state.to_move, PLAIN)
                if value is None:
                    continue  # too dear to tell
            compared += 1
            if value is None or not self._same(value, move):
                missed += 1
                missed_here += move.match == 0
                if missed > len(chosen) * (1 - NEARLY_ALL):
                    return None
            elif not self._same(self._values[move], move):
                shown.append(move)
        # It may have been mended since the others, or be another program.
        here = [move for move in shown if move.match == 0]
        most = (1 - NEARLY_ALL) * sum(move.match == 0 for move in chosen)
        if compared < ENOUGH or len(shown) < AT_LEAST or not here or missed_here > most:
            return None
        if flaw == "alternate" or flaw == "negate":
            told: Flaw = "extra_turn"
        else:
            told = "last_move" if flaw == "last_reply" else flaw
        # Each program has its own number for a won game, and any search gets to the least deep.
        soonest = min(here, key=lambda move: (self._evaluation.decides(self._values[move]), move.depth, move.ply))
        sound = self._values[soonest] / self.unit
        others = len({move.match for move in chosen if move.match})
        return Fit(self._evaluation.name, told, compared - missed, compared, (soonest, sound), others, len(shown))

    def _chosen(self, nodes: int) -> list[Reported]:
        """Those to compare, the cheapest first; none if they are too few, or say too little."""
        cheap = sorted(
            (move for move in self._values if self._nodes[move] <= nodes), key=self._nodes.__getitem__, reverse=True
        )
        here, there = ([move for move in cheap if bool(move.match) is other] for other in (False, True))
        there.sort(key=lambda move: self._same(self._values[move], move))  # those that it misses tell most
        found = here[:POSITIONS] + there[:POSITIONS]
        varied = len(found) >= ENOUGH and len({move.value for move in found}) >= VARIED
        return found[::-1] if varied else []

    def _searched(self, move: Reported, depth: int) -> tuple[float | None, int]:
        found = self._searcher.analyse(move.state, Limit(depth=depth, nodes=CHEAP if move.match else DEAR))
        return found.value if found.depth == depth or found.exact else None, found.nodes

    def _same(self, value: float, move: Reported) -> bool:
        if self._evaluation.decides(value):  # every program has its own number for a win
            return value * move.value > 0
        return abs(value - move.value * self.unit) < 1e-6


class _Plain(_Sound):
    """The same in plain Python, with the evaluation of a template, from the end of the match backwards."""

    def __init__(self, template: Template, moves: Sequence[Reported]) -> None:
        self._evaluation, self.unit = template.evaluation, template.unit
        self._values, self._nodes = {}, {}
        for move in reversed(moves):
            value, self._nodes[move] = self._searched(move, move.depth)
            if value is not None:
                self._values[move] = value
            if len(self._values) == POSITIONS:
                break

    def _searched(self, move: Reported, depth: int) -> tuple[float | None, int]:
        return flawed_value(move.state, depth, self._evaluation, None, move.state.to_move, PLAIN), 0
