"""Verifies an export: its matches (`palestra_referee.verification`), and its tournaments.

A tournament is replayed from its file, entrants, seed and results. These must agree with the records of its matches,
and every table must come out byte for byte.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence

from palestra_referee import MS
from palestra_referee.layout import NOWHERE
from palestra_referee.verification import (
    Export,
    Played,
    Report,
    Wrong,
    canonical,
    read_file,
    read_lines,
    read_map,
    short,
    verify_matches,
)
from palestra_tournament.automaton import begin, step
from palestra_tournament.events import Began, Ended, MatchStarted, Record
from palestra_tournament.export import EVENTS, FILE, TABLES, folder, place_of
from palestra_tournament.model import Fixture, Tournament
from palestra_tournament.records import foreign_event_from_record
from palestra_tournament.spec import Spec, parse_spec


def verify_export(export: Export, receipts: Mapping[str, str] | None = None) -> Report:
    """Verifies a whole export; `receipts` are a player's own, by match."""
    return verify_matches(export, receipts, _verify_tournaments)


def _verify_tournaments(files: zipfile.ZipFile, names: Sequence[str], played: Mapping[str, Played]) -> None:
    begun: dict[str, Fixture] = {}
    for name in names:
        begun |= verify_tournament(name, files, played)
    _check_places(played, begun, names)


def verify_tournament(name: str, files: zipfile.ZipFile, played: Mapping[str, Played]) -> dict[str, Fixture]:
    """Replays a tournament from its file and events, and compares its tables. Raises Wrong.

    Returns the fixtures of all matches that it started, by match.
    """
    place = folder(name)
    try:
        spec = parse_spec(read_file(files, place + FILE).decode())
    except ValueError as error:
        raise Wrong(f"{place}{FILE}: {str(error).splitlines()[0]}") from None
    if spec.name != name:
        raise Wrong(f"{place}{FILE} belongs to the tournament {spec.name}.")
    now: Tournament | None = None
    begun: dict[str, Fixture] = {}
    for number, line in read_lines(files, place + EVENTS):
        now = _after(now, spec, line, f"tournament {name}, event {number - 1}", played, begun)
    if now is None:
        return begun
    for file, table in TABLES.items():
        expected, told = table(now).encode().split(b"\n"), read_file(files, place + file).split(b"\n")
        for number in range(max(len(expected), len(told))):
            if expected[number : number + 1] != told[number : number + 1]:
                raise Wrong(f"{place}{file}, line {number + 1} does not follow from the results.")
    return begun


def _after(
    now: Tournament | None,
    spec: Spec,
    line: bytes,
    where: str,
    played: Mapping[str, Played],
    begun: dict[str, Fixture],
) -> Tournament:
    record = read_map(line, where)
    if canonical(record, where) != line:
        raise Wrong(f"{where} is not canonical JSON.")
    try:
        event = foreign_event_from_record(record)
        if now is None:
            if not isinstance(event, Began):
                raise Wrong(f"{where}: a tournament begins with 'began'.")
            _began(event, spec, where)
            return begin(spec, event.entrants, event.seed, event.at_ms, rules=event.rules)[0]
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
        raise Wrong(f"{where}: the seed is {event.seed}, but the file says {spec.seed}.")
    for entrant in event.entrants:
        if entrant.reference != (entrant.name in spec.reference):
            raise Wrong(f"{where}: {entrant.name} is a reference bot in the file or in the event, but not in both.")
        if not (entrant.reference or spec.invites(entrant.name, entrant.group)):
            raise Wrong(f"{where}: {entrant.name} was not invited.")


def _ended(event: Ended, now: Tournament, spec: Spec, where: str, played: Mapping[str, Played]) -> None:
    """Raises Wrong unless the event agrees with the records of its match."""
    this = played.get(event.match)
    if this is None:
        raise Wrong(f"{where}: the export has no match {event.match}.")
    match, config = this.match, this.match.config
    fixture = now.by_id.get(event.fixture)
    if fixture is None or match.outcome is None:
        raise Wrong(f"{where}: the fixture {event.fixture} was never drawn.")
    clock = spec.clock
    told = {
        "fixture": (config.fixture, fixture.id),
        "tournament": (config.tournament, spec.name),
        "game": (config.game, fixture.game),
        "players": (config.players, fixture.players),
        "opening": (config.opening, fixture.opening),
        "rated": (config.rated, True),
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
                f"{where}: the {key} of match {event.match} is {short(recorded)} in its records, "
                f"but {short(expected)} in the tournament."
            )


def _check_places(played: Mapping[str, Played], begun: Mapping[str, Fixture], names: Sequence[str]) -> None:
    """Raises Wrong for a match that claims a tournament which never started it, or a different place in one."""
    for name, this in played.items():
        tournament, fixture = this.match.config.tournament, begun.get(name)
        if tournament in names and fixture is None:
            raise Wrong(f"match {name} was not started by the tournament {tournament}.")
        place = NOWHERE if fixture is None else place_of(fixture)
        if this.place != place:
            raise Wrong(f"match {name}: fixture, round and pair are {short(this.place)}, not {short(place)}.")
