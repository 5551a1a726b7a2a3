"""How a match ended, for people: a code and its values, for any language, and the sentence in English.

The sentences are stored with the results: `verification` compares them, so changing one breaks old exports.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from typing import Final

from palestra_games import IllegalAction, Seat, State
from palestra_protocol import limits
from palestra_referee.clock import MS
from palestra_referee.events import Acted, MatchConfig
from palestra_referee.match import Match, Why

ENGLISH: Final = {
    "won": "{winner} won by the rules after {ply} plies.",
    "drawn": "A draw by the rules after {ply} plies.",
    "ply_limit": "A draw: the match came to its ply limit of {ply_limit}.",
    "late": "{player} took {took_ms} for ply {ply}; it had {move_ms} and {grace_ms} grace.",
    "silent": "{player} did not answer ply {ply} in time; it had {move_ms} and {grace_ms} grace.",
    "stayed_away": "{player} lost its connection at ply {ply} and was not back within the {left_ms} it had left.",
    "not_ready": "{player} was not ready within {ready_ms}.",
    "neither_ready": "Neither {player} nor {other} was ready within {ready_ms}.",
    "resigned": "{player} resigned at ply {ply}.",
    "illegal": "{player} answered ply {ply} with action {action}, which is not legal there.",
    "no_action": "{player} answered ply {ply} with {answer}, which is no action of this game.",
    "refused": "{player} refused the challenge.",
    "name_taken": "{player} is on the roster now: the guest of this name had to leave.",
    "house_late": "{player}, a bot of this server, was not there in time, so the match counts for nobody.",
}
_NAMES: Final = frozenset(("winner", "player", "other"))
_TEXTS: Final = _NAMES | {"answer"}
# How the bridge begins its report of an answer that isn't an action, for which it sends ACTION_MAX.
_ANSWERED: Final = "answered "
_SECONDS: Final = r"[0-9]+[.][0-9]{3} s"
_NUMBER: Final = r"-?[0-9]+"


def sentence(why: Why) -> str:
    """Values in milliseconds (`_ms`) are shown in seconds."""
    return ENGLISH[str(why["code"])].format(
        **{name: f"{value / 1000:.3f} s" if name.endswith("_ms") else value for name, value in why.items()}
    )


def parts(detail: str, players: Sequence[str]) -> Why | None:
    """What `sentence` was made from, for a match of these players; None if somebody else wrote the sentence."""
    for code in ENGLISH:
        found = _pattern(code).fullmatch(detail)
        values = {} if found is None else {name: _value(name, text) for name, text in found.groupdict().items()}
        if found is not None and all(values[name] in players for name in values.keys() & _NAMES):
            return {"code": code, **values}
    return None


@cache
def _pattern(code: str) -> re.Pattern[str]:
    pieces = re.split(r"{(\w+)}", ENGLISH[code])
    names = [f"(?P<{name}>{_form(name)})" for name in pieces[1::2]]
    texts = [re.escape(text) for text in pieces[::2]]
    return re.compile("".join(text + name for text, name in zip_longest(texts, names, fillvalue="")), re.DOTALL)


def _form(name: str) -> str:
    return ".+" if name in _TEXTS else _SECONDS if name.endswith("_ms") else _NUMBER


def _value(name: str, text: str) -> str | int:
    if name in _TEXTS:
        return text
    return round(float(text.removesuffix(" s")) * 1000) if name.endswith("_ms") else int(text)


def by_rules(config: MatchConfig, returns: tuple[float, float], ply: int) -> Why:
    if returns[0] == returns[1]:
        return {"code": "drawn", "ply": ply}
    return {"code": "won", "winner": config.players[0 if returns[0] > returns[1] else 1], "ply": ply}


def too_many_plies(config: MatchConfig) -> Why:
    return {"code": "ply_limit", "ply_limit": config.ply_limit}


def out_of_time(match: Match, at: int, *, answered: bool) -> Why:
    """The mover answered too late, or hasn't answered by `at`."""
    clock = match.clock
    player = match.config.players[clock.seat]
    had = {"ply": match.ply, "move_ms": _milliseconds(clock.budget), "grace_ms": _milliseconds(clock.grace)}
    if answered:
        return {"code": "late", "player": player, "took_ms": _milliseconds(clock.charged(at)), **had}
    return {"code": "silent", "player": player, **had}


def stayed_away(match: Match) -> Why:
    """The mover lost its connection and used up its bank and its budget."""
    clock = match.clock
    left = clock.banks[clock.seat] + max(0, clock.budget - clock.spent)
    player = match.config.players[clock.seat]
    return {"code": "stayed_away", "player": player, "ply": match.ply, "left_ms": _milliseconds(left)}


def not_ready(match: Match) -> Why:
    """At least one seat did not send `ready` in time."""
    late = [name for name, ready in zip(match.config.players, match.ready, strict=True) if not ready]
    if len(late) == 2:
        return {"code": "neither_ready", "player": late[0], "other": late[1], "ready_ms": match.config.ready_ms}
    return {"code": "not_ready", "player": late[0], "ready_ms": match.config.ready_ms}


def resigned(match: Match, seat: Seat) -> Why:
    return {"code": "resigned", "player": match.config.players[seat], "ply": match.ply}


def played_illegal(match: Match, event: Acted) -> Why:
    """A seat answered with an illegal action. If a program wrote something else altogether, it is quoted."""
    why: Why = {"code": "illegal", "player": match.config.players[event.seat], "ply": match.ply}
    text = str((event.info or {}).get("text"))
    if event.action == limits.ACTION_MAX and text.startswith(_ANSWERED) and text.isprintable():
        return {**why, "code": "no_action", "answer": text.removeprefix(_ANSWERED)}
    return {**why, "action": event.action}


def _milliseconds(ns: int) -> int:
    """Rounded up, so that being late never looks like being in time."""
    return -(-ns // MS)


def why_illegal(state: State, action: int, legal: tuple[int, ...]) -> str:
    """The game's own explanation for an action that is not in `legal`."""
    try:
        state.apply(action)
    except IllegalAction as error:
        return str(error)
    return f"Action {action} is not legal; choose one of {', '.join(map(str, legal))}."
