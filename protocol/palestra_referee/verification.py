"""Verifies the records of matches: replays them by the rules and the clock, and checks their order and hash chains.

This proves that the results follow from the records. The players' receipts prove that the records are the original
ones.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeAlias

from palestra_games import UnknownGame
from palestra_protocol.english import plural
from palestra_protocol.harmless import harmless
from palestra_referee.automaton import start, step
from palestra_referee.canonical import canonical_json
from palestra_referee.clock import MS
from palestra_referee.effects import Append
from palestra_referee.events import Acted, AlarmDue, Created, Event, MatchConfig, Restarted, TurnWritten, Voided, Why
from palestra_referee.layout import JOURNAL, MANIFEST, MATCH_BYTES, MATCHES, NOWHERE, Place, journal_line, match_entry
from palestra_referee.match import Match, Outcome
from palestra_referee.reading import Export, Files, Manifest, Wrong, canonical, open_export, read_map
from palestra_referee.receipts import Kept, receipt
from palestra_referee.records import foreign_event_from_line

INCOMPLETE: Final = 3  # exit code of the commands that write or verify an export from which something is left out
REMARKS: Final = 50  # most remarks shown
LINE_MAX: Final = 1000  # characters of each: the reason for a ruling has 500, and names


@dataclass(frozen=True, slots=True)
class Report:
    """What was checked. `wrong` is the first fault found, or None; `unchecked` is what could not be checked here;
    `receipts` counts the given receipts that were found and match, or is None if none were given. `remarks` are
    sentences about what the file does not show; `incomplete`: something damaged is missing from it.
    """

    matches: int = 0
    tournaments: int = 0
    wrong: str | None = None
    unchecked: str | None = None
    receipts: int | None = None
    remarks: tuple[str, ...] = ()
    incomplete: bool = False

    @property
    def ok(self) -> bool:
        return self.wrong is None and self.unchecked is None

    def __str__(self) -> str:
        """For a terminal: text from the file can neither control nor flood it."""
        if self.wrong is not None:
            return _line(f"not verified: {self.wrong}")
        counts = [plural(self.matches, "match", "matches"), plural(self.tournaments, "tournament")]
        counts += [] if self.receipts is None else [plural(self.receipts, "receipt")]
        text = f"verified: {', '.join(counts)}"
        if self.unchecked is not None:
            text += f"; not checked: {self.unchecked}"
        more = [f"... and {len(self.remarks) - REMARKS} more remarks."] if len(self.remarks) > REMARKS else []
        return "\n".join(map(_line, (text, *self.remarks[:REMARKS], *more)))


def _line(text: str) -> str:
    shown = text if len(text) <= LINE_MAX else f"{text[: LINE_MAX - 3]}..."
    return harmless(shown).replace("\n", "?")


@dataclass(frozen=True, slots=True)
class Played:
    """What a tournament's events and the players' receipts must agree with about a match.

    `actions` are those after the opening, `charged_ms` the charges for them, each rounded up.
    """

    config: MatchConfig
    outcome: Outcome
    plies: int
    actions: tuple[int, ...]
    charged_ms: tuple[int, ...]
    drops: tuple[int, int]
    place: Place
    receipt: str


class Checked(NamedTuple):
    """The tournaments that go on in an export, by name, and sentences about what they lack."""

    going_on: frozenset[str]
    remarks: Sequence[str] = ()


# Checks the tournaments of an export; raises Wrong.
CheckTournaments: TypeAlias = Callable[[Files, Mapping[str, Played]], Checked]


def verify_matches(
    export: Export, kept: Sequence[Kept] | None = None, check_tournaments: CheckTournaments | None = None
) -> Report:
    """Verifies the matches of an export; `kept` are a player's own receipts.

    Without `check_tournaments`, tournaments are reported as unchecked. `palestra_tournament.verify_export` checks
    everything, but needs numpy and rustworkx.
    """
    played: dict[str, Played] = {}
    try:
        with open_export(export) as files:
            manifest = files.manifest
            for entry, lines in read_matches(files):
                if entry["match"] in played:
                    raise Wrong(f"match {entry['match']} is there twice.")
                played[entry["match"]] = verify_match(entry, lines)
                if entry["ended"] > manifest.exported:
                    raise Wrong(
                        f"{MANIFEST} says exported at {manifest.exported}, before match {entry['match']} ended."
                    )
            if len(played) != manifest.matches:
                raise Wrong(f"{MANIFEST} says {manifest.matches} matches, but there are {len(played)}.")
            if twice := played.keys() & set(manifest.left_out.matches):
                raise Wrong(f"{MANIFEST}: the match {min(twice)} can't be both in the file and left out.")
            names = manifest.tournaments
            checked = Checked(frozenset(names)) if check_tournaments is None else check_tournaments(files, played)
            found, unmet = _compare(kept or (), played, manifest, checked.going_on)
    except Wrong as error:
        return Report(wrong=str(error))
    unchecked = None
    if check_tournaments is None and names:
        unchecked = "the tournaments (to check them too: pip install numpy rustworkx)"
    return Report(
        len(played),
        0 if unchecked else len(names),
        unchecked=unchecked,
        receipts=None if kept is None else found,
        remarks=(*_missing(played, manifest), *checked.remarks, *unmet),
        incomplete=manifest.left_out.matches + manifest.left_out.tournaments != (),
    )


def _compare(
    kept: Sequence[Kept], played: Mapping[str, Played], manifest: Manifest, going_on: frozenset[str]
) -> tuple[int, list[str]]:
    """How many receipts are those of the export, and sentences about those whose matches it can't have.

    Raises Wrong for two receipts of one match, and for a match that differs, or is missing from a tournament.
    """
    mine: dict[str, Kept] = {}
    for one in kept:
        other = mine.setdefault(one.match, one)
        if other.receipt != one.receipt:
            raise Wrong(
                f"match {one.match}: two different receipts were kept, {other.receipt} and {one.receipt}; "
                "a match has one."
            )
    remarks = []
    elsewhere = Counter[str]()
    for match, one in mine.items():
        place = "outside of a tournament" if one.tournament is None else f"of the tournament {one.tournament}"
        foreign = one.server_id != manifest.server_id and None not in (one.server_id, manifest.server_id)
        if (this := played.get(match)) is not None:
            if this.receipt != one.receipt:
                raise Wrong(f"match {match}: the receipt is {this.receipt}, but {one.receipt} was kept.")
            if foreign:
                raise Wrong(
                    f"match {match}: its receipt was given by the server {one.server_id}, but {MANIFEST} says that "
                    f"it is of {manifest.server_id}."
                )
        elif foreign:
            elsewhere[f"of the server {one.server_id}, another one"] += 1
        elif match in manifest.left_out.matches or one.tournament in manifest.left_out.tournaments:
            remarks.append(f"Not compared: the receipt of match {match}, {place}, which is left out of the file.")
        elif one.tournament in manifest.hidden:
            remarks.append(f"Not compared: the receipt of match {match}, {place}, whose hidden round is left out.")
        elif one.tournament not in manifest.tournaments:
            elsewhere[f"of matches {place}"] += 1
        elif one.tournament in going_on and one.when_ms > manifest.exported:
            remarks.append(f"Not compared: the receipt of match {match}, {place}, which ended after the export.")
        else:
            raise Wrong(f"match {match}, {place}, is missing: its receipt {one.receipt} was kept.")
    remarks += [
        f"Not compared: {plural(count, 'receipt')} {whose}, which the file does not hold."
        for whose, count in elsewhere.items()
    ]
    return sum(match in played for match in mine), remarks


def _missing(played: Mapping[str, Played], manifest: Manifest) -> Iterator[str]:
    """What the export itself says that it lacks."""
    for what, missing in (("match", manifest.left_out.matches), ("tournament", manifest.left_out.tournaments)):
        for name in missing:
            yield f"Left out: the {what} {name}, because it is damaged."
    for name in manifest.hidden:
        yield f"Left out: the last round of the tournament {name}, which is hidden until it is revealed."
    known = {None, *manifest.tournaments, *manifest.left_out.tournaments}
    for tournament, count in Counter(this.config.tournament for this in played.values()).items():
        if tournament not in known:
            yield f"Not in the file: the tournament {tournament}, of which it has {plural(count, 'match', 'matches')}."


def verify_unfinished(matches: Iterable[tuple[str, Sequence[bytes]]]) -> str | None:
    """What is wrong with the records of unfinished matches; None if nothing is."""
    try:
        for name, lines in matches:
            replay_strictly(name, lines)
    except Wrong as error:
        return str(error)
    return None


def read_matches(files: Files) -> Iterator[tuple[dict[str, Any], list[bytes]]]:
    """The entry of each match, and its records. Raises Wrong."""
    entries = files.lines(MATCHES)
    kept = ((read_map(line, f"{JOURNAL}, line {number}"), line) for number, line in files.lines(JOURNAL))
    for match, rows in groupby(kept, key=lambda row: row[0].get("match")):
        number, line = next(entries, (0, b""))
        where = f"{MATCHES}, line {number}"
        entry = read_map(line, where) if line else {}
        if entry.get("match") != match or not isinstance(match, str):
            other = entry.get("match", "nothing")
            raise Wrong(f"{JOURNAL} continues with match {match}, but {MATCHES} with {other}.")
        lines, size = [], 0
        for seq, (row, text) in enumerate(rows):
            size += len(text)
            if size > MATCH_BYTES:
                raise Wrong(f"match {match} has far more records than a match can have.")
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


# --- a match ----------------------------------------------------------------------------------------------------------


def verify_match(entry: Mapping[str, Any], lines: Sequence[bytes]) -> Played:
    """Replays the records of a match and compares them with its entry. Raises Wrong."""
    name = entry["match"]
    match = replay_strictly(name, lines)
    chain = receipt(lines)
    if match.config.match != name:
        raise Wrong(f"match {name}: record 0 belongs to match {match.config.match}.")
    if match.outcome is None:
        raise Wrong(f"match {name}: its records have no end.")
    expected = match_entry(match, chain, NOWHERE, 0, None)
    # A match's place and times of day don't follow from its records.
    for key in ("started", "ended", "fixture", "round", "pair"):
        expected[key] = entry.get(key)
    if entry.keys() != expected.keys():
        raise Wrong(f"match {name}: {MATCHES} has the fields {', '.join(sorted(entry))}.")
    for key in ("started", "ended"):
        if type(entry[key]) is not int or entry[key] < 0:
            raise Wrong(f"match {name}: '{key}' is {short(entry[key])}, not a time of day in milliseconds.")
    if entry["ended"] < entry["started"]:
        raise Wrong(f"match {name} ended at {entry['ended']}, before it started at {entry['started']}.")
    _compare_moves(name, entry["moves"], expected["moves"])
    for key, value in expected.items():
        if canonical_json(value) != canonical_json(entry[key]):
            raise Wrong(f"match {name}: '{key}' is {short(entry[key])}, but its records give {short(value)}.")
    return Played(
        match.config,
        match.outcome,
        match.ply,
        tuple(move.action for move in match.moves),
        tuple(-(-move.charged_ns // MS) for move in match.moves),
        match.drops,
        (entry["fixture"], entry["round"], entry["pair"]),
        chain,
    )


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
    latest = 0
    for seq, line in enumerate(lines):
        where = f"match {name}, record {seq}"
        try:
            event = foreign_event_from_line(line)
            _check_time(event, latest)
            latest = max(latest, event.at)
            if match is None:
                if not isinstance(event, Created):
                    raise Wrong(f"{where}: a match begins with 'created'.")
                match, _ = start(event.config, event.at)
                continue
            if isinstance(event, Voided):
                _check_void(event.why, match)
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


def _check_time(event: Event, latest: int) -> None:
    """Raises ValueError, with a one-sentence message, if this record can't be of its time; `latest` is the latest one
    before.
    """
    if isinstance(event, Created) and event.at != 0:
        raise ValueError(f"a match is created at 0, not at {event.at}.")
    if isinstance(event, Acted) and not 0 <= event.arrived_at <= event.at:
        raise ValueError(f"what was read at {event.at} can't have arrived at {event.arrived_at}.")
    if isinstance(event, TurnWritten | AlarmDue | Restarted | Voided) and event.at < latest:
        raise ValueError(f"its time, {event.at}, is before {latest}, that of an earlier one.")


def _check_void(why: Why, match: Match) -> None:
    """Raises ValueError, with a one-sentence message, if this match can't be void for this now."""
    config, code, player = match.config, why["code"], why.get("player")
    if code == "failed":
        if why["game"] != config.game:
            raise ValueError(f"'failed' names {why['game']}, not the game of this match.")
    elif player not in config.players:
        raise ValueError(f"'{code}' names {player}, who does not play in it.")
    elif code == "name_taken" and (player, True) not in zip(config.players, config.guests, strict=True):
        raise ValueError(f"'name_taken' names {player}, who is no guest of this match.")
    elif code == "refused" and (config.tournament is not None or match.phase != "starting"):
        raise ValueError("'refused' is the end of a challenge that has not begun, and of nothing else.")
    elif code == "taken_back" and (config.tournament is not None or config.rated):
        raise ValueError("'taken_back' is the end of a casual match that is not rated, and of nothing else.")


def _type(line: bytes) -> str:
    return str(json.loads(line)["type"])


def short(value: object) -> str:
    text = canonical_json(value).decode()
    return text if len(text) <= 80 else f"{text[:77]}..."
