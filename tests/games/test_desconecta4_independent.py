"""Desconecta-4 BOOM against two witnesses: plain lists written from the rules, and the course's own trace."""

import random

import pytest

from palestra_games.desconecta4 import BOOM, DESCONECTA4, GRID, Desconecta4State


class Plain:
    """The rules on seven lists, one a column from the bottom up, holding "x", "o" and the bombs "X", "O"."""

    def __init__(self, columns: list[list[str]], mover: int, round: int) -> None:
        self.columns, self.mover, self.round = columns, mover, round

    def at(self, row: int, col: int) -> str:
        """The colour there: "x", "o", or "" for an empty cell or one off the board."""
        inside = 0 <= col < 7 and 0 <= row < len(self.columns[col])
        return self.columns[col][row].lower() if inside else ""

    def line_owners(self) -> list[int]:
        """The owners of all lines of four, in the order in which they are scanned."""
        return [
            "xo".index(colour)
            for row in range(7)
            for col in range(7)
            for up, right in ((0, 1), (1, 0), (1, 1), (-1, 1))
            if (colour := self.at(row, col))
            and all(self.at(row + k * up, col + k * right) == colour for k in range(1, 4))
        ]

    def returns(self) -> tuple[float, float] | None:
        owners = self.line_owners()
        if owners:
            return (-1.0, 1.0) if owners[0] == 0 else (1.0, -1.0)
        return (0.0, 0.0) if sum(map(len, self.columns)) == 49 else None

    def bomb(self) -> str:
        return "XO"[self.mover]

    def has_bomb(self) -> bool:
        return any(self.bomb() in column for column in self.columns)

    def legal(self) -> list[int]:
        if self.returns() is not None:
            return []
        return [col for col in range(7) if len(self.columns[col]) < 7] + [7] * self.has_bomb()

    def act(self, action: int) -> None:
        if action < 7:
            dropped = self.bomb() if self.round % 5 == 0 and not self.has_bomb() else "xo"[self.mover]
            self.columns[action].append(dropped)
        else:
            row = next(column.index(self.bomb()) for column in self.columns if self.bomb() in column)
            for column in self.columns:
                if len(column) > row and column[row].lower() == "xo"[self.mover]:
                    del column[row]
        if self.mover == 1:
            self.round += 1
        self.mover = 1 - self.mover

    def wire(self) -> dict[str, object]:
        values = {"x": 1, "o": 2, "X": 4, "O": 5}
        cells = [values[c[row]] if row < len(c) else 0 for row in range(7) for c in self.columns]
        return {"rows": 7, "cols": 7, "cells": cells, "to_move": self.mover, "round": self.round}


def agree(state: Desconecta4State, plain: Plain) -> None:
    assert state.to_wire() == plain.wire()
    assert state.returns() == plain.returns()
    assert list(state.legal_actions()) == plain.legal()


@pytest.mark.slow
def test_random_games_go_the_same_way():
    dice = random.Random(7)
    booms = endings = 0
    for _ in range(80):
        state, plain = DESCONECTA4.initial_state(), Plain([[] for _ in range(7)], 0, 1)
        agree(state, plain)
        for _ in range(120):
            legal = state.legal_actions()
            if not legal:
                break
            safe = [action for action in legal if state.apply(action).returns() is None]
            action = dice.choice(safe or legal)
            booms += action == BOOM
            state = state.apply(action)
            plain.act(action)
            agree(state, plain)
        endings += state.returns() is not None
    assert booms > 100
    assert endings > 50


@pytest.mark.slow
def test_booms_on_random_boards_go_the_same_way():
    """Boards denser and wilder than play reaches, so that a BOOM makes lines of both colours now and then."""
    dice = random.Random(8)
    both = tried = 0
    while tried < 800:
        columns = [[dice.choice("xo") for _ in range(dice.randint(2, 7))] for _ in range(7)]
        for bomb in "XO":
            column = dice.choice(columns)
            column[dice.randrange(len(column))] = bomb
        plain = Plain(columns, dice.choice((0, 1)), dice.randint(6, 12))
        state = DESCONECTA4.from_wire(plain.wire())
        if BOOM not in state.legal_actions():
            continue
        tried += 1
        state = state.apply(BOOM)
        plain.act(BOOM)
        agree(state, plain)
        both += len(set(plain.line_owners())) == 2
    assert both > 5


# The course's verification game: depth-8 alpha-beta against itself.
DEPTH = 8
WON = 99999999
TRACE = [
    *((11, "PUT 3"), (11, "PUT 3"), (11, "PUT 4"), (11, "PUT 4"), (13, "PUT 3"), (13, "PUT 3")),
    *((15, "PUT 3"), (15, "PUT 3"), (17, "PUT 1"), (17, "PUT 1"), (19, "PUT 3"), (19, "PUT 4")),
]
COLUMN_WEIGHTS = [(min(col, 6 - col), GRID.column[col]) for col in range(7)]


class Searcher:
    """Plain alpha-beta over the State interface, seen from the seat at the root; counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def value(self, state: Desconecta4State, root: int, depth: int, alpha: int, beta: int) -> tuple[int, int]:
        self.calls += 1
        result = state.returns()
        if result is not None:
            return WON * int(result[root]), -1
        if depth == 0:
            ordinary = state.stones[root] & ~state.bombs[root]
            return sum(weight * (ordinary & column).bit_count() for weight, column in COLUMN_WEIGHTS), -1
        maximises = state.to_move == root
        best, best_action = (-WON - 1 if maximises else WON + 1), -1
        for action in state.legal_actions():
            value, _ = self.value(state.apply(action), root, depth - 1, alpha, beta)
            if value > best if maximises else value < best:
                best, best_action = value, action
            if maximises:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best, best_action


@pytest.mark.slow
def test_the_courses_verification_game():
    state, searcher, played = DESCONECTA4.initial_state(), Searcher(), []
    while state.returns() is None:
        value, action = searcher.value(state, state.to_move, DEPTH, -WON - 1, WON + 1)
        if not played:
            assert searcher.calls == 75_629
        played.append((value, DESCONECTA4.action_name(action)))
        state = state.apply(action)
        if len(played) == len(TRACE):
            assert played == TRACE
            names = [DESCONECTA4.action_name(action) for action in state.legal_actions()]
            assert names == ["PUT 1", "PUT 2", "PUT 4", "PUT 5", "PUT 6", "PUT 7", "BOOM"]
    assert len(played) == 61
    assert state.returns() == (1.0, -1.0)
    assert searcher.calls == 1_052_420
