"""The names of the reference bots: `palestra_bots` makes them, a server asks for them, and no player may have one."""

from __future__ import annotations

from typing import Final

LEVELS: Final = tuple(f"level{number}" for number in range(1, 9))  # those of each game, weakest first
REFERENCE_BOTS: Final = (
    "random",
    "greedy",
    "careful",
    "alphabeta",
    "mtdf",
    "esteve_hawking",
    "profe",
    "profe_supported",
    *LEVELS,
)
