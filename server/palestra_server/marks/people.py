"""Marks as a table for people."""

from __future__ import annotations

from collections.abc import Sequence

from palestra_server.languages import Language
from palestra_server.marks.marked import Marked, Sheet


def for_people(marks: Sequence[Marked], language: Language) -> Sheet:
    """Everybody with all that the class lists say, the points by each rule, and the mark explained."""
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
