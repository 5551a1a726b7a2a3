"""What Moodle and Canvas do with a file of marks, by the rules in their sources: `grade/import/csv` of Moodle, and
Canvas' `GradebookImporter`. Restated, not copied: where they would refuse, ask or misread, these do.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


class Stopped(Exception):
    """The whole import stops, and nothing is written."""


@dataclass
class Moodle:
    """A course: `users` by their id, each a map of `idnumber`, `email`, `username`. Marks go to one grade item."""

    users: Mapping[int, Mapping[str, str]]
    decimal: str = "."
    highest: float = 100
    marks: dict[int, float | None] = field(default_factory=dict)
    feedback: dict[int, str] = field(default_factory=dict)

    def take(self, data: bytes, separator: str, map_from: str, map_to: str, mark: str, feedback: str) -> None:
        """Import a file as somebody who chose these columns in the form. Raises Stopped."""
        lines = list(csv.reader(io.StringIO(data.decode().removeprefix("\ufeff"), newline=""), delimiter=separator))
        header = [title.strip() for title in lines[0]]
        if len(set(header)) < len(header):
            raise Stopped("two columns of one name")
        user = None  # an empty cell leaves the user of the line above
        marks: dict[int, float | None] = {}
        said: dict[int, str] = {}
        for line in lines[1:]:
            if len(line) != len(header):
                raise Stopped(f"{len(line)} cells under {len(header)} titles")
            if len(line) <= 1:
                continue
            cells = {title: cell.strip() for title, cell in zip(header, line, strict=True)}
            if wanted := cells[map_from]:
                found = [number for number, known in self.users.items() if known.get(map_to) == wanted]
                if len(found) != 1:
                    raise Stopped(f"{len(found)} users have the {map_to} {wanted}")
                user = found[0]
            if user is None:
                raise Stopped("a line without a user")
            marks[user] = self._number(cells[mark])
            said[user] = cells[feedback]
        self.marks |= marks
        self.feedback |= said

    def _number(self, text: str) -> float | None:
        if text in ("", "-"):
            return None
        plain = text.replace(" ", "").replace(self.decimal, ".")
        if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", plain):
            raise Stopped(f"{text} is no number")
        if float(plain) > self.highest:
            raise Stopped(f"{text} is above {self.highest}")
        return float(plain)


@dataclass
class Pupil:
    """A student of a Canvas course, and the scores by the number of the assignment."""

    name: str
    sortable: str
    sis: str = ""
    login: str = ""
    scores: dict[int, str] = field(default_factory=dict)


@dataclass
class Canvas:
    """A course: `pupils` by Canvas' id, `assignments` (number to title)."""

    pupils: Mapping[int, Pupil]
    assignments: dict[int, str]
    made: dict[str, str] = field(default_factory=dict)  # assignments that it would make, and what they are worth
    unknown: list[str] = field(default_factory=list)  # students whom it would ask about

    def take(self, data: bytes) -> dict[tuple[int, str], str]:
        """What would change: (student, assignment's title) -> the new score. Raises Stopped."""
        text = data.decode()  # a mark at the beginning stays: the first title is only searched
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True))
        rows = [row for row in rows if not re.fullmatch(r"[;, ]*", ",".join(row))]
        header, *rows = [[_number(cell) for cell in row] for row in rows]
        about = self._about(header)
        columns = {title: header.index(title) for title in header[about:] if not _TOTALS.search(title)}
        worth: list[str] = [""] * len(header)
        changes: dict[tuple[int, str], str] = {}
        for row in rows:
            if "Points Possible" in row[0]:
                worth = row
            elif not all(re.fullmatch(r"(?i)\s*(Muted|Manual Posting.*)?\s*", cell) for cell in row):
                self._student(header, row, columns, worth, changes)
        self.made = {title: worth[at] for title, at in columns.items() if self._assignment(title) is None}
        return changes

    def _about(self, header: Sequence[str]) -> int:
        """How many columns are about the student."""
        names = 2 if header[:2] == ["LastName", "FirstName"] else 1
        if len(header) < 3 + names or "ID" not in header[names] or (names == 1 and "Student" not in header[0]):
            raise Stopped("no header of a gradebook")
        count = 2 + names
        if header[count - 1] == "SIS Login ID":
            count += 1
        elif header[count - 1 : count + 1] == ["SIS User ID", "SIS Login ID"]:
            count += 2
            for further in ("Integration ID", "Root Account"):
                count += header[count - 1] == further
        if "Section" not in header[count - 1]:
            raise Stopped("no section where it should be")
        return count

    def _assignment(self, title: str) -> int | None:
        numbered = re.fullmatch(r"(.*)\s\((\d+)\)", title)
        if numbered and int(numbered[2]) in self.assignments:
            return int(numbered[2])
        return next((number for number, known in self.assignments.items() if known == title), None)

    def _student(
        self,
        header: Sequence[str],
        row: Sequence[str],
        columns: Mapping[str, int],
        worth: Sequence[str],
        changes: dict[tuple[int, str], str],
    ) -> None:
        known = dict(zip(header, row, strict=False))
        one = next(
            (
                number
                for by in (
                    lambda number, _: str(number) == known["ID"],
                    lambda _, pupil: pupil.sis != "" and pupil.sis == known.get("SIS User ID"),
                    lambda _, pupil: pupil.login != "" and pupil.login == known.get("SIS Login ID"),
                    lambda _, pupil: (
                        (row[0] if "Student" in header[0] else f"{row[1]} {row[0]}") in (pupil.name, pupil.sortable)
                    ),
                )
                for number, pupil in self.pupils.items()
                if by(number, pupil)
            ),
            None,
        )
        if one is None:
            self.unknown.append(row[0])
            return
        for title, at in columns.items():
            if "read only" in worth[at]:
                continue
            number = self._assignment(title)
            before = "" if number is None else self.pupils[one].scores.get(number, "")
            after = row[at].strip()
            if (after or "-") != (before or "-"):
                changes[one, title] = after


_TOTALS = re.compile(r"(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)")


def _separator(text: str) -> str:
    """A semicolon if it cuts each of the first three lines into as many, and more, cells than a comma."""
    counts = {}
    for mark in ";,":
        cells = {len(next(csv.reader([line], delimiter=mark), [])) for line in text.splitlines()[:3]}
        counts[mark] = cells.pop() if len(cells) == 1 else 0
    return ";" if counts[";"] > counts[","] else ","


def _number(cell: str) -> str:
    """A number or percentage with its last comma or point as the decimal one."""
    if not re.fullmatch(r"-?[0-9.,]+%?", cell):
        return cell
    *whole, last = re.split(r"[,.]", cell)
    return f"{''.join(whole)}.{last}" if whole else last
