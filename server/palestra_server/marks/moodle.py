"""Marks for Moodle's "Import > CSV file": the user, the mark, its feedback.

Moodle stops at the first user whom it doesn't know, and books a line without a user on the one above; so that only
those are written whom it can find.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from palestra_server.languages import Language
from palestra_server.marks.marked import Marked, MarksError, Namesakes, Note, Sheet, note
from palestra_server.runtime.roster.class_list import keys, parse_class_list
from palestra_server.runtime.roster.columns import kind_of
from palestra_server.runtime.roster.importing import unnumbered
from palestra_tournament import safe_cell

HIGHEST: Final = 100  # Moodle takes no mark above it, unless its administrator allows more


class _User(NamedTuple):
    """A player as the course knows them."""

    mark: Marked
    email: str
    ids: Mapping[str, str]


def _id(user: _User, kind: str, titles: Sequence[str] = ()) -> str:
    found = [(title, value) for title, value in user.ids.items() if kind_of(title) == kind]
    return next((value for title, value in found if not titles or title.casefold() in titles), "")


# What Moodle can find a user by, as it calls that, and which list says it; the surest first.
_WAYS: Final[Mapping[tuple[str, str], Callable[[_User], str]]] = {
    ("ID number", "Moodle"): lambda user: _id(user, "id", ("id number", "número de id", "numero de id", "idnumber")),
    ("Email address", "any"): lambda user: user.email,
    ("Username", "Moodle"): lambda user: _id(user, "login", ("username", "nombre de usuario")),
    ("ID number", "any"): lambda user: _id(user, "id"),
    ("Username", "any"): lambda user: _id(user, "login"),
}


def for_moodle(marks: Sequence[Marked], course: str | None, column: str, maximum: float, language: Language) -> Sheet:
    """`course` is the text of a list of the course's participants or its gradebook, as Moodle exports them; without it,
    the roster says who can be found. Raises MarksError.
    """
    notes: list[Note] = []
    if course is None:
        users = [_User(one, one.row.email, one.row.ids) for one in marks if one.row]
        notes += note("off_roster", (one.player for one in marks if one.row is None))
    else:
        users, notes = _in_course(marks, course)
    (field, _), by = max(_WAYS.items(), key=lambda each: len(_usable(users, each[1])))
    usable, way = _usable(users, by), language.text(field)
    if not usable:
        raise MarksError("no_ids")
    notes += note("no_user", (user.mark.player for user in users if user.mark not in usable), way=way)
    if any(one.points > HIGHEST for one in usable):
        notes.append(Note("too_high", most=HIGHEST))
    notes.append(Note("moodle", separator=language.separator, way=way, column=column, maximum=language.number(maximum)))
    rows = [[usable[one], language.number(one.points), one.feedback] for one in usable]
    header = [way, column, language.word("feedback")]
    return Sheet(language.csv([header, *rows]), len(rows), tuple(notes))


def _usable(users: Sequence[_User], by: Callable[[_User], str]) -> dict[Marked, str]:
    """Who can be found in this way. What a spreadsheet takes for a formula can't be written as it is."""
    values = {user.mark: by(user) for user in users}
    often = Counter(value.casefold() for value in values.values())
    return {
        mark: value
        for mark, value in values.items()
        if value and often[value.casefold()] == 1 and safe_cell(value) == value
    }


def _in_course(marks: Sequence[Marked], course: str) -> tuple[list[_User], list[Note]]:
    students = parse_class_list(course).students
    if not students:
        raise MarksError("no_students")
    by_key = {key: student for student in students for key in keys(student.email, student.ids)}
    names = Counter(student.name for student in students)
    unknown = [one.player for one in marks if by_key.keys().isdisjoint(one.keys)]
    players = Counter(player if player in names else unnumbered(player) for player in unknown)
    by_name = {each.name: each for each in students if names[each.name] == 1 and players[each.name] <= 1}
    users: list[_User] = []
    lines: set[int] = set()
    for one in marks:
        same = {by_key[key].line: by_key[key] for key in sorted(one.keys) if key in by_key}
        student = next(iter(same.values())) if len(same) == 1 else None if same else by_name.get(one.player)
        if student is not None:
            users.append(_User(one, student.email, student.ids))
            lines.add(student.line)
    found = {user.mark for user in users}
    namesakes = Namesakes(marks, names.elements())
    notes = [*note("not_in_file", (namesakes.player(one) for one in marks if one not in found))]
    left = (each for each in students if each.line not in lines)
    notes += note("no_mark", (namesakes.told(each.name, each.email, each.ids) for each in left))
    return users, notes
