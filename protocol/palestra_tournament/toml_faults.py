"""Explains what is wrong with a TOML file to people who have never written one: the line, and what belongs there.

`tomllib` stops at the first fault, with a message for programmers ("Invalid value (at line 5, column 9)"). If it fails,
the file is read one setting at a time, and every faulty setting is skipped and reported.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, Final

from palestra_referee.layout import FILE_BYTES
from palestra_tournament.faults import Fault

MOST: Final = 20  # most faults reported at a time
DOTS: Final = 100  # in a line, outside of texts: `tomllib` takes seconds for a key of thousands of parts

_QUOTED: Final = re.compile(r'"[^"\n]*"|\'[^\'\n]*\'|#.*')
_PLACE: Final = re.compile(r"at line (\d+)")
_KEY_VALUE: Final = re.compile(r"\s*(?P<key>[\w\".-]+)\s*=\s*(?P<value>.*?)\s*(?:#.*)?$", re.DOTALL)
_BEGINS: Final = re.compile(r"\s*([\w\".-]+\s*=|\[+[A-Za-z]\w*\]*\s*(#.*)?$)")
_BARE_WORD: Final = re.compile(r"[^\W\d][\w .-]*")
_CURLED: Final = re.compile("[\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb]")


def read_toml(text: str) -> tuple[dict[str, Any], str, list[Fault]]:
    """The contents of the file, its text with every setting that isn't TOML blanked out, and a fault for each."""
    if len(text) > FILE_BYTES:
        return {}, "", [Fault("not_toml", error=f"it has more than {FILE_BYTES // 1024} KiB")]
    try:
        if any(line.count(".") > DOTS for line in _QUOTED.sub("", text).splitlines()):
            raise RecursionError
        return _settled(text)
    except RecursionError:
        return {}, "", [Fault("not_toml", error="it is nested too deeply")]


def _settled(text: str) -> tuple[dict[str, Any], str, list[Fault]]:
    try:
        return tomllib.loads(text), text, []
    except tomllib.TOMLDecodeError as error:
        first = error
    lines = re.split(r"\r?\n", text)
    faults: dict[int, Fault] = {}
    for begin, end in _settings(lines):
        setting = "\n".join(lines[begin:end])
        try:
            tomllib.loads(setting)
        except tomllib.TOMLDecodeError:
            faults[begin] = _fault(setting).at(begin + 1, _column(setting))
            lines[begin:end] = [""] * (end - begin)
    while True:
        try:
            values = tomllib.loads("\n".join(lines))
            break
        except tomllib.TOMLDecodeError as error:
            # Each setting is valid on its own, so two of them have the same name.
            place = _PLACE.search(str(error))
            number = int(place[1]) - 1 if place else len(lines) - 1
            if number in faults or not lines[number].strip():
                return {}, "", [Fault("not_toml", error=str(first))]
            setting, lines[number] = lines[number], ""
            column = 1 + len(setting) - len(setting.lstrip())
            faults[number] = Fault("twice", number + 1, column, key=setting.partition("=")[0].strip())
    return values, "\n".join(lines), [faults[number] for number in sorted(faults)][:MOST]


def _column(setting: str) -> int:
    """Where its value begins in its line, from 1, or else the setting itself."""
    found = _KEY_VALUE.match(setting)
    return 1 + (found.start("value") if found else len(setting) - len(setting.lstrip()))


def _settings(lines: list[str]) -> Iterator[tuple[int, int]]:
    """The first line (from 0) of each setting or heading, and the line after its last."""
    begin = 0
    while begin < len(lines):
        end = begin + 1
        still_open = _open_brackets(lines[begin])
        while end < len(lines) and still_open and not _BEGINS.match(lines[end]):
            still_open = _open_brackets(lines[end], still_open)
            end += 1
        yield begin, end
        begin = end


def _open_brackets(text: str, still_open: str = "") -> str:
    """The brackets still open at the end of `text`, given those open at its start."""
    pairs = {"]": "[", "}": "{"}
    for mark in _QUOTED.sub("", text):
        if mark in "[{":
            still_open += mark
        elif still_open.endswith(pairs.get(mark, "none")):
            still_open = still_open[:-1]
    return still_open


def _fault(setting: str) -> Fault:
    found = _KEY_VALUE.match(setting)
    if _CURLED.search(setting):
        return Fault("curled")
    if setting.lstrip().startswith("["):
        return Fault("heading")
    if found is None:
        return Fault("no_setting", text=_short(setting))
    return _of_value(found["key"], found["value"])


def _of_value(key: str, value: str) -> Fault:
    shown = _short(value)
    if not value:
        return Fault("no_value", key=key)
    if value.lower() in ("true", "false", "yes", "no", "on", "off"):
        return Fault("bool_word", key=key, text=shown)
    if value.count('"') % 2:
        return Fault("quotes", key=key, text=shown)
    still_open = _open_brackets(value)
    if still_open:
        bracket = still_open[-1]
        return Fault("open", key=key, bracket=bracket, closing="]" if bracket == "[" else "}")
    if _BARE_WORD.fullmatch(value):
        return Fault("bare", key=key, text=value)
    if value.startswith("["):
        return Fault("no_list", key=key, text=shown)
    if "," in value and not value.startswith(("{", '"')):
        return Fault("decimal", key=key, text=shown)
    return Fault("odd_value", key=key, text=shown)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."
