"""The journal: every accepted event of every match, on disk before any result is announced; and the sessions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final, Unpack

from sqlalchemy import Connection, bindparam, func, or_, select

from palestra_referee import Created, Match, event_from_line
from palestra_server.store import summaries
from palestra_server.store.database import Statement
from palestra_server.store.errors import JournalBroken, StoreError
from palestra_server.store.notes import Note, noted
from palestra_server.store.summaries import Hidden, MatchSummary, Which
from palestra_server.store.tables import sessions
from palestra_server.store.writer import Book, Callback, wall_clock_ms

SESSION_DAYS: Final = 30  # sessions not resumed for this long are forgotten
SESSIONS_MAX: Final = 100_000  # the limit, beyond which the oldest are forgotten
_SAVES_A_PRUNING: Final = 1000
# A bytearray joins to a bytearray, which sqlite3 binds as it is. For bytes it first looks for an adapter, which takes
# longer than all its other work on the row.
_LINE_END: Final = bytearray(b"\n")
_FORGET: Final = sessions.delete().where(sessions.c.hash == bindparam("which"))
_SAVE: Final = sessions.insert()
_other: Final = sessions.alias("other")
_newest: Final = select(func.max(_other.c.id)).where(_other.c.player == sessions.c.player).scalar_subquery()
_ONE: Final = select(sessions, (sessions.c.id == _newest).label("newest")).where(sessions.c.hash == bindparam("which"))


@dataclass(frozen=True, slots=True)
class Session:
    """Whose a session is. `newest`: no other session of this player was saved later.

    `token_hash`: of the token that opened it, where the gateway gave one.
    """

    player: str
    guest: bool
    newest: bool
    token_hash: str | None = None


class Journal(Book):
    """Thread-safe; methods that write do not block."""

    _saved = 0  # sessions

    @property
    def broken(self) -> JournalBroken | None:
        """Why nothing can be written any more; None while all is well."""
        fault = self.writer.fault
        return None if fault is None else JournalBroken(fault)

    @property
    def trouble(self) -> str | None:
        """Why appended records are not on disk yet, as a sentence; None while all is well. It may be temporary."""
        return self.writer.trouble or self.database.damage

    # --- writing ------------------------------------------------------------------------------------------------------

    def append(
        self,
        match_id: str,
        seq: int,
        *lines: bytes,
        finished: tuple[Match, str] | None = None,
        note: Note | None = None,
    ) -> None:
        """Queue the records of a match from number `seq` (0, 1, 2, ...) on, as one row; each comes from `record_line`.

        `finished`: the match and its receipt, with the records that ended it; `note`: of a bot beside its move. Raises
        JournalBroken when nothing will be written any more, and after `close`.
        """
        wall_ms = self.writer.wall_ms()
        changes: tuple[Statement, ...] = ()
        if seq == 0 and isinstance(created := event_from_line(lines[0]), Created):
            changes = (summaries.note_created(created.config, wall_ms),)
        if note is not None:
            changes = (*changes, noted(match_id, note))
        if finished is not None:
            changes = (*changes, summaries.note_finished(*finished, wall_ms))
        self.writer.put((match_id, seq, _LINE_END.join((*lines, b"")), wall_ms), changes)

    def when_durable(self, callback: Callback) -> None:
        """`callback(None)` once everything queued so far is on disk, or with the error if it never will be.

        Called exactly once, in the journal's thread. Raises JournalBroken after `close`.
        """
        self.writer.when_durable(callback)

    def save_session(self, session: str, player: str, guest: bool, token_hash: str | None = None) -> None:
        """Queue a session, so that it can be resumed after a restart. Raises JournalBroken."""
        values = {
            "hash": _hash(session),
            "player": player,
            "guest": guest,
            "token_hash": token_hash,
            "created_ms": self.writer.wall_ms(),
        }

        def save(db: Connection) -> None:
            db.execute(_FORGET, {"which": values["hash"]})
            db.execute(_SAVE, values)

        prune = (prune_sessions,) if self._saved % _SAVES_A_PRUNING == 0 else ()
        self._saved += 1
        self.writer.put(None, (save, *prune))

    # --- reading: what is committed -----------------------------------------------------------------------------------

    def read_lines(self, match_id: str) -> list[bytes]:
        """The records of a match in order, as canonical JSON; [] if there is none.

        Raises StoreError if one is missing in between or can't be read.
        """
        return self.database.read(lambda db: summaries.match_lines(db, match_id)[0])

    def unfinished(self) -> dict[str, list[bytes] | StoreError]:
        """The records of unfinished matches, the oldest first, or why they can't be read. Raises StoreError."""
        return self.database.read(summaries.unfinished)

    def matches(self, limit: int, without: Hidden, **which: Unpack[Which]) -> list[MatchSummary]:
        """The newest of these matches first. Raises StoreError."""
        return self.database.read(lambda db: summaries.read(db, limit, without, **which))

    def summary(self, match_id: str) -> MatchSummary | None:
        """None if there is no such match. Raises StoreError."""
        return self.database.read(lambda db: summaries.read_one(db, match_id))

    def session(self, session: str) -> Session | None:
        """The session of this id; None if it is unknown. Raises StoreError."""
        row = self.database.read(lambda db: db.execute(_ONE, {"which": _hash(session)}).first())
        return Session(row.player, row.guest, bool(row.newest), row.token_hash) if row else None

    def recent_sessions(self, limit: int) -> dict[bytes, Session]:
        """The newest sessions by the SHA-256 of their ids, the newest last. Raises StoreError."""
        query = select(sessions).order_by(sessions.c.id.desc()).limit(limit)
        newest: set[str] = set()
        found = []
        for row in self.database.read(lambda db: db.execute(query).all()):
            known = Session(row.player, row.guest, row.player not in newest, row.token_hash)
            newest.add(row.player)
            found.append((bytes(row.hash), known))
        return dict(reversed(found))


def prune_sessions(db: Connection) -> None:
    newest = db.execute(select(func.max(sessions.c.id))).scalar_one() or 0
    old = wall_clock_ms() - SESSION_DAYS * 86_400_000
    db.execute(sessions.delete().where(or_(sessions.c.created_ms < old, sessions.c.id <= newest - SESSIONS_MAX)))


def _hash(session: str) -> bytes:
    return hashlib.sha256(session.encode()).digest()
