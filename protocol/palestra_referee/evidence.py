"""What the records of a match say about each answer: when it was asked for, when it came, and what it was charged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from palestra_games import Seat
from palestra_referee.automaton import replay
from palestra_referee.clock import MS
from palestra_referee.events import Acted, Event, Stamp, TurnWritten


class Answer(NamedTuple):
    """An answer, or the one that never came: then `action`, `arrived_ns`, `stamp` and `charged_ns` are None.

    `asked_ns` and `arrived_ns` are on the match's clock; `asked_ns` is None if the answer came before the server had
    recorded the question. `unaccounted_ns` is what the server itself took, to ask and to read the answer, and charged
    to nobody. `played`: not so if it was too late or illegal, and ended the match.
    """

    ply: int
    seat: Seat
    action: int | None
    asked_ns: int | None
    arrived_ns: int | None
    stamp: Stamp | None
    charged_ns: int | None
    away_ns: int
    unaccounted_ns: int
    played: bool


def answers(events: Sequence[Event]) -> tuple[Answer, ...]:
    """All answers of a match, in order. Raises ValueError like `replay`."""
    match = replay(events)
    moves = {move.ply: move for move in match.moves}
    asked: dict[int, int] = {}
    found: list[Answer] = []
    before: int | None = None  # when the server had the answer before
    for event in events:
        if isinstance(event, TurnWritten):
            asked[event.ply] = event.at
        elif isinstance(event, Acted):
            move, at = moves.get(event.ply), asked.get(event.ply)
            waited = 0 if at is None or before is None else max(0, at - before)
            took = None if move is None else move.charged_ns
            if match.outcome is not None and match.outcome.why["code"] == "late" and move is None:
                took = int(match.outcome.why["took_ms"]) * MS
            found.append(
                Answer(
                    event.ply,
                    event.seat,
                    event.action,
                    at,
                    event.arrived_at,
                    event.stamp,
                    took,
                    0 if move is None else move.away_ns,
                    waited + max(0, event.at - event.arrived_at),
                    move is not None,
                )
            )
            before = event.at
    over = match.outcome
    if over is not None and over.why["code"] in ("silent", "stayed_away"):
        seat = match.state.to_move
        found.append(Answer(match.ply, seat, None, asked.get(match.ply), None, None, None, 0, 0, False))
    return tuple(found)
