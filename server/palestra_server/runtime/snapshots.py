"""What watchers of a match are sent: first a snapshot (of one in progress, or from the journal), then its moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from palestra_games import State, get_game
from palestra_referee import MS, Match
from palestra_referee.frames import Wire, milliseconds, played_message
from palestra_server.runtime.boards import Board


class BoardHistory:
    """The boards of a match in progress, each drawn once for any number of watchers."""

    def __init__(self, game: str) -> None:
        self._game = get_game(game)
        self._state: State | None = None
        self._views: list[Board] = []

    def views(self, actions: Sequence[int]) -> list[Board]:
        """The board before the first of these actions and after each one. The next call's must begin with them."""
        # A state is kept with its view: a game that could not draw it is asked again for the same one.
        if self._state is None:
            self._keep(self._game.initial_state())
        for action in actions[len(self._views) - 1 :]:
            assert self._state is not None
            self._keep(self._state.apply(action))
        return self._views[:]

    def _keep(self, state: State) -> None:
        self._views.append(Board(self._game.view(state)))
        self._state = state


def match_snapshot(
    match: Match, at: int | None, title: str | None, boards: BoardHistory | None = None
) -> dict[str, Any]:
    """The whole match, for a codec to encode, not to be changed; `at` is its time now in ns, None when it is over;
    `title` is its tournament's; `boards` keeps the boards of a match in progress.
    """
    config, moves = match.config, match.moves
    game = get_game(config.game)
    outcome = match.outcome if match.announced else None
    of_opening = [None] * len(config.opening)
    views = (boards or BoardHistory(config.game)).views(match.actions)
    return {
        "type": "snapshot",
        "match": config.match,
        "game": config.game,
        "players": list(config.players),
        "versions": list(match.versions),
        "tournament": config.tournament,
        "tournament_title": title,
        "rated": config.rated,
        "opening": list(config.opening),
        "state": match.state.to_wire(),
        "ply": match.ply,
        "actions": list(match.actions),
        "names": [game.action_name(action) for action in match.actions],
        "charged_ms": [*of_opening, *(milliseconds(move.charged_ns) for move in moves)],
        "away_ms": [*of_opening, *(milliseconds(move.away_ns) for move in moves)],
        "infos": [*of_opening, *(move.info for move in moves)],
        "view": views[-1],
        "views": views,
        "clock": None if at is None or match.phase != "playing" else _running(match, at),
        "clocks": [
            {
                "move_ms": match.clock.budgets[each] // MS,
                "charged_ms": milliseconds(match.charged_ns[each]),
                "away_ms": milliseconds(sum(move.away_ns for move in moves if move.seat == each)),
                "bank_ms": match.clock.banks[each] // MS,
            }
            for each in (0, 1)
        ],
        "result": None
        if outcome is None
        else {"returns": list(outcome.returns), "reason": outcome.reason, "detail": outcome.detail, "why": outcome.why},
    }


def _running(match: Match, at: int) -> Wire:
    clock = match.clock
    lost = None if clock.deadline is None or not clock.away else milliseconds(max(0, clock.deadline - at))
    return {
        "seat": clock.seat,
        "remaining_ms": milliseconds(clock.remaining(at)),
        "move_ms": clock.budget // MS,
        "lost_ms": lost,
    }


def watched_message(match: Match, move: Wire, state: Wire, view: Board | None) -> Wire:
    """`played` for watchers: with the view of the board, what the mover reported and how long it was away."""
    last = match.moves[-1]
    more = {"away_ms": milliseconds(last.away_ns), "info": last.info, "view": view}
    return {**played_message(match, move, state), **more}
