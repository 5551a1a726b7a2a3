"""The named evaluations, against hand-made boards and against the reports' code, copied line by line."""

import random

import pytest

from palestra_bots import evaluations
from palestra_bots.evaluations import game_of
from palestra_bots.evaluations.interface import Evaluation
from palestra_games import game_names, get_game
from palestra_games.mancala import Mancala


def board(game, picture, **more):
    """A state from rows of cells, the top row first, one character a cell ("." is empty)."""
    rows = [[0 if c == "." else int(c) for c in line.split()[0]] for line in reversed(picture.split())]
    size = {"connect4": (6, 7), "connect4-8x8": (8, 8), "desconecta4": (7, 7)}[game]
    rows += [[0] * size[1] for _ in range(size[0] - len(rows))]
    cells = [cell for row in rows for cell in row]
    return get_game(game).from_wire({"rows": size[0], "cols": size[1], "cells": cells, **more})


def random_states(game, count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        state = get_game(game).initial_state()
        for _ in range(rng.randrange(70)):
            if state.returns() is None:
                state = state.apply(rng.choice(state.legal_actions()))
        yield state


@pytest.mark.parametrize("game", ["connect4", "connect4-8x8", "desconecta4", "mancala"])
def test_ends_have_the_values_that_each_evaluation_names(game):
    ended = {1.0: 0, -1.0: 0}
    for state in random_states(game, 150, seed=1):
        result = state.returns()
        for name in evaluations.names(game):
            evaluation = evaluations.get(game, name)
            for seat in (0, 1):
                value = evaluation(state, seat)
                assert type(value) is int
                if evaluation.win is None:
                    continue
                if result is None or result[seat] == 0:
                    assert abs(value) < evaluation.win
                    assert not evaluation.decides(value)
                else:
                    assert value == result[seat] * evaluation.win
                    assert evaluation.decides(value)
                    ended[result[seat]] += 1
    assert min(ended.values()) > 10


def test_valoracion_test_counts_own_ordinary_pieces_by_their_distance_from_the_edge():
    state = board("desconecta4", "...1... 1.51241", round=6, to_move=0)
    value = evaluations.get("desconecta4", "valoracion_test")
    # Seat 0: columns 0 and 3, and one on top in 3, and 6; its bomb (4) in column 5 counts nothing.
    assert value(state, 0) == 0 + 3 + 3 + 0
    assert value(state, 1) == 2  # the piece in column 4; the bomb (5) in column 2 counts nothing


def runs_as_printed(see, jugador):
    """MiPuntuacion of the report, loop by loop; `see(i, j)` is See_Casilla."""
    enemigo = 2 if jugador == 1 else 1
    suma = 0
    for own, rival, sign in ((jugador, enemigo, -1), (enemigo, jugador, 1)):
        seguidas = 0
        for i in range(7):  # horizontal
            for j in range(7):
                if see(i, j) == own:
                    seguidas += 1
                    suma += sign * seguidas
                elif seguidas > 0 and see(i, j) == rival:
                    suma -= sign * seguidas
                    seguidas = 0
                else:
                    seguidas = 0
            seguidas = 0
        for i in range(7):  # vertical
            for j in range(7):
                if see(j, i) == own:
                    seguidas += 1
                    suma += sign * seguidas
                elif seguidas > 0 and see(j, i) == rival:
                    suma -= sign * seguidas
                    seguidas = 0
                else:
                    seguidas = 0
            seguidas = 0
        for i in range(4):  # derecha-abajo
            for j in range(3, 7):
                for k in range(4):
                    if see(i + k, j - k) == own:
                        seguidas += 1
                        suma += sign * seguidas
                    elif seguidas > 0 and see(i + k, j - k) == rival:
                        suma -= sign * seguidas
                        seguidas = 0
                    else:
                        seguidas = 0
            seguidas = 0
        for i in range(4):  # derecha-arriba: printed with + for the player's own runs too
            for j in range(4):
                for k in range(4):
                    if see(j + k, i + k) == own:
                        seguidas += 1
                        suma += seguidas
                    elif seguidas > 0 and see(j + k, i + k) == rival:
                        suma -= seguidas
                        seguidas = 0
                    else:
                        seguidas = 0
            seguidas = 0
    for i in range(7):
        for j in range(7):
            if see(i, j) == jugador:
                suma -= j if j < 3 else 6
    return suma


def test_runs_is_the_report_s_code():
    evaluation = evaluations.get("desconecta4", "runs")
    with_bombs = 0
    for state in random_states("desconecta4", 200, seed=2):
        if state.returns() is not None:
            continue
        cells = state.cells
        with_bombs += max(cells) > 2
        for seat in (0, 1):
            assert evaluation(state, seat) == runs_as_printed(lambda i, j: cells[7 * i + j], seat + 1)  # noqa: B023
    assert with_bombs > 20


def test_sequences_by_hand():
    value = evaluations.get("desconecta4", "sequences")
    state = board("desconecta4", "...52.. 11222..", round=6, to_move=0)
    # Seat 0: 11 in row 0. Seat 1: 222 in row 0; with the bomb (5) in row 1 one pair there, two in columns 3 and 4, two
    # on rising diagonals, from (0, 2) and (0, 3), and one on the falling one to (0, 4).
    mine, threes, twos = 1, 1, 1 + 2 + 2 + 1
    assert value(state, 0) == 100 * mine + 10 * threes + 1 * twos
    assert value(state, 1) == 100 * twos + 10 * threes + 1 * mine


@pytest.mark.parametrize("game", ["connect4", "connect4-8x8"])
def test_possible_lines_counts_lines_without_the_rival_s_pieces(game):
    evaluation = evaluations.get(game, "possible_lines")
    rows, cols = get_game(game).initial_state().rows, get_game(game).initial_state().cols
    lines = [
        [(row + k * d_row, col + k * d_col) for k in range(4)]
        for d_row, d_col in ((0, 1), (1, 0), (1, 1), (1, -1))
        for row in range(rows)
        for col in range(cols)
        if row + 3 * d_row < rows and 0 <= col + 3 * d_col < cols
    ]
    assert len(lines) == {"connect4": 69, "connect4-8x8": 130}[game]
    for state in random_states(game, 100, seed=3):
        if state.returns() is not None:
            continue
        cells = state.cells
        open_to = [sum(all(cells[r * cols + c] != 2 - seat for r, c in line) for line in lines) for seat in (0, 1)]
        assert evaluation(state, 0) == open_to[0] - open_to[1] == -evaluation(state, 1)


def open_lines_as_printed(color, mida, jugador):
    """comprova_horitzontal + comprova_vertical of the report, loop by loop; `color(i, j)` is getColor."""
    score = 0
    for i in range(mida - 1, -1, -1):
        puntuacio = seguides = color_ant = lliure = lliures_consecutives = 0
        for j in range(mida):
            if color_ant == 0:
                color_ant = color(i, j)
                if color_ant != 0:
                    lliure = seguides
                    seguides = 0
            if color(i, j) == color_ant:
                seguides += 1
                lliures_consecutives = 0
            elif color(i, j) == -color_ant and color_ant != 0:
                if seguides == 1 and lliure >= 3:
                    puntuacio = 1
                elif seguides == 2 and lliure >= 2:
                    puntuacio = 3
                elif seguides >= 3 and lliure >= 1:
                    puntuacio = 7
                else:
                    puntuacio = 0
                if color_ant != 0:
                    lliure = lliures_consecutives
                if color_ant == jugador:
                    score += puntuacio
                elif color_ant == -jugador:
                    score -= puntuacio
                color_ant = color(i, j)
                seguides = 1
                lliures_consecutives = 0
            else:
                lliures_consecutives += 1
                lliure += 1
        if seguides == 1 and lliure >= 3:
            puntuacio = 1
        elif seguides == 2 and lliure >= 2:
            puntuacio = 3
        elif seguides >= 3 and lliure >= 1:
            puntuacio = 10
        else:
            puntuacio = 0
        if color_ant == jugador:
            score += puntuacio
        elif color_ant == -jugador:
            score -= puntuacio
    for i in range(mida - 1, -1, -1):
        seguides = color_buscat = 0
        j = 0
        while j < mida:
            if color(j, i) == 0:
                if seguides == 1:
                    puntuacio = 1
                elif seguides == 2:
                    puntuacio = 3
                elif seguides >= 3:
                    puntuacio = 10
                else:
                    puntuacio = 0
                if color_buscat != 0:
                    score += puntuacio if color_buscat == jugador else -puntuacio
                j = mida
            elif j == 0:
                color_buscat = color(j, i)
                seguides = 1
            elif color(j, j) == color_buscat:
                seguides += 1
            elif color(j, i) == -color_buscat:
                if j > 4:
                    j = mida
                else:
                    color_buscat = color(j, i)
                    seguides = 1
            j += 1
    return score


def test_open_lines_is_the_report_s_code():
    evaluation = evaluations.get("connect4-8x8", "open_lines")
    for state in random_states("connect4-8x8", 200, seed=4):
        if state.returns() in ((1.0, -1.0), (-1.0, 1.0)):
            continue
        colours = [(0, 1, -1)[cell] for cell in state.cells]
        for seat, player in ((0, 1), (1, -1)):
            expected = open_lines_as_printed(lambda i, j: colours[8 * i + j], 8, player)  # noqa: B023
            assert evaluation(state, seat) == expected


def test_open_lines_by_the_report_s_words():
    value = evaluations.get("connect4-8x8", "open_lines")
    one = board("connect4-8x8", "1.......", to_move=1)
    assert value(one, 0) == 1 + 1  # the row, and the column
    two = board("connect4-8x8", "1.1.2.2.", to_move=0)
    # Seat 0 in the row: two and only one free cell between, and one up to the rival: 1 . 1 . has room for four: +3.
    # Seat 1: 2 . 2 . and the free cell before: -3. Columns: +2 -2.
    assert value(two, 0) == 0


def test_stores_is_the_difference_of_the_stores():
    evaluation = evaluations.get("mancala", "stores")
    state = get_game("mancala").initial_state().apply(3)
    assert (evaluation(state, 0), evaluation(state, 1)) == (1, -1)
    assert evaluation(Mancala(3, 2).initial_state(), 0) == 0


@pytest.mark.parametrize("game", ["connect4", "connect4-8x8"])
@pytest.mark.parametrize(
    ("picture", "to_move", "points"),
    [
        ("111.... 212..22", 0, 3),  # seat 0 lacks column 3 in row 2: that falls to seat 1
        ("222.... 121..11", 0, -24),
        ("111.... 221.2.. 112.2.2", 0, 24),  # the same in row 3
        ("222.... 112.1.. 221.1.1", 0, -3),
        ("111.... 222.... 121....", 1, -24),  # the threat of seat 0 stands above one of seat 1
        ("222.... 111....", 0, 200),  # seat 0 wins at once
        (".....2. .111.2.", 1, 200),  # seat 1 can block one of two
        ("2111.2.", 1, 24),  # and here the only one
    ],
)
def test_threats_count_by_the_row_and_by_whose_they_are(game, picture, to_move, points):
    wide = " ".join(row + "." * (get_game(game).initial_state().cols - 7) for row in picture.split())
    state = board(game, wide, to_move=to_move)
    threats, lines = (evaluations.get(game, name) for name in ("threats", "possible_lines"))
    assert threats(state, 0) - lines(state, 0) == points
    assert threats(state, 1) == -threats(state, 0)


def test_turns_adds_the_pits_that_reach_the_store():
    evaluation = evaluations.get("mancala", "turns")
    pits = [[1, 0, 3, 0, 0, 5], [2, 2, 0, 0, 6, 6]]  # pits 1 and 3; pits 2 and 6
    state = get_game("mancala").from_wire({"pits": pits, "stores": [13, 10], "to_move": 1})
    assert (evaluation(state, 0), evaluation(state, 1)) == (3, -3)
    state = get_game("mancala").from_wire({"pits": [pits[0], [2, 2, 0, 0, 7, 5]], "stores": [13, 10], "to_move": 0})
    assert (evaluation(state, 0), evaluation(state, 1)) == (4, -4)


def test_every_installed_game_has_a_default_and_its_states_are_recognised():
    for game in game_names():
        evaluation = evaluations.default(game)
        assert evaluation.game == game
        assert evaluation(get_game(game).initial_state(), 0) == evaluation(get_game(game).initial_state(), 1)
    for game in ("connect4", "connect4-8x8", "desconecta4", "mancala"):
        assert game_of(get_game(game).initial_state()) == game
        assert evaluations.default(game).name != "outcome"
    assert evaluations.default("a game of somebody else").name == "outcome"


def test_wrong_names_and_boards_are_answered_with_a_sentence():
    with pytest.raises(ValueError, match="has no evaluation") as caught:
        evaluations.get("mancala", "store")
    assert str(caught.value) == "mancala has no evaluation 'store'; it has stores, turns, outcome."
    with pytest.raises(TypeError, match="The evaluation 'stores' is for a MancalaState, not a Connect4State"):
        evaluations.get("mancala", "stores")(get_game("connect4").initial_state(), 0)
    with pytest.raises(ValueError, match="is for 8 x 8, not 6 x 7"):
        evaluations.get("connect4-8x8", "open_lines")(get_game("connect4").initial_state(), 0)
    assert isinstance(evaluations.get("mancala", "stores"), Evaluation)
