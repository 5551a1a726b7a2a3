"""Every player meets every reference bot, and nobody else.

A Swiss, an elimination and groups also begin with this if the file names reference bots: otherwise these would meet
only some players, and a rule such as "beat level 4" would depend on luck. They take no part in what follows.
"""

from __future__ import annotations

from palestra_tournament.formats.meetings import matches_of_a_meeting, meeting, meetings_of_latecomer
from palestra_tournament.formats.pairing import PairRound
from palestra_tournament.formats.round_robin import Cycles
from palestra_tournament.interface import Draw, Format, Planned
from palestra_tournament.model import Fixture, Tournament
from palestra_tournament.scores import HEAD_TO_HEAD, POINTS, SONNEBORN_BERGER, WINS


class Gauntlet(Format):
    name = "gauntlet"
    title = "Gauntlet"
    about = "Everybody plays the reference bots, and nobody else."
    keys = """\
# cycles = 1                    # how many times
"""
    criteria = (POINTS, HEAD_TO_HEAD, SONNEBORN_BERGER, WINS)
    needs_references = True

    cycles: Cycles = 1

    def draw(self, t: Tournament, _: PairRound) -> Draw | None:
        return draw_gauntlet(t, self.cycles)

    def join(self, t: Tournament) -> Draw:
        """In further rounds."""
        return Draw(meetings_of_latecomer(t, references(t), self.cycles))

    def planned(self, t: Tournament) -> Planned:
        return Planned(gauntlet_fixtures(t, self.cycles), t.round or gauntlet_rounds(t) * self.cycles)


def contenders(t: Tournament) -> tuple[str, ...]:
    """Everybody but the reference bots, in order of seeding."""
    bots = t.references
    return tuple(name for name in t.seeds if name not in bots)


def references(t: Tournament) -> tuple[str, ...]:
    """The reference bots, in order of seeding."""
    bots = t.references
    return tuple(name for name in t.seeds if name in bots)


def gauntlet_rounds(t: Tournament) -> int:
    """The number of rounds needed to meet each reference bot once."""
    return len(t.references)


def gauntlet_fixtures(t: Tournament, cycles: int = 1) -> int:
    return gauntlet_rounds(t) * len(contenders(t)) * cycles * matches_of_a_meeting(t)


def draw_gauntlet(t: Tournament, cycles: int = 1) -> Draw | None:
    """The whole schedule; in each round a player meets a different reference bot from the round before."""
    if t.fixtures:
        return None
    bots = references(t)
    if not bots:
        return None
    fixtures: list[Fixture] = []
    for number in range(len(bots) * cycles):
        for table, player in enumerate(contenders(t), start=1):
            bot = bots[(number + table) % len(bots)]
            # If seats aren't swapped, players must not all have the first seat against the same bot.
            seats = (player, bot) if (number // len(bots) + table) % 2 else (bot, player)
            fixtures += meeting(t, number + 1, table, seats)
    return Draw(tuple(fixtures))
