"""Boards that are joined from bytes are, to the byte, what the plain view would be."""

import random

import pytest

from palestra_games import game_names, get_game
from palestra_games.interface import ActionView, BoardView, CellView
from palestra_protocol.codecs import JSON, MSGPACK
from palestra_server.runtime.boards import Board, _outline

both_codecs = pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["msgpack", "json"])


def assert_same(codec, *views):
    """The first time, when they are made, and again."""
    boards = [Board(view) for view in views]
    plain = [view.to_wire() for view in views]
    for _ in range(2):
        joined = codec.encode({"type": "x", "views": boards, "view": boards[-1], "n": {"last": 1}})
        assert joined == codec.encode({"type": "x", "views": plain, "view": plain[-1], "n": {"last": 1}})


@both_codecs
@pytest.mark.parametrize("name", game_names())
def test_every_position_of_a_match(name, codec):
    game, rng = get_game(name), random.Random(4)
    for _ in range(5):
        state = game.initial_state()
        views = [game.view(state)]
        while state.returns() is None:
            state = state.apply(rng.choice(state.legal_actions()))
            views.append(game.view(state))
        assert_same(codec, *views)


@both_codecs
@pytest.mark.parametrize("cells", [0, 1, 15, 16, 300])
def test_boards_of_a_plug_in_whose_cells_are_made_anew(codec, cells):
    views = [
        BoardView(
            kind="grid",
            rows=1,
            cols=cells,
            cells=tuple(CellView('señal "\\\n', None, n) for n in range(cells)),
            actions=tuple(ActionView(a, "ß", a > 1, tuple(range(a))) for a in range(min(cells, 20))),
            to_move=to_move,
            returns=returns,
            stores=stores,
        )
        for to_move, returns, stores in [
            (0, None, None),
            (1, None, (300, 0)),
            (None, (1.0, -1.0), None),
            (None, (1, -1), None),
            (None, (0.0, 0.0), (3, 3)),
        ]
    ]
    assert_same(codec, *views)


@both_codecs
def test_some_cells_were_written_before_and_some_not(codec):
    old, new = CellView("piece", 0), CellView("piece", 1)
    assert_same(codec, BoardView("grid", 1, 2, (old, old), (), 0, None))
    assert_same(codec, BoardView("grid", 1, 2, (old, new), (), 0, None))


@both_codecs
@pytest.mark.parametrize("turned", [False, True])
def test_a_plug_in_that_says_true_for_one_changes_no_other_game(codec, turned):
    cells = (CellView("empty"),)
    views = [
        BoardView("grid", rows, 1, cells, (), to_move, None, stores)
        for rows, to_move, stores in [
            (1, 1, None),
            (1, True, None),
            (1.0, 0, None),
            (1, 0, (1, 0)),
            (1, 0, (1.0, 0.0)),
            (1, 0, (True, False)),
            (1, 0, [1, 0]),
        ]
    ]
    _outline.cache_clear()
    assert_same(codec, *(reversed(views) if turned else views))
