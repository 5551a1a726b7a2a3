"""Verifies an export: its matches (`palestra_referee.verification`), and its tournaments.

A tournament is replayed from its file, entrants, seed and results. These must agree with the records of its matches,
and every table must come out byte for byte.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest

from palestra_games.interface import DRAW
from palestra_referee.layout import EVENTS, FILE, FILE_BYTES, MANIFEST, NOWHERE, folder
from palestra_referee.reading import Export, Files, Wrong, canonical, read_map
from palestra_referee.receipts import Kept
from palestra_referee.verification import Checked, Played, Report, short, verify_matches
from palestra_tournament.automaton import begin, step
from palestra_tournament.embargo import hides
from palestra_tournament.events import Began, Ended, MatchStarted, Record
from palestra_tournament.export import TABLES, place_of
from palestra_tournament.model import Fixture, Tournament
from palestra_tournament.records import foreign_event_from_record
from palestra_tournament.spec import Spec, parse_spec


def verify_export(export: Export, kept: Sequence[Kept] | None = None) -> Report:
    """Verifies a whole export; `kept` are a player's own receipts."""
    return verify_matches(export, kept, _verify_tournaments)


def _verify_tournaments(files: Files, played: Mapping[str, Played]) -> Checked:
    begun: dict[str, Fixture] = {}
    going_on = set()
    remarks: list[str] = []
    names = files.manifest.tournaments
    if strange := set(files.manifest.hidden) - set(names):
        raise Wrong(f"{MANIFEST}: of the tournament {min(strange)}, which is not in the file, a round is hidden.")
    for name in names:
        now = verify_tournament(name, files, played, begun, remarks)
        if now is None or now.phase != "completed":
            going_on.add(name)
    _check_places(played, begun, names)
    return Checked(frozenset(going_on), remarks)


def verify_tournament(
    name: str, files: Files, played: Mapping[str, Played], begun: dict[str, Fixture], remarks: list[str]
) -> Tournament | None:
    """Replays a tournament from its file and events, and compares its tables; None if it has not begun. Raises Wrong.

    Adds the fixtures of all matches that it started to `begun`, by match, and what it lacks to `remarks`, as sentences.
    """
    place = folder(name)
    try:
        spec = parse_spec(files.read(place + FILE, FILE_BYTES).decode())
    except ValueError as error:
        raise Wrong(f"{place}{FILE}: {str(error).splitlines()[0]}") from None
    if spec.name != name:
        raise Wrong(f"{place}{FILE} belongs to the tournament {spec.name}.")
    now: Tournament | None = None
    for number, line in files.lines(place + EVENTS):
        now = _after(now, spec, line, f"tournament {name}, event {number - 1}", played, begun, remarks)
    if files.has_begun(name) != (now is not None):
        raise Wrong(f"tournament {name} has {'no ' if now is not None else ''}tables, against its events.")
    if name in files.manifest.hidden and (now is None or now.revealed or hides(now)):
        raise Wrong(f"tournament {name}: its manifest says that a round is left out as hidden, but none is.")
    if now is not None:
        for file, table in TABLES.items():
            _compare_table(place + file, table(now), files)
    return now


def _compare_table(name: str, table: str, files: Files) -> None:
    expected = table.encode()
    told = files.read(name, len(expected))
    if told == expected:
        return
    pairs = zip_longest(expected.splitlines(keepends=True), told.splitlines(keepends=True), fillvalue=b"")
    number, right, line = next((number, a, b) for number, (a, b) in enumerate(pairs, 1) if a != b)
    # Long lines are shown from a little before their first difference.
    same = next((i for i, (a, b) in enumerate(zip(right, line, strict=False)) if a != b), min(len(right), len(line)))
    begin = max(0, same - 20)
    was, wants = (short(text[begin:].decode(errors="replace")) for text in (line, right))
    raise Wrong(f"{name}, line {number} has {was} where the results give {wants}.")


def _after(
    now: Tournament | None,
    spec: Spec,
    line: bytes,
    where: str,
    played: Mapping[str, Played],
    begun: dict[str, Fixture],
    remarks: list[str],
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
            return begin(spec, event.entrants, event.seed, event.at_ms)[0]
        if isinstance(event, Ended):
            _ended(event, now, spec, where, played, remarks)
        after, effects = step(now, event)
    except ValueError as error:
        raise Wrong(f"{where}: {error}") from None
    if not effects:
        raise Wrong(f"{where}: '{record['type']}' does not fit here, so the server did not write it.")
    if effects[0] != Record(event):
        raise Wrong(f"{where}: at_ms is {event.at_ms}, before that of the event before, {now.at_ms}.")
    if isinstance(event, MatchStarted):
        before = now.playing.get(event.fixture)
        if before is not None or event.match in begun:
            raise Wrong(f"{where}: match {before or event.match} was started before, and did not end.")
        begun[event.match] = after.by_id[event.fixture]
    return after


def _began(event: Began, spec: Spec, where: str) -> None:
    if event.file != spec.sha256:
        raise Wrong(f"{where}: the tournament began with another {FILE}: its SHA-256 was {short(event.file)}.")
    if spec.seed is not None and event.seed != spec.seed:
        raise Wrong(f"{where}: the seed is {event.seed}, but the file says {spec.seed}.")
    for entrant in event.entrants:
        if entrant.reference != (entrant.name in spec.reference):
            raise Wrong(f"{where}: {entrant.name} is a reference bot in the file or in the event, but not in both.")
        if not (entrant.reference or spec.invites(entrant.name, entrant.group)):
            raise Wrong(f"{where}: {entrant.name} was not invited.")


def _ended(
    event: Ended, now: Tournament, spec: Spec, where: str, played: Mapping[str, Played], remarks: list[str]
) -> None:
    """Raises Wrong unless the event agrees with the records of its match."""
    fixture = now.by_id.get(event.fixture)
    if fixture is None:
        raise Wrong(f"{where}: the fixture {event.fixture} was never drawn.")
    if now.playing.get(event.fixture) != event.match:
        raise Wrong(f"{where}: match {event.match} ended without having started.")
    this = played.get(event.match)
    if this is None:
        if event != Ended(event.fixture, event.match, DRAW, "void", 0, (), (), event.at_ms):
            raise Wrong(f"{where}: the export has no match {event.match}.")
        remarks.append(f"Void without records: match {event.match} of the tournament {spec.name}; it could not go on.")
        return
    config = this.config
    clock = spec.clock
    told = {
        "fixture": (config.fixture, fixture.id),
        "tournament": (config.tournament, spec.name),
        "game": (config.game, fixture.game),
        "players": (config.players, fixture.players),
        "opening": (config.opening, fixture.opening),
        "rated": (config.rated, True),
        "guests": (config.guests, (False, False)),
        "move_ms": (config.move_ms, clock.move_ms),
        "seat_ms": (config.seat_ms, None),
        "grace_ms": (config.grace_ms, clock.grace_ms),
        "ready_ms": (config.ready_ms, clock.ready_ms),
        "away": (config.away, clock.away),
        "away_ms": (config.away_ms, clock.away_ms),
        "returns": (this.outcome.returns, event.returns),
        "reason": (this.outcome.reason, event.reason),
        "plies": (this.plies, event.plies),
        "actions": (this.actions, event.actions),
        "charged_ms": (this.charged_ms, event.charged_ms),
        "drops": (this.drops, event.drops),
    }
    for key, (recorded, expected) in told.items():
        if recorded != expected:
            raise Wrong(
                f"{where}: the {key} of match {event.match} is {short(recorded)} in its records, "
                f"but {short(expected)} in the tournament."
            )


def _check_places(played: Mapping[str, Played], begun: Mapping[str, Fixture], names: Collection[str]) -> None:
    """Raises Wrong for a match that claims a tournament which never started it, or a different place in one."""
    for name, this in played.items():
        tournament, fixture = this.config.tournament, begun.get(name)
        if tournament in names and fixture is None:
            raise Wrong(f"match {name} was not started by the tournament {tournament}.")
        place = NOWHERE if fixture is None else place_of(fixture)
        if this.place != place:
            raise Wrong(f"match {name}: fixture, round and pair are {short(this.place)}, not {short(place)}.")
