"""The actions that keep what a position is worth: the answers of a drill."""

from __future__ import annotations

from itertools import pairwise

from palestra_bots.judge.chances import clear_drop
from palestra_bots.judge.values import ESTIMATE_NODES, Estimator, Prover, sign
from palestra_games import State


def keepers(state: State, prover: Prover, nodes: int) -> tuple[tuple[int, ...], int]:
    """The actions that keep a won position won or a drawn one drawn, and the nodes that finding them took.

    Empty where there is nothing to find: the position is lost, every action keeps it, or `nodes` for each of the
    searches don't suffice.
    """
    value = prover.solve(state, nodes)
    if value is None or value.score < 0:
        return (), nodes if value is None else value.nodes
    kept, used, found = sign(value.score), value.nodes, list[int]()
    legal = state.legal_actions()
    for action in legal:
        reached, spent = keeps(state, action, prover, kept, nodes)
        used += spent
        if reached is None:
            return (), used
        if reached:
            found.append(action)
    return (() if len(found) == len(legal) else tuple(found)), used


def keeps(state: State, action: int, prover: Prover, kept: int, nodes: int) -> tuple[bool | None, int]:
    """Whether the action keeps a score of at least `kept` (1 or 0), None if `nodes` don't suffice; the nodes spent."""
    child = state.apply(action)
    same = child.to_move == state.to_move
    if child.returns() is not None:
        score = prover.final(child)
        return (score if same else -score) >= kept, 0
    # The opponent reaching 1 - kept means that this player does not reach `kept`.
    reached, _, used = prover.reaches(child, kept if same else 1 - kept, nodes)
    return reached if same or reached is None else not reached, used


def separated(state: State, estimator: Estimator, nodes: int = ESTIMATE_NODES) -> tuple[tuple[int, ...], int]:
    """By estimates: the best actions, if all others are worse than each of them by more than the estimates may err."""
    chances, used = dict[int, tuple[float, bool]](), 0  # and whether it is an estimate
    for action in state.legal_actions():
        child = state.apply(action)
        returns = child.returns()
        if returns is not None:
            chances[action] = (1 + returns[state.to_move]) / 2, False
            continue
        value = estimator.value(child, nodes)
        used += value.nodes
        chances[action] = value.chance if child.to_move == state.to_move else 1 - value.chance, not value.proved
    order = sorted(chances, key=lambda action: -chances[action][0])
    for count, (better, worse) in enumerate(pairwise(order), 1):
        (high, guessed), (low, also) = chances[better], chances[worse]
        gap = clear_drop(estimator.game, guessed + also)
        if high - low > gap:
            return tuple(sorted(order[:count])), used
        if chances[order[0]][0] - low > gap / 2:
            break  # not all of these are about as good as the best
    return (), used
