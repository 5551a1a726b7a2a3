"""What judging a match costs, and how soon the move that decided it is found; in CPU time.

Searches of 2, 4 and 6 plies play each other from random openings of 6 plies. PALESTRA_BENCH_MATCHES sets how many
matches are judged of each game (24).
"""

from __future__ import annotations

import os
import random
import time
from statistics import median
from typing import Any

from palestra_bots.judge import matches
from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.timeman import Limit
from palestra_client.arena import openings
from palestra_games import game_names, get_game

DEPTHS = (2, 4, 6)
PLIES_MAX = 200
SOON_S = 2.0


def run() -> list[tuple[str, str]]:
    count = int(os.environ.get("PALESTRA_BENCH_MATCHES", "24"))
    rows = []
    for game in game_names():
        if game not in matches.CURVES:
            continue
        found = [_judged(told) for told in _played(game, count)]
        whole, decisive = sorted(both[0] for both in found), sorted(both[1] for both in found if both[1] is not None)
        said = f"median {median(whole):.1f} s, longest {whole[-1]:.1f} s of {count} matches"
        if decisive:
            soon = sum(each <= SOON_S for each in decisive)
            said += f"; decisive move within {SOON_S:g} s in {soon} of {len(decisive)}, longest {decisive[-1]:.1f} s"
        rows.append((f"a match of {game}", said))
        print(*rows[-1], flush=True)
    return rows


def _played(game: str, count: int) -> list[dict[str, Any]]:
    chance, players = random.Random(7), {depth: Searcher(game, table_bits=18) for depth in DEPTHS}
    found = []
    for number, opening in enumerate(openings.drawn(get_game(game), 4 * count, 6, 7)):
        state, actions = get_game(game).initial_state(), list(opening)
        for action in opening:
            state = state.apply(action)
        seats = chance.choice(DEPTHS), chance.choice(DEPTHS)
        while state.returns() is None and len(actions) < PLIES_MAX:
            actions.append(players[seats[state.to_move]].analyse(state, Limit(depth=seats[state.to_move])).action)
            state = state.apply(actions[-1])
        returns = state.returns() or (0.0, 0.0)
        if returns[0] == 0:
            continue  # nobody lost it
        moves = [{"action": action, "info": None} for action in actions[len(opening) :]]
        found.append({"match": f"m{number}", "game": game, "opening": opening, "moves": moves, "returns": returns})
        if len(found) == count:
            break
    return found


def _judged(told: dict[str, Any]) -> tuple[float, float | None]:
    """CPU time for all of it, and until the decisive move was proved; None where nothing is."""
    spent: list[float] = []
    prove = matches._Judging._proved_decisive

    def timed(judging: Any) -> Any:
        began = time.process_time()
        decisive = prove(judging)
        spent.append(time.process_time() - began if judging.prover is not None else -1)
        return decisive

    matches._Judging._proved_decisive = timed  # type: ignore[method-assign]
    began = time.process_time()
    try:
        matches.judge(told)
    finally:
        matches._Judging._proved_decisive = prove  # type: ignore[method-assign]
    return time.process_time() - began, spent[0] if spent[0] >= 0 else None
