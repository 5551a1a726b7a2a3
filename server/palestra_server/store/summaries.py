"""The `matches` table: one row per match, derived from the journal, so that a listing needs no replay."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypedDict, Unpack

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, bindparam, exists, or_, select, true

from palestra_referee import Match, MatchConfig, event_from_line, receipt, replay
from palestra_referee.canonical import canonical_text
from palestra_referee.events import Why
from palestra_server.store.database import Direct, Statement
from palestra_server.store.errors import StoreError
from palestra_server.store.tables import analyses, journal, matches


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A match in a listing. Times are UTC in milliseconds; None means that the match is not over.

    `number` orders matches by their beginning; `opening` is a JSON list.
    """

    number: int
    match: str
    game: str
    players: tuple[str, str]
    tournament: str | None
    opening: str
    rated: bool
    created_ms: int
    finished_ms: int | None
    versions: tuple[str, str] | None
    plies: int | None
    returns: tuple[float, float] | None
    reason: str | None
    why: Why | None
    receipt: str | None
    judged: bool = False


def lines(kept: bytes) -> list[bytes]:
    """The records of one row of the journal, each as canonical JSON. Raises StoreError if the row is incomplete."""
    if not kept.endswith(b"\n"):
        raise StoreError("A row of the journal is cut off: the database is damaged.")
    return kept[:-1].split(b"\n")


_CREATED: Final = (
    "INSERT INTO matches (match_id, game, first, second, tournament, opening, rated, created_ms) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT DO NOTHING"
)
_FINISHED: Final = (
    "UPDATE matches SET finished_ms = ?, version0 = ?, version1 = ?, plies = ?, return0 = ?, return1 = ?, "
    "reason = ?, why = ?, receipt = ? "
    "WHERE match_id = ?"
)


def note_created(config: MatchConfig, wall_ms: int) -> Statement:
    """The row of a match that begins; does nothing if it exists already."""
    opening = canonical_text(config.opening)
    return _CREATED, (config.match, config.game, *config.players, config.tournament, opening, config.rated, wall_ms)


def note_finished(match: Match, receipt: str, wall_ms: int) -> Statement:
    """The rest of the row once the match is over."""
    if match.outcome is None:
        raise ValueError(f"The match {match.config.match} is not over.")
    end = match.outcome
    why = canonical_text(end.why)
    return _FINISHED, (wall_ms, *match.versions, match.ply, *end.returns, end.reason, why, receipt, match.config.match)


_JOURNAL: Final = (
    select(journal.c.seq, journal.c.records, journal.c.wall_ms)
    .where(journal.c.match_id == bindparam("match"))
    .order_by(journal.c.seq)
)


def match_lines(db: Connection, match_id: str) -> tuple[list[bytes], list[int]]:
    """The records of a match, in order, and when the row of each was written; ([], []) if there is none.

    Raises StoreError if one is missing in between or can't be read.
    """
    return _joined(match_id, db.execute(_JOURNAL, {"match": match_id}))


def _joined(match_id: str, rows: Iterable[Any]) -> tuple[list[bytes], list[int]]:
    found: list[bytes] = []
    times: list[int] = []
    for seq, kept, wall_ms in rows:
        if seq != len(found):
            raise StoreError(f"The journal of match {match_id} lacks its record {len(found)}.")
        try:
            found += lines(bytes(kept))
        except StoreError as error:
            raise StoreError(f"The journal of match {match_id} can't be read: {error}") from None
        times += [wall_ms] * (len(found) - len(times))
    return found, times


def note(db: Connection, match_id: str) -> bool:
    """Writes the whole row of a match, from its journal; returns whether it is over. Raises StoreError if it can't be
    replayed.
    """
    try:
        found, times = match_lines(db, match_id)
        match = replay(event_from_line(line) for line in found)
    except (ValueError, LookupError, StoreError) as error:
        raise StoreError(f"The match {match_id} can't be replayed: {error}") from None
    direct = Direct(db)
    direct.execute(*note_created(match.config, times[0]))
    if match.outcome is not None:  # nothing is journalled after the end, so the last record is the one that ended it
        direct.execute(*note_finished(match, receipt(found), times[-1]))
    return match.outcome is not None


class Hidden(NamedTuple):
    """Matches to leave out: these, and all of these tournaments."""

    matches: frozenset[str] = frozenset()
    tournaments: frozenset[str] = frozenset()

    @property
    def others(self) -> ColumnElement[bool]:
        """The condition for all others."""
        of_others = or_(matches.c.tournament.is_(None), matches.c.tournament.not_in(self.tournaments))
        return and_(
            matches.c.match_id.not_in(self.matches) if self.matches else true(),
            of_others if self.tournaments else true(),
        )


NOTHING: Final = Hidden()


# The rows of which `summary_of` makes summaries.
ROWS: Final = select(matches, exists().where(analyses.c.match_id == matches.c.match_id).label("judged"))


class Which(TypedDict, total=False):
    """Matches of one tournament ("": of none), player, opponent, loser or game, begun before the match `before`."""

    tournament: str | None
    player: str | None
    opponent: str | None
    lost_by: str | None
    game: str | None
    before: str | None


def _sat(who: str) -> ColumnElement[bool]:
    return or_(matches.c.first == bindparam(who), matches.c.second == bindparam(who))


_WHICH: Final[Mapping[str, ColumnElement[bool]]] = {
    "tournament": matches.c.tournament == bindparam("tournament"),
    "none": matches.c.tournament.is_(None),
    "player": _sat("player"),
    "opponent": _sat("opponent"),
    "lost_by": or_(
        and_(matches.c.first == bindparam("lost_by"), matches.c.return0 < matches.c.return1),
        and_(matches.c.second == bindparam("lost_by"), matches.c.return1 < matches.c.return0),
    ),
    "game": matches.c.game == bindparam("game"),
    "before": matches.c.id < select(matches.c.id).where(matches.c.match_id == bindparam("before")).scalar_subquery(),
}


@lru_cache(64)  # it takes longer to build than to run
def _query(which: frozenset[str], without: Hidden) -> Select[Any]:
    query = ROWS.where(without.others, *(_WHICH[each] for each in which - {"most"})).order_by(matches.c.id.desc())
    return query.limit(bindparam("most")) if "most" in which else query


def read(db: Connection, limit: int | None, without: Hidden, **which: Unpack[Which]) -> list[MatchSummary]:
    given = {name: value for name, value in {"most": limit, **which}.items() if value is not None}
    if given.get("tournament") == "":
        given["none"] = given.pop("tournament")
    return [summary_of(row) for row in db.execute(_query(frozenset(given), without), given)]


_ONE: Final = ROWS.where(matches.c.match_id == bindparam("match"))


def read_one(db: Connection, match_id: str) -> MatchSummary | None:
    row = db.execute(_ONE, {"match": match_id}).first()
    return None if row is None else summary_of(row)


def unfinished(db: Connection) -> dict[str, list[bytes] | StoreError]:
    """The records of the unfinished matches, the oldest first, read at once; or why a match can't be read."""
    query = select(journal.c.match_id, journal.c.seq, journal.c.records, journal.c.wall_ms)
    query = query.join(matches, matches.c.match_id == journal.c.match_id).where(matches.c.finished_ms.is_(None))
    found: dict[str, list[bytes] | StoreError] = {}
    for match_id, rows in groupby(db.execute(query.order_by(matches.c.id, journal.c.seq)), key=itemgetter(0)):
        try:
            found[match_id] = _joined(match_id, (row[1:] for row in rows))[0]
        except StoreError as error:
            found[match_id] = error
    return found


def summary_of(row: Row[Any]) -> MatchSummary:
    return MatchSummary(
        number=row.id,
        match=row.match_id,
        game=row.game,
        players=(row.first, row.second),
        tournament=row.tournament,
        opening=row.opening,
        rated=row.rated,
        created_ms=row.created_ms,
        finished_ms=row.finished_ms,
        versions=None if row.version0 is None else (row.version0, row.version1),
        plies=row.plies,
        returns=None if row.return0 is None or row.return1 is None else (row.return0, row.return1),
        reason=row.reason,
        why=None if row.why is None else json.loads(row.why),
        receipt=row.receipt,
        judged=row.judged,
    )
