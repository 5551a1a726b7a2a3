"""What the matches table says about players: counted by the database, so that no listing replays anything."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    or_,
    select,
    union_all,
)

from palestra_server.store.database import Database
from palestra_server.store.summaries import ROWS, Hidden, MatchSummary, summary_of
from palestra_server.store.tables import judged, matches

# How a match ends on the board; every other end is somebody's fault, or the server's (`void`).
BY_PLAY: Final = ("rules", "ply_limit")
VERSIONED_MAX: Final = 4000  # matches, the newest, by which versions are compared
_COUNTED: Final = and_(matches.c.finished_ms.is_not(None), matches.c.reason != "void")
# Who sits there, who sits opposite, and the result, by seat.
_SIDES: Final = (
    (matches.c.first, matches.c.second, matches.c.return0),
    (matches.c.second, matches.c.first, matches.c.return1),
)
_SUMS: Final = [func.sum(judged.c[f"{what}{third}"]) for what in ("kept", "choices") for third in range(3)]
_LAST: Final = select(func.count()).where(matches.c.finished_ms.is_not(None))
By = Literal["opponent", "tournament", "game"]


def _counted(without: Hidden) -> ColumnElement[bool]:
    return and_(_COUNTED, without.others)


@lru_cache(16)  # as those below, it takes longer to build than to run
def _of_player(without: Hidden) -> CompoundSelect[Any]:
    sides = []
    for seat, (who, _, result) in enumerate(_SIDES):
        alike: tuple[ColumnElement[Any], ...] = (
            matches.c.game,
            literal_column(str(seat)),
            result,
            matches.c.reason,
            judged.c.cause,
        )
        sides.append(
            select(*alike, func.count(), func.count(judged.c.seat), *_SUMS)
            .join(judged, and_(judged.c.match_id == matches.c.match_id, judged.c.seat == seat), isouter=True)
            .where(who == bindparam("player"), _counted(without))
            .group_by(matches.c.game, result, matches.c.reason, judged.c.cause)
        )
    return union_all(*sides)


@lru_cache(64)
def _scores(by: By, against_one: bool, without: Hidden) -> Select[Any]:
    each = []
    for who, other, result in _SIDES:
        of = {"opponent": other, "tournament": matches.c.tournament, "game": matches.c.game}[by]
        chosen = select(of.label("of"), result.label("result"), matches.c.id).where(
            who == bindparam("player"), _counted(without)
        )
        each.append(chosen.where(other == bindparam("opponent")) if against_one else chosen)
    sides = union_all(*each).subquery()
    counts = [
        func.sum(case((which, 1), else_=0)) for which in (sides.c.result > 0, sides.c.result == 0, sides.c.result < 0)
    ]
    query = select(sides.c.of, *counts).group_by(sides.c.of).order_by(func.max(sides.c.id).desc())
    return query.limit(bindparam("limit")).offset(bindparam("start"))


@lru_cache(16)
def _failures(without: Hidden) -> Select[Any]:
    lost = or_(*(and_(who == bindparam("player"), result < 0) for who, _, result in _SIDES))
    query = ROWS.where(lost, _counted(without), matches.c.reason.not_in(BY_PLAY))
    return query.order_by(matches.c.id.desc()).limit(bindparam("limit"))


@lru_cache(16)
def _versions(without: Hidden) -> Select[Any]:
    m = matches.c
    player: ColumnElement[str] = bindparam("player")
    mine = or_(and_(m.first == player, m.version0 != ""), and_(m.second == player, m.version1 != ""))
    wanted = (m.match_id, m.game, m.opening, m.first, m.second, m.version0, m.version1, m.return0, m.return1)
    return select(*wanted).where(mine, _counted(without)).order_by(m.id.desc()).limit(VERSIONED_MAX)


@dataclass(frozen=True, slots=True)
class Tally:
    """Matches that are over; void ones are not counted."""

    won: int = 0
    drawn: int = 0
    lost: int = 0


class Counted(NamedTuple):
    """How many matches of one player ended alike: `seat` is the player's, `result` 1, 0 or -1 for the player.

    `judged` of them by a judge, who names the same `cause`; `kept` values of `choices`, by thirds of the matches.
    """

    game: str
    seat: int
    result: float
    reason: str
    cause: str | None
    number: int
    judged: int
    kept: tuple[int, int, int]
    choices: tuple[int, int, int]


class Score(NamedTuple):
    """A player's results against one opponent, in one tournament (None: in none), or in one game."""

    of: str | None
    won: int
    drawn: int
    lost: int


class RatedGame(NamedTuple):
    """A finished rated match, as needed for a rating. `score` is the first player's: 1, 1/2 or 0. `fought`: it ended on
    the board.
    """

    number: int
    game: str
    first: str
    second: str
    score: float
    plies: int
    ended_ms: int
    match: str
    fought: bool


class Versioned(NamedTuple):
    """A finished match, as needed to compare versions; `opening` is a JSON list. Thousands are read at once."""

    match: str
    game: str
    opening: str
    first: str
    second: str
    version0: str
    version1: str
    return0: float
    return1: float


class Tallies:
    """All methods read committed data and raise StoreError; never call them in the event loop."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_all(self, without: Hidden) -> dict[str, Tally]:
        counted = _counted(without)
        each = (select(who.label("player"), result.label("result")).where(counted) for who, _, result in _SIDES)
        sides = union_all(*each).subquery()
        query = select(sides.c.player, sides.c.result, func.count()).group_by(sides.c.player, sides.c.result)
        found: defaultdict[str, Counter[float]] = defaultdict(Counter)
        for player, result, number in self._database.read(lambda db: db.execute(query).all()):
            found[player][result] += number
        return {player: Tally(count[1.0], count[0.0], count[-1.0]) for player, count in found.items()}

    def of_player(self, player: str, without: Hidden) -> list[Counted]:
        """One player's matches by game, seat, result, end and what the judge says."""

        found = []
        for game, seat, value, reason, cause, number, of_them, *sums in self._database.read(
            lambda db: db.execute(_of_player(without), {"player": player}).all()
        ):
            a, b, c, d, e, f = (int(each or 0) for each in sums)
            found.append(Counted(game, seat, value, reason, cause, number, of_them, (a, b, c), (d, e, f)))
        return found

    def scores(
        self, player: str, by: By, without: Hidden, *, opponent: str | None, limit: int, start: int
    ) -> list[Score]:
        """One player's results, perhaps against one opponent alone; what was played last comes first."""
        query = _scores(by, opponent is not None, without)
        given = {"player": player, "opponent": opponent, "limit": limit, "start": start}
        return self._database.read(lambda db: [Score(*row) for row in db.execute(query, given)])

    def failures(self, player: str, limit: int, without: Hidden) -> list[MatchSummary]:
        """The newest matches that the player lost by a fault of its own and not on the board."""
        given = {"player": player, "limit": limit}
        return self._database.read(lambda db: [summary_of(row) for row in db.execute(_failures(without), given)])

    def versions(self, player: str, without: Hidden) -> list[Versioned]:
        """The matches of a player that are over and in which its bot had a version, newest first."""
        given = {"player": player}
        return self._database.read(lambda db: [Versioned(*row) for row in db.execute(_versions(without), given)])

    def rated(self, limit: int, without: Hidden) -> list[RatedGame]:
        """The newest rated matches, in the order in which they began."""
        m = matches.c
        wanted = (m.id, m.game, m.first, m.second, (m.return0 + 1) / 2, func.coalesce(m.plies, 0), m.finished_ms)
        query = (
            select(*wanted, m.match_id, m.reason.in_(BY_PLAY))
            .where(m.rated, _counted(without), m.reason != "not_ready")
            .order_by(m.id.desc())
            .limit(limit)
        )
        return self._database.read(lambda db: [RatedGame(*row) for row in db.execute(query)][::-1])

    def last(self) -> int:
        """A number that grows with every match that ends: earlier results are stale once it has changed."""
        return self._database.read(lambda db: db.execute(_LAST).scalar_one())
