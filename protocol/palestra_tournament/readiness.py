"""The warm-up: before the real tournament each bot meets `random` and level 1 in every game, to see who is ready."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from palestra_tournament.model import Result, Tournament
from palestra_tournament.spec import Rubric, Spec

WARM_UP_BOTS: Final = ("random", "level1")
_WHY: Final = {
    "not_ready": "it was not there, or did not say that it is ready",
    "timeout": "it took too long for a move",
    "illegal": "it played an illegal action",
    "disconnect": "it lost its connection and did not come back in time",
    "resign": "it resigned, as the client does when a bot crashes",
}


class Readiness(NamedTuple):
    """Whether a player is ready for a game: all its matches ended without a fault of its own.

    `ready` is None while it has not played them all; `why` is a sentence.
    """

    player: str
    game: str
    ready: bool | None
    why: str


def warm_up(spec: Spec) -> Spec:
    """The tournament to play before this one, with the same players, games and clock."""
    return spec.model_copy(
        update={
            "name": f"{spec.name[:32]}-warm-up",
            "title": f"Warm-up for {spec.title or spec.name}",
            "format": "gauntlet",
            "reference": WARM_UP_BOTS,
            "rounds": None,
            "cycles": 1,
            "pairs": 1,
            "swap": True,
            "withdraw_after": 0,
            "absent": "lose",
            "embargo": "none",
            "warm_up": False,
            "grades": Rubric(),
        }
    )


def readiness(t: Tournament) -> tuple[Readiness, ...]:
    """Every player's readiness for every game, as the matches of `t` show it."""
    found = []
    for entrant in t.entrants:
        if entrant.reference:
            continue
        for game in t.spec.games:
            fixtures = [f for f in t.fixtures if f.game == game and entrant.name in f.players]
            results = [t.results[f.id] for f in fixtures if f.id in t.results]
            failures = Counter(why for result in results if (why := _failure(result, entrant.name)))
            ready = False if failures else None if len(results) < len(fixtures) or not results else True
            found.append(Readiness(entrant.name, game, ready, _sentence(ready, failures, len(results))))
    return tuple(found)


def _failure(result: Result, player: str) -> str | None:
    seat = result.fixture.players.index(player)
    if result.at_fault[seat] or (result.reason == "resign" and result.points[seat] == 0):
        return _WHY[result.reason]
    return None


def _sentence(ready: bool | None, failures: Counter[str], played: int) -> str:
    if failures:
        reasons = "; ".join(f"{why} ({count} of {played})" for why, count in sorted(failures.items()))
        return f"Not ready: {reasons}."
    if ready is None:
        return "Not all of its matches are played yet."
    return f"Ready: {played} matches without a fault."
