"""Reads class lists as teachers have them: CSV files from a spreadsheet or the school's own system.

Columns may be in any order, with or without a header, separated by commas, semicolons or tabs. All faults are reported
at once, with line numbers.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import ClassVar, Final, Literal

from palestra_protocol.english import Said
from palestra_protocol.limits import NAME_MAX
from palestra_server.names import clean_name, shapes
from palestra_tournament import group_key

EMAIL_MAX: Final = 254
GROUP_MAX: Final = 64
_EMAIL: Final = re.compile(r"[^\s@,;<>\"]+@[^\s@,;<>\".]+(\.[^\s@,;<>\".]+)*")

Column = Literal["name", "first", "last", "email", "group"]
_HEADERS: Final[dict[str, Column]] = {
    **dict.fromkeys(("name", "full name", "fullname", "student", "student name", "player", "bot", "team name"), "name"),
    **dict.fromkeys(("nombre y apellidos", "apellidos y nombre", "nombre completo"), "name"),
    **dict.fromkeys(("alumno", "alumna", "alumnado", "estudiante", "jugador", "jugadora"), "name"),
    **dict.fromkeys(("first name", "firstname", "given name", "nombre"), "first"),
    **dict.fromkeys(("last name", "lastname", "surname", "family name", "apellido", "apellidos"), "last"),
    **dict.fromkeys(("email", "e mail", "mail", "email address", "e mail address"), "email"),
    **dict.fromkeys(("correo", "correo electronico", "direccion de correo", "direccion email"), "email"),
    **dict.fromkeys(("group", "groups", "class", "section", "team", "grupo", "grupos", "clase"), "group"),
    **dict.fromkeys(("seccion", "equipo", "curso", "turno"), "group"),
    # Catalan
    **dict.fromkeys(("nom i cognoms", "cognoms i nom", "nom complet", "alumne", "estudiant"), "name"),
    "nom": "first",
    **dict.fromkeys(("cognom", "cognoms"), "last"),
    **dict.fromkeys(("correu", "correu electronic", "adreca electronica"), "email"),
    **dict.fromkeys(("grup", "grups", "classe", "seccio", "equip", "torn"), "group"),
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A student in a class list. `email` and `group` are "" if the list doesn't give them."""

    line: int
    name: str
    email: str
    group: str


class Fault(Said):
    """Something wrong or odd in a line of the list."""

    kind: ClassVar[str] = "list"


@dataclass(frozen=True, slots=True)
class ClassList:
    """The valid students, all faults, and remarks on oddities that exclude nobody."""

    students: tuple[Listed, ...]
    problems: tuple[Fault, ...]
    remarks: tuple[Fault, ...] = ()


def parse_class_list(text: str) -> ClassList:
    """Parses a whole class list; never raises."""
    problems: list[Fault] = []
    rows = list(_rows(text.removeprefix("\ufeff"), problems))
    columns = _named_columns(rows[0][1]) if rows else None
    if columns is not None:
        del rows[0]
    if not rows:
        return ClassList((), tuple(problems) or (Fault("empty", 1),))
    columns = columns or _guessed_columns([cells for _, cells in rows])
    if columns is None or not {"name", "first", "last"} & set(columns):
        return ClassList((), (Fault("columns", 1), *problems))
    students: list[Listed] = []
    remarks: list[Fault] = []
    above = _Above()
    for line, cells in rows:
        if len(cells) > len(columns) and any(cells[len(columns) :]):
            problems.append(Fault("cells", line, cells=len(cells), columns=len(columns)))
            continue
        student, faults = _student(line, dict(_cells(columns, cells)))
        student, remark = _with_plausible_email(student)
        remarks += [remark.at(line)] if remark else []
        if (before := above.same(student)) is not None:
            remarks.append(Fault("again", line, name=student.name, above=before.line))
            continue
        faults += above.twins(student)
        problems += [each.at(line) for each in faults]
        students.append(student)
    faulty = {problem.line for problem in problems}
    good = tuple(student for student in students if student.line not in faulty)
    return ClassList(good, tuple(sorted(problems, key=attrgetter("line"))), tuple(remarks))


def _rows(text: str, problems: list[Fault]) -> Iterator[tuple[int, list[str]]]:
    """The rows that aren't empty, with their line numbers; a row of several lines has that of its first."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True, skipinitialspace=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = [" ".join(cell.split()) for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            # The rest would be misread too.
            problems.append(Fault("quotes", line, error=str(error)))
            return
        if any(cells):
            yield line, cells


def _delimiter(text: str) -> str:
    """The separator found in most lines; if tied, tabs first: names may contain commas, but hardly tabs."""
    lines = [line for line in text.splitlines() if line.strip()]
    return max("\t;,", key=lambda mark: sum(mark in line for line in lines))


def _named_columns(cells: Sequence[str]) -> list[Column | None] | None:
    """The columns named in the first line, None for those of no interest; None if it is already a student."""
    found = [_HEADERS.get(_plain(cell)) for cell in cells]
    if any("@" in cell for cell in cells) or not any(found):
        return None
    if "first" in found and "last" not in found:
        # With one column for the whole name, "first name" may mean just that.
        return ["name" if column == "first" else column for column in found]
    return found


def _plain(header: str) -> str:
    """ "Correo electrónico:" becomes "correo electronico", "Apellido(s)" "apellidos"."""
    letters = unicodedata.normalize("NFD", header.casefold())
    words = "".join(c for c in letters if not unicodedata.combining(c) and c not in "()").replace("_", " ")
    return " ".join(re.findall(r"\w+", words))


def _guessed_columns(rows: Sequence[Sequence[str]]) -> list[Column | None] | None:
    """Without a header, the column with @ is the e-mail, and the others are the name and the group, in that order."""
    width = max(map(len, rows))
    with_at = [sum("@" in row[column] for row in rows if column < len(row)) for column in range(width)]
    email = with_at.index(max(with_at)) if any(with_at) else None
    others: list[Column] = ["name", "group"]
    if width - (email is not None) > len(others):
        return None
    return ["email" if column == email else others.pop(0) for column in range(width)]


def _cells(columns: Sequence[Column | None], cells: Sequence[str]) -> Iterator[tuple[Column, str]]:
    for column, cell in zip(columns, cells, strict=False):
        if column is not None and cell:
            yield column, cell


def _student(line: int, cells: dict[Column, str]) -> tuple[Listed, list[Fault]]:
    faults: list[Fault] = []
    written = cells.get("name") or " ".join(filter(None, (cells.get("first"), cells.get("last"))))
    name = clean_name(written)
    if not written:
        faults.append(Fault("no_name"))
    elif name is None:
        faults.append(name_fault(written))
    email, group = cells.get("email", ""), cells.get("group", "")
    if len(group) > GROUP_MAX or not group.isprintable():
        faults.append(Fault("long_group", most=GROUP_MAX))
    return Listed(line, name or written, email, group), faults


def _with_plausible_email(student: Listed) -> tuple[Listed, Fault | None]:
    # A bad address excludes nobody: an impossible one is dropped, and both get a remark.
    if not is_email(student.email):
        odd = Fault("no_email", email=repr(student.email[:60]), name=student.name) if student.email else None
        return replace(student, email=""), odd
    if "." not in student.email.rpartition("@")[2]:
        return student, Fault("odd_email", email=repr(student.email[:60]))
    return student, None


class _Above:
    """The students in the lines above, found by what must be unique."""

    def __init__(self) -> None:
        self._by_shape: dict[str, Listed] = {}
        self._by_email: dict[str, Listed] = {}

    def same(self, student: Listed) -> Listed | None:
        """The line of the same student, in a list with a line for each of a student's groups."""
        found = self._by_email.get(student.email.casefold())
        return found if found is not None and found.name == student.name != "" else None

    def twins(self, student: Listed) -> Iterator[Fault]:
        """The faults that make this student indistinguishable from an earlier one; then adds the student."""
        forms = shapes(student.name) if student.name else ()
        twin = next((self._by_shape[form] for form in forms if form in self._by_shape), None)
        if twin is not None:
            yield Fault("twin", name=student.name, other=twin.name, above=twin.line)
        same = self._by_email.get(student.email.casefold())
        if same is not None:
            yield Fault("same_email", email=student.email, above=same.line)
        for form in forms:
            self._by_shape.setdefault(form, student)
        if student.email:
            self._by_email.setdefault(student.email.casefold(), student)


def name_fault(name: str) -> Fault:
    if len(name) > NAME_MAX:
        return Fault("long_name", name=name[:40], length=len(name), most=NAME_MAX)
    return Fault("bad_name", name=repr(name))


class Groups:
    """The groups, each by the spelling that came first."""

    def __init__(self, spellings: Iterable[str]) -> None:
        self._first: dict[str, str] = {}
        for group in spellings:
            self.first(group)

    def first(self, group: str) -> str:
        """The spelling of this group, which is added if it is new; "" is no group."""
        return self._first.setdefault(group_key(group), group)


def is_email(text: str) -> bool:
    """Whether this may be an e-mail address; within a school, "ana@localhost" is one."""
    return len(text) <= EMAIL_MAX and text.isprintable() and _EMAIL.fullmatch(text) is not None
