"""The reference bots as players: names, options, legal play in every game, and a match over the wire."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess
from typer.testing import CliRunner

import palestra_bots
from palestra_bots import __main__, evaluations
from palestra_bots.bots import GreedyBot, ReportBot, SearchBot
from palestra_bots.cli import app
from palestra_bots.kernels.load import KERNELS
from palestra_bots.registry import BOTS, LEVELS
from palestra_bots.search import reference
from palestra_bots.timeman import Limit, thinking_s
from palestra_client import Match, Turn
from palestra_client.turn import Deadline
from palestra_games import get_game
from palestra_games.mancala import Mancala
from palestra_protocol.reference_bots import REFERENCE_BOTS

pytestmark = pytest.mark.slow

GAMES = ["connect4", "connect4-8x8", "desconecta4", "mancala"]


def turn_of(state, game, remaining_s=0.05):
    """A turn as the client makes it, on a clock that stands still."""
    match = Match("m1", game, state.to_move, ("ana", "bob"), remaining_s, 0.1, 30.0, 10.0)
    return Turn(
        match,
        state,
        ply=0,
        legal=state.legal_actions(),
        last=None,
        deadline=Deadline(remaining_s),
        clock=lambda: 0.0,
    )


def random_positions(game, count, seed):
    rng = random.Random(seed)
    while count:
        state = get_game(game).initial_state()
        for _ in range(rng.randrange(40)):
            if state.returns() is None:
                state = state.apply(rng.choice(state.legal_actions()))
        if state.returns() is None:
            count -= 1
            yield state


def warm(bot, game):
    bot.warm_up(get_game(game))
    return bot


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ["random", "greedy", "careful", "alphabeta", "mtdf"])
def test_every_bot_plays_every_game_legally_and_reports_what_it_saw(name, game):
    bot = warm(getattr(palestra_bots, name)(), game)
    for state in random_positions(game, 4, seed=name):
        turn = turn_of(state, game)
        assert bot.choose(turn) in state.legal_actions()
        if name == "random":
            assert not turn.reported
            continue
        assert "value" in turn.reported
        if turn.reported.get("text") == "solved":
            assert name == "mtdf"
        else:
            assert turn.reported["depth"] >= 1
            assert turn.reported["nodes"] >= 1


@pytest.mark.parametrize("game", GAMES)
def test_the_search_bots_see_what_the_reference_sees(game):
    for state in random_positions(game, 5, seed=1):
        # Deepening ends early where nothing can change any more; the reference does the same.
        found = reference.analyse(state, "alphabeta", Limit(depth=4, move_s=1e9))
        for name in ("alphabeta", "mtdf"):
            bot = warm(BOTS[name](depth=4), game)
            turn = turn_of(state, game, remaining_s=1e6)
            action = bot.choose(turn)
            assert (turn.reported["value"], turn.reported["depth"]) == (found.value, found.depth)
            assert turn.reported["pv"][0] == action


@pytest.mark.parametrize("game", GAMES)
def test_greedy_takes_what_looks_best_at_once(game):
    for state in random_positions(game, 10, seed=2):
        values = {a: evaluations.default(game)(state.apply(a), state.to_move) for a in state.legal_actions()}
        assert values[GreedyBot().choose(turn_of(state, game))] == max(values.values())


def test_the_careful_beginner_takes_a_win_and_hands_none_over():
    bot = BOTS["careful"]()
    state = get_game("connect4").initial_state()
    for action in (3, 0, 3, 0, 3):
        state = state.apply(action)
    blocks = turn_of(state, "connect4")
    assert {bot.choose(blocks) for _ in range(20)} == {3}
    state = state.apply(1)
    wins = turn_of(state, "connect4")
    assert {bot.choose(wins) for _ in range(20)} == {3}


def test_the_careful_beginner_counts_whole_turns():
    def ends_of_turn(state, seat):
        """Where a player who goes on as long as it is their move can come to."""
        if state.returns() is not None or state.to_move != seat:
            return [state]
        return [end for action in state.legal_actions() for end in ends_of_turn(state.apply(action), seat)]

    evaluate = evaluations.default("mancala")
    for state in random_positions("mancala", 10, seed=4):
        seat, turn = state.to_move, turn_of(state, "mancala")
        action = BOTS["careful"]().choose(turn)
        worst = {}
        for first in state.legal_actions():
            ends = ends_of_turn(state.apply(first), seat)
            worst[first] = max(min(evaluate(last, seat) for last in ends_of_turn(end, 1 - seat)) for end in ends)
        assert turn.reported["value"] == worst[action] == max(worst.values())


def test_nodes_alone_make_a_bot_play_the_same_moves_whatever_the_clock_says():
    for game in GAMES:
        for state in random_positions(game, 2, seed=3):
            seen = []
            for remaining_s in (1e3, 1e6):
                turn = turn_of(state, game, remaining_s)
                seen.append((warm(BOTS["mtdf"](nodes=2000), game).choose(turn), turn.reported))
            assert seen[0] == seen[1]
            assert seen[0][1]["nodes"] <= 2500


def test_a_game_without_a_compiled_search_is_played_by_the_reference():
    variant = Mancala(pits=3, seeds=2)
    bot = SearchBot("mtdf", Limit(depth=5))
    bot.warm_up(variant)
    turn = turn_of(variant.initial_state(), variant.name)
    assert bot.choose(turn) in turn.legal
    assert turn.reported["depth"] == 5 or turn.reported["depth"] >= 1
    exact = reference.analyse(variant.initial_state(), "minimax", Limit(depth=turn.reported["depth"]))
    assert turn.reported["value"] == exact.value


@pytest.mark.parametrize("game", GAMES)
def test_a_turn_that_nobody_waits_for_any_more_is_answered_all_the_same(game):
    state = get_game(game).initial_state()
    for bot in (
        warm(SearchBot("mtdf", Limit()), game),
        warm(SearchBot("alphabeta", Limit(depth=9)), game),
        SearchBot("mtdf", Limit()),
    ):
        assert bot.choose(turn_of(state, game, remaining_s=0.0)) in state.legal_actions()


@pytest.mark.parametrize("clock_s", [0.1, 2.0])
def test_a_proof_that_fails_leaves_the_search_its_share(clock_s):
    now = 0.0

    class Fails:
        def perfect_move(self, _state, seconds, _nodes):
            nonlocal now
            now += seconds

    limits = []

    class Spied(SearchBot):
        def _search(self, state, limit):
            limits.append(limit)
            return super()._search(state, Limit(depth=1))

    bot = Spied("mtdf", Limit())
    bot._perfect = Fails()
    state = get_game("connect4").initial_state()
    match = Match("m1", "connect4", 0, ("ana", "bob"), clock_s, 0.1, 30.0, 10.0)
    bot.choose(
        Turn(match, state, ply=0, legal=state.legal_actions(), last=None, deadline=Deadline(clock_s), clock=lambda: now)
    )
    assert [limit.move_s for limit in limits] == pytest.approx([0.4 * thinking_s(clock_s)])


def test_a_single_legal_action_costs_no_time():
    state = get_game("mancala").from_wire(
        {"pits": [[0, 0, 0, 0, 0, 5], [1, 1, 1, 1, 1, 1]], "stores": [20, 17], "to_move": 0}
    )
    turn = turn_of(state, "mancala", remaining_s=1e6)
    assert warm(BOTS["alphabeta"](), "mancala").choose(turn) == 5
    assert turn.reported["depth"] == 1


def test_some_of_the_clock_is_held_back():
    for clock_s in (0.1, 0.5, 2.0, 60.0):
        assert 0 < thinking_s(clock_s) <= clock_s - 0.03
    assert thinking_s(0.0) > 0


def test_report_bots_play_as_the_reports_do_and_in_that_game_only():
    state = get_game("connect4-8x8").initial_state().apply(3)
    for name in ("esteve_hawking", "profe", "profe_supported"):
        bot = warm(BOTS[name](depth=4), "connect4-8x8")
        assert bot.choose(turn_of(state, "connect4-8x8")) == palestra_bots.reference_move(name, state, 4)
        assert BOTS[name]().depth == 8
    with pytest.raises(ValueError, match="profe plays connect4-8x8 only"):
        ReportBot("profe").warm_up(get_game("mancala"))
    with pytest.raises(ValueError, match="1 to 64 plies, not 65"):
        BOTS["profe"](depth=65)


def test_options_that_make_no_sense_are_answered_with_a_sentence():
    with pytest.raises(ValueError, match="1 to 127 plies, not 0"):
        BOTS["mtdf"](depth=0)
    with pytest.raises(ValueError, match="at least 1 node, not 0"):
        BOTS["mtdf"](nodes=0)
    with pytest.raises(ValueError, match="seconds above 0, not -1"):
        BOTS["alphabeta"](move_s=-1)
    with pytest.raises(ValueError, match="seconds above 0, not nan"):
        BOTS["alphabeta"](move_s=float("nan"))


def test_the_package_offers_every_bot_by_name_and_nothing_else():
    assert tuple(BOTS) == REFERENCE_BOTS
    assert [getattr(palestra_bots, name) for name in REFERENCE_BOTS] == list(BOTS.values())
    assert [level.__name__ for level in LEVELS] == [f"level{number}" for number in range(1, 9)]
    assert all(getattr(palestra_bots, name) for name in palestra_bots.__all__)
    with pytest.raises(AttributeError, match="no attribute 'level9'"):
        palestra_bots.level9  # noqa: B018


def test_a_bot_that_needs_no_compiler_does_not_wait_for_one():
    program = """
import json, sys
import palestra_bots
from palestra_games import get_game
bot = palestra_bots.random()
bot.warm_up(get_game("connect4"))
palestra_bots.mtdf, palestra_bots.profe
print(json.dumps(sorted({"numba", "numpy", "rich"} & set(sys.modules))))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_every_search_can_be_compiled_before_it_is_needed():
    # As plain Python, which is done in a second or two: the compiler has its own tests.
    done = subprocess.run(
        [sys.executable, "-c", "from palestra_bots.cli import main; main()", "compile"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split(": compiled\n")[:-1] == list(KERNELS)


def test_the_command_lists_them():
    result = CliRunner().invoke(app, ["list"])
    assert result.exit_code == 0
    for name in BOTS:
        assert name in result.stdout


def test_the_command_analyses():
    asked = ["analyse", "connect4", "--actions", "3,PUT 1,3,0,3,0", "--depth", "2", "--json"]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["action"] == 3
    wrong = CliRunner().invoke(app, ["analyse", "connect4", "--actions", "3,9"])
    assert wrong.exit_code == 2
    assert "ply 1" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Name a bot, as in `python -m palestra_bots mtdf --name mtdf`: random, greedy,"),
        (["--name", "x"], "Name a bot, as in"),
        (["mtdff"], "There is no bot 'mtdff'; name one of these, as in"),
        (
            ["mtdf", "--depht", "3"],
            "mtdf takes no option --depht (it takes --depth, --move-s, --nodes, --evaluation). Did you mean --depth?",
        ),
        (["profe", "--depth", "deep"], "--depth must be a whole number, not 'deep'."),
    ],
)
def test_a_slip_on_the_command_line_gets_one_line(monkeypatch, capsys, arguments, sentence):
    monkeypatch.setattr(sys, "argv", ["palestra_bots", *arguments])
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert ended.value.code != 0
    said = capsys.readouterr().err
    assert said.startswith(sentence)
    assert said.count("\n") == 1


PALESTRA = Path(sys.executable).with_name("palestra")
JOINED = {
    "prof": ([PALESTRA, "join", "palestra_bots:profe", "--depth", "3"], "profe"),
    "deep": ([sys.executable, "-m", "palestra_bots", "mtdf", "--move-s", "0.02"], None),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ServerProcess(tmp_path_factory.mktemp("data"), "--guests", "--ready-ms", "100000") as running:
        yield running


@pytest.mark.parametrize("name", JOINED)
def test_they_join_and_play_to_the_end_over_the_wire(server, name):
    command, player = JOINED[name]
    state = get_game("connect4-8x8").initial_state()
    with RawPlayer(server.url, "ana") as ana:
        challenge = ["--name", name, "--challenge", "ana", "--game", "connect4-8x8", "--seat", "0"]
        bot = subprocess.Popen([*command, "--server", server.url, *challenge], stdout=subprocess.DEVNULL)
        try:
            ana.ready()
            while (message := ana.receive())["type"] != "match_end":
                moved = message["last"] if message["type"] == "turn" else message
                if moved["seat"] == 0 and player is not None:
                    assert moved["action"] == palestra_bots.reference_move(player, state, 3)
                state = state.apply(moved["action"])
                if message["type"] == "turn":
                    ana.act(message, message["legal"][-1])
        finally:
            bot.terminate()
            bot.wait()
    assert (message["reason"], tuple(message["returns"])) == ("rules", state.returns())
    if player is not None:
        assert state.returns() == (1.0, -1.0)


@pytest.mark.parametrize(("command", "option"), [("analyse connect4", "--depth"), ("tables mancala", "--seeds")])
def test_a_number_that_is_none_is_told_in_words(command, option):
    told = CliRunner().invoke(app, [*command.split(), option, "deep"])
    assert (told.exit_code, f"{option}': it takes a whole number, not 'deep'." in told.output) == (2, True)
