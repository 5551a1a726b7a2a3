"""Desconecta-4 BOOM: each special rule in a position made for it, and the invariants of play."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_games import IllegalAction
from palestra_games.desconecta4 import BOOM, DESCONECTA4, Desconecta4State

VALUES = {".": 0, "x": 1, "o": 2, "X": 4, "O": 5}


def wire(picture: str, to_move: object = 0, round: object = 6, **changes: object) -> dict[str, object]:
    """A state on the wire from rows drawn as `str(state)` draws them; missing rows on top are empty."""
    rows = [row.split() for row in picture.strip().splitlines()]
    rows = [["."] * 7] * (7 - len(rows)) + rows
    cells = [VALUES[symbol] for row in reversed(rows) for symbol in row]
    return {"rows": 7, "cols": 7, "cells": cells, "to_move": to_move, "round": round, **changes}


def position(picture: str, to_move: int = 0, round: int = 6) -> Desconecta4State:
    return DESCONECTA4.from_wire(wire(picture, to_move, round))


def play(actions: str) -> Desconecta4State:
    """The position after these actions: columns from 1, B for BOOM."""
    state = DESCONECTA4.initial_state()
    for letter in actions:
        state = state.apply(BOOM if letter == "B" else int(letter) - 1)
    return state


# Ten actions without a line; the last two drop the bombs.
TEN = "1213156557"


def test_the_first_bombs_fall_at_plies_9_and_10():
    for plies in range(9):
        assert play(TEN[:plies]).bombs == (0, 0)
    ninth, tenth = play(TEN[:9]), play(TEN)
    assert [ninth.cells.count(value) for value in (1, 2, 4, 5)] == [4, 4, 1, 0]
    assert [tenth.cells.count(value) for value in (1, 2, 4, 5)] == [4, 4, 1, 1]
    assert tenth.cells[2 * 7 + 4] == 4
    assert tenth.cells[6] == 5


def test_the_first_booms_are_possible_at_plies_11_and_12():
    for plies in range(10):
        state = play(TEN[:plies])
        assert BOOM not in state.legal_actions()
        with pytest.raises(IllegalAction, match="BOOM needs a bomb of your own"):
            state.apply(BOOM)
    assert play(TEN).legal_actions() == (0, 1, 2, 3, 4, 5, 6, BOOM)
    assert BOOM in play(TEN + "B").legal_actions()


def test_the_round_grows_after_each_action_of_seat_1():
    assert [play(TEN[:plies]).round for plies in range(11)] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("round", [1, 4, 5, 6, 9, 10, 14, 15, 200])
def test_a_bomb_falls_exactly_in_rounds_that_five_divides(round, seat):
    state = position("", seat, round).apply(3)
    assert state.cells[3] == (4 + seat if round % 5 == 0 else 1 + seat)


def test_a_second_bomb_is_neither_dropped_nor_saved_up():
    fifth = position("X . . . . . .", 0, 10).apply(3)
    assert fifth.cells[:7] == (4, 0, 0, 1, 0, 0, 0)
    gone = position("X . . . . . .", 0, 11).apply(BOOM)
    assert gone.cells.count(4) == 0
    assert position("", 0, 12).apply(3).cells[3] == 1


def test_the_opponents_bomb_does_not_stop_the_own_one():
    assert position("O . . . . . .", 0, 10).apply(3).cells[:7] == (5, 0, 0, 4, 0, 0, 0)


def test_a_boom_uses_the_turn_and_the_round():
    state = position("X . . . . . .", 0, 10).apply(BOOM)
    assert (state.to_move, state.round) == (1, 10)
    state = position("O . . . . . .", 1, 10).apply(BOOM)
    assert (state.to_move, state.round) == (0, 11)
    assert state.cells == (0,) * 49


def test_what_stood_above_falls_by_one_and_the_opponents_pieces_stay():
    before = position("""
        . . . o . . .
        o . . x . . .
        x . . o . o .
        x o X o x O x
        o x o x o x o
        """)
    after = position(
        """
        . . . o . . .
        . . . x . . .
        o . . o . o .
        x o . o . O .
        o x o x o x o
        """,
        to_move=1,
    )
    assert before.apply(BOOM) == after
    assert before.returns() is None


def test_the_opponents_bomb_falls_and_goes_off_in_its_new_row():
    state = position("""
        O . . . . . .
        X . o . . . .
        """).apply(BOOM)
    assert state == position("O . o . . . .", to_move=1)
    assert state.apply(BOOM) == position("", to_move=0, round=7)


@pytest.mark.parametrize(
    ("actions", "returns", "line"),
    [
        ("1717171", (-1.0, 1.0), [(0, 0), (1, 0), (2, 0), (3, 0)]),
        ("1727374", (-1.0, 1.0), [(0, 0), (0, 1), (0, 2), (0, 3)]),
        ("17273757", (1.0, -1.0), [(0, 6), (1, 6), (2, 6), (3, 6)]),
        ("12234334744", (-1.0, 1.0), [(0, 0), (1, 1), (2, 2), (3, 3)]),
        ("76654554144", (-1.0, 1.0), [(0, 6), (1, 5), (2, 4), (3, 3)]),
    ],
)
def test_a_line_loses_for_its_owner(actions, returns, line):
    assert play(actions[:-1]).returns() is None
    state = play(actions)
    assert state.returns() == returns
    assert state.legal_actions() == ()
    highlighted = [divmod(i, 7) for i, cell in enumerate(DESCONECTA4.view(state).cells) if cell.highlight]
    assert sorted(highlighted) == line


def test_a_bomb_counts_in_a_line():
    state = position("X x x . . . .", 0).apply(3)
    assert state.returns() == (-1.0, 1.0)


def test_a_line_of_the_opponent_made_by_a_boom_loses_for_the_opponent():
    before = position("""
        o o o . . . .
        X x x o . . .
        """)
    assert before.returns() is None
    assert before.apply(BOOM).returns() == (1.0, -1.0)


ROW_0_IS_FIRST = """
    x x x . . . .
    o o o x . . .
    X x x o . . .
    """
COLUMN_0_IS_FIRST = """
    . . . x . . o
    . . x o . . o
    . . X x . . x
    . x o o . . o
    x o o o . . o
    """
ROW_BEFORE_COLUMN = """
    o . . . . . .
    o . . . x . .
    o . . x o . .
    x . . X x . .
    o . x o o . .
    x x o o o . .
    """
SWAP = str.maketrans("xoXO", "oxOX")


def mirrored(picture: str) -> str:
    return "\n".join(row[::-1] for row in picture.split("\n") if row.strip())


@pytest.mark.parametrize(
    ("picture", "loser"),
    [
        (ROW_0_IS_FIRST, 1),
        (COLUMN_0_IS_FIRST, 0),
        (mirrored(COLUMN_0_IS_FIRST), 1),
        (ROW_BEFORE_COLUMN, 0),
        (mirrored(ROW_BEFORE_COLUMN), 1),
    ],
)
def test_of_two_lines_the_one_that_starts_first_decides(picture, loser):
    """By row, then by column. The rising diagonals start in row 0; mirrored, at their left end in row 3."""
    for mover, board in ((0, picture), (1, picture.translate(SWAP))):
        before = position(board, mover)
        assert before.returns() is None
        after = before.apply(BOOM)
        lost = loser if mover == 0 else 1 - loser
        assert after.returns() == ((-1.0, 1.0) if lost == 0 else (1.0, -1.0))
        assert DESCONECTA4.from_wire(after.to_wire()).returns() == after.returns()
        assert {cell.seat for cell in DESCONECTA4.view(after).cells if cell.highlight} == {lost}


ALMOST_FULL = """
    x x o o x x .
    o o x x o o x
    x x o o x x o
    o o x x o o x
    x x o o x x o
    o o X x o o x
    x x o O x x o
    """


def test_a_full_board_is_a_draw_though_both_could_boom():
    before = position(ALMOST_FULL, to_move=1)
    assert before.legal_actions() == (6, BOOM)
    state = before.apply(6)
    assert state.returns() == (0.0, 0.0)
    assert state.legal_actions() == ()
    with pytest.raises(IllegalAction, match="over"):
        state.apply(BOOM)
    assert str(state).endswith("over: a draw")


def test_a_line_on_a_full_board_is_a_loss():
    before = position(ALMOST_FULL.replace("x x o o x x .", "x o o x x x ."), to_move=0)
    assert before.returns() is None
    assert before.apply(6).returns() == (-1.0, 1.0)


def test_states_are_equal_by_cells_mover_and_round_modulo_5():
    board = "x o X . . . ."
    assert position(board, 0, 6) == position(board, 0, 11)
    assert hash(position(board, 0, 6)) == hash(position(board, 0, 11))
    assert position(board, 0, 6) != position(board, 0, 7)
    assert position(board, 0, 6) != position(board, 1, 6)
    assert position(board, 0, 6) != position("x o x . . . .", 0, 6)
    assert position(board, 0, 6) != board


def test_a_game_need_not_end():
    """Both drop a bomb, blow it up and wait for the next one."""
    state, seen = play(""), set()
    for _ in range(2000):
        legal = [a for a in state.legal_actions() if state.apply(a).returns() is None]
        if BOOM in legal:
            state = state.apply(BOOM)
        elif legal:
            state = state.apply(min(legal, key=lambda a: sum(v > 0 for v in state.cells[a::7])))
        else:
            break
        seen.add(state)
    assert state.round == 1001


@given(choices=st.lists(st.integers(0, 7), max_size=200))
def test_pieces_are_conserved_but_for_what_a_boom_removes(choices):
    state = DESCONECTA4.initial_state()
    for choice in choices:
        legal = state.legal_actions()
        if not legal:
            break
        # Prefers not to lose at once, for longer games.
        safe = [action for action in legal if state.apply(action).returns() is None] or legal
        action = safe[choice % len(safe)]
        mover, before = state.to_move, state.cells
        state = state.apply(action)
        after = state.cells
        own, other = (1 + mover, 4 + mover), (2 - mover, 5 - mover)
        assert [after.count(value) for value in other] == [before.count(value) for value in other]
        held, holds = (sum(cells.count(value) for value in own) for cells in (before, after))
        if action == BOOM:
            row = before.index(4 + mover) // 7
            assert held - holds == sum(value in own for value in before[row * 7 : row * 7 + 7])
            assert 4 + mover not in after
        else:
            assert holds == held + 1
        assert after.count(4) <= 1
        assert after.count(5) <= 1
        assert all(after[i - 7] for i in range(7, 49) if after[i])


def test_the_bitboards_agree_with_the_cells():
    state = play(TEN)
    assert (state.rows, state.cols) == (7, 7)
    for seat in (0, 1):
        for index, value in enumerate(state.cells):
            bit = 1 << index % 7 * 8 + index // 7
            assert bool(state.stones[seat] & bit) == (value in (1 + seat, 4 + seat))
            assert bool(state.bombs[seat] & bit) == (value == 4 + seat)


def test_the_board_in_a_terminal():
    assert str(play(TEN)) == (
        "| . . . . . . . |\n"
        "| . . . . . . . |\n"
        "| . . . . . . . |\n"
        "| . . . . . . . |\n"
        "| x . . . X . . |\n"
        "| x . . . o . . |\n"
        "| x o o . o x O |\n"
        "  1 2 3 4 5 6 7\n"
        "round 6, seat 0 (x) to move"
    )
    assert str(play("1717171")).endswith("over: seat 0 (x) has a line and loses")


def test_boom_is_a_button_and_a_bomb_is_shown_as_one():
    view = DESCONECTA4.view(position("X o . . . . ."))
    assert (view.actions[BOOM].name, view.actions[BOOM].legal, view.actions[BOOM].cells) == ("BOOM", True, ())
    assert [(cell.kind, cell.seat) for cell in view.cells[:3]] == [("bomb", 0), ("piece", 1), ("empty", None)]
    assert not DESCONECTA4.view(position("X o . . . . .", 1)).actions[BOOM].legal
    assert DESCONECTA4.parse_action(" boom ") == BOOM


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (wire("X X . . . . ."), "Seat 0 has 2 bombs"),
        (wire("O . O . O . ."), "Seat 1 has 3 bombs"),
        (wire("", cells=[3] + [0] * 48), "not 3"),
        (wire("", cells=[6] + [0] * 48), r"cells\[0\] must be an int from 0 to 5"),
        (wire("", cells=[0] * 48), "must hold 49 ints"),
        (wire("x . . . . . .\n. x . . . . ."), "row 1, column 0 .* has no piece under it"),
        (wire("", round=0), "round must be an int from 1 to 9007199254740991, not 0"),
        (wire("", round=True), "round must be an int from 1 to 9007199254740991, not True"),
        (wire("", round=2.0), "round must be an int"),
        (wire("", to_move=2), "to_move must be an int from 0 to 1"),
        (wire("", rows=6), "rows must be an int equal to 7"),
    ],
)
def test_the_wire_may_not_claim_what_cannot_be(bad, sentence):
    with pytest.raises(ValueError, match=sentence):
        DESCONECTA4.from_wire(bad)
