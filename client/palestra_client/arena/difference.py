"""The first position in which two bots played different moves, and which of them was right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from palestra_client.arena.contenders import Contender
from palestra_client.arena.fixtures import Result
from palestra_client.judges import NO_JUDGE, installed_judge
from palestra_games import get_game, positions
from palestra_protocol.analysis import JudgedMove


def first_difference(results: Sequence[Result]) -> tuple[Result, Result, int] | None:
    """The first pair of matches, from one opening with the seats swapped, that part ways, and the ply at which.

    Up to there both played the same moves, so that there one bot answers in one match and the other in the other.
    """
    for one, other in pairwise(sorted(results, key=lambda result: result.number)):
        if one.finished is None or other.finished is None or one.seats != other.seats[::-1]:
            continue
        first, second = one.finished.match, other.finished.match
        if first.config.opening != second.config.opening:
            continue
        for ply, (left, right) in enumerate(zip(first.actions, second.actions, strict=False)):
            if left != right:
                return one, other, ply
    return None


def lines(contenders: Sequence[Contender], results: Sequence[Result]) -> Iterator[str]:
    """In words, with the position; nothing if they never differed."""
    found = first_difference(results)
    if found is None:
        return
    one, other, ply = found
    assert one.finished is not None
    match = one.finished.match
    game = get_game(match.config.game)
    state = positions(game, match.actions)[ply]
    yield f"They differ first in match {one.number}, move {ply}:\n{state}"
    judged = [(result, _judged(result, ply)) for result in (one, other)]
    for result, judgement in judged:
        assert result.finished is not None
        name = contenders[result.seats[state.to_move]].name
        played = game.action_name(result.finished.match.actions[ply])
        verdict = "" if judgement is None else f", {_verdict(judgement, game.action_name(judgement.best))}"
        yield f"  {name}: {played}{verdict}"
    if installed_judge() is None:
        yield f"  Who was right? {NO_JUDGE}."


def _judged(result: Result, ply: int) -> JudgedMove | None:
    judge = installed_judge()
    if judge is None or result.finished is None:
        return None
    try:
        return next((move for move in judge(result.finished.entry()).moves if move.ply == ply), None)
    except ValueError:  # a game that it doesn't know
        return None


def _verdict(move: JudgedMove, best: str) -> str:
    by = "" if move.estimate is None else ", by an estimate"
    if move.class_ in ("slip", "blunder"):
        return f"which loses value: {best} was better{by}"
    if move.class_ == "slack":
        return f"which keeps the value, but {best} wins sooner"
    lost = move.estimate is None and move.value < 0
    return f"{'lost like every other' if lost else 'which keeps the value'}{by}"
