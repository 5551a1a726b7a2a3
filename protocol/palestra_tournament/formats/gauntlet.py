"""Every player meets every reference bot; nobody meets anybody else.

A Swiss, an elimination and groups begin with this, too, if the file names reference bots: those would meet only some of
the players otherwise, and a rubric such as "beat level 4" would be a matter of luck. They have no part in what follows.
"""

from __future__ import annotations

from palestra_tournament.formats.meetings import Draw, meeting
from palestra_tournament.model import Fixture, Tournament


def contenders(t: Tournament) -> tuple[str, ...]:
    """All but the reference bots, by their seeds."""
    references = t.references
    return tuple(name for name in t.seeds if name not in references)


def gauntlet_rounds(t: Tournament) -> int:
    """How many rounds it takes to meet each reference bot once."""
    return len(t.references)


def draw_gauntlet(t: Tournament, cycles: int = 1) -> Draw | None:
    """The whole schedule at once; in a round each player meets another reference bot than in the one before."""
    if t.fixtures:
        return None
    references = [entrant.name for entrant in t.entrants if entrant.reference]
    references.sort(key=t.seeds.index)
    if not references:
        return None
    fixtures: list[Fixture] = []
    for number in range(len(references) * cycles):
        for table, player in enumerate(contenders(t), start=1):
            reference = references[(number + table) % len(references)]
            # Without swapping, players must not all have the first seat against the same bot.
            seats = (player, reference) if (number // len(references) + table) % 2 else (reference, player)
            fixtures += meeting(t, number + 1, table, seats)
    return Draw(tuple(fixtures))
