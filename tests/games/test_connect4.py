"""Connect four: endings, what a page sees, and what the wire may not claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_games.connect4 import CONNECT4, CONNECT4_8X8, Connect4State
from palestra_games.grid import grid

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (-1, 1))


def play(columns: str, game=CONNECT4) -> Connect4State:
    """The position after dropping pieces into these columns, numbered from 1 as people do."""
    state = game.initial_state()
    for column in columns:
        state = state.apply(int(column) - 1)
    return state


@pytest.mark.parametrize(
    ("columns", "returns", "line"),
    [
        ("1122334", (1.0, -1.0), [(0, 0), (0, 1), (0, 2), (0, 3)]),
        ("4455667", (1.0, -1.0), [(0, 3), (0, 4), (0, 5), (0, 6)]),
        ("7171717", (1.0, -1.0), [(0, 6), (1, 6), (2, 6), (3, 6)]),
        ("12234334544", (1.0, -1.0), [(0, 0), (1, 1), (2, 2), (3, 3)]),
        ("76654554344", (1.0, -1.0), [(0, 6), (1, 5), (2, 4), (3, 3)]),
        ("17273717", (-1.0, 1.0), [(0, 6), (1, 6), (2, 6), (3, 6)]),
    ],
)
def test_four_in_a_row_win_for_the_mover(columns, returns, line):
    assert play(columns[:-1]).returns() is None
    state = play(columns)
    assert state.returns() == returns
    assert state.legal_actions() == ()
    highlighted = [divmod(i, 7) for i, cell in enumerate(CONNECT4.view(state).cells) if cell.highlight]
    assert sorted(highlighted) == line


@pytest.mark.parametrize("game", [CONNECT4, CONNECT4_8X8], ids=lambda game: game.name)
@given(choices=st.lists(st.integers(0, 7), max_size=64))
@pytest.mark.slow
def test_a_game_ends_with_the_first_line_that_a_walk_over_the_cells_finds(game, choices):
    state = game.initial_state()
    for choice in choices:
        legal = state.legal_actions()
        if not legal:
            break
        state = state.apply(legal[choice % len(legal)])
        cells = {divmod(i, game.cols): value for i, value in enumerate(state.cells) if value}
        lines = [
            (row, col, up, right)
            for (row, col), value in cells.items()
            for up, right in DIRECTIONS
            if all(cells.get((row + k * up, col + k * right)) == value for k in range(4))
        ]
        owners = {cells[row, col] for row, col, _, _ in lines}
        assert owners == (set() if state.winner is None else {state.winner + 1})
        in_lines = {(row + k * up, col + k * right) for row, col, up, right in lines for k in range(4)}
        seen = {divmod(i, game.cols) for i, cell in enumerate(game.view(state).cells) if cell.highlight}
        assert seen == in_lines


def test_a_full_board_without_a_line_is_a_draw():
    columns = "656173566152215676422337377473141445425321"
    assert play(columns[:-1]).returns() is None
    state = play(columns)
    assert state.returns() == (0.0, 0.0)
    assert state.legal_actions() == ()
    assert str(state).endswith("over: a draw")


def test_a_line_on_the_last_cell_is_a_win_not_a_draw():
    columns = "571376236345225146673541242612413735415776"
    assert play(columns[:-1]).returns() is None
    assert play(columns).returns() == (-1.0, 1.0)


def test_bitboards_are_laid_out_as_the_grid_says():
    state = play("4435")
    assert (state.rows, state.cols) == (6, 7)
    assert state.stones == (1 << 3 * 7 | 1 << 2 * 7, 1 << 3 * 7 + 1 | 1 << 4 * 7)
    assert grid(6, 7) is state.grid
    assert play("44", CONNECT4_8X8).stones == (1 << 3 * 9, 1 << 3 * 9 + 1)


def test_the_board_in_a_terminal():
    assert str(play("44357")) == (
        "| . . . . . . . |\n"
        "| . . . . . . . |\n"
        "| . . . . . . . |\n"
        "| . . . . . . . |\n"
        "| . . . o . . . |\n"
        "| . . x x o . x |\n"
        "  1 2 3 4 5 6 7\n"
        "seat 1 (o) to move"
    )
    assert str(play("1122334")).endswith("over: seat 0 (x) wins")


def test_the_same_position_by_another_way_is_equal():
    assert play("1234") == play("3214")
    assert hash(play("1234")) == hash(play("3214"))
    assert play("1234") != play("2143")
    assert CONNECT4.initial_state() != CONNECT4_8X8.initial_state()
    assert CONNECT4.initial_state() != "connect4"


def test_a_click_anywhere_in_a_column_is_its_action():
    view = CONNECT4.view(play("111111"))
    assert view.kind == "grid"
    assert [action.legal for action in view.actions] == [False, *[True] * 6]
    assert view.actions[2].cells == (2, 9, 16, 23, 30, 37)
    assert [view.cells[i].seat for i in view.actions[0].cells] == [0, 1, 0, 1, 0, 1]
    assert {cell.kind for cell in view.cells} == {"empty", "piece"}


def wire(bottom: list[int], to_move: object, **changes: object) -> dict[str, object]:
    """A 6 x 7 state with `bottom` as its lowest cells."""
    return {"rows": 6, "cols": 7, "cells": bottom + [0] * (42 - len(bottom)), "to_move": to_move, **changes}


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (wire([1], 0), "seat 1 is to move, not seat 0"),
        (wire([1, 1], 1), "seats take turns"),
        (wire([2], 0), "seats take turns"),
        (wire([1, 2, 0, 0, 0, 0, 0, 0, 0, 1], 1), "row 1, column 2 .* has no piece under it"),
        (wire([3], 1), r"cells\[0\] must be an int from 0 to 2"),
        (wire([True], 1), r"cells\[0\] must be an int from 0 to 2, not True"),
        (wire([], False), "to_move must be an int from 0 to 1, not False"),
        (wire([], 0, rows=8), "rows must be an int equal to 6, not 8"),
        (wire([], 0, cols=7.0), "cols must be an int equal to 7, not 7.0"),
        (wire([], 0, cells=[0] * 41), "must hold 42 ints, not 41"),
        (wire([], 0, cells="." * 42), "must be a list of 42 ints"),
        (wire([1, 1, 1, 1, 2, 2, 2, 2], 0), "Seat 0 has four in a row already, so seat 1 can't have moved"),
    ],
)
def test_the_wire_may_not_claim_what_cannot_be(bad, sentence):
    with pytest.raises(ValueError, match=sentence):
        CONNECT4.from_wire(bad)
