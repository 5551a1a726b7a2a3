"""The keys of those who teach here, and what they did with them; whose log-in has ended."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection, select

from palestra_server.store.tables import acts, logged_out, teachers
from palestra_server.store.writer import Book

Rights: TypeAlias = Literal["run", "read"]  # to run everything, or only to see all that a teacher sees


@dataclass(frozen=True, slots=True)
class TeacherRow:
    """`key_hash` is SHA-256 in hex; `created_ms` is UTC."""

    name: str
    rights: Rights
    key_hash: str
    created_ms: int


class Teachers(Book):
    """Writes are committed when the call returns: never call them in the event loop. All methods raise StoreError."""

    def list(self) -> Sequence[TeacherRow]:
        """In the order they were added."""
        kept = teachers.c
        query = select(kept.name, kept.rights, kept.key_hash, kept.created_ms).order_by(teachers.c.id)
        return self.database.read(lambda db: [TeacherRow(*row) for row in db.execute(query)])

    def add(self, row: TeacherRow) -> None:
        self.writer.call(lambda db: db.execute(teachers.insert().values(asdict(row))))

    def remove(self, name: str) -> None:
        self.writer.call(lambda db: db.execute(teachers.delete().where(teachers.c.name == name)))

    def note(self, who: str, act: str, about: Mapping[str, Any]) -> None:
        row = {"who": who, "act": act, "about": json.dumps(about, ensure_ascii=False), "when_ms": self.writer.wall_ms()}
        self.writer.call(lambda db: db.execute(acts.insert().values(row)))

    def acts(self, limit: int) -> Sequence[dict[str, Any]]:
        """The latest, newest first."""
        query = select(acts.c.when_ms, acts.c.who, acts.c.act, acts.c.about).order_by(acts.c.id.desc()).limit(limit)
        found = self.database.read(lambda db: db.execute(query).mappings().all())
        return [{**row, "about": json.loads(row["about"])} for row in found]


class LoggedOut(Book):
    """Cookies that were given back, until they expire (UTC in seconds). Both methods block, and raise StoreError."""

    def since(self, now: float) -> list[str]:
        """In the order in which they expire."""
        query = select(logged_out.c.cookie).where(logged_out.c.expires > now).order_by(logged_out.c.expires)
        return self.database.read(lambda db: list(db.execute(query).scalars()))

    def add(self, cookie: str, expires: int, now: float, forgotten: Sequence[str] = ()) -> None:
        """`forgotten`: those that count as given back no longer."""

        def change(db: Connection) -> None:
            db.execute(logged_out.delete().where(logged_out.c.expires <= now))
            # It may just have been given back by the same browser.
            db.execute(logged_out.delete().where(logged_out.c.cookie.in_((cookie, *forgotten))))
            db.execute(logged_out.insert().values(cookie=cookie, expires=expires))

        self.writer.call(change)
