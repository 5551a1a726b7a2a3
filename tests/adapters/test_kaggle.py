"""Agents of ConnectX play here."""

import pytest

from palestra_client.adapters.kaggle import KaggleBot, submission
from palestra_client.arena import in_process, unrefereed
from palestra_client.arena.contenders import contenders
from palestra_client.arena.running import Settings, fixtures
from palestra_client.match import Match
from palestra_client.turn import Deadline, Turn
from palestra_games import get_game

AGENT = """
import random

def helper(board, column):
    return board[column] == 0

def my_agent(observation, configuration):
    free = [column for column in range(configuration.columns) if helper(observation.board, column)]
    assert observation["mark"] in (1, 2) and configuration["inarow"] == 4
    return random.choice(free)
"""


def turn_after(*actions, game="connect4"):
    state = get_game(game).initial_state()
    for action in actions:
        state = state.apply(action)
    match = Match("m", game, state.to_move, ("ana", "ben"), 2.0, 0.1, 30.0, 10.0)
    legal = state.legal_actions()
    deadline = Deadline(2.0)
    return Turn(match, state, ply=len(actions), legal=legal, last=None, deadline=deadline, clock=lambda: 0.0)


def test_the_board_is_told_from_the_top_and_by_marks():
    seen = {}

    def agent(observation, configuration):
        seen.update(observation=observation, configuration=configuration)
        return 2

    assert KaggleBot(agent).choose(turn_after(3, 3, 0)) == 2
    board = seen["observation"].board
    assert (board[35], board[38], board[31]) == (1, 1, 2)
    assert sum(map(bool, board)) == 3
    assert (seen["observation"].mark, seen["observation"].step) == (2, 3)
    configuration = seen["configuration"]
    assert (configuration.rows, configuration.columns, configuration.inarow) == (6, 7, 4)
    assert configuration.timeout == 2.0
    assert KaggleBot(lambda observation: observation.board[0]).choose(turn_after()) == 0


def test_a_submission_plays_whole_matches(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "submission.py").write_text(AGENT)
    takes_part = contenders(["palestra_client.adapters.kaggle:submission --file submission.py", "random"])
    for game in ("connect4", "connect4-8x8"):
        played = in_process.play(takes_part, Settings(game), fixtures(2, 4, [()]))
        assert {result.outcome.reason for some in played for result in some} == {"rules"}


def test_what_can_not_play_is_a_sentence(tmp_path):
    empty = tmp_path / "empty.py"
    empty.write_text("x = 3\n")
    with pytest.raises(ValueError, match="has no agent"):
        submission(file=str(empty))
    with pytest.raises(ValueError, match="not mancala"):
        KaggleBot(lambda _: 0).on_start(Match("m", "mancala", 0, ("ana", "ben"), 2.0, 0.1, 30.0, 10.0))


@pytest.fixture
def environments():
    # The whole of it brings a hundred packages, machine learning among them; ConnectX needs two.
    how = "pip install --no-deps kaggle-environments && pip install jsonschema requests"
    return pytest.importorskip("kaggle_environments", reason=f"kaggle-environments is not installed: {how}")


@pytest.mark.parametrize(("game", "rows", "columns"), [("connect4", 6, 7), ("connect4-8x8", 8, 8)])
def test_an_agent_is_told_what_the_real_package_tells(environments, game, rows, columns):
    theirs = []
    environment = environments.make("connectx", configuration={"rows": rows, "columns": columns, "inarow": 4})

    def agent(observation, configuration):
        theirs.append((list(observation.board), observation.mark, observation.step))
        theirs.append(set(configuration))
        return (3, 3, 0, 6)[observation.step] if observation.step < 4 else 1

    environment.run([agent, agent])
    told = theirs[:10:2]
    ours = []
    for plies in range(5):
        seen = {}
        KaggleBot(lambda o, c, seen=seen: seen.update(o=o, c=c) or 0).choose(
            turn_after(*(3, 3, 0, 6)[:plies], game=game)
        )
        ours.append((seen["o"].board, seen["o"].mark, seen["o"].step))
        assert theirs[1] <= set(seen["c"])
    assert ours == told


def test_the_agents_of_the_real_package_play_whole_matches(environments):
    assert environments.environments["connectx"]
    from kaggle_environments.envs.connectx.connectx import negamax_agent

    def makers(*bots):
        return [lambda bot=bot: KaggleBot(bot) for bot in bots]

    def leftmost(observation, configuration):
        return next(column for column in range(configuration.columns) if not observation.board[column])

    game, settings = get_game("connect4"), Settings("connect4")
    for seat, agents in enumerate(((negamax_agent, leftmost), (leftmost, negamax_agent))):
        [fixture] = fixtures(2, 1, [(0, 1)])
        outcome = unrefereed._match(1, game, settings, fixture, ("ana", "ben"), makers(*agents), [0, 0])
        assert (outcome.reason, outcome.returns[seat]) == ("rules", 1.0)
