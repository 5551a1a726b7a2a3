"""What the columns of a class list are: the headers that Moodle, Canvas, Blackboard and spreadsheets write, in English,
Spanish and Catalan.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

Kind = Literal["name", "turned", "first", "last", "last2", "email", "group", "role", "id", "login", "canvas"]
# What tells one student from another; the values of `id` and `login` mean the same in any list.
IDS: Final[tuple[Kind, ...]] = ("id", "login", "canvas")
NAMES: Final[tuple[Kind, ...]] = ("name", "turned", "first", "last")

CANVAS_ID: Final = "Canvas ID"  # in Canvas' files its title is "ID", which in others is the student's number
_ABOVE: Final = 10  # lines that may stand above the header

_HEADERS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("name", "full name", "fullname", "player", "bot", "team name"), "name"),
    **dict.fromkeys(("nombre y apellidos", "nombre completo", "jugador", "jugadora"), "name"),
    **dict.fromkeys(
        ("nombre apellidos", "first name last name", "name surname", "nom i cognoms", "nom complet"), "name"
    ),
    # "García, Ana" is Ana García:
    **dict.fromkeys(("student", "student name", "last name first name", "surname first name"), "turned"),
    **dict.fromkeys(("alumno", "alumna", "alumnado", "estudiante", "alumne", "estudiant"), "turned"),
    **dict.fromkeys(("apellidos nombre", "apellidos y nombre", "cognoms nom", "cognoms i nom"), "turned"),
    **dict.fromkeys(("first name", "firstname", "given name", "nombre", "nombre de pila", "nom"), "first"),
    **dict.fromkeys(("last name", "lastname", "surname", "family name", "apellido", "apellidos"), "last"),
    **dict.fromkeys(("primer apellido", "apellido 1", "1er apellido", "cognom", "cognoms", "primer cognom"), "last"),
    **dict.fromkeys(("segundo apellido", "apellido 2", "2o apellido", "segon cognom"), "last2"),
    **dict.fromkeys(("email", "e mail", "mail", "email address", "e mail address"), "email"),
    **dict.fromkeys(("correo", "correo electronico", "direccion de correo", "direccion email"), "email"),
    **dict.fromkeys(("direccion de correo electronico", "correo institucional"), "email"),
    **dict.fromkeys(("correu", "correu electronic", "adreca electronica"), "email"),
    **dict.fromkeys(("group", "groups", "class", "section", "team", "grupo", "grupos", "clase"), "group"),
    **dict.fromkeys(("seccion", "equipo", "curso", "turno"), "group"),
    **dict.fromkeys(("grup", "grups", "classe", "seccio", "equip", "torn"), "group"),
    **dict.fromkeys(("role", "roles", "rol"), "role"),
    **dict.fromkeys(("id", "id number", "idnumber", "student id", "student number", "sis user id"), "id"),
    **dict.fromkeys(("numero de id", "numero de identificacion", "id de alumno", "id de estudiante", "dni"), "id"),
    **dict.fromkeys(("id del alumno", "id del estudiante", "nif", "nia", "niu", "numero de expediente"), "id"),
    **dict.fromkeys(("expediente", "matricula", "numero de matricula", "numero d identificacio"), "id"),
    **dict.fromkeys(("username", "user name", "login", "login id", "sis login id", "user id"), "login"),
    **dict.fromkeys(("nombre de usuario", "usuario", "nom d usuari", "usuari"), "login"),
    "canvas id": "canvas",
}

# What no name looks like: a heading, markup, an address, code, the end of a sentence.
_NO_NAME: Final = re.compile(r"#+ |[<{/]|.*(://| = |\w\()|(\S+ ){2}.*\w{4}[.!?:]$")
_IN_NAMES: Final = re.compile("del?|l[aeo]s?|[aeidouy]|d[aio]s?|v[ao]n|de[rn]|[ae]l|bin|du")


class Column(NamedTuple):
    """A column of interest, and its title as it stands in the file."""

    kind: Kind
    title: str


def kind_of(title: str) -> Kind | None:
    return _HEADERS.get(_plain(title))


def rows_of(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that aren't empty, with their line numbers; a row of several lines has that of its first.

    Raises csv.Error, after which the rest would be misread too; the exception has the line in `args[1]`.
    """
    text = text.removeprefix("\ufeff")
    said = re.match(r"(?i)\"?sep=(.)\"?[\t;, ]*\r?\n", text)  # for Excel
    body = text[said.end() :] if said else text
    reader = csv.reader(
        io.StringIO(body, newline=""),
        delimiter=said[1] if said else _delimiter(text),
        strict=True,
        skipinitialspace=True,
    )
    while True:
        line = reader.line_num + (2 if said else 1)
        try:
            cells = [" ".join(cell.split()) for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            raise csv.Error(str(error), line) from None
        if any(cells):
            yield line, cells


def _delimiter(text: str) -> str:
    """The separator found in most lines; if tied, tabs first: names may contain commas, but hardly tabs."""
    lines = [line for line in text.splitlines() if line.strip()]
    return max("\t;,", key=lambda mark: sum(mark in line for line in lines))


def header_of(rows: Sequence[Sequence[str]]) -> int | None:
    """Which of these rows names the columns; None if there is no such row.

    Above it may stand the title of the list; a title that is also the name of a column ("Grupo") is no header.
    """
    best, best_named = None, 0
    for at, cells in enumerate(rows[: _ABOVE + 1]):
        named = [kind for cell in cells if (kind := kind_of(cell))]
        if any("@" in cell for cell in cells) or not named:
            continue
        if len(named) > best_named and (at == 0 or (len(named) > 1 and {*named} & {*NAMES})):
            best, best_named = at, len(named)
    return best


def columns_of(cells: Sequence[str]) -> list[Column | None]:
    """The columns that this header names, None for those of no interest."""
    titles = [_plain(cell) for cell in cells]
    found = [Column(kind, cell) if (kind := kind_of(cell)) else None for cell in cells]
    if {"id", "section"} <= {*titles} and ("student" in titles or {"lastname", "firstname"} <= {*titles}):
        found[titles.index("id")] = Column("canvas", CANVAS_ID)
    if not any(each and each.kind == "last" for each in found):
        # With one column for the whole name, "first name" may mean just that.
        return [Column("name", each.title) if each and each.kind == "first" else each for each in found]
    return found


def guessed_columns(rows: Sequence[Sequence[str]]) -> list[Column | None] | None:
    """Without a header, the column with @ is the e-mail, and the others are the name and the group, in that order."""
    width = max(map(len, rows))
    with_at = [sum("@" in row[column] for row in rows if column < len(row)) for column in range(width)]
    email = with_at.index(max(with_at)) if any(with_at) else None
    others: list[Kind] = ["name", "group"]
    if width - (email is not None) > len(others):
        return None
    return [Column("email" if column == email else others.pop(0), "") for column in range(width)]


def is_prose(rows: Sequence[Sequence[str]]) -> bool:
    """Whether most of these rows read as text: of five words or more, most in small letters, or what is in no name."""

    def reads(line: str) -> bool:
        words = [word for word in line.split() if not _IN_NAMES.fullmatch(word)]
        small = sum(word[0].islower() for word in words)
        return "@" not in line and (_NO_NAME.match(line) is not None or (len(words) > 4 and 2 * small > len(words)))

    return 2 * sum(reads(" ".join(cells)) for cells in rows) > len(rows)


def _plain(header: str) -> str:
    """ "Correo electrónico:" becomes "correo electronico", "Apellido(s)" "apellidos"."""
    letters = unicodedata.normalize("NFKD", header.casefold())
    words = "".join(c for c in letters if not unicodedata.combining(c) and c not in "()").replace("_", " ")
    return " ".join(re.findall(r"\w+", words))
