"""Our adapter of ConnectX agents against the real kaggle-environments."""

import pytest
from tests.support.turns import turn_after

from palestra_client.adapters.kaggle import KaggleBot
from palestra_client.arena import unrefereed
from palestra_client.arena.fixtures import Settings, fixtures
from palestra_games import get_game

environments = pytest.importorskip(
    "kaggle_environments", reason="kaggle-environments is not installed: make neighbours"
)


@pytest.mark.parametrize(("game", "rows", "columns"), [("connect4", 6, 7), ("connect4-8x8", 8, 8)])
def test_an_agent_is_told_what_the_real_package_tells(game, rows, columns):
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


def test_the_agents_of_the_real_package_play_whole_matches():
    negamax_agent = environments.environments["connectx"]["agents"]["negamax"]

    def makers(*bots):
        return [lambda bot=bot: KaggleBot(bot) for bot in bots]

    def leftmost(observation, configuration):
        return next(column for column in range(configuration.columns) if not observation.board[column])

    game, settings = get_game("connect4"), Settings("connect4")
    for seat, agents in enumerate(((negamax_agent, leftmost), (leftmost, negamax_agent))):
        [fixture] = fixtures(2, 1, [(0, 1)])
        outcome = unrefereed._match(1, game, settings, fixture, ("ana", "ben"), makers(*agents), [0, 0])
        assert (outcome.reason, outcome.returns[seat]) == ("rules", 1.0)
