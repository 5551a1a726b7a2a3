"""Verifies the records of matches: replays them by the rules and the clock, and checks their order and hash chains.

This proves that the results follow from the records. The players' receipts prove that the records are the original
ones.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from palestra_games import UnknownGame
from palestra_referee.automaton import start, step
from palestra_referee.canonical import canonical_json
from palestra_referee.effects import Append
from palestra_referee.events import Created, Detached
from palestra_referee.layout import FORMAT, JOURNAL, MANIFEST, MATCHES, NOWHERE, Place, journal_line, match_entry
from palestra_referee.match import Match
from palestra_referee.receipts import receipt
from palestra_referee.records import event_from_line, foreign_event_from_line

Export: TypeAlias = str | Path | IO[bytes]

_READ: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Report:
    """What was checked. `wrong` is the first fault found, or None; `unchecked` is what could not be checked here;
    `receipts` counts the given receipts that were found and match.
    """

    matches: int
    tournaments: int
    wrong: str | None = None
    unchecked: str | None = None
    receipts: int = 0

    @property
    def ok(self) -> bool:
        return self.wrong is None and self.unchecked is None

    def __str__(self) -> str:
        if self.wrong is not None:
            return f"not verified: {self.wrong}"
        counts = [(self.matches, "match", "es"), (self.tournaments, "tournament", "s")]
        counts += [(self.receipts, "receipt", "s")] if self.receipts else []
        text = "verified: " + ", ".join(f"{count} {what}{'' if count == 1 else more}" for count, what, more in counts)
        return text if self.unchecked is None else f"{text}; not checked: {self.unchecked}"


class Wrong(Exception):
    """Verification failed; the text is a sentence that says why."""


@dataclass(frozen=True, slots=True)
class Played:
    """What a tournament's events must agree with about a match."""

    match: Match
    drops: tuple[int, int]
    place: Place


# Checks the tournaments of these names; raises Wrong.
CheckTournaments: TypeAlias = Callable[[zipfile.ZipFile, Sequence[str], Mapping[str, Played]], None]


def verify_matches(
    export: Export, receipts: Mapping[str, str] | None = None, check_tournaments: CheckTournaments | None = None
) -> Report:
    """Verifies the matches of an export; `receipts` are a player's own, by match.

    Without `check_tournaments`, tournaments are reported as unchecked. `palestra_tournament.verify_export` checks
    everything, but needs numpy and rustworkx.
    """
    matches = found = 0
    try:
        with zipfile.ZipFile(export) as files:
            manifest = read_manifest(files)
            played: dict[str, Played] = {}
            for entry, lines in read_matches(files):
                if entry["match"] in played:
                    raise Wrong(f"match {entry['match']} is there twice.")
                played[entry["match"]] = verify_match(entry, lines)
                kept = (receipts or {}).get(entry["match"])
                if kept not in (None, entry["receipt"]):
                    raise Wrong(f"match {entry['match']}: the receipt is {entry['receipt']}, but {kept} was kept.")
                found += kept is not None
                matches += 1
            if matches != manifest["matches"]:
                raise Wrong(f"{MANIFEST} says {manifest['matches']} matches, but there are {matches}.")
            names = manifest["tournaments"]
            if check_tournaments is not None:
                check_tournaments(files, names, played)
            elif names:
                missing = "the tournaments (to check them too: pip install numpy rustworkx)"
                return Report(matches, 0, None, missing, found)
    except Wrong as error:
        return Report(matches, 0, str(error), None, found)
    except OSError as error:
        return Report(matches, 0, f"it can't be read: {error.strerror or error}.", None, found)
    except zipfile.BadZipFile as error:
        return Report(matches, 0, f"it can't be read as an export ({error}).", None, found)
    return Report(matches, len(names), None, None, found)


def verify_unfinished(matches: Iterable[tuple[str, Sequence[bytes]]]) -> str | None:
    """What is wrong with the records of unfinished matches; None if nothing is."""
    try:
        for name, lines in matches:
            replay_strictly(name, lines)
    except Wrong as error:
        return str(error)
    return None


# --- the files --------------------------------------------------------------------------------------------------------


def read_manifest(files: zipfile.ZipFile) -> dict[str, Any]:
    manifest = read_map(read_file(files, MANIFEST), MANIFEST)
    if manifest.get("format") != FORMAT:
        raise Wrong(f"{MANIFEST}: this is format {manifest.get('format')}, and this program knows {FORMAT}.")
    sums, names = manifest.get("files"), manifest.get("tournaments")
    if not isinstance(sums, dict) or not isinstance(names, list) or not isinstance(manifest.get("matches"), int):
        raise Wrong(f"{MANIFEST} lacks 'files', 'tournaments' or 'matches'.")
    there = [name for name in files.namelist() if name != MANIFEST]
    for name in there:
        if name not in sums or there.count(name) > 1:
            raise Wrong(f"{name} is not in {MANIFEST}, or is there twice.")
    for name, expected in sums.items():
        if name not in there:
            raise Wrong(f"{name} is missing.")
        digest = sha256()
        try:
            with files.open(name) as file:
                while data := file.read(_READ):
                    digest.update(data)
        except (zipfile.BadZipFile, EOFError) as error:
            raise Wrong(f"{name} is damaged ({error}).") from None
        if digest.hexdigest() != expected:
            raise Wrong(f"{name} is not the file that {MANIFEST} describes: its SHA-256 differs.")
    return manifest


def read_matches(files: zipfile.ZipFile) -> Iterator[tuple[dict[str, Any], list[bytes]]]:
    entries = read_lines(files, MATCHES)
    kept = ((read_map(line, f"{JOURNAL}, line {number}"), line) for number, line in read_lines(files, JOURNAL))
    for match, rows in groupby(kept, key=lambda row: row[0].get("match")):
        number, line = next(entries, (0, b""))
        where = f"{MATCHES}, line {number}"
        entry = read_map(line, where) if line else {}
        if entry.get("match") != match or not isinstance(match, str):
            other = entry.get("match", "nothing")
            raise Wrong(f"{JOURNAL} continues with match {match}, but {MATCHES} with {other}.")
        lines = []
        for seq, (row, text) in enumerate(rows):
            record = canonical(row.get("record"), f"match {match}, record {seq}")
            if text != journal_line(match, seq, record):
                raise Wrong(f"match {match}, record {seq}: its line in {JOURNAL} is not canonical, or out of order.")
            lines.append(record)
        if canonical(entry, where) != line:
            raise Wrong(f"{where} is not canonical JSON.")
        yield entry, lines
    number, line = next(entries, (0, b""))
    if line:
        raise Wrong(f"{MATCHES}, line {number}: {JOURNAL} has no records of this match.")


def read_lines(files: zipfile.ZipFile, name: str) -> Iterator[tuple[int, bytes]]:
    if name not in files.namelist():
        raise Wrong(f"{name} is missing.")
    with files.open(name) as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                raise Wrong(f"{name}, line {number} is cut off.")
            yield number, line[:-1]


def read_file(files: zipfile.ZipFile, name: str) -> bytes:
    try:
        return files.read(name)
    except KeyError:
        raise Wrong(f"{name} is missing.") from None


def read_map(line: bytes, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise Wrong(f"{where} is not JSON.") from None
    if not isinstance(value, dict):
        raise Wrong(f"{where} is not a map.")
    return value


def canonical(value: object, where: str) -> bytes:
    try:
        return canonical_json(value)
    except ValueError as error:
        raise Wrong(f"{where}: {error}") from None


# --- a match ----------------------------------------------------------------------------------------------------------


def verify_match(entry: Mapping[str, Any], lines: Sequence[bytes]) -> Played:
    """Replays the records of a match and compares them with its entry. Raises Wrong."""
    name = entry["match"]
    match = replay_strictly(name, lines)
    if match.config.match != name:
        raise Wrong(f"match {name}: record 0 belongs to match {match.config.match}.")
    if match.outcome is None:
        raise Wrong(f"match {name}: its records have no end.")
    expected = match_entry(match, receipt(lines), NOWHERE, 0, None)
    # A match's place and times of day don't follow from its records.
    for key in ("started", "ended", "fixture", "round", "pair"):
        expected[key] = entry.get(key)
    if entry.keys() != expected.keys():
        raise Wrong(f"match {name}: {MATCHES} has the fields {', '.join(sorted(entry))}.")
    for key in ("started", "ended"):
        if type(entry[key]) is not int:
            raise Wrong(f"match {name}: '{key}' is {short(entry[key])}, not a time of day in milliseconds.")
    _compare_moves(name, entry["moves"], expected["moves"])
    for key, value in expected.items():
        if canonical_json(value) != canonical_json(entry[key]):
            raise Wrong(f"match {name}: '{key}' is {short(entry[key])}, but its records give {short(value)}.")
    drops = [0, 0]
    for line in lines:
        if isinstance(event := event_from_line(line), Detached):
            drops[event.seat] += 1
    return Played(match, (drops[0], drops[1]), (entry["fixture"], entry["round"], entry["pair"]))


def _compare_moves(name: str, told: object, expected: Sequence[Mapping[str, Any]]) -> None:
    """Raises Wrong for the first move that is not what the records give."""
    if not isinstance(told, list) or len(told) != len(expected):
        count = f"{len(told)} moves" if isinstance(told, list) else "no list of moves"
        raise Wrong(f"match {name}: {MATCHES} has {count}, but its records give {len(expected)}.")
    for move, right in zip(told, expected, strict=True):
        if not isinstance(move, dict) or move.keys() != right.keys():
            raise Wrong(f"match {name}, ply {right['ply']}: the move has not the fields {', '.join(sorted(right))}.")
        for key, value in right.items():
            if canonical_json(value) != canonical_json(move[key]):
                raise Wrong(
                    f"match {name}, ply {right['ply']}: '{key}' is {short(move[key])}, "
                    f"but its records give {short(value)}."
                )


def replay_strictly(name: str, lines: Iterable[bytes]) -> Match:
    """The match that these records lead to. Raises Wrong for a record that the referee would never have written."""
    match: Match | None = None
    for seq, line in enumerate(lines):
        where = f"match {name}, record {seq}"
        try:
            event = foreign_event_from_line(line)
            if match is None:
                if not isinstance(event, Created):
                    raise Wrong(f"{where}: a match begins with 'created'.")
                match, _ = start(event.config, event.at)
                continue
            match, effects = step(match, event)
        except UnknownGame as error:
            raise Wrong(f"{where}: {error} Install the package of this game.") from None
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise Wrong(f"{where}: {error}") from None
        if not any(isinstance(effect, Append) for effect in effects):
            raise Wrong(f"{where}: '{_type(line)}' changes nothing here, so the referee did not write it.")
    if match is None:
        raise Wrong(f"match {name} has no records.")
    return match


def _type(line: bytes) -> str:
    return str(json.loads(line)["type"])


def short(value: object) -> str:
    text = canonical_json(value).decode()
    return text if len(text) <= 80 else f"{text[:77]}..."
