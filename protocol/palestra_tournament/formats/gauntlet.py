"""Every player meets every reference bot, and nobody else.

A Swiss, an elimination and groups also begin with this if the file names reference bots: otherwise these would meet
only some players, and a rule such as "beat level 4" would depend on luck. They take no part in what follows.
"""

from __future__ import annotations

from palestra_tournament.formats.meetings import Draw, meeting
from palestra_tournament.model import Fixture, Tournament


def contenders(t: Tournament) -> tuple[str, ...]:
    """Everybody but the reference bots, in order of seeding."""
    references = t.references
    return tuple(name for name in t.seeds if name not in references)


def gauntlet_rounds(t: Tournament) -> int:
    """The number of rounds needed to meet each reference bot once."""
    return len(t.references)


def draw_gauntlet(t: Tournament, cycles: int = 1) -> Draw | None:
    """The whole schedule; in each round a player meets a different reference bot from the round before."""
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
            # If seats aren't swapped, players must not all have the first seat against the same bot.
            seats = (player, reference) if (number // len(references) + table) % 2 else (reference, player)
            fixtures += meeting(t, number + 1, table, seats)
    return Draw(tuple(fixtures))
