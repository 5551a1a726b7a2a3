"""Evaluations by name: `get(game, name)`, `names(game)`, and the best one of each game, `default(game)`.

To add one, write a function (State, Seat) -> int and add a line to `EVALUATIONS`. They are plain Python over
`palestra_games.State`; the compiled engine has its own versions, tested to be equal.
"""

from __future__ import annotations

from palestra_bots.evaluations import connect4, desconecta4, mancala
from palestra_bots.evaluations.interface import OUTCOME_WON, Evaluate, Evaluation, outcome
from palestra_games import State
from palestra_games.connect4 import CONNECT4, CONNECT4_8X8, Connect4State
from palestra_games.desconecta4 import DESCONECTA4, Desconecta4State
from palestra_games.mancala import MANCALA, MancalaState

__all__ = ["Evaluate", "Evaluation", "default", "game_of", "get", "names"]

EVALUATIONS = (
    Evaluation(DESCONECTA4.name, "valoracion_test", desconecta4.valoracion_test, desconecta4.WON),
    Evaluation(DESCONECTA4.name, "runs", desconecta4.runs, desconecta4.WON),
    Evaluation(DESCONECTA4.name, "sequences", desconecta4.sequences, desconecta4.WON),
    Evaluation(DESCONECTA4.name, "open_groups", desconecta4.open_groups, desconecta4.WON),
    Evaluation(CONNECT4_8X8.name, "open_lines", connect4.open_lines, connect4.OPEN_LINES_WON),
    Evaluation(CONNECT4_8X8.name, "possible_lines", connect4.possible_lines, connect4.POSSIBLE_LINES_WON),
    Evaluation(CONNECT4.name, "possible_lines", connect4.possible_lines, connect4.POSSIBLE_LINES_WON),
    Evaluation(CONNECT4_8X8.name, "threats", connect4.threats, connect4.THREATS_WON),
    Evaluation(CONNECT4.name, "threats", connect4.threats, connect4.THREATS_WON),
    Evaluation(MANCALA.name, "stores", mancala.stores, None),
    Evaluation(MANCALA.name, "turns", mancala.turns, None),
)

DEFAULTS = {
    CONNECT4.name: "threats",
    CONNECT4_8X8.name: "threats",
    DESCONECTA4.name: "open_groups",
    MANCALA.name: "stores",
}


def names(game: str) -> tuple[str, ...]:
    """In no special order. Every game has "outcome"."""
    return (*(e.name for e in EVALUATIONS if e.game == game), "outcome")


def get(game: str, name: str | None = None) -> Evaluation:
    """The evaluation of this name; None for the game's default. ValueError, in one sentence, if there is none."""
    if name is None:
        return default(game)
    for evaluation in EVALUATIONS:
        if (evaluation.game, evaluation.name) == (game, name):
            return evaluation
    if name == "outcome":
        return Evaluation(game, name, outcome, OUTCOME_WON)
    raise ValueError(f"{game} has no evaluation '{name}'; it has {', '.join(names(game))}.")


def default(game: str) -> Evaluation:
    """The strongest one; "outcome" for a game without any."""
    return get(game, DEFAULTS.get(game, "outcome"))


def game_of(state: State) -> str:
    """The name of the game of `state`; "" for a game without evaluations here."""
    if isinstance(state, Connect4State):
        sizes = {(game.rows, game.cols): game.name for game in (CONNECT4, CONNECT4_8X8)}
        return sizes.get((state.rows, state.cols), "")
    if isinstance(state, Desconecta4State):
        return DESCONECTA4.name
    return MANCALA.name if isinstance(state, MancalaState) else ""
