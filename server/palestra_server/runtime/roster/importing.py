"""What a class list changes on the roster: who in it is who there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import NamedTuple

from palestra_protocol.limits import NAME_MAX
from palestra_protocol.reference_bots import REFERENCE_BOTS
from palestra_server.names import look_alike, shapes, unaccented
from palestra_server.runtime.roster.class_list import ClassList, Fault, Groups, Listed, are_two, differ, keys
from palestra_server.store import PlayerRow


class Renamed(NamedTuple):
    """A player who is called otherwise in the list; the name on the roster stays, as it is in the records."""

    name: str
    listed: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What a class list changes, with names in the list's order. Any problem prevents the import; remarks don't.

    `gone` are on the roster and not in the list; they stay, too.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    renamed: tuple[Renamed, ...]
    gone: tuple[str, ...]
    problems: tuple[Fault, ...]
    remarks: tuple[Fault, ...]


class Plan(NamedTuple):
    """What an import says, and the rows that it writes."""

    imported: Imported
    rows: tuple[PlayerRow, ...]


def planned(listed: ClassList, rows: Mapping[str, PlayerRow], fresh: Callable[[str], PlayerRow]) -> Plan:
    """`fresh` makes the row of a new player."""
    who = _Who(rows)
    for student in listed.students:
        who.by_keys(student)
    for student in listed.students:
        who.by_name(student)
    for student in listed.students:
        who.by_likeness(student)
    problems, remarks = [*listed.problems, *who.problems], [*listed.remarks, *who.remarks]
    grouped = {who.names[student.line] for student in listed.students if student.group and student.line in who.names}
    groups = Groups(row.group for row in rows.values() if row.name not in grouped)
    odd: set[str] = set()
    put: dict[str, PlayerRow] = {}
    unchanged: list[str] = []
    renamed: list[Renamed] = []
    for student in listed.students:
        name = who.names.get(student.line)
        if name is None:
            continue
        old = rows.get(name) or fresh(name)
        group = groups.first(student.group)
        if group != student.group and student.group not in odd:
            odd.add(student.group)
            remarks.append(Fault("one_group", student.line, group=student.group, other=group, name=name))
        new = replace(
            old,
            email=student.email or old.email or student.address,
            group=group or old.group,
            ids={**old.ids, **student.ids},
        )
        if rows.get(name) == new:
            unchanged.append(name)
        else:
            put[name] = new
        if student.name not in (name, unnumbered(name)):
            renamed.append(Renamed(name, student.name))
    by_line = attrgetter("line")
    imported = Imported(
        added=tuple(name for name in put if name not in rows),
        changed=tuple(name for name in put if name in rows),
        unchanged=tuple(unchanged),
        renamed=tuple(renamed),
        gone=tuple(name for name in rows if name not in who.names.values() and name not in REFERENCE_BOTS),
        problems=tuple(sorted(problems, key=by_line)),
        remarks=tuple(sorted(remarks, key=by_line)),
    )
    return Plan(imported, tuple(put.values()))


class _Who:
    """The name on the roster of every student in a list, by line; faulty lines have none."""

    def __init__(self, rows: Mapping[str, PlayerRow]) -> None:
        self.names: dict[int, str] = {}
        self.problems: list[Fault] = []
        self.remarks: list[Fault] = []
        self._rows = rows
        self._by_key = {key: row.name for row in rows.values() for key in keys(row.email, row.ids)}
        self._by_shape = {form: name for name in rows for form in shapes(name)}
        self._by_letters = {unaccented(name): name for name in rows}
        self._lines: dict[str, int] = {}  # by the name on the roster
        self._done: set[int] = set()

    def by_keys(self, student: Listed) -> None:
        """An address or id in common: the same student, whatever the names."""
        found = sorted({self._by_key[key] for key in keys(student.email, student.ids) if key in self._by_key})
        if len(found) > 1:
            self._fault(Fault("two_players", student.line, name=student.name, one=found[0], other=found[1]))
        elif found and found[0] in self._lines:
            above = self._lines[found[0]]
            self._fault(Fault("one_player", student.line, name=student.name, other=found[0], above=above))
        elif found:
            self._is(student, found[0])

    def by_name(self, student: Listed) -> None:
        """For those left over. The same name is the same student, unless the list shows that these are two."""
        row = self._rows.get(student.name)
        if student.line not in self._done and row is not None and self._is_free(row, student):
            self._is_again(student, row)

    def by_likeness(self, student: Listed) -> None:
        """For those still left over: other capitals or accents are the same student, too, who keeps the name."""
        if student.line in self._done:
            return
        name = student.name
        if (bot := look_alike(name, REFERENCE_BOTS)) is not None:
            self._fault(name_of_bot(name, bot).at(student.line))
            return
        alike = next((self._by_shape[form] for form in shapes(name) if form in self._by_shape), None)
        twin = alike or self._by_letters.get(unaccented(name))
        if twin is not None:
            row = self._rows.get(twin)
            if row is not None and self._is_free(row, student) and (alike or not are_two(row, student)):
                self.remarks.append(Fault("like_player", student.line, name=name, other=twin))
                self._is_again(student, row)
                return
            name = self._numbered(name) if alike else name
            self.remarks.append(Fault("numbered", student.line, name=name, other=twin))
        self._is(student, name)

    def _is_free(self, row: PlayerRow, student: Listed) -> bool:
        """Whether this may be the student: nobody else in the list is, and no id says otherwise."""
        return row.name not in self._lines and not differ(row.ids, student.ids)

    def _is_again(self, student: Listed, row: PlayerRow) -> None:
        if row.email and student.email and row.email.casefold() != student.email.casefold():
            self.remarks.append(Fault("other_email", student.line, name=row.name, email=row.email))
        self._is(student, row.name)

    def _is(self, student: Listed, name: str) -> None:
        self.names[student.line] = name
        self._lines[name] = student.line
        self._done.add(student.line)
        self._by_letters.setdefault(unaccented(name), name)
        for form in shapes(name):
            self._by_shape.setdefault(form, name)

    def _fault(self, fault: Fault) -> None:
        self.problems.append(fault)
        if fault.line is not None:
            self._done.add(fault.line)

    def _numbered(self, name: str) -> str:
        """A name beside that of another student: "Ana Ruiz (2)"."""
        number = 1
        while True:
            number += 1
            tried = f"{name[: NAME_MAX - len(f' ({number})')].rstrip()} ({number})"
            if not any(form in self._by_shape for form in shapes(tried)):
                return tried


def unnumbered(name: str) -> str:
    """What a student is called in the list, of whom another has the name here."""
    stem, _, number = name.rpartition(" (")
    return stem if number.removesuffix(")").isdecimal() else name


def name_of_bot(name: str, bot: str) -> Fault:
    return Fault("bot", name=name) if name == bot else Fault("like_bot", name=name, other=bot)
