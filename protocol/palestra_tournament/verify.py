"""Whether an export is what it says: every match replayed by the rules and the clock, every table computed anew.

It needs nothing but the export. What it proves is that the results follow from the records; that the records are those
of the day is proved by the receipts which players were given.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import IO, Any, Final

from palestra_games import UnknownGame
from palestra_referee import (
    MS,
    Append,
    Created,
    Detached,
    Match,
    canonical_json,
    event_from_line,
    receipt,
    start,
)
from palestra_referee import step as referee_step
from palestra_tournament.automaton import begin, step
from palestra_tournament.events import Began, Ended, MatchStarted, Record
from palestra_tournament.export import (
    EVENTS,
    FILE,
    FORMAT,
    JOURNAL,
    MANIFEST,
    MATCHES,
    TABLES,
    folder,
    journal_line,
    match_entry,
)
from palestra_tournament.model import Fixture, Tournament
from palestra_tournament.records import event_from_record
from palestra_tournament.spec import Spec, parse_spec

_READ: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Report:
    """What was checked. `wrong`: the first thing that is not as it should be, None if nothing is; `unchecked`: what
    could not be looked at here; `receipts`: how many of the receipts given were found and are right."""

    matches: int
    tournaments: int
    wrong: str | None = None
    unchecked: str | None = None
    receipts: int = 0

    @property
    def ok(self) -> bool:
        """Everything was checked, and all of it holds."""
        return self.wrong is None and self.unchecked is None

    def __str__(self) -> str:
        if self.wrong is not None:
            return f"not verified: {self.wrong}"
        receipts = f", {self.receipts} receipts" if self.receipts else ""
        text = f"verified: {self.matches} matches, {self.tournaments} tournaments{receipts}"
        return text if self.unchecked is None else f"{text}; not checked: {self.unchecked}"


class Wrong(Exception):
    """Something is not as it should be; the text is a sentence that says what."""


@dataclass(frozen=True, slots=True)
class _Played:
    """What a tournament's events say of a match again."""

    match: Match
    drops: tuple[int, int]
    place: tuple[str | None, int | None, str | None]
    """Fixture, round and pair."""


def verify_export(path: str | Path | IO[bytes], receipts: Mapping[str, str] | None = None) -> Report:
    """Checks an export as a whole; `receipts` are those that somebody kept, by match."""
    matches = tournaments = found = 0
    try:
        with zipfile.ZipFile(path) as files:
            manifest = _manifest(files)
            played: dict[str, _Played] = {}
            for entry, lines in _matches(files):
                played[entry["match"]] = verify_match(entry, lines)
                kept = (receipts or {}).get(entry["match"])
                if kept not in (None, entry["receipt"]):
                    raise Wrong(f"match {entry['match']}: the receipt is {entry['receipt']}, and {kept} was kept.")
                found += kept is not None
                matches += 1
            if matches != manifest["matches"]:
                raise Wrong(f"{MANIFEST} says {manifest['matches']} matches, and there are {matches}.")
            try:
                begun: dict[str, Fixture] = {}
                for name in manifest["tournaments"]:
                    begun |= verify_tournament(name, files, played)
                    tournaments += 1
            except ModuleNotFoundError as error:
                missing = f"tournaments, which need {error.name} (pip install 'palestra-protocol[tournament]')"
                return Report(matches, tournaments, None, missing, found)
            _check_places(played, begun, manifest["tournaments"])
    except Wrong as error:
        return Report(matches, tournaments, str(error), None, found)
    except (OSError, zipfile.BadZipFile) as error:
        return Report(matches, tournaments, f"{path} can't be read as an export ({error}).", None, found)
    return Report(matches, tournaments, None, None, found)


def verify_unfinished(matches: Iterable[tuple[str, Sequence[bytes]]]) -> str | None:
    """What is wrong with the records of matches that go on, None if nothing is."""
    try:
        for name, lines in matches:
            replay_strictly(name, lines)
    except Wrong as error:
        return str(error)
    return None


# --- the files --------------------------------------------------------------------------------------------------------


def _manifest(files: zipfile.ZipFile) -> dict[str, Any]:
    manifest = _map(_whole(files, MANIFEST), MANIFEST)
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
            raise Wrong(f"{name} is not the file that {MANIFEST} describes: its SHA-256 is another one.")
    return manifest


def _matches(files: zipfile.ZipFile) -> Iterator[tuple[dict[str, Any], list[bytes]]]:
    """Each match with its records."""
    entries = _lines(files, MATCHES)
    kept = ((_map(line, f"{JOURNAL}, line {number}"), line) for number, line in _lines(files, JOURNAL))
    for match, rows in groupby(kept, key=lambda row: row[0].get("match")):
        number, line = next(entries, (0, b""))
        where = f"{MATCHES}, line {number}"
        entry = _map(line, where) if line else {}
        if entry.get("match") != match or not isinstance(match, str):
            other = entry.get("match", "nothing")
            raise Wrong(f"{JOURNAL} goes on with the match {match}, and {MATCHES} with {other}.")
        lines = []
        for seq, (row, text) in enumerate(rows):
            record = _canonical(row.get("record"), f"match {match}, record {seq}")
            if text != journal_line(match, seq, record):
                raise Wrong(f"match {match}, record {seq}: its line in {JOURNAL} is not canonical, or out of order.")
            lines.append(record)
        if _canonical(entry, where) != line:
            raise Wrong(f"{where} is not canonical JSON.")
        yield entry, lines
    number, line = next(entries, (0, b""))
    if line:
        raise Wrong(f"{MATCHES}, line {number}: {JOURNAL} has no records of this match.")


def _lines(files: zipfile.ZipFile, name: str) -> Iterator[tuple[int, bytes]]:
    if name not in files.namelist():
        raise Wrong(f"{name} is missing.")
    with files.open(name) as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                raise Wrong(f"{name}, line {number} is cut off.")
            yield number, line[:-1]


def _whole(files: zipfile.ZipFile, name: str) -> bytes:
    try:
        return files.read(name)
    except KeyError:
        raise Wrong(f"{name} is missing.") from None


def _map(line: bytes, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        raise Wrong(f"{where} is no JSON.") from None
    if not isinstance(value, dict):
        raise Wrong(f"{where} is no map.")
    return value


def _canonical(value: object, where: str) -> bytes:
    try:
        return canonical_json(value)
    except ValueError as error:
        raise Wrong(f"{where}: {error}") from None


# --- a match ----------------------------------------------------------------------------------------------------------


def verify_match(entry: Mapping[str, Any], lines: Sequence[bytes]) -> _Played:
    """Replays the records of a match and holds what is said of it against them. Raises Wrong."""
    name = entry["match"]
    match = replay_strictly(name, lines)
    if match.config.match != name:
        raise Wrong(f"match {name}, record 0 is of the match {match.config.match}.")
    if match.outcome is None:
        raise Wrong(f"match {name} has no end in its records.")
    expected = match_entry(match, receipt(lines), None, 0, None)
    # The places of a match and the times of day do not follow from its records.
    for key in ("started", "ended", "fixture", "round", "pair"):
        expected[key] = entry.get(key)
    if entry.keys() != expected.keys():
        raise Wrong(f"match {name}: {MATCHES} has the fields {', '.join(sorted(entry))}.")
    for key, value in expected.items():
        if canonical_json(value) != canonical_json(entry[key]):
            raise Wrong(f"match {name}: '{key}' is {_short(entry[key])}, and its records give {_short(value)}.")
    drops = [0, 0]
    for line in lines:
        if isinstance(event := event_from_line(line), Detached):
            drops[event.seat] += 1
    return _Played(match, (drops[0], drops[1]), (entry["fixture"], entry["round"], entry["pair"]))


def replay_strictly(name: str, lines: Iterable[bytes]) -> Match:
    """The match that these records lead to. Raises Wrong for one that the referee would never have written."""
    match: Match | None = None
    for seq, line in enumerate(lines):
        where = f"match {name}, record {seq}"
        try:
            event = event_from_line(line)
            if match is None:
                if not isinstance(event, Created):
                    raise Wrong(f"{where}: a match begins with 'created'.")
                match, _ = start(event.config, event.at)
                continue
            match, effects = referee_step(match, event)
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


def _short(value: object) -> str:
    text = canonical_json(value).decode()
    return text if len(text) <= 80 else f"{text[:77]}..."


# --- a tournament -----------------------------------------------------------------------------------------------------


def verify_tournament(name: str, files: zipfile.ZipFile, played: Mapping[str, _Played]) -> dict[str, Fixture]:
    """Replays a tournament from its file and its events, and makes its tables anew. Raises Wrong.

    Returns the matches that it began, with what each of them was to play.
    """
    place = folder(name)
    try:
        spec = parse_spec(_whole(files, place + FILE).decode())
    except ValueError as error:
        raise Wrong(f"{place}{FILE}: {str(error).splitlines()[0]}") from None
    if spec.name != name:
        raise Wrong(f"{place}{FILE} is of the tournament {spec.name}.")
    now: Tournament | None = None
    begun: dict[str, Fixture] = {}
    for number, line in _lines(files, place + EVENTS):
        now = _after(now, spec, line, f"tournament {name}, event {number - 1}", played, begun)
    if now is None:
        return begun
    for file, table in TABLES.items():
        expected, told = table(now).encode().splitlines(), _whole(files, place + file).splitlines()
        for number in range(max(len(expected), len(told))):
            if expected[number : number + 1] != told[number : number + 1]:
                raise Wrong(f"{place}{file}, line {number + 1} does not follow from the results.")
    return begun


def _after(
    now: Tournament | None,
    spec: Spec,
    line: bytes,
    where: str,
    played: Mapping[str, _Played],
    begun: dict[str, Fixture],
) -> Tournament:
    record = _map(line, where)
    if _canonical(record, where) != line:
        raise Wrong(f"{where} is not canonical JSON.")
    try:
        event = event_from_record(record)
        if now is None:
            if not isinstance(event, Began):
                raise Wrong(f"{where}: a tournament begins with 'began'.")
            _began(event, spec, where)
            return begin(spec, event.entrants, event.seed, event.at_ms)[0]
        if isinstance(event, Ended):
            _ended(event, now, spec, where, played)
        after, effects = step(now, event)
    except ValueError as error:
        raise Wrong(f"{where}: {error}") from None
    if not any(isinstance(effect, Record) for effect in effects):
        raise Wrong(f"{where}: '{record['type']}' does not fit here, so the server did not write it.")
    if isinstance(event, MatchStarted):
        begun[event.match] = after.by_id[event.fixture]
    return after


def _began(event: Began, spec: Spec, where: str) -> None:
    if spec.seed is not None and event.seed != spec.seed:
        raise Wrong(f"{where}: the seed is {event.seed}, and the file says {spec.seed}.")
    for entrant in event.entrants:
        if entrant.reference != (entrant.name in spec.reference):
            raise Wrong(f"{where}: {entrant.name} is a reference bot in one of file and event only.")
        if not (entrant.reference or spec.invites(entrant.name, entrant.group)):
            raise Wrong(f"{where}: {entrant.name} was not invited.")


def _ended(event: Ended, now: Tournament, spec: Spec, where: str, played: Mapping[str, _Played]) -> None:
    """What the event says of its match is what the match's records say."""
    this = played.get(event.match)
    if this is None:
        raise Wrong(f"{where}: the export has no match {event.match}.")
    match, config = this.match, this.match.config
    fixture = now.by_id.get(event.fixture)
    if fixture is None or match.outcome is None:
        raise Wrong(f"{where}: nobody drew the fixture {event.fixture}.")
    clock = spec.clock
    told = {
        "fixture": (config.fixture, fixture.id),
        "tournament": (config.tournament, spec.name),
        "game": (config.game, fixture.game),
        "players": (config.players, fixture.players),
        "opening": (config.opening, fixture.opening),
        "move_ms": (config.move_ms, clock.move_ms),
        "seat_ms": (config.seat_ms, None),
        "grace_ms": (config.grace_ms, clock.grace_ms),
        "ready_ms": (config.ready_ms, clock.ready_ms),
        "away": (config.away, clock.away),
        "away_ms": (config.away_ms, clock.away_ms),
        "returns": (match.outcome.returns, event.returns),
        "reason": (match.outcome.reason, event.reason),
        "plies": (match.ply, event.plies),
        "actions": (tuple(move.action for move in match.moves), event.actions),
        "charged_ms": (tuple(-(-move.charged_ns // MS) for move in match.moves), event.charged_ms),
        "drops": (this.drops, event.drops),
    }
    for key, (recorded, expected) in told.items():
        if recorded != expected:
            raise Wrong(
                f"{where}: the {key} of match {event.match} is {_short(recorded)} in its records, "
                f"and {_short(expected)} in the tournament."
            )


def _check_places(played: Mapping[str, _Played], begun: Mapping[str, Fixture], names: Sequence[str]) -> None:
    """No match says that it is of a tournament which never began it, and each stands in its place. Raises Wrong."""
    for name, this in played.items():
        tournament, fixture = this.match.config.tournament, begun.get(name)
        if tournament in names and fixture is None:
            raise Wrong(f"match {name} is not one that the tournament {tournament} began.")
        place = (None, None, None) if fixture is None else (fixture.id, fixture.round, fixture.pair)
        if this.place != place:
            raise Wrong(f"match {name}: fixture, round and pair are {_short(this.place)}, and not {_short(place)}.")
