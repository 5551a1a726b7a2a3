"""Messages of the server, besides those of `palestra_referee.frames`."""

from __future__ import annotations

from palestra_referee import Match
from palestra_referee.frames import Wire, milliseconds, played_message
from palestra_server.runtime.boards import Board

# While the database is unreachable.
NOT_SAVING = "The server cannot save results right now: matches go on, no new one begins, and results are told later."
EMBARGOED = "This match is of a round that stays hidden until the teacher reveals it: come back then."


def watched_message(match: Match, move: Wire, state: Wire, view: Board) -> Wire:
    """`played` for watchers: with the view of the board, what the mover reported and how long it was away."""
    last = match.moves[-1]
    more = {"away_ms": milliseconds(last.away_ns), "info": last.info, "view": view}
    return {**played_message(match, move, state), **more}
