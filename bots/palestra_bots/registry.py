"""The bots by name, as `palestra join palestra_bots:NAME` and `python -m palestra_bots NAME` find them.

To add one, write a function here that makes it, and put its name into `palestra_bots.BOT_NAMES`. Its keyword
parameters are the options of the command line (`--depth 8`), and the first line of its docstring is what
`palestra-bots list` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from palestra_bots.bots import GreedyBot, RandomBot, ReportBot, SearchBot
from palestra_bots.timeman import Limit
from palestra_client import Bot

Factory = Callable[..., Bot]
"""Makes the bot of one match."""


def random() -> Bot:
    """Any legal action."""
    return RandomBot()


def greedy() -> Bot:
    """The action after which the position looks best."""
    return GreedyBot()


def alphabeta(*, depth: int | None = None, move_s: float | None = None) -> Bot:
    """Alpha-beta, ever deeper until the clock stops it."""
    return SearchBot("alphabeta", Limit(depth, move_s))


def mtdf(*, depth: int | None = None, move_s: float | None = None) -> Bot:
    """MTD(f) with a transposition table, ever deeper until the clock stops it."""
    return SearchBot("mtdf", Limit(depth, move_s))


def esteve_hawking(*, depth: int = 8) -> Bot:
    """The students' bot of the 8x8 report."""
    return ReportBot("esteve_hawking", depth=depth)


def profe(*, depth: int = 8) -> Bot:
    """The professor's bot of the 8x8 report."""
    return ReportBot("profe", depth=depth)


def profe_supported(*, depth: int = 8) -> Bot:
    """The professor's bot with its flag set: only lines that can be filled next count."""
    return ReportBot("profe_supported", depth=depth)


def _level(number: int, about: str, make: Callable[[], Bot]) -> Factory:
    def level() -> Bot:
        return make()

    level.__name__ = level.__qualname__ = f"level{number}"
    level.__doc__ = f"Rank {number} of 7: {about}."
    return level


LEVELS: tuple[Factory, ...] = (
    _level(0, "random", random),
    _level(1, "greedy", greedy),
    _level(2, "alpha-beta, 2 plies", lambda: alphabeta(depth=2)),
    _level(3, "alpha-beta, 4 plies", lambda: alphabeta(depth=4)),
    _level(4, "alpha-beta, 6 plies", lambda: alphabeta(depth=6)),
    _level(5, "alpha-beta, 8 plies", lambda: alphabeta(depth=8)),
    _level(6, "MTD(f), 0.1 s a move", lambda: mtdf(move_s=0.1)),
    _level(7, "MTD(f), 2 s a move", lambda: mtdf(move_s=2.0)),
)
"""The ladder that students climb, the weakest first."""

BOTS: Mapping[str, Factory] = MappingProxyType(
    {make.__name__: make for make in (random, greedy, alphabeta, mtdf, esteve_hawking, profe, profe_supported, *LEVELS)}
)
"""Every bot by its name."""
