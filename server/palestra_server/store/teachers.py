"""The keys of those who teach here, and what they did with them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from sqlalchemy import select

from palestra_server.store.database import Database
from palestra_server.store.journal import wall_clock_ms
from palestra_server.store.tables import acts, teachers
from palestra_server.store.writer import Writer

Rights: TypeAlias = Literal["run", "read"]  # to run everything, or only to see all that a teacher sees


@dataclass(frozen=True, slots=True)
class TeacherRow:
    """`key_hash` is SHA-256 in hex; `created_ms` is UTC."""

    name: str
    rights: Rights
    key_hash: str
    created_ms: int


class Teachers:
    """Writes are committed when the call returns: never call them in the event loop. All methods raise StoreError."""

    def __init__(self, database: Database, writer: Writer) -> None:
        self._database = database
        self._writer = writer

    def list(self) -> Sequence[TeacherRow]:
        """In the order they were added."""
        kept = teachers.c
        query = select(kept.name, kept.rights, kept.key_hash, kept.created_ms).order_by(teachers.c.id)
        return self._database.read(lambda db: [TeacherRow(*row) for row in db.execute(query)])

    def add(self, row: TeacherRow) -> None:
        self._writer.call(lambda db: db.execute(teachers.insert().values(asdict(row))))

    def remove(self, name: str) -> None:
        self._writer.call(lambda db: db.execute(teachers.delete().where(teachers.c.name == name)))

    def note(self, who: str, act: str, about: Mapping[str, Any]) -> None:
        row = {"who": who, "act": act, "about": json.dumps(about, ensure_ascii=False), "when_ms": wall_clock_ms()}
        self._writer.call(lambda db: db.execute(acts.insert().values(row)))

    def acts(self, limit: int) -> Sequence[dict[str, Any]]:
        """The latest, newest first."""
        query = select(acts.c.when_ms, acts.c.who, acts.c.act, acts.c.about).order_by(acts.c.id.desc()).limit(limit)
        found = self._database.read(lambda db: db.execute(query).mappings().all())
        return [{**row, "about": json.loads(row["about"])} for row in found]
