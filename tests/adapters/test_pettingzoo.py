"""Our games as PettingZoo environments, against the checks of the real package."""

import random

import pytest

pettingzoo_test = pytest.importorskip("pettingzoo.test", reason="pip install pettingzoo to run these")

from palestra_client.adapters.pettingzoo import env  # noqa: E402 - it needs the package
from palestra_games import UnknownGame, game_names, get_game  # noqa: E402


@pytest.mark.filterwarnings("ignore::UserWarning")  # about shapes that are not pictures
@pytest.mark.parametrize("game", game_names())
def test_it_passes_the_packages_own_checks(game, capsys):
    pettingzoo_test.api_test(env(game), num_cycles=60)
    pettingzoo_test.seed_test(lambda: env(game), num_cycles=20)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("game", game_names())
def test_it_goes_in_step_with_the_rules(game):
    dice = random.Random(4)
    environment, state = env(game), get_game(game).initial_state()
    environment.reset(seed=1)
    for agent in environment.agent_iter():
        seen, reward, terminated, truncated, _ = environment.last()
        if terminated or truncated:
            assert reward == state.returns()[int(agent[-1])]
            environment.step(None)
            continue
        assert agent == f"seat_{state.to_move}"
        assert [a for a, legal in enumerate(seen["action_mask"]) if legal] == list(state.legal_actions())
        action = dice.choice(state.legal_actions())
        state = state.apply(action)
        environment.step(action)
    assert state.returns() is not None


def test_an_agent_sees_its_own_side_first():
    board = env("connect4")
    board.reset()
    board.step(3)
    mine, theirs = board.observe("seat_0")["observation"], board.observe("seat_1")["observation"]
    assert mine[0, 3, 0] == theirs[0, 3, 1] == 1
    assert mine.sum() == theirs.sum() == 1
    pits = env("mancala")
    pits.reset()
    pits.step(0)
    # PIT 1: one seed into the own store, three into the other's pits 6, 5 and 4.
    assert pits.observe("seat_0")["observation"].tolist() == [[0, 4, 4, 4, 4, 4, 1], [4, 4, 4, 5, 5, 5, 0]]
    assert pits.observe("seat_1")["observation"].tolist() == [[4, 4, 4, 5, 5, 5, 0], [0, 4, 4, 4, 4, 4, 1]]


def test_an_illegal_action_loses_and_an_unknown_game_is_refused():
    environment = env("connect4", render_mode="ansi")
    environment.reset()
    for _ in range(6):
        environment.step(0)
    assert "| o . . . . . . |" in environment.render()
    environment.step(0)
    assert environment.rewards["seat_0"] == -1
    with pytest.raises(UnknownGame):
        env("chess")
