"""A fifth game, installed as a plug-in by somebody else: found and played, with nothing changed here."""

import json
import subprocess
import sys

from tests.support.plugins import environment_with, install_plugin

PLAY = """
import json
from palestra_games import Game, IllegalAction, game_names, get_game

game = get_game("nim")
state = game.initial_state()
names = []
while state.returns() is None:
    assert game.from_wire(state.to_wire()) == state
    action = state.legal_actions()[-1]
    names.append(game.action_name(action))
    state = state.apply(action)
try:
    state.apply(0)
except IllegalAction as error:
    refused = str(error)
print(json.dumps({
    "games": game_names(),
    "is_game": isinstance(game, Game),
    "names": names,
    "returns": state.returns(),
    "refused": refused,
    "view": game.view(game.initial_state()).to_wire(),
}))
"""


def test_an_installed_plug_in_is_found_and_played(tmp_path):
    site = install_plugin(tmp_path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAY],
        env=environment_with(site),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["games"] == ["connect4", "connect4-8x8", "desconecta4", "mancala", "nim"]
    assert told["is_game"]
    assert told["names"] == ["TAKE 3"] * 7
    assert told["returns"] == [1.0, -1.0]
    assert told["refused"] == "The game is over, so action 0 can't be played."
    assert told["view"]["cols"] == 21


def test_here_it_is_not_installed():
    code = "import palestra_games; print(palestra_games.game_names())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "nim" not in done.stdout
