"""The ladder: it plays the registry's own bots, everybody in both seats, and the command prints who is where."""

import random

import pytest
from typer.testing import CliRunner

import palestra_bots
from palestra_bots.bots import LevelBot
from palestra_bots.cli import app
from palestra_bots.commands import ladder
from palestra_bots.ladder import games
from palestra_bots.ladder.calibrate import horizon
from palestra_bots.registry import BOTS, LEVELS
from palestra_bots.timeman import Limit
from palestra_client import Bot
from palestra_games import get_game

run = CliRunner().invoke


def test_the_ranks_are_the_bots_that_can_be_joined():
    assert ladder.LEVELS is LEVELS
    names = [level.__name__ for level in LEVELS]
    assert names == [f"level{number}" for number in range(1, 9)]
    assert all(
        BOTS[name] is level and getattr(palestra_bots, name) is level for name, level in zip(names, LEVELS, strict=True)
    )
    *climbing, full = [level() for level in LEVELS]
    assert {type(bot) for bot in climbing} == {LevelBot}
    assert (full.algorithm, full.limit) == ("mtdf", Limit(move_s=2.0))


def test_only_the_clock_is_scaled():
    assert games.scaled(LEVELS[7], 0.5).limit.move_s == 1.0
    assert games.scaled(LEVELS[4], 0.5).limit.move_s is None


def test_who_meets_whom():
    assert len(games.pairings(8, 7)) == 28
    assert games.pairings(4, 2) == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]


class Recorder(Bot):
    """Plays the lowest action, and writes down which side it was on."""

    def __init__(self, name, seen):
        self.name, self.seen = name, seen

    def on_start(self, match):
        self.seen.append((self.name, match.seat, match.players[match.seat], match.opponent))

    def choose(self, turn):
        assert turn.legal == turn.state.legal_actions()
        assert turn.seat == turn.state.to_move
        assert turn.remaining_s > 10
        return turn.legal[0]


def recorder(name, seen):
    def make():
        return Recorder(name, seen)

    make.__name__ = name
    return make


def test_every_pair_plays_each_opening_in_both_seats():
    seen, steps = [], []
    makers = [recorder(name, seen) for name in "abc"]
    played = games.tournament(
        get_game("mancala"), makers, 4, span=1, move_scale=1, seed=1, step=lambda: steps.append(None)
    )
    assert sorted(zip(played.first.tolist(), played.second.tolist(), strict=True)) == sorted(
        [(0, 1), (1, 0), (1, 2), (2, 1)] * 2
    )
    assert played.pair.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert len(steps) == 8
    # The same player on both sides: whoever has it, a seat scores the same from one opening.
    assert played.score[::2].tolist() == played.score[1::2].tolist()
    expected = [
        (one, seat, one, other)
        for pair in ("ab", "bc")
        for one, other in (pair, pair[::-1])
        for seat in (0, 1)
        for _ in range(2)
    ]
    assert sorted(seen) == sorted(expected)


def test_the_seed_repeats_the_levels_without_a_clock():
    def once(seed):
        played = games.tournament(get_game("mancala"), LEVELS[:4], 4, span=2, move_scale=1, seed=seed)
        return played.score.tolist()

    random.seed(1)
    first = once(7)
    random.seed(2)
    assert once(7) == first


def test_a_player_that_looks_farther_wins_more():
    played = games.tournament(get_game("mancala"), (horizon(1.0), horizon(5.0)), 10, span=1, move_scale=1, seed=1)
    assert sum(score if first else 1 - score for first, score in zip(played.first, played.score, strict=True)) >= 8


def test_the_highest_levels_play_whole_games():
    game = get_game("desconecta4")
    names = ("level7", "level8")
    bots = [games.scaled(LEVELS[number], 0.02) for number in (6, 7)]
    players = tuple(games.seated(bot, game, seat, names) for seat, bot in enumerate(bots))
    _, actions = games.play(game, players, (3, 3), 40)
    assert len(actions) > 10


def test_the_command_prints_ratings_with_error_bars(monkeypatch):
    monkeypatch.setattr(ladder, "LEVELS", LEVELS[:4])
    result = run(app, ["ladder", "mancala", "connect4", "--games", "2", "--move-scale", "1"])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line.split(",")[0] for line in lines if " games" in line and "," in line] == ["mancala", "connect4"]
    rows = [line.split() for line in lines if line.strip().startswith("level")]
    assert [row[0] for row in rows] == ["level4", "level3", "level2", "level1"] * 2
    for row in (row for row in rows if row[0] != "level1"):
        rating, bar, step, step_bar = row[-6:-2]
        assert int(bar) > 0
        assert int(step_bar) > 0
        assert step[0] in "+-"
        assert rating.lstrip("-").isdigit()
    assert "of its time" not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nogame"], "There is no game 'nogame'"),
        (["mancala", "--games", "3"], "any other even number, not 3"),
        (["mancala", "--move-scale", "0"], "above 0 and at most 10, not 0"),
        (["mancala", "--move-scale", "nan"], "above 0 and at most 10, not nan"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, sentence):
    result = run(app, ["ladder", *arguments])
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
