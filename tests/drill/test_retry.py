"""`palestra retry`: the recorded moves as long as they fit, then a level; and drills made of judged positions."""

import pytest
from typer.testing import CliRunner

from palestra_bots.judge.keeping import keepers, separated
from palestra_bots.judge.values import Estimator, prover
from palestra_bots.ladder.drills import drills
from palestra_client.arena.recorded import Recorded
from palestra_client.cli.commands import app
from palestra_client.drill.positions import READY, read
from palestra_client.practice import turn_after

FILES = sorted(path.stem for path in READY.glob("*.jsonl"))


def test_the_recorded_moves_are_played_as_long_as_they_fit():
    bot = Recorded("3,2,3,2,3,2,3", then="level1")
    assert bot.choose(turn_after("connect4", (3,))) == 2
    fitting = turn_after("connect4", (3, 2, 3, 2, 3))
    assert (bot.choose(fitting), fitting.reported["text"]) == (2, "as recorded")
    other = turn_after("connect4", (3, 2, 3, 2, 0))
    assert bot.choose(other) in other.legal
    assert other.reported.get("text") != "as recorded"
    assert bot.choose(turn_after("connect4", (3, 2, 3, 2, 3, 2))) == 3
    assert bot.choose(turn_after("connect4", (3, 2, 3, 2, 3, 2, 0))) in range(7)


@pytest.mark.process
@pytest.mark.slow
def test_a_match_is_played_on_from_its_decisive_move(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "from palestra_client import Bot\n\nclass Mine(Bot):\n    def choose(self, turn):\n        return {}\n"
    for name, choice in ("stacks", "3 if 3 in turn.legal else 0"), ("lazy", "turn.legal[0]"):
        (tmp_path / f"{name}.py").write_text(text.format(choice))
    (tmp_path / "mends.py").write_text(text.format("3 if turn.ply == 5 else turn.legal[0]"))
    run = CliRunner()
    played = ["arena", "stacks.py", "lazy.py", "--game", "connect4", "--games", "1", "--openings", "0"]
    assert run.invoke(app, [*played, "--save", "games.zip"]).exit_code == 0
    lost = run.invoke(app, ["retry", "games.zip", "lazy.py", "--ply", "5"])
    assert lost.exit_code == 0, lost.output
    assert "(stacks.py) PUT 4 (action 3)" in lost.output
    assert "as recorded" in lost.output
    assert "This time it is lost; it was lost." in lost.output
    mended = run.invoke(app, ["retry", "games.zip", "mends.py", "--ply", "5", "--then", "random"])
    assert "move 5: seat 1 (mends.py) PUT 4 (action 3)" in mended.output
    for words, says in {
        ("mends.py", "--ply", "7"): "There is nothing to play before move 7",
        ("mends.py", "--ply", "5", "--then", "stockfish"): "'stockfish' is none of the reference bots",
        ("nix.py", "--ply", "5"): "There is no file nix.py",
    }.items():
        refused = run.invoke(app, ["retry", "games.zip", *words])
        assert (refused.exit_code, says in refused.stderr) == (1, True), refused.output
    # Nobody wins against a level that could not be loaded.
    monkeypatch.setattr("palestra_client.arena.contenders._bots_by_name", lambda: ())
    alone = run.invoke(app, ["retry", "games.zip", "lazy.py", "--ply", "5"])
    assert (alone.exit_code, "need palestra-bots" in alone.stderr) == (1, True), alone.output


@pytest.mark.slow
@pytest.mark.parametrize("game", ["connect4", "desconecta4"])
def test_a_drill_asks_for_the_actions_that_keep_the_value(game):
    proving = prover(game)
    for position in drills(game, 1, seed=5):
        found = keepers(position.state(), proving, 10**6) if proving else separated(position.state(), Estimator(game))
        assert position.keeps == found[0]
        assert position.value in (("won", "drawn") if proving else ("better",))


@pytest.mark.parametrize("game", FILES)
def test_the_ready_made_ones_can_be_read(game):
    found = read(game)
    depths = [position.depth for position in found]
    assert depths == sorted(depths)
    assert {position.game for position in found} == {game}
    solved = prover(game) is not None
    for position in found:
        most = 1 if solved else len(position.state().legal_actions()) // 2
        assert 1 <= len(position.keeps) <= most
    assert len({(position.actions) for position in found}) == len(found)
