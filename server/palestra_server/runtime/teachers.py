"""Who teaches here: the keys besides the data folder's own, each with a name and rights."""

from __future__ import annotations

import re
import threading
from typing import Final

from palestra_server.runtime.catalogue import DirectorError
from palestra_server.runtime.embargo import Viewer
from palestra_server.runtime.roster.roster import new_token, token_hash
from palestra_server.store import Rights, TeacherRow, Teachers, wall_clock_ms

OWNER: Final = "teacher.key"  # what the data folder's own key is called where acts are told
NAME: Final = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}"


class TeacherKeys:
    """Reading never touches the disk. What changes something raises DirectorError or StoreError, and is never called in
    the event loop.
    """

    def __init__(self, book: Teachers) -> None:
        self.book = book
        self._changing = threading.Lock()
        self._rows = {row.name: row for row in book.list()}
        self._by_hash = {row.key_hash: row for row in self._rows.values()}

    def holder(self, key: str) -> Viewer | None:
        row = self._by_hash.get(token_hash(key))
        return None if row is None else self.viewer(row.name)

    def viewer(self, name: str) -> Viewer | None:
        row = self._rows.get(name)
        return None if row is None else Viewer("teacher", teacher=row.name, runs=row.rights == "run")

    def key_hash(self, name: str) -> str | None:
        row = self._rows.get(name)
        return None if row is None else row.key_hash

    @property
    def rows(self) -> list[TeacherRow]:
        return list(self._rows.values())

    def add(self, name: str, rights: Rights) -> str:
        """A new key, shown here and never again."""
        if re.fullmatch(NAME, name) is None or name == OWNER:
            raise DirectorError(
                "bad_key_name", f"A key is called by letters, digits, . - and _, at most 40; not {name!r}."
            )
        key = new_token()
        with self._changing:
            if name in self._rows:
                raise DirectorError("name_taken", f"There is a key called {name} already: remove it first.")
            row = TeacherRow(name, rights, token_hash(key), wall_clock_ms())
            self.book.add(row)
            self._set({**self._rows, name: row})
        return key

    def remove(self, name: str) -> None:
        """From now on the key, and whoever is logged in with it, are nobody's."""
        with self._changing:
            if name not in self._rows:
                raise DirectorError("unknown_teacher", f"There is no key called {name}; 'teacher list' lists them.")
            self.book.remove(name)
            self._set({other: row for other, row in self._rows.items() if other != name})

    def _set(self, rows: dict[str, TeacherRow]) -> None:
        self._rows, self._by_hash = rows, {row.key_hash: row for row in rows.values()}
