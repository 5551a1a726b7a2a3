"""What people read about the end of a match.

These sentences are stored with the results: `verification` compares them, so changing one breaks old exports.
"""

from __future__ import annotations

from palestra_games import IllegalAction, Seat, State
from palestra_referee.clock import MS
from palestra_referee.events import MatchConfig
from palestra_referee.match import Match


def seconds(ns: int) -> str:
    """A duration in seconds, rounded up to milliseconds so that being late never looks like being in time."""
    return f"{-(-ns // MS) / 1000:.3f} s"


def by_rules(config: MatchConfig, returns: tuple[float, float], ply: int) -> str:
    """The game ended by its own rules."""
    if returns[0] == returns[1]:
        return f"A draw by the rules after {ply} plies."
    winner = config.players[0 if returns[0] > returns[1] else 1]
    return f"{winner} won by the rules after {ply} plies."


def too_many_plies(config: MatchConfig) -> str:
    """The ply limit was reached."""
    return f"A draw: the match came to its ply limit of {config.ply_limit}."


def out_of_time(match: Match, at: int, *, answered: bool) -> str:
    """The mover answered too late, or hasn't answered by `at`."""
    name = match.config.players[match.clock.seat]
    had = f"it had {seconds(match.clock.budget)} and {seconds(match.clock.grace)} grace"
    if answered:
        return f"{name} took {seconds(match.clock.charged(at))} for ply {match.ply}; {had}."
    return f"{name} did not answer ply {match.ply} in time; {had}."


def stayed_away(match: Match) -> str:
    """The mover lost its connection and used up its bank and its budget."""
    clock = match.clock
    left = seconds(clock.banks[clock.seat] + max(0, clock.budget - clock.spent))
    name = match.config.players[clock.seat]
    return f"{name} lost its connection at ply {match.ply} and was not back within the {left} it had left."


def not_ready(match: Match) -> str:
    """At least one seat did not say `ready` in time."""
    late = [name for name, ready in zip(match.config.players, match.ready, strict=True) if not ready]
    limit = seconds(match.config.ready_ms * MS)
    if len(late) == 2:
        return f"Neither {late[0]} nor {late[1]} was ready within {limit}."
    return f"{late[0]} was not ready within {limit}."


def resigned(match: Match, seat: Seat) -> str:
    """A seat resigned."""
    return f"{match.config.players[seat]} resigned at ply {match.ply}."


def played_illegal(match: Match, seat: Seat, action: int) -> str:
    """A seat answered with an illegal action."""
    return f"{match.config.players[seat]} answered ply {match.ply} with action {action}, which is not legal there."


def why_illegal(state: State, action: int, legal: tuple[int, ...]) -> str:
    """The game's own explanation for an action that is not in `legal`."""
    try:
        state.apply(action)
    except IllegalAction as error:
        return str(error)
    return f"Action {action} is not legal; choose one of {', '.join(map(str, legal))}."
