"""RULES.md and the vectors say what the rules do."""

import json
import re
from pathlib import Path

import pytest

from palestra_games import get_game
from palestra_games.desconecta4 import GRID
from palestra_games.interface import OPPONENT
from palestra_games.vectors import CASES, rendered

PROTOCOL = Path(__file__).parents[2] / "protocol"
PAGE = (PROTOCOL / "RULES.md").read_text(encoding="utf-8")
BOARDS = re.findall(
    r"^```text\n(\S+) (?:at the start|after ([\d ]+)\n\(([^)]*)\))\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL
)


def played(game, actions):
    state = game.initial_state()
    for action in actions:
        state = state.apply(action)
    return state


def test_every_drawing_of_the_page_is_one_of_these():
    assert len(BOARDS) == PAGE.count("```text") > 15
    assert {name for name, *_ in BOARDS} == {game.name for game in CASES}


@pytest.mark.parametrize(("name", "actions", "names", "board"), BOARDS)
def test_a_drawn_board_is_what_its_actions_lead_to(name, actions, names, board):
    game = get_game(name)
    played_actions = [int(word) for word in actions.split()]
    assert names == ", ".join(map(game.action_name, played_actions))
    assert board == str(played(game, played_actions))


@pytest.mark.parametrize("game", CASES, ids=lambda game: game.name)
def test_the_files_of_vectors_are_current(game):
    file = PROTOCOL / "vectors" / f"{game.name}.jsonl"
    assert file.read_text(encoding="utf-8") == rendered(game), "run `make schema` and commit it"


@pytest.mark.parametrize("game", CASES, ids=lambda game: game.name)
def test_the_files_agree_with_the_rules_read_from_the_wire(game):
    """As somebody else's program uses them: from the state alone, without the actions."""
    for line in (PROTOCOL / "vectors" / f"{game.name}.jsonl").read_text().splitlines():
        vector = json.loads(line)
        state = game.from_wire(vector["state"])
        assert list(state.legal_actions()) == vector["legal"]
        assert [game.parse_action(name) for name in vector["names"]] == vector["legal"]
        assert [state.apply(action).to_wire() for action in vector["legal"]] == vector["after"]
        assert vector["returns"] == (None if state.returns() is None else list(state.returns()))


def case(game_name, name):
    game = get_game(game_name)
    actions = tuple(map(int, CASES[game][name]))
    return played(game, actions[:-1]), played(game, actions)


def test_the_cases_of_connect_four_are_what_they_are_called():
    for name in ("connect4", "connect4-8x8"):
        assert 0 not in case(name, "a full column takes no more")[1].legal_actions()
        _, over = case(name, "two lines at once")
        lines = [over.grid.line_anchors(over.stones[over.winner], shift) for shift in over.grid.shifts]
        assert sum(map(bool, lines)) == 2
        for direction, shift in zip(("row", "column", "rising diagonal", "falling diagonal"), range(4), strict=True):
            _, over = case(name, f"four {'in' if shift < 2 else 'on'} a {direction}")
            assert over.grid.line_anchors(over.stones[over.winner], over.grid.shifts[shift])
    assert case("connect4", "a full board without a line is a draw")[1].returns() == (0, 0)
    assert case("connect4", "a line with the last piece is a win")[1].returns() == (-1, 1)
    assert len(case("connect4", "one action left")[1].legal_actions()) == 1


def test_the_cases_of_desconecta4_are_what_they_are_called():
    assert case("desconecta4", "the first bomb comes at ply 8")[1].bombs[0]
    before, after = case("desconecta4", "a BOOM lets pieces fall, the other bomb among them")
    assert after.bombs[1] == before.bombs[1] >> 1
    before, after = case("desconecta4", "pieces of the opponent stay in the row")
    assert after.stones[1] == before.stones[1]
    before, after = case("desconecta4", "a BOOM completes a line of the opponent, who loses")
    assert after.loser == OPPONENT[before.to_move]
    before, after = case("desconecta4", "a BOOM completes a line of one's own")
    assert after.loser == before.to_move
    _, after = case("desconecta4", "a BOOM completes lines of both: the lower one decides")
    assert GRID.has_line(after.stones[0])
    assert GRID.has_line(after.stones[1])
    before, after = case("desconecta4", "no second bomb while one is on the board")
    assert before.round == 10
    assert before.bombs == after.bombs
    assert case("desconecta4", "a full board is a draw, bomb or not")[1].returns() == (0, 0)
    _, after = case("desconecta4", "a line on a full board loses")
    assert after.stones[0] | after.stones[1] == GRID.full
    assert after.loser is not None
    assert len(case("desconecta4", "one action left")[1].legal_actions()) == 1


def test_the_cases_of_mancala_are_what_they_are_called():
    before, after = case("mancala", "the last seed in the store moves again")
    assert before.to_move == after.to_move
    before, after = case("mancala", "a capture")
    assert after.stores[0] - before.stores[0] == 6
    before, after = case("mancala", "no capture from an empty pit")
    assert after.stores == before.stores
    before, after = case("mancala", "the store of the opponent is left out")
    assert before.pits[0][0] == 8
    assert after.stores[1] == before.stores[1]
    before, after = case("mancala", "thirteen seeds end where they began, and capture")
    assert before.pits[1][1] == 13
    assert after.stores[1] - before.stores[1] == 6
    _, after = case("mancala", "25 seeds do not end the game")
    assert max(after.stores) >= 25
    assert after.returns() is None
    before, after = case("mancala", "the own row is empty after the move")
    assert sum(before.pits[before.to_move]) == 1
    assert after.returns() is not None
    before, after = case("mancala", "an empty row ends it, whoever was to move")
    assert sum(before.pits[0]) > 20
    assert after.stores[0] == 41
    assert case("mancala", "a draw")[1].returns() == (0, 0)
