"""A game that somebody else wrote is tried before it is offered: two short matches show most of what is wrong with its
rules, and show it in a sentence, while in a tournament it would cost players their matches.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, TypeVar

from palestra_games.interface import DRAW, WIN, BoardView, CellView, Game, IllegalAction, State

T = TypeVar("T")

PLIES: Final = 100  # of each match; so rules that take a millisecond a ply start within a second
STRIDES: Final = (1, 7)  # which of the legal actions is played: a walk through them, the same each time


class _Fault(Exception):
    """What the game does not keep, in a sentence."""


def tried(game: Game) -> None:
    """Raises ValueError, with what is wrong, unless the game keeps what `State` and `Game` promise in these matches."""
    for stride in STRIDES:
        played: list[str] = []
        try:
            state = _ask("initial_state()", game.initial_state)
            for ply in range(PLIES):
                legal = _position(game, state)
                if not legal:
                    break
                action = legal[ply * stride % len(legal)]
                played.append(_ask(f"action_name({action})", game.action_name, action))
                state = _ask(f"apply({action})", state.apply, action)
        except Exception as error:  # third-party code: its values may raise anything, too, when they are looked at
            fault = f"{error}" if isinstance(error, _Fault) else f"it raises {type(error).__name__}: {error}"
            raise ValueError(f"{fault} (after {', '.join(played) or 'no move'})") from None


def _ask(what: str, call: Callable[..., T], *values: object) -> T:
    try:
        return call(*values)
    except Exception as error:  # third-party code: it may raise anything
        raise _Fault(f"{what} raises {type(error).__name__}: {error}") from None


def _need(fits: bool, sentence: str) -> None:
    if not fits:
        raise _Fault(sentence)


def _position(game: Game, state: State) -> tuple[int, ...]:
    """The legal actions, after everything that is asked of a position was asked."""
    _need(hasattr(state, "legal_actions"), f"a State was to be returned, not {state!r:.60}")
    legal = _ask("legal_actions()", state.legal_actions)
    ascending = isinstance(legal, tuple) and all(type(a) is int for a in legal) and list(legal) == sorted(set(legal))
    _need(ascending, f"legal_actions() must be a tuple of ints, ascending, not {legal!r:.60}")
    returns = _ask("returns()", state.returns)
    _need(
        returns is None or returns in (*WIN, DRAW),
        f"returns() must be None or (1, -1), (-1, 1), (0, 0), not {returns!r}",
    )
    _need(bool(legal) == (returns is None), f"legal_actions() is {legal!r:.60}, but returns() is {returns!r}")
    _need(not legal or state.to_move in (0, 1), f"to_move must be 0 or 1, not {state.to_move!r}")
    _ask("str()", str, state)
    wire = json.loads(_ask("to_wire(), as JSON,", lambda: json.dumps(state.to_wire())))
    back = _ask("from_wire(to_wire())", game.from_wire, wire)
    _need(back == state, "from_wire(to_wire()) is not equal to the state")
    _need(_ask("hash()", hash, back) == hash(state), "equal states must have the same hash")
    for action in legal:
        name = _ask(f"action_name({action})", game.action_name, action)
        parsed = _ask(f"parse_action({name!r})", game.parse_action, name)
        _need(parsed == action, f"parse_action({name!r}) is {parsed!r}, not {action}")
    _refusal(state, legal)
    _view(_ask("view()", game.view, state), legal)
    return legal


def _refusal(state: State, legal: tuple[int, ...]) -> None:
    wrong = max(legal, default=0) + 1_000_000
    try:
        state.apply(wrong)
    except IllegalAction:
        return
    except Exception as error:  # third-party code
        raise _Fault(f"apply({wrong}) raises {type(error).__name__}, not IllegalAction") from None
    raise _Fault(f"apply({wrong}) must raise IllegalAction")


def _view(view: Any, legal: tuple[int, ...]) -> None:
    _need(isinstance(view, BoardView), f"view() must be a BoardView, not a {type(view).__name__}")
    _need(view.kind in ("grid", "pits"), f"the view's kind must be 'grid' or 'pits', not {view.kind!r}")
    size = len(view.cells)
    sides = (view.rows, view.cols)
    _need(
        all(type(side) is int for side in sides) and size == view.rows * view.cols,
        f"the view has {size} cells for {view.rows} rows of {view.cols}",
    )
    _need(all(isinstance(cell, CellView) for cell in view.cells), "the view's cells must be CellViews")
    _need(view.kind == "grid" or view.stores is not None, "a view of kind 'pits' needs stores")
    shown = sorted(action.action for action in view.actions if action.legal)
    over = not legal
    _need(over or shown == list(legal), f"the view's legal actions are {shown}, those of the state {list(legal)}")
    _need(
        all(0 <= c < size for a in view.actions for c in a.cells), "an action of the view has a cell that is not there"
    )
    _need((view.to_move is None) == over, "the view's to_move must be None once the game is over, and only then")
    _ask("view(), as JSON,", lambda: json.dumps(view.to_wire()))
