"""What the matches table says about players: counted by the database, so that no listing replays anything."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, and_, func, or_, select, union_all

from palestra_server.store.database import Database
from palestra_server.store.summaries import Hidden, MatchSummary, summary_of
from palestra_server.store.tables import matches

# How a match ends on the board; every other end is somebody's fault, or the server's (`void`).
BY_PLAY: Final = ("rules", "ply_limit")
VERSIONED_MAX: Final = 4000  # matches, the newest, by which versions are compared
_COUNTED: Final = and_(matches.c.finished_ms.is_not(None), matches.c.reason != "void")


def _counted(without: Hidden) -> ColumnElement[bool]:
    return and_(_COUNTED, without.others)


@dataclass(frozen=True, slots=True)
class Tally:
    """Matches that are over; void ones are not counted."""

    won: int = 0
    drawn: int = 0
    lost: int = 0


class Counted(NamedTuple):
    """How many matches of one player ended alike: `seat` is the player's, `result` 1, 0 or -1 for the player."""

    game: str
    seat: int
    result: float
    reason: str
    number: int


class RatedGame(NamedTuple):
    """A finished rated match, as needed for a rating. `score` is the first player's: 1, 1/2 or 0."""

    number: int
    game: str
    first: str
    second: str
    score: float
    plies: int
    ended_ms: int


class Tallies:
    """All methods read committed data and raise StoreError; never call them in the event loop."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_all(self, without: Hidden) -> dict[str, Tally]:
        counted = _counted(without)
        sides = union_all(
            select(matches.c.first.label("player"), matches.c.return0.label("result")).where(counted),
            select(matches.c.second.label("player"), matches.c.return1.label("result")).where(counted),
        ).subquery()
        query = select(sides.c.player, sides.c.result, func.count()).group_by(sides.c.player, sides.c.result)
        found: defaultdict[str, Counter[float]] = defaultdict(Counter)
        for player, result, number in self._database.read(lambda db: db.execute(query).all()):
            found[player][result] += number
        return {player: Tally(count[1.0], count[0.0], count[-1.0]) for player, count in found.items()}

    def of_player(self, player: str, without: Hidden) -> list[Counted]:
        """One player's matches by game, seat, result and end."""

        def side(seat: int) -> list[Counted]:
            who, result = ((matches.c.first, matches.c.return0), (matches.c.second, matches.c.return1))[seat]
            query = (
                select(matches.c.game, result, matches.c.reason, func.count())
                .where(who == player, _counted(without))
                .group_by(matches.c.game, result, matches.c.reason)
            )
            rows = self._database.read(lambda db: db.execute(query).all())
            return [Counted(game, seat, value, reason, number) for game, value, reason, number in rows]

        return side(0) + side(1)

    def failures(self, player: str, limit: int, without: Hidden) -> list[MatchSummary]:
        """The newest matches that the player lost by a fault of its own and not on the board."""
        lost = or_(
            and_(matches.c.first == player, matches.c.return0 < 0),
            and_(matches.c.second == player, matches.c.return1 < 0),
        )
        query = (
            select(matches)
            .where(lost, _counted(without), matches.c.reason.not_in(BY_PLAY))
            .order_by(matches.c.id.desc())
            .limit(limit)
        )
        return self._database.read(lambda db: [summary_of(row) for row in db.execute(query)])

    def versions(self, player: str, without: Hidden) -> list[MatchSummary]:
        """The matches of a player that are over and in which its bot had a version, newest first."""
        mine = or_(
            and_(matches.c.first == player, matches.c.version0 != ""),
            and_(matches.c.second == player, matches.c.version1 != ""),
        )
        query = select(matches).where(mine, _counted(without)).order_by(matches.c.id.desc()).limit(VERSIONED_MAX)
        return self._database.read(lambda db: [summary_of(row) for row in db.execute(query)])

    def rated(self, limit: int, without: Hidden) -> list[RatedGame]:
        """The newest rated matches, in the order in which they began."""
        query = (
            select(matches)
            .where(matches.c.rated, _counted(without), matches.c.reason != "not_ready")
            .order_by(matches.c.id.desc())
            .limit(limit)
        )
        rows = self._database.read(lambda db: db.execute(query).all())
        return [
            RatedGame(row.id, row.game, row.first, row.second, (row.return0 + 1) / 2, row.plies or 0, row.finished_ms)
            for row in reversed(rows)
        ]

    def last(self) -> int:
        """A number that grows with every match that ends: earlier results are stale once it has changed."""
        query = select(func.count()).where(matches.c.finished_ms.is_not(None))
        return self._database.read(lambda db: db.execute(query).scalar_one())
