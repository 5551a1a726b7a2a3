"""Where each key and list entry of a TOML text stands, which `tomllib` doesn't tell."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

Path: TypeAlias = tuple[str | int, ...]  # keys, and indices in lists
Place: TypeAlias = tuple[int, int]  # line and column, from 1


class Layout(NamedTuple):
    """Where everything stands: each path's name (of a table: its heading) or entry, each value from its beginning to
    behind its end, and the headings in order, each with its line.
    """

    places: dict[Path, Place]
    values: dict[Path, tuple[Place, Place]]
    headings: list[tuple[Path, int]]


_TOKEN: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}=,\n]|[^\s\[\]{}=,#"\']+',
    re.DOTALL,
)


def layout(text: str) -> Layout:
    """For a text that `tomllib` accepts."""
    return _Reader(text).read()


def place_of(found: Mapping[Path, Place], path: Path) -> Place | None:
    """The place of this path, or else of what it is missing from; None if that is the whole file."""
    return next((found[path[:length]] for length in range(len(path), 0, -1) if path[:length] in found), None)


class _Reader:
    def __init__(self, text: str) -> None:
        # Comments mean nothing here, and neither do blanks, which are in no token.
        self._tokens = [token for token in _TOKEN.finditer(text) if not token[0].startswith("#")]
        self._begins = [0, *(match.end() for match in re.finditer("\n", text))]
        self._at = 0
        self._found = Layout({}, {}, [])

    def read(self) -> Layout:
        heading: Path = ()
        lists: Counter[Path] = Counter()
        while self._at < len(self._tokens):
            if self._next == "\n":
                self._at += 1
            elif self._next == "[":
                begin = self._at
                path = self._key(until="]")
                if self._tokens[begin + 1][0] == "[":
                    lists[path] += 1
                    path = (*path, lists[path] - 1)
                self._note(path, begin)
                self._found.headings.append((path, self._place(self._tokens[begin].start())[0]))
                heading = path
                while self._next == "]":
                    self._at += 1
            else:
                self._pair(heading)
        return self._found

    @property
    def _next(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _note(self, path: Path, token: int) -> None:
        self._found.places.setdefault(path, self._place(self._tokens[token].start()))

    def _place(self, offset: int) -> Place:
        line = bisect_right(self._begins, offset)
        return line, offset - self._begins[line - 1] + 1

    def _key(self, until: str) -> Path:
        words = []
        while self._next != until:
            words.append(self._next.strip("[\"'"))
            self._at += 1
        return tuple(part for part in "".join(words).split(".") if part)

    def _pair(self, base: Path) -> None:
        begin = self._at
        path = (*base, *self._key(until="="))
        self._note(path, begin)
        self._at += 1
        self._value(path)

    def _value(self, path: Path) -> None:
        self._note(path, self._at)
        start = self._place(self._tokens[self._at].start())
        self._pass_value(path)
        self._found.values[path] = start, self._place(self._tokens[self._at - 1].end())

    def _pass_value(self, path: Path) -> None:
        opened = self._next
        if opened not in ("[", "{"):
            while self._next not in ("", "\n", ",", "]", "}"):
                self._at += 1
            return
        self._at += 1
        index = 0
        while self._next not in ("]", "}"):
            if self._next in ("\n", ","):
                index += self._next == ","
                self._at += 1
            elif opened == "[":
                self._value((*path, index))
            else:
                self._pair(path)
        self._at += 1
