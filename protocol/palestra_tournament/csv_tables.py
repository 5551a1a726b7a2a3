"""The tables of a tournament as CSV (RFC 4180, but with LF line endings), the same bytes for the same results.

A name that a spreadsheet would treat as a formula is prefixed with an apostrophe (OWASP, "CSV injection").
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from palestra_tournament.grading import Grade, grades
from palestra_tournament.model import Tournament
from palestra_tournament.schedule import schedule
from palestra_tournament.standings import crosstable, standings

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV. Texts are made safe for spreadsheets, numbers are left alone, None is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def safe_cell(text: str) -> str:
    """The text as no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return safe_cell(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def standings_csv(t: Tournament) -> str:
    """The standings, best first; ratings in whole Elo points, ranks as their 95 % range."""
    rows = standings(t)
    breaks = [label for label, _ in rows[0].tiebreaks]
    header = ["rank", "rank low", "rank high", "player", "group", "points", *breaks]
    header += ["rating", "rating low", "rating high", "played", "wins", "draws", "losses", "byes", "repeats"]
    lines: list[list[object]] = []
    for row in rows:
        line: list[object] = [row.rank, row.rank_low, row.rank_high, row.player, row.group, row.points]
        line += [value for _, value in row.tiebreaks]
        line += [None if elo is None else round(elo) for elo in (row.rating, row.rating_low, row.rating_high)]
        lines.append([*line, row.played, row.wins, row.draws, row.losses, row.byes, row.repeats])
    return csv_text(header, lines)


def crosstable_csv(t: Tournament) -> str:
    """What each player scored against each other, as points/matches; empty if they did not meet."""
    table = crosstable(t)
    return csv_text(
        ["player", *map(_cell, table.players)],
        (
            [player, *("" if cell is None or not cell[1] else f"{cell[0]:g}/{cell[1]}" for cell in cells)]
            for player, cells in zip(table.players, table.cells, strict=True)
        ),
    )


def schedule_csv(t: Tournament) -> str:
    """All fixtures drawn so far, in order, with their results."""
    header = ["fixture", "round", "table", "game", "first", "second", "opening", "score", "reason", "match"]
    return csv_text(
        header,
        (
            [f.id, f.round, f.table, f.game, *f.players, " ".join(map(str, f.opening))]
            + (["", "", match] if r is None else ["{:g}:{:g}".format(*r.points), r.reason, match])
            for f, _, match, r in schedule(t)
        ),
    )


def grades_csv(t: Tournament) -> str:
    """Everybody's grade, the points by each rule and what was counted; only the header if there is no rubric."""
    return grades_table(grades(t))


def grades_table(found: Sequence[Grade]) -> str:
    header = ["player", "group", "grade"]
    for part in found[0].parts if found else ():
        header += [part.rule, *(f"{part.rule} {name}" for name in part.counted)]
    return csv_text(header, ([grade.player, grade.group, grade.points, *_counted(grade)] for grade in found))


def _counted(grade: Grade) -> list[float | None]:
    return [value for part in grade.parts for value in (round(part.points, 2), *part.counted.values())]
