"""Every player meets every reference bot, `cycles` times; nobody meets anybody else."""

from __future__ import annotations

from palestra_tournament.formats.meetings import Draw, meeting
from palestra_tournament.model import Fixture, Tournament


def draw_gauntlet(t: Tournament) -> Draw | None:
    """The whole schedule at once. In a round each player meets another reference bot than in the one before."""
    if t.fixtures:
        return None
    references = [name for name in t.seeds if name in t.references]
    players = [name for name in t.seeds if name not in t.references]
    fixtures: list[Fixture] = []
    for number in range(len(references) * t.spec.cycles):
        for table, player in enumerate(players, start=1):
            reference = references[(number + table) % len(references)]
            # Without swapping, players must not all have the first seat against the same bot.
            seats = (player, reference) if (number // len(references) + table) % 2 else (reference, player)
            fixtures += meeting(t, number + 1, table, seats)
    return Draw(tuple(fixtures))
