"""ConnectX agents play here."""

import pytest
from tests.support.turns import turn_after

from palestra_client.adapters.kaggle import KaggleBot, submission
from palestra_client.arena import in_process
from palestra_client.arena.contenders import contenders
from palestra_client.arena.fixtures import Settings, fixtures
from palestra_client.match import Match

AGENT = """
import random

def helper(board, column):
    return board[column] == 0

def my_agent(observation, configuration):
    free = [column for column in range(configuration.columns) if helper(observation.board, column)]
    assert observation["mark"] in (1, 2) and configuration["inarow"] == 4
    return random.choice(free)
"""


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


@pytest.mark.process
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
