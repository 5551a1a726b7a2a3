"""Bots that are broken on purpose, each by one fault, lose to a perfect player: how often is the fault named?

By a clock that counts nodes, so that the figures are the same on every machine. PALESTRA_BENCH_MATCHES sets how many
matches each bot plays (10), PALESTRA_BENCH_BOTS which ones do, and PALESTRA_BENCH_GAME what they play (mancala).
Matches are kept in PALESTRA_BENCH_FOLDER, if that is set, and read from there the next time.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.broken_matches import FAULTS, Perfect, answers, asking, bots_of, played, plays_as

from palestra_bots.judge.matches import judge
from palestra_client.arena import openings
from palestra_client.arena.agreement import compared
from palestra_client.arena.replaying import contradictions, from_map
from palestra_client.others import others_of
from palestra_games import get_game

ASKED, PLACES = 3, 5  # times again, at the decisive move and at others
TOGETHER = 5  # positions in which values are compared, as `palestra why --bot` does
AT_ONCE = 10  # matches of each bot, between two tables
# What is no fault of a program, but the end of what it can see:
NO_FAULT = ("horizon", "deep", "unreported", "evaluation", "nothing")


@dataclass
class Found:
    """What the judge said of one bot's losses."""

    matches: int = 0
    losses: int = 0
    judged_s: float = 0.0
    first: Counter[str] = field(default_factory=Counter)
    decisive: Counter[str] = field(default_factory=Counter)
    before: list[Mapping[str, Any]] = field(default_factory=list)


def run() -> list[tuple[str, str]]:
    count = int(os.environ.get("PALESTRA_BENCH_MATCHES", "10"))
    game = os.environ.get("PALESTRA_BENCH_GAME", "mancala")
    chosen = os.environ.get("PALESTRA_BENCH_BOTS", " ".join(bots_of(game))).split()
    drawn = openings.balanced(get_game(game), count, 1)
    found = {name: Found() for name in chosen}
    rows: list[tuple[str, str]] = []
    for begin in range(0, count, AT_ONCE):
        for number in range(begin, min(begin + AT_ONCE, count)):
            perfect = Perfect(game)
            for name in chosen:
                told = _kept(name, perfect, drawn[number % len(drawn)], number)
                _judged(name, told | {"match": str(number)}, found[name])
        rows = [_row(name, found[name]) for name in chosen]
        if begin + AT_ONCE < count:
            print(f"{game}, after {begin + AT_ONCE} matches:", *(": ".join(row) for row in rows), sep="\n", flush=True)
    return rows


def _kept(name: str, perfect: Perfect, opening: tuple[int, ...], number: int) -> dict[str, Any]:
    folder = os.environ.get("PALESTRA_BENCH_FOLDER")
    file = Path(folder) / f"{perfect.game}-{name}-{number}.json" if folder else None
    if file is not None and file.exists():
        kept: dict[str, Any] = json.loads(file.read_bytes())
        return kept
    told: dict[str, Any] = played(name, perfect.game, opening, number % 2, perfect)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        whole = file.with_suffix(".part")
        whole.write_text(json.dumps(told))
        whole.replace(file)
    return told


def _judged(name: str, told: Mapping[str, Any], found: Found) -> None:
    seat = told["players"].index(name)
    others = others_of(told, found.before[::-1])
    found.before.append(told)
    found.matches += 1
    if told["returns"][seat] >= 0:
        return
    found.losses += 1
    began = time.process_time()
    analysis = judge(told, others)
    found.judged_s += time.process_time() - began
    causes = [each for each in analysis.diagnoses if each.seat == seat]
    found.first[causes[0].code if causes else "nothing"] += 1
    if analysis.decisive is None:
        return
    at: set[str] = {each.code for each in causes if each.ply == analysis.decisive.ply} | {
        each.code for each in causes[:1]
    }
    fault = FAULTS[name]
    if fault in ("unsteady", None) and is_unsteady(name, told, seat, analysis.decisive.ply):
        at.add("unsteady")
    if fault in ("contradict", None) and "search" not in at and contradicts(name, told, seat, analysis.decisive.ply):
        at.add("contradict")
    accused = at.difference(NO_FAULT)
    named = fault if fault in at else "+".join(sorted(accused))
    if not named and fault not in (None, "unsteady") and plays_as("Healthy", told, seat):
        named = "lost as the healthy one would have"
    found.decisive[named or "no fault"] += 1


def is_unsteady(name: str, told: Mapping[str, Any], seat: int, decisive: int) -> bool:
    """Whether it contradicts itself at the decisive move, or at one of a few others of its own."""
    own = [move["ply"] for move in told["moves"] if move["seat"] == seat]
    places = [decisive, *own[:: max(1, len(own) // PLACES)]]
    return any(contradictions(answers(name, told, ply, ASKED)) for ply in places)


def contradicts(name: str, told: Mapping[str, Any], seat: int, decisive: int) -> bool:
    """Whether its values do not agree at the decisive move, or at the first ones of its own."""
    played = from_map(told)
    own = [move["ply"] for move in told["moves"] if move["seat"] == seat and move["ply"] < decisive]
    plies = [decisive, *own[: TOGETHER - 1]]
    return compared(asking(name, told), played.game, played.states(), played.actions, plies).code == "contradict"


def _row(name: str, found: Found) -> tuple[str, str]:
    return (
        f"{name}, {found.losses} losses of {found.matches}: {FAULTS[name]}",
        f"first of the match: {_told(found.first)}; of {found.decisive.total()} decisive moves: "
        f"{_told(found.decisive)}; {found.judged_s / max(1, found.losses):.1f} s of CPU to judge a match",
    )


def _told(found: Counter[str]) -> str:
    return ", ".join(f"{code} {count}" for code, count in found.most_common())
