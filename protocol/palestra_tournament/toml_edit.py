"""A form for a TOML text: its values, and changes of single settings that keep all else, comments above all."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Collection, Iterable
from datetime import date, datetime, time
from typing import Any, NamedTuple

from palestra_tournament.faults import Fault
from palestra_tournament.toml_faults import read_toml
from palestra_tournament.toml_places import Layout, Path, Place, layout

NAME_MAX = 40


class Filled(NamedTuple):
    """A file after some changes. `values` are plain, as far as the file can be read; `lines` are the first and the last
    line of each setting, by its key; `faults` are changes that could not be made.
    """

    toml: str
    values: dict[str, Any]
    lines: dict[str, tuple[int, int]]
    faults: list[Fault]


def filled(text: str, changes: Iterable[tuple[str, Any]], taken: Collection[str] = ()) -> Filled:
    """The file after these changes, each a key and its value (see `changed`).

    The name follows the title until it is given another; it becomes none of those in `taken`.
    """
    faults = []
    for key, value in changes:
        try:
            values = read_toml(text)[0] if key == "title" else {}
            text = changed(text, key, value)
            called = name_from(str(values.get("title", "")))
            if (new := name_from(str(value))) and re.fullmatch(rf"{called}(-\d+)?", str(values.get("name"))):
                text = changed(text, "name", _free(new, taken))
        except FormError as error:
            faults.append(error.fault)
    values, sound, _ = read_toml(text)
    lines: dict[str, tuple[int, int]] = {}
    for path, (start, end) in layout(sound).values.items():
        key = ".".join(part for part in path if isinstance(part, str))
        first, last = lines.get(key, (start[0], end[0]))
        lines[key] = min(first, start[0]), max(last, end[0])
    return Filled(text, _plain(values), lines, faults)


def name_from(title: str) -> str:
    """The name of what is called so, for commands and addresses; "" if it has no Latin letter or digit."""
    letters = unicodedata.normalize("NFKD", title.casefold())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:NAME_MAX].strip("-")


def _free(name: str, taken: Collection[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name[: NAME_MAX - 4]}-{number}"
    return free


def changed(text: str, key: str, value: Any) -> str:
    """`text` with this value of `key`, such as "clock.move_ms"; None puts the setting into a comment.

    A line of the example that only shows the key ("# pairs = 2") becomes the setting. Raises FormError if the file is
    written in a way that this cannot change.
    """
    path = tuple(key.split("."))
    before = len(read_toml(text)[2])
    text = _without_headings(text.replace("\r\n", "\n"), path)
    found = layout(read_toml(text)[1])
    lines = text.split("\n")
    if path in found.values:
        _replace(lines, found.places[path], *found.values[path], value)
    elif value is not None:
        _add(lines, found, path, value)
    text = "\n".join(lines)
    values, _, faults = read_toml(text)
    if _value_at(values, path) != value or len(faults) > before:
        raise FormError(key)
    return text


class FormError(ValueError):
    """A setting that only whoever wrote the file can change."""

    def __init__(self, key: str) -> None:
        self.fault = Fault("by_hand", key=key)
        super().__init__(self.fault)


def _without_headings(text: str, path: Path) -> str:
    """Without the tables under headings of their own, [[grades.beats]], which are written in one line instead."""
    lines = text.split("\n")
    headings = layout(read_toml(text)[1]).headings
    ends = [line for _, line in headings[1:]] + [len(lines) + 1]
    for (heading, begin), end in reversed(list(zip(headings, ends, strict=False))):
        if heading == path or (heading[:-1] == path and isinstance(heading[-1], int)):
            del lines[begin - 1 : end - 1]
    return "\n".join(lines)


def _replace(lines: list[str], name: Place, start: Place, end: Place, value: Any) -> None:
    first, last = start[0] - 1, end[0] - 1
    after = lines[last][end[1] - 1 :]
    if value is not None:
        lines[first : last + 1] = [_aligned(lines[first][: start[1] - 1] + toml_value(value), after, lines[last])]
    elif before := lines[first][: name[1] - 1].rstrip():  # in an inline table
        before, after = (before[:-1], after) if before.endswith(",") else (before, after.lstrip().removeprefix(","))
        lines[first : last + 1] = [before + after]
    else:
        lines[first : last + 1] = [f"# {line}" for line in lines[first : last + 1]]


def _add(lines: list[str], found: Layout, path: Path, value: Any) -> None:
    table, key = path[:-1], str(path[-1])
    if table in found.values:  # { ... }
        _, (line, column) = found.values[table]
        text, comma = lines[line - 1], "" if table not in {other[:-1] for other in found.values} else ","
        lines[line - 1] = f"{text[: column - 2].rstrip()}{comma} {key} = {toml_value(value)} {text[column - 2 :]}"
        return
    headings = [*found.headings, ((), len(lines) + 1)]
    begin = next((line for heading, line in found.headings if heading == table), 0)
    if table and not begin:
        if any(other[: len(table)] == table for other in found.values):  # clock.move_ms = 2000
            key = ".".join(map(str, path))
        else:
            lines[:] = [*"\n".join(lines).rstrip().split("\n"), "", f"[{'.'.join(map(str, table))}]", ""]
            begin, headings[-1] = len(lines) - 1, ((), len(lines) + 1)
    end = min(line for _, line in headings if line > begin)
    shown = re.compile(rf"\s*(?:#\s*)?{re.escape(key)}\s*=[^#]*(#.*)?")
    for number in range(begin, end - 1):
        if known := shown.fullmatch(lines[number]):
            lines[number] = _aligned(f"{key} = {toml_value(value)}", f" {known[1] or ''}".rstrip(), lines[number])
            return
    ends = (last for _, (last, _) in found.values.values() if begin < last < end)
    lines.insert(max(ends, default=begin), f"{key} = {toml_value(value)}")


def _aligned(setting: str, after: str, line: str) -> str:
    """The setting and what stands after it, a comment at the column that it had in `line`."""
    if after.lstrip().startswith("#"):
        comment = after.lstrip()
        return setting.ljust(len(line) - len(comment) - 1) + " " + comment
    return setting + after


def toml_value(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {toml_value(each)}' for key, each in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    return repr(value)


def _plain(value: Any) -> Any:
    """As JSON has it; a time without a zone is this machine's."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return value.astimezone().isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _value_at(values: Any, path: Path) -> Any:
    for key in path:
        values = values.get(key) if isinstance(values, dict) else None
    return values
