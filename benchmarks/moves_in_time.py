"""The bots `mtdf` and `alphabeta` against the clock: one process per game, plus a busy process for every core.

All run at normal priority, so the machine has about three times as much work as cores. Positions come from random
games; a move is late if it takes longer than the time left when the bot was asked. For the clock of a real match:
`MOVES_IN_TIME_CLOCK_S=2 MOVES_IN_TIME_RUN_S=600 python -m benchmarks moves_in_time`.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from dataclasses import dataclass

from benchmarks._processes import hogs
from palestra_bots.kernels.load import KERNELS
from palestra_bots.registry import BOTS
from palestra_client import Bot, Match, Turn
from palestra_client.turn import Deadline
from palestra_games import Game, State, get_game

CLOCK_S = float(os.environ.get("MOVES_IN_TIME_CLOCK_S", "0.25"))
"""Time left on the clock when a bot is asked."""
RUN_S = float(os.environ.get("MOVES_IN_TIME_RUN_S", "240"))
"""How long the bots play."""
ALGORITHMS = ("mtdf", "alphabeta")
PLIES = 40
"""Maximum length of the random games that lead to the positions."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The move times of one bot in one game."""

    game: str
    bot: str
    seconds: tuple[float, ...]

    @property
    def late(self) -> int:
        return sum(took_s > CLOCK_S for took_s in self.seconds)

    @property
    def margin_s(self) -> float:
        """What the slowest move left on the clock."""
        return CLOCK_S - max(self.seconds)

    def figure(self) -> str:
        """The text shown in the table."""
        searched = sum(took_s > CLOCK_S / 2 for took_s in self.seconds)
        return (
            f"{len(self.seconds):,} moves ({searched:,} took more than half the clock), {self.late} late, "
            f"{1000 * self.margin_s:.0f} ms left by the slowest"
        )


def random_position(game: Game, choose: random.Random) -> State:
    """An unfinished position with a choice of actions."""
    while True:
        state = game.initial_state()
        for _ in range(choose.randrange(PLIES)):
            after = state.apply(choose.choice(state.legal_actions()))
            if after.returns() is not None:
                break
            state = after
        if len(state.legal_actions()) > 1:
            return state


def ask(bot: Bot, match: Match, state: State) -> float:
    """Ask the bot for a move; return the wall-clock seconds it took."""
    began = time.monotonic()
    deadline = Deadline(began + CLOCK_S)
    turn = Turn(match, state, ply=0, legal=state.legal_actions(), last=None, deadline=deadline, clock=time.monotonic)
    bot.choose(turn)
    return time.monotonic() - began


def play(name: str) -> list[Measured]:
    """Ask both bots alternately about the same positions of one game, for RUN_S seconds."""
    game = get_game(name)
    match = Match("benchmark", name, 0, ("one", "two"), CLOCK_S, grace_s=0.0, ready_s=30.0, away_s=0.0)
    bots = {algorithm: BOTS[algorithm]() for algorithm in ALGORITHMS}
    seconds: dict[str, list[float]] = {algorithm: [] for algorithm in ALGORITHMS}
    for bot in bots.values():
        bot.warm_up(game)
    choose = random.Random(name)
    ends = time.monotonic() + RUN_S
    while time.monotonic() < ends:
        state = random_position(game, choose)
        for algorithm, bot in bots.items():
            seconds[algorithm].append(ask(bot, match, state))
    return [Measured(name, algorithm, tuple(took)) for algorithm, took in seconds.items()]


def run() -> list[tuple[str, str]]:
    """One row per bot and game, and a total."""
    busy = os.cpu_count() or 1
    with hogs(busy), multiprocessing.get_context("spawn").Pool(len(KERNELS)) as pool:
        measured = [each for both in pool.map(play, KERNELS, chunksize=1) for each in both]
    rows = [(f"{each.bot}, {each.game}", each.figure()) for each in measured]
    everything = Measured("", "", tuple(took_s for each in measured for took_s in each.seconds))
    return [*rows, (f"all, {1000 * CLOCK_S:.0f} ms on the clock, {busy} busy processes", everything.figure())]
