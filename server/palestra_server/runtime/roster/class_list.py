"""Reads class lists as teachers have them: exports of Moodle, Canvas and Blackboard, or any table with names.

Columns may be in any order, with or without a header, separated by commas, semicolons or tabs. All faults are reported
at once, with line numbers.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import ClassVar, Final

from palestra_protocol.english import Said
from palestra_protocol.limits import NAME_MAX
from palestra_server.names import clean_name, shapes
from palestra_server.runtime.roster.columns import (
    CANVAS_ID,
    IDS,
    NAMES,
    Column,
    Kind,
    columns_of,
    guessed_columns,
    header_of,
    is_prose,
    kind_of,
    rows_of,
)
from palestra_server.store import PlayerRow
from palestra_tournament import group_key

EMAIL_MAX: Final = 254
GROUP_MAX: Final = 64
ID_MAX: Final = 254
_EMAIL: Final = re.compile(r"[^\s@,;<>\"]+@[^\s@,;<>\".]+(\.[^\s@,;<>\".]+)*")
_NO_GROUP: Final = ("no groups", "no hay grupos", "sin grupos", "no hi ha grups")
_STUDENT: Final = re.compile(r"(?i)student|estudia|alum")
# An accented letter of western Europe in UTF-8, read as Windows-1252. After MANHÃ, say, there may be punctuation.
_GARBLED: Final = re.compile(
    r"\w*Ã([\x80-\x9f¡-ª¬®-º¼-¿€ŠŒŽšœžŸƒˆ˜™]|‘(?=[^\W\d_])|[‚„…†‡‰‹’“”•–—›«»\xad](?=[a-z]))\w*"
)
# Rows of Canvas' gradebook that are no students: what each assignment is worth, what is hidden, the teacher's own view.
_NOT_IN_CANVAS: Final = re.compile(r"(?i)(points possible|test student)?")


@dataclass(frozen=True, slots=True)
class Listed:
    """A student in a class list. `email` and `group` are "" if the list doesn't give them; `ids` are by the titles of
    their columns.
    """

    line: int
    name: str
    email: str
    group: str
    ids: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """The login, where it is an e-mail address."""
        return next((value for title, value in self.ids.items() if kind_of(title) == "login" and is_email(value)), "")


class Fault(Said):
    """Something wrong or odd in a line of the list."""

    kind: ClassVar[str] = "list"


@dataclass(frozen=True, slots=True)
class ClassList:
    """The valid students, all faults, and remarks on oddities that exclude nobody."""

    students: tuple[Listed, ...]
    problems: tuple[Fault, ...]
    remarks: tuple[Fault, ...] = ()


def keys(email: str, ids: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """What tells a student from all others, the same in any list: two who have one in common are one student."""
    found = {("email", email.casefold())} if email else set()
    for title, value in ids.items():
        kind = kind_of(title)
        # A login that is an address is taken for one.
        found.add(("email" if kind == "login" and is_email(value) else str(kind), value.casefold()))
    return frozenset(found)


def differ(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether these ids are those of two students: different values in columns of one title."""
    return any(title in other and other[title].casefold() != value.casefold() for title, value in one.items())


def parse_class_list(text: str) -> ClassList:
    """Parses a whole class list; never raises."""
    problems: list[Fault] = []
    rows: list[tuple[int, list[str]]] = []
    try:
        rows += rows_of(text)
    except csv.Error as error:
        problems.append(Fault("quotes", error.args[1], error=error.args[0]))
    for line, cells in rows:
        if garbled := _GARBLED.search(" ".join(cells)):
            return ClassList((), (Fault("garbled", line, text=garbled[0]),))
    remarks: list[Fault] = []
    header = header_of([cells for _, cells in rows])
    columns: list[Column | None] | None = None
    if header is not None:
        columns = columns_of(rows[header][1])
        remarks += [Fault("title", line) for line, _ in rows[:header]]
        del rows[: header + 1]
    if not rows:
        return ClassList((), tuple(problems) or (Fault("empty", 1),))
    if columns is None and is_prose([cells for _, cells in rows]):
        return ClassList((), (Fault("prose", rows[0][0]),))
    columns = columns or guessed_columns([cells for _, cells in rows])
    if columns is None or not {each.kind for each in columns if each} & {*NAMES}:
        return ClassList((), (Fault("columns", 1), *problems))
    students: list[Listed] = []
    above = _Above()
    for line, cells in _students(columns, rows, remarks):
        if len(cells) > len(columns) and any(cells[len(columns) :]):
            problems.append(Fault("cells", line, cells=len(cells), columns=len(columns)))
            continue
        student, faults = _student(line, columns, cells)
        student, odd = _plausible(student)
        remarks += odd
        if (before := above.same(student)) is not None:
            remarks.append(Fault("again", line, name=student.name, above=before.line))
            continue
        faults += above.twins(student)
        problems += [each.at(line) for each in faults]
        students.append(student)
    faulty = {problem.line for problem in problems}
    good = tuple(student for student in students if student.line not in faulty)
    by_line = attrgetter("line")
    return ClassList(good, tuple(sorted(problems, key=by_line)), tuple(sorted(remarks, key=by_line)))


def _students(
    columns: Sequence[Column | None], rows: Sequence[tuple[int, list[str]]], remarks: list[Fault]
) -> Iterator[tuple[int, list[str]]]:
    """The rows that are students: not Canvas' own rows, and no teachers, where the list says who is one."""
    kinds = [each.kind if each else None for each in columns]
    canvas = any(each and each.title == CANVAS_ID for each in columns)
    role = kinds.index("role") if "role" in kinds else None
    roles = [cells[role] if role is not None and role < len(cells) else "" for _, cells in rows]
    told = any(map(_STUDENT.search, roles))
    for (line, cells), has in zip(rows, roles, strict=True):
        if canvas and not is_canvas_row(columns, cells):
            continue
        if told and not _STUDENT.search(has):
            remarks.append(Fault("not_student", line, role=has or "-"))
            continue
        yield line, cells


def is_canvas_row(columns: Sequence[Column | None], cells: Sequence[str]) -> bool:
    """Whether this row of Canvas' gradebook is a student."""
    return not _NOT_IN_CANVAS.fullmatch(written_name(columns, cells))


def _value(columns: Sequence[Column | None], cells: Sequence[str], kind: Kind) -> str:
    """The first cell of this kind that isn't empty."""
    return next((cell for each, cell in zip(columns, cells, strict=False) if each and each.kind == kind and cell), "")


def written_name(columns: Sequence[Column | None], cells: Sequence[str]) -> str:
    """The name in this row, first name first."""
    if name := _value(columns, cells, "name"):
        return name
    if turned := _value(columns, cells, "turned"):
        last, comma, first = turned.partition(",")
        one_comma = comma and "," not in first
        return " ".join(f"{first} {last}".split()) if one_comma else turned
    parts: tuple[Kind, ...] = ("first", "last", "last2")
    return " ".join(filter(None, (_value(columns, cells, kind) for kind in parts)))


def ids_of(columns: Sequence[Column | None], cells: Sequence[str]) -> dict[str, str]:
    return {each.title: cell for each, cell in zip(columns, cells, strict=False) if each and each.kind in IDS and cell}


def _student(line: int, columns: Sequence[Column | None], cells: Sequence[str]) -> tuple[Listed, list[Fault]]:
    faults: list[Fault] = []
    written = written_name(columns, cells)
    name = clean_name(written)
    if not written:
        faults.append(Fault("no_name"))
    elif name is None:
        faults.append(name_fault(written))
    group = _value(columns, cells, "group")
    if group.casefold() in _NO_GROUP:
        group = ""
    if len(group) > GROUP_MAX or not group.isprintable():
        faults.append(Fault("long_group", most=GROUP_MAX))
    return Listed(line, name or written, _value(columns, cells, "email"), group, ids_of(columns, cells)), faults


def _plausible(student: Listed) -> tuple[Listed, list[Fault]]:
    # A bad address or id excludes nobody: an impossible one is dropped, with a remark.
    odd: list[Fault] = []
    for title, value in student.ids.items():
        if len(value) > ID_MAX or not value.isprintable():
            odd.append(Fault("no_id", student.line, title=title, name=student.name))
    ids = {title: value for title, value in student.ids.items() if len(value) <= ID_MAX and value.isprintable()}
    email = student.email
    if email and not is_email(email):
        odd.append(Fault("no_email", student.line, email=repr(email[:60]), name=student.name))
        email = ""
    elif email and "." not in email.rpartition("@")[2]:
        odd.append(Fault("odd_email", student.line, email=repr(email[:60])))
    return replace(student, email=email, ids=ids), odd


class _Above:
    """The students in the lines above, found by what must be unique."""

    def __init__(self) -> None:
        self._by_shape: dict[str, Listed] = {}
        self._by_key: dict[tuple[str, str], Listed] = {}

    def same(self, student: Listed) -> Listed | None:
        """The line of the same student, in a list with a line for each of a student's groups."""
        found = self._known(student)
        return found if found is not None and found.name == student.name != "" else None

    def _known(self, student: Listed) -> Listed | None:
        mine = keys(student.email, student.ids)
        return next((self._by_key[key] for key in sorted(mine) if key in self._by_key), None)

    def twins(self, student: Listed) -> Iterator[Fault]:
        """The faults that make this student indistinguishable from an earlier one; then adds the student."""
        forms = shapes(student.name) if student.name else ()
        twin = next((self._by_shape[form] for form in forms if form in self._by_shape), None)
        if twin is not None and not are_two(twin, student):
            yield Fault("twin", name=student.name, other=twin.name, above=twin.line)
        same = self._known(student)
        if same is not None:
            yield Fault("same_id", name=student.name, other=same.name, above=same.line)
        for form in forms:
            self._by_shape.setdefault(form, student)
        for key in keys(student.email, student.ids):
            self._by_key.setdefault(key, student)


def are_two(one: Listed | PlayerRow, other: Listed) -> bool:
    """Whether two of one name are two students: their ids or addresses differ."""
    emails = one.email.casefold(), other.email.casefold()
    return differ(one.ids, other.ids) or (all(emails) and emails[0] != emails[1])


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
