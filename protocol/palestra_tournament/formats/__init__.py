"""The formats: each is a function of the tournament as it stands that draws what comes next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from palestra_tournament.formats.meetings import Draw
from palestra_tournament.formats.round_robin import draw_round_robin
from palestra_tournament.model import Tournament
from palestra_tournament.spec import Format

DRAWS: Final[Mapping[Format, Callable[[Tournament], Draw | None]]] = {
    "round-robin": draw_round_robin,
}
"""What each format draws next: None when it has to wait for results, or when there is nothing more to come."""


def planned(t: Tournament) -> tuple[int | None, int | None]:
    """How many fixtures and rounds the tournament will have; None where nobody can know."""
    return len(t.fixtures), t.round


__all__ = ["DRAWS", "Draw", "planned"]
