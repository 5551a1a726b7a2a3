"""King of the hill: in each round the king meets the next challenger, and who scores more is king.

Players come by seeding, the first of them as king; after the last it is the first one's turn again. A king who comes
out level stays.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from pydantic import Field

from palestra_tournament import (
    POINTS,
    WINS,
    Criterion,
    Draw,
    Format,
    PairRound,
    Planned,
    Scores,
    Tie,
    Tournament,
    matches_of_a_meeting,
    meeting,
)


def reigns(t: Tournament, _: Scores) -> Counter[str]:
    """How many rounds each player left as king."""
    return Counter(tie.winner for ties in t.spec.format.bracket(t) for tie in ties if tie.winner is not None)


class KingOfTheHill(Format):
    name = "king-of-the-hill"
    title = "King of the hill"
    about = "The king meets one challenger after the other; whoever wins is king."
    keys = """\
# laps = 1                      # how often everybody has a go
"""
    criteria = (Criterion("reigns", reigns), POINTS, WINS)
    views = ("bracket",)

    laps: Annotated[int, Field(ge=1, le=20)] = 1

    def draw(self, t: Tournament, _: PairRound) -> Draw | None:
        if t.settled < len(t.fixtures):
            return None
        king = self.bracket(t)[-1][0].winner if t.fixtures else t.seeds[0]
        for number in range(t.round + 1, self.rounds(t) + 1):
            challenger = t.seeds[number % len(t.seeds)]
            if king is not None and challenger != king:
                return Draw(meeting(t, number, 1, (king, challenger)))
        return None

    def planned(self, t: Tournament) -> Planned:
        return Planned(len(t.fixtures) + (self.rounds(t) - t.round) * matches_of_a_meeting(t), self.rounds(t))

    def rounds(self, t: Tournament) -> int:
        return self.laps * len(t.seeds) - 1

    def bracket(self, t: Tournament) -> tuple[tuple[Tie, ...], ...]:
        rounds: dict[int, Tie] = {}
        for fixture in t.fixtures:
            king, challenger = rounds[fixture.round].players if fixture.round in rounds else fixture.players
            assert king is not None
            assert challenger is not None
            met = [f for f in t.fixtures if f.round == fixture.round]
            points = Counter[str]()
            for each in met:
                if each.id in t.results:
                    points.update(dict(zip(each.players, t.results[each.id].points, strict=True)))
            over = all(each.id in t.results for each in met)
            winner = challenger if points[challenger] > points[king] else king
            scored = points[king], points[challenger]
            rounds[fixture.round] = Tie(fixture.round, 1, (king, challenger), scored, winner if over else None)
        return tuple((tie,) for tie in rounds.values())
