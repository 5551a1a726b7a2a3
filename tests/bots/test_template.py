"""Bots made from what `palestra new` writes: their evaluation is known, and so is what is wrong with their search."""

import random

import pytest

from palestra_bots.judge import models
from palestra_bots.judge.template import TEMPLATES
from palestra_client.cli.new import _python
from palestra_games import get_game

pytestmark = pytest.mark.slow

DEPTH = 3


def written(game):
    """The class that `palestra new` writes."""
    there = {"__name__": "mybot"}
    exec(_python("mybot", game)[0]["mybot.py"], there)  # noqa: S102  # our own template
    return there["Mybot"]()


def positions(game, seed=1):
    chance, state = random.Random(seed), get_game(game).initial_state()
    while state.returns() is None:
        yield state
        state = state.apply(chance.choice(state.legal_actions()))
    yield state


def minimax(bot, state, me, depth, sign=1):
    """What a student makes of it. `sign`: of the evaluation, but for the end of the game."""
    if state.returns() is not None or depth == 0:
        return bot.value(state, me) * (1 if state.returns() is not None else sign)
    worth = [minimax(bot, state.apply(action), me, depth - 1, sign) for action in state.legal_actions()]
    return max(worth) if state.to_move == me else min(worth)


def reported(game, short=0, sign=1):
    bot = written(game)
    for ply, state in enumerate([*positions(game)][:-1]):
        yield models.Reported(ply, state, DEPTH, minimax(bot, state, state.to_move, DEPTH - short, sign))


@pytest.mark.parametrize("game", TEMPLATES)
def test_it_is_that_of_the_template(game):
    bot, template = written(game), TEMPLATES[game]
    for state in positions(game):
        for seat in (0, 1):
            assert template.evaluation(state, seat) == pytest.approx(bot.value(state, seat) * template.unit)


@pytest.mark.parametrize("game", ["connect4", "desconecta4", "mancala"])
@pytest.mark.parametrize(
    ("fault", "named"), [({}, None), ({"short": 1}, "depth"), ({"sign": -1}, "sign")], ids=["none", "depth", "sign"]
)
def test_its_faults_are_named_and_a_sound_one_is_accused_of_nothing(game, fault, named):
    told = list(reported(game, **fault))
    found = models.flaw_of(models.fits(game, told))
    assert (found and found.flaw) == named
    if found is not None:
        shown, sound = found.shown
        assert sound == pytest.approx(minimax(written(game), shown.state, shown.state.to_move, shown.depth))
        assert sound != pytest.approx(shown.value)
