"""Everybody's mark with what it is made of, and who that is on the roster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final
from urllib.parse import quote

from palestra_protocol.english import Said
from palestra_server.languages import Language
from palestra_server.runtime.roster.class_list import keys
from palestra_server.runtime.roster.importing import unnumbered
from palestra_server.store import PlayerRow

NAMED: Final = 30  # names in a note


class Note(Said):
    """What the teacher should know about a file of marks before it is used, or why there is none."""

    kind: ClassVar[str] = "marking"


class MarksError(Exception):
    """These marks can't be written."""

    def __init__(self, code: str, **values: Any) -> None:
        self.note = Note(code, **values)
        super().__init__(self.note.sentence)


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """A player's mark. `parts` are the points by each rule; `row` is None for who isn't on the roster any more."""

    player: str
    group: str
    points: float
    parts: Mapping[str, float]
    feedback: str
    page: str
    row: PlayerRow | None

    @property
    def keys(self) -> frozenset[tuple[str, str]]:
        return frozenset() if self.row is None else keys(self.row.email, self.row.ids)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file of marks. `filled` counts the marks in it."""

    text: str
    filled: int
    notes: tuple[Note, ...]


def marked(
    table: Mapping[str, Any], get: Callable[[str], PlayerRow | None], page: str, language: Language
) -> list[Marked]:
    """`table` is the tournament's `grades`, `page` this server's address."""
    maximum, found = table["maximum"], []
    for one in table["grades"]:
        link = f"{page}/player/{quote(one['player'], safe='')}/"
        parts = {language.word(part["rule"]): part["points"] for part in one["parts"]}
        why = "; ".join(_explained(part, language) for part in one["parts"])
        mark = f"{language.number(one['points'])} {language.words['of']} {language.number(maximum)}"
        found.append(
            Marked(
                one["player"], one["group"], one["points"], parts, f"{mark}: {why}. {link}", link, get(one["player"])
            )
        )
    return found


def _explained(part: Mapping[str, Any], language: Language) -> str:
    counted = [
        f"{language.word(name)} {'–' if value is None else language.number(value)}"
        for name, value in part["counted"].items()
    ]
    points = f"{language.word(part['rule'])}: {language.number(part['points'])}"
    return f"{points} ({', '.join(counted)})" if counted else points


class Namesakes:
    """Whose name is that of somebody else, among the players or in the file."""

    def __init__(self, marks: Iterable[Marked], listed: Iterable[str]) -> None:
        often = Counter(unnumbered(one.player) for one in marks) | Counter(listed)
        self._names = {name for name, count in often.items() if count > 1}

    def told(self, name: str, email: str, ids: Mapping[str, str]) -> str:
        """The name; a namesake's with all that is known of whose it is."""
        known = [*filter(None, [email]), *(f"{title} {value}" for title, value in ids.items())]
        return f"{name} ({', '.join(known)})" if known and unnumbered(name) in self._names else name

    def player(self, one: Marked) -> str:
        return one.player if one.row is None else self.told(one.player, one.row.email, one.row.ids)


def note(code: str, names: Iterable[str], **values: Any) -> Sequence[Note]:
    """A note about these names; none if there are none."""
    every = list(names)
    more = f" … (+{len(every) - NAMED})" if len(every) > NAMED else ""
    return [Note(code, names=", ".join(every[:NAMED]) + more, **values)] if every else []


def for_people(marks: Sequence[Marked], language: Language) -> Sheet:
    """A table: everybody with all that the class lists say, the points by each rule, and the mark explained."""
    titles = list(dict.fromkeys(title for one in marks if one.row for title in one.row.ids))
    rules = list(dict.fromkeys(rule for one in marks for rule in one.parts))
    header = ["player", "group", "e-mail", *titles, "grade", *rules, "feedback", "page"]
    rows: list[list[object]] = []
    for one in marks:
        email, ids = (one.row.email, one.row.ids) if one.row else ("", {})
        known: list[object] = [one.player, one.group, email, *(ids.get(title, "") for title in titles)]
        points = [one.parts.get(rule) for rule in rules]
        rows.append([*known, one.points, *points, one.feedback, one.page])
    known_titles = {*titles, *rules}
    named = [title if title in known_titles else language.word(title) for title in header]
    return Sheet(language.csv([named, *rows]), len(marks), ())
