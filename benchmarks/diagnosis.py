"""Bots that are broken on purpose, each by one fault, lose to a perfect player: how often is the fault named?

By a clock that counts nodes, so that the figures are the same on every machine. PALESTRA_BENCH_MATCHES sets how many
matches each bot plays (10), and PALESTRA_BENCH_BOTS which ones do.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tests.support.broken_matches import FAULTS, Perfect, answers, played

from palestra_bots.judge import judge
from palestra_client.arena import openings
from palestra_client.arena.replaying import contradictions
from palestra_games import get_game

GAME = "mancala"
ASKED, PLACES = 3, 5  # times again, at the decisive move and at others
# What is no fault of a program, but the end of what it can see:
NO_FAULT = ("horizon", "deep", "unreported", "evaluation", "nothing")


def run() -> list[tuple[str, str]]:
    count = int(os.environ.get("PALESTRA_BENCH_MATCHES", "10"))
    chosen = os.environ.get("PALESTRA_BENCH_BOTS", " ".join(FAULTS)).split()
    drawn = openings.balanced(get_game(GAME), count, 1)
    rows = []
    for name in chosen:
        first, decisive, judged_s, losses = Counter[str](), Counter[str](), 0.0, 0
        for number in range(count):
            told = played(name, GAME, drawn[number % len(drawn)], number % 2, Perfect(GAME))
            seat = told["players"].index(name)
            if told["returns"][seat] >= 0:
                continue
            losses += 1
            began = time.process_time()
            found = judge(told)
            judged_s += time.process_time() - began
            causes = [each for each in found.diagnoses if each.seat == seat]
            first[causes[0].code if causes else "nothing"] += 1
            if found.decisive is not None:
                at = {each.code for each in causes if each.ply == found.decisive.ply} | {
                    each.code for each in causes[:1]
                }
                fault = FAULTS[name]
                if fault in ("unsteady", None) and is_unsteady(name, told, seat, found.decisive.ply):
                    at.add("unsteady")
                accused = at.difference(NO_FAULT)
                decisive[fault if fault in at else "+".join(sorted(accused)) or "no fault"] += 1
        rows.append(
            (
                f"{name}, {losses} losses of {count}: {FAULTS[name]}",
                f"first of the match: {_told(first)}; of {decisive.total()} decisive moves: {_told(decisive)}; "
                f"{judged_s / max(1, losses):.1f} s of CPU to judge a match",
            )
        )
        print(*rows[-1], flush=True)
    return rows


def is_unsteady(name: str, told: Mapping[str, Any], seat: int, decisive: int) -> bool:
    """Whether it contradicts itself at the decisive move, or at one of a few others of its own."""
    own = [move["ply"] for move in told["moves"] if move["seat"] == seat]
    places = [decisive, *own[:: max(1, len(own) // PLACES)]]
    return any(contradictions(answers(name, told, ply, ASKED)) for ply in places)


def _told(found: Counter[str]) -> str:
    return ", ".join(f"{code} {count}" for code, count in found.most_common())
