"""What people read outside the page, in their language: tables for their spreadsheet, marks explained, token cards."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from palestra_tournament import safe_cell

_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?")
# Points of matches, or a score, which a spreadsheet would take for a date.
_PAIR: Final = re.compile(r"(\d+(?:\.\d+)?)([/:])(\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Language:
    """`words` translates the titles of columns and the names of rules; whatever isn't there stays as it is."""

    code: str
    separator: str
    decimal: str
    words: Mapping[str, str]

    def number(self, value: float) -> str:
        """Rounded to hundredths, without zeros at the end."""
        return f"{value:.2f}".rstrip("0").rstrip(".").replace(".", self.decimal)

    def text(self, english: str) -> str:
        return self.words.get(english, english)

    def word(self, text: str) -> str:
        """The translation of a title, or of its first word, with the rest as it is."""
        first, blank, rest = text.partition(" ")
        return self.words.get(text) or self.words.get(first, first) + blank + rest

    def csv(self, rows: Iterable[Sequence[object]]) -> str:
        """A table as the spreadsheets of this language open it: with a byte order mark; no text becomes a formula."""
        out = io.StringIO("\ufeff")
        out.seek(0, io.SEEK_END)
        writer = csv.writer(out, delimiter=self.separator, lineterminator="\r\n")
        writer.writerows([self._cell(value) for value in row] for row in rows)
        return out.getvalue()

    def _cell(self, value: object) -> str:
        if value is None:
            return ""
        return safe_cell(value) if isinstance(value, str) else self.number(float(str(value)))

    def table(self, text: str, titles: int | None = None) -> str:
        """A table that was written for programs, such as `standings.csv`; so many of its titles are words."""
        header, *rows = csv.reader(io.StringIO(text, newline=""))
        header[:titles] = map(self.word, header[:titles])
        return self.csv([header, *([self._read(cell) for cell in row] for row in rows)])

    def _read(self, cell: str) -> str | float:
        if _NUMBER.fullmatch(cell):
            return float(cell)
        pair = _PAIR.fullmatch(cell)
        if pair is None:
            return cell
        one, mark, other = pair[1], pair[2], pair[3]
        between = self.words["of"] if mark == "/" else "–"
        return f"{one} {between} {other}".replace(".", self.decimal)


_ENGLISH: Final = {
    "of": "of",
    "top": "among the first",
    "low": "at least",
    "good": "without a fault",
    "scored": "scored",
    "absent": "never came",
}
_SPANISH: Final = {
    # Rules, and what is counted for them:
    "of": "de",
    "base": "de partida",
    "beats": "gana a",
    "rating": "fuerza de",
    "reliability": "fiabilidad",
    "participation": "participación",
    "top": "entre los primeros",
    "low": "al menos",
    "good": "sin fallos",
    "matches": "partidas",
    "came": "acudió",
    "late": "tarde",
    "crashed": "se cayó",
    "absent": "no acudió",
    "scored": "puntos",
    "place": "puesto",
    "total": "total",
    "highest": "máximo",
    "begun": "celebrados",
    # Titles of columns:
    "rank": "puesto",
    "rank low": "puesto, desde",
    "rank high": "puesto, hasta",
    "player": "jugador",
    "group": "grupo de clase",
    "points": "puntos",
    "rating low": "fuerza, desde",
    "rating high": "fuerza, hasta",
    "played": "partidas",
    "wins": "victorias",
    "draws": "empates",
    "losses": "derrotas",
    "byes": "descansos",
    "repeats": "repetidas",
    "head to head": "entre ellos",
    "fixture": "encuentro",
    "round": "ronda",
    "table": "mesa",
    "game": "juego",
    "first": "primero",
    "second": "segundo",
    "opening": "apertura",
    "score": "resultado",
    "reason": "motivo",
    "match": "partida",
    "grade": "nota",
    "feedback": "comentario",
    "e-mail": "correo",
    "page": "página",
    # Fields of Moodle's:
    "ID number": "Número de ID",
    "Email address": "Dirección de correo",
    "Username": "Nombre de usuario",
    # Token cards:
    "Tokens": "Claves",
    "Print, cut, and give each student their own; then delete this file.": "Imprime, recorta y da a cada estudiante la "
    "suya; después borra este archivo.",
    "Your token, which is yours alone:": "Tu clave, que es solo tuya:",
    "Watch, and see what your bot did wrong:": "Mira las partidas, y qué hizo mal tu bot:",
    "If that address does not answer, the page is one for bots, too:": "Si esa dirección no responde, los bots también "
    "pueden usar la de la página:",
}

LANGUAGES: Final[Mapping[str, Language]] = {
    "en": Language("en", ",", ".", _ENGLISH),
    "es": Language("es", ";", ",", _SPANISH),
}
