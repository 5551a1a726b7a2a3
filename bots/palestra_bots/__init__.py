"""The reference bots of Palestra and their search.

    from palestra_bots import analyse, reference_move, solve
    palestra join palestra_bots:mtdf --server ws://host:8765 --name mtdf

Everything here is imported on first use, so that a bot that needs no compiler doesn't wait for one.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from palestra_protocol.reference_bots import REFERENCE_BOTS

if TYPE_CHECKING:
    from palestra_bots.analysis import analyse
    from palestra_bots.analysis_types import Analysis
    from palestra_bots.reports import reference_move
    from palestra_bots.solvers.interface import Solution
    from palestra_bots.solving import solve

__all__ = ["Analysis", "Solution", "analyse", "reference_move", "solve", *REFERENCE_BOTS]

# The module of every public name that isn't a bot.
_HOME = {
    "Analysis": "analysis_types",
    "Solution": "solvers.interface",
    "analyse": "analysis",
    "reference_move": "reports",
    "solve": "solving",
}


def __getattr__(name: str) -> object:
    value: object
    if name in _HOME:
        value = getattr(import_module(f"palestra_bots.{_HOME[name]}"), name)
    elif name in REFERENCE_BOTS:
        value = import_module("palestra_bots.registry").BOTS[name]
    else:
        raise AttributeError(f"module 'palestra_bots' has no attribute '{name}'")
    return value
