"""The bots by name, as `palestra join palestra_bots:NAME` and `python -m palestra_bots NAME` find them.

To add one, write a function here that makes it, and put its name into `palestra_protocol.reference_bots`. Its keyword
parameters are the options of the command line (`--depth 8`), and the first line of its docstring is what
`palestra-bots list` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from palestra_bots import levels
from palestra_bots.bots import CarefulBot, GreedyBot, LevelBot, RandomBot, ReportBot, SearchBot
from palestra_bots.timeman import FULL_MOVE_S, Limit
from palestra_client import Bot

Factory = Callable[..., Bot]  # makes the bot of one match


def random() -> Bot:
    """Any legal action."""
    return RandomBot()


def greedy() -> Bot:
    """The action after which the position looks best."""
    return GreedyBot()


def careful() -> Bot:
    """A careful beginner: weighs each turn against every reply, and looks no farther."""
    return CarefulBot()


def alphabeta(
    *, depth: int | None = None, move_s: float | None = None, nodes: int | None = None, evaluation: str | None = None
) -> Bot:
    """Alpha-beta, ever deeper until the clock stops it."""
    return SearchBot("alphabeta", Limit(depth, move_s, nodes), evaluation=evaluation)


def mtdf(
    *, depth: int | None = None, move_s: float | None = None, nodes: int | None = None, evaluation: str | None = None
) -> Bot:
    """MTD(f) with a transposition table, ever deeper until the clock stops it."""
    return SearchBot("mtdf", Limit(depth, move_s, nodes), evaluation=evaluation)


def esteve_hawking(*, depth: int = 8) -> Bot:
    """The students' bot of the 8x8 report."""
    return ReportBot("esteve_hawking", depth=depth)


def profe(*, depth: int = 8) -> Bot:
    """The professor's bot of the 8x8 report."""
    return ReportBot("profe", depth=depth)


def profe_supported(*, depth: int = 8) -> Bot:
    """The professor's bot with its flag set: only lines that can be filled next count."""
    return ReportBot("profe_supported", depth=depth)


def _level(number: int) -> Factory:
    def level() -> Bot:
        if number == levels.COUNT:
            return mtdf(move_s=FULL_MOVE_S)
        return LevelBot(lambda game: levels.plies(game, number))

    level.__name__ = level.__qualname__ = f"level{number}"
    level.__doc__ = f"Rung {number} of {levels.COUNT}: {RUNGS[number - 1]}."
    return level


RUNGS = (
    "sees hardly more than its own next move",
    "misses most of what you plan",
    "sees a threat when it is there",
    "plans a little",
    "plans",
    "looks far",
    "looks very far",
    "mtdf at full strength, 2 s a move",
)
# The ladder that students climb, the weakest first; `palestra_bots.levels` says how strong each is.
LEVELS: tuple[Factory, ...] = tuple(_level(number + 1) for number in range(levels.COUNT))

# Every bot by its name.
BOTS: Mapping[str, Factory] = MappingProxyType(
    {
        make.__name__: make
        for make in (random, greedy, careful, alphabeta, mtdf, esteve_hawking, profe, profe_supported, *LEVELS)
    }
)
