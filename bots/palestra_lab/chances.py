"""`palestra-lab chances`: fits the chances of winning that the judge shows for estimated values.

Searches of small depths play each other from random openings. A few positions of each match get an estimate; a logistic
is fitted to these and the results, a draw counting half, on two thirds of the matches, and tried on the others.
"""

from __future__ import annotations

import random
from typing import Annotated, Final

import numpy as np
import typer
from numpy.typing import NDArray

from palestra_bots.judge.chances import Curve
from palestra_bots.judge.values import ESTIMATE_NODES, Estimator
from palestra_bots.ladder.games import play
from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.terminal import one_sentence
from palestra_bots.timeman import Limit
from palestra_client.arena.openings import drawn
from palestra_games import get_game, positions

DEPTHS: Final = (2, 4, 6)
SAMPLES: Final = 6  # positions of a match
DEEPER: Final = 10  # times the nodes, for the error of an estimate
Floats = NDArray[np.float64]


def fit_chances(
    game: Annotated[str, typer.Argument(help="The game: connect4-8x8, desconecta4, ...")],
    matches: Annotated[int, typer.Option(min=10)] = 120,
    seed: int = 1,
) -> None:
    """Fit the judge's chances of winning for a game, and say how well they predict."""
    with one_sentence():
        rules = get_game(game)
        starts = drawn(rules, matches, 6, seed)
    chance = random.Random(seed)
    players = {depth: Searcher(game, "mtdf", table_bits=18) for depth in DEPTHS}
    estimator = Estimator(game)
    values, results, groups, errors = [], [], [], []
    for number, opening in enumerate(starts):
        depths = chance.choice(DEPTHS), chance.choice(DEPTHS)
        choosers = [lambda state, d=depth: players[d].analyse(state, Limit(depth=d)).action for depth in depths]
        score, actions = play(rules, (choosers[0], choosers[1]), opening)
        states = positions(rules, actions[:-1])[1:]
        for each in chance.sample(states[5:], min(SAMPLES, len(states) - 5)):
            found = estimator.value(each)
            if not found.proved:
                values.append(found.score)
                results.append(score if each.to_move == 0 else 1 - score)
                groups.append(number)
        if not found.proved and number % 4 == 0:
            deeper = estimator.value(each, DEEPER * ESTIMATE_NODES)
            errors.append((found.score, deeper))
    x, y, g = np.array(values, float), np.array(results, float), np.array(groups)
    train = g % 3 != 0
    slope, shift = _fitted(x[train], y[train])
    curve = Curve(slope, shift, 0.0)
    told = _chances(curve, x[~train])
    of_deeper = [d.chance if d.proved else float(_chances(curve, np.array([float(d.score)]))[0]) for _, d in errors]
    of_first = _chances(curve, np.array([float(score) for score, _ in errors]))
    error = float(np.sqrt(np.mean((of_first - np.array(of_deeper)) ** 2)))
    typer.echo(f"{game}: Curve({slope:.4f}, {shift:.3f}, {error:.3f})  # {len(x)} positions of {matches} matches")
    brier = float(np.mean((told - y[~train]) ** 2))
    typer.echo(
        f"  on the other third: Brier score {brier:.3f} (knowing nothing: {np.mean((0.5 - y[~train]) ** 2):.3f})"
    )
    for low in np.arange(0, 1, 0.2):
        here = (told >= low) & (told < low + 0.2)
        if here.any():
            typer.echo(f"  told {told[here].mean():.2f}, came {y[~train][here].mean():.2f} ({here.sum()} positions)")


def _chances(curve: Curve, x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(curve.slope * x + curve.shift, -50, 50))), np.float64)


def _fitted(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope and shift by Newton's method, with a ridge that keeps separable data finite."""
    scale = float(np.std(x)) or 1.0
    design = np.stack([x / scale, np.ones_like(x)], 1)
    weights = np.zeros(2)
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (y - p) - 0.1 * weights
        hessian = (design * (p * (1 - p))[:, None]).T @ design + 0.1 * np.eye(2)
        weights = weights + np.linalg.solve(hessian, gradient)
    return float(weights[0]) / scale, float(weights[1])
