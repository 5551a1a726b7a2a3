"""Marks in the gradebook that Canvas exported, for its "Import": the teacher's own file with one column filled."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from palestra_server.languages import LANGUAGES
from palestra_server.marks.marked import Marked, MarksError, Namesakes, Note, Sheet, note
from palestra_server.runtime.roster.class_list import differ, ids_of, is_canvas_row, keys, written_name
from palestra_server.runtime.roster.columns import CANVAS_ID, Column, columns_of
from palestra_server.runtime.roster.importing import unnumbered
from palestra_tournament import safe_cell

# Canvas takes a title with one of these for a column of its own, and "(17)" at the end for the number of an assignment.
_OWN: Final = re.compile(r"(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)")
EXCUSED: Final = "EX"  # what Canvas writes instead of a grade, and reads as such
_NUMBERED: Final = re.compile(r"(.*)\s\((\d+)\)", re.DOTALL)


def fill_canvas(marks: Sequence[Marked], book: str, columns: Sequence[str], maximum: float) -> Sheet:
    """`book`: the text of the file; `columns`: what the assignment may be called, the best first. Raises MarksError."""
    delimiter = ";" if book.partition("\n")[0].count(";") > book.partition("\n")[0].count(",") else ","
    rows = [row for row in csv.reader(io.StringIO(book, newline=""), delimiter=delimiter) if row]
    about = columns_of(rows[0]) if rows else []
    if not any(each and each.title == CANVAS_ID for each in about):
        raise MarksError("not_canvas")
    at, title, new = _column(rows[0], about, columns)
    width = max(at + 1, len(rows[0]))
    for row in rows:
        row += [""] * (width - len(row))
    rows[0][at] = title
    language = LANGUAGES["es" if delimiter == ";" else "en"]
    students = [row for row in rows[1:] if is_canvas_row(about, _tidy(row))]
    notes: list[Note] = []
    for row in rows[1:]:
        if "Points Possible" in row[0]:
            if new:
                row[at] = language.number(maximum)
            elif (worth := _number(row[at])) is not None and worth != maximum:
                notes.append(
                    Note("worth", column=title, worth=language.number(worth), maximum=language.number(maximum))
                )
            elif row[at].strip() and worth is None:  # "(read only)", in the language of the teacher
                raise MarksError("read_only", column=title)
    pairs = dict(_pairs(marks, students, about))
    excused = [mark.player for place, mark in pairs.items() if students[place][at].strip().upper() == EXCUSED]
    replaced = 0
    for place, mark in pairs.items():
        if mark.player not in excused:
            before = _number(students[place][at])
            replaced += before is not None and before != round(mark.points, 2)
            students[place][at] = language.number(mark.points)
    given = {mark.player for mark in pairs.values()}
    listed = [(written_name(about, _tidy(row)), ids_of(about, _tidy(row))) for row in students]
    namesakes = Namesakes(marks, (name for name, _ in listed))
    notes += note("not_in_file", (namesakes.player(one) for one in marks if one.player not in given))
    left = (namesakes.told(name, "", ids) for place, (name, ids) in enumerate(listed) if place not in pairs)
    notes += note("no_mark", left)
    notes += note("excused", excused)
    if replaced:
        notes.append(Note("replaced", column=title, count=replaced))
    if new:
        notes.append(Note("new_column", column=title, maximum=language.number(maximum)))
        notes += note("other_columns", filter(_NUMBERED.fullmatch, rows[0]))
    notes.append(Note("canvas"))
    out = io.StringIO()
    ends = "\r\n" if "\r\n" in book else "\n"
    csv.writer(out, delimiter=delimiter, lineterminator=ends).writerows(rows)
    return Sheet(out.getvalue(), len(pairs) - len(excused), tuple(notes))


def _number(cell: str) -> float | None:
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        return None


def _tidy(row: Sequence[str]) -> list[str]:
    return [" ".join(cell.split()) for cell in row]


def _column(header: Sequence[str], about: Sequence[Column | None], wanted: Sequence[str]) -> tuple[int, str, bool]:
    """Where the marks go, the column's title, and whether it is a new one."""
    for place, title in enumerate(header):
        numbered = _NUMBERED.fullmatch(title)
        names = {title.casefold(), *(part.casefold() for part in (numbered.groups() if numbered else ()))}
        if about[place] is None and any(each.casefold() in names for each in wanted):
            return place, title, False
    for title in wanted:
        if not _OWN.search(title) and not _NUMBERED.fullmatch(title) and title not in header:
            return len(header), safe_cell(title), True
    raise MarksError("bad_column", column=wanted[0])


def _pairs(
    marks: Sequence[Marked], students: Sequence[Sequence[str]], about: Sequence[Column | None]
) -> Iterator[tuple[int, Marked]]:
    """Whose line is whose, by Canvas' id, the SIS id, the login and, last, the name."""
    open_lines = dict(enumerate(students))
    left = {one.player: one for one in marks}
    for kind in ("canvas", "id", "login", "email"):
        by_value = {value: one for one in left.values() for found, value in one.keys if found == kind}
        for place, row in list(open_lines.items()):
            mine = [value for found, value in keys("", ids_of(about, _tidy(row))) if found == kind]
            one = next((by_value[value] for value in mine if value in by_value), None)
            if one is not None and one.player in left:
                yield place, left.pop(one.player)
                del open_lines[place]
    names = [written_name(about, _tidy(row)) for row in open_lines.values()]
    players = Counter(player if player in names else unnumbered(player) for player in left)
    for (place, row), name in zip(list(open_lines.items()), names, strict=True):
        one = left.get(name)
        known = {} if one is None or one.row is None else one.row.ids
        only = names.count(name) == 1 and players[name] <= 1
        if one is not None and only and not differ(known, ids_of(about, _tidy(row))):
            yield place, left.pop(name)
