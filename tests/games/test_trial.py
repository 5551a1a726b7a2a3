"""What is wrong with somebody else's rules is said in a sentence when they are installed, and not in a match."""

import sys

import pytest
from tests.support.plugins import PLUGINS

from palestra_games import IllegalAction, game_names, get_game
from palestra_games.trial import tried

with pytest.MonkeyPatch.context() as patched:
    patched.setattr(sys, "path", [str(PLUGINS / "palestra_nim"), *sys.path])
    from palestra_nim import NIM, Nim, NimState

VIEW = NIM.view(NIM.initial_state())


def raising(*_):
    raise KeyError("oops")


def without_return(state, action):
    if action not in state.legal_actions():
        raise IllegalAction(action, state.legal_actions(), "no")


@pytest.mark.parametrize("name", game_names())
def test_what_is_right_passes(name):
    tried(get_game(name))


def test_so_does_a_plug_in():
    tried(NIM)


@pytest.mark.parametrize(
    ("of", "method", "replaced", "why"),
    [
        (Nim, "initial_state", raising, "initial_state() raises KeyError: 'oops' (after no move)"),
        (Nim, "initial_state", lambda _: None, "a State was to be returned, not None (after no move)"),
        (NimState, "apply", without_return, "a State was to be returned, not None (after TAKE 1)"),
        (Nim, "view", lambda *_: VIEW._replace(cells=None), "it raises TypeError"),
        (Nim, "from_wire", raising, "from_wire(to_wire()) raises KeyError"),
        (Nim, "from_wire", lambda *_: NimState(5, 0), "from_wire(to_wire()) is not equal to the state"),
        (Nim, "action_name", raising, "action_name(0) raises KeyError"),
        (Nim, "parse_action", lambda *_: 2, "parse_action('TAKE 1') is 2, not 0"),
        (Nim, "view", raising, "view() raises KeyError"),
        (Nim, "view", lambda *_: {}, "view() must be a BoardView, not a dict"),
        (Nim, "view", lambda *_: VIEW._replace(cols=20), "the view has 21 cells for 1 rows of 20"),
        (Nim, "view", lambda *_: VIEW._replace(rows={21}, cols=1), "the view has 21 cells"),
        (
            Nim,
            "view",
            lambda *_: VIEW._replace(actions=()),
            "the view's legal actions are [], those of the state [0, 1, 2]",
        ),
        (Nim, "view", lambda *_: VIEW._replace(returns=({1}, 0)), "view(), as JSON, raises TypeError"),
        (Nim, "view", lambda *_: VIEW._replace(to_move=None), "the view's to_move must be None once the game is over"),
        (NimState, "to_wire", lambda *_: {"left": {1}}, "to_wire(), as JSON, raises TypeError: Object of type set"),
        (
            NimState,
            "legal_actions",
            lambda *_: [0, 1],
            "legal_actions() must be a tuple of ints, ascending, not [0, 1]",
        ),
        (NimState, "returns", lambda *_: 1, "returns() must be None or (1, -1), (-1, 1), (0, 0), not 1"),
        (NimState, "returns", lambda *_: (1, -1), "legal_actions() is (0, 1, 2), but returns() is (1, -1)"),
        (NimState, "apply", raising, "raises KeyError, not IllegalAction"),
        (NimState, "apply", lambda s, _: s, "must raise IllegalAction"),
    ],
)
def test_what_is_wrong_is_named(monkeypatch, of, method, replaced, why):
    monkeypatch.setattr(of, method, replaced)
    with pytest.raises(ValueError, match="after") as refused:
        tried(NIM)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)
