"""Verifies an export: its matches (`palestra_referee.verification`), and its tournaments.

A tournament is replayed from its file, entrants, seed and results. These must agree with the records of its matches,
and every table must come out byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice, zip_longest
from typing import TypeVar

from palestra_games.interface import DRAW
from palestra_protocol.english import sentence
from palestra_referee import layout
from palestra_referee.reading import Export, Files, Wrong, canonical, read_map
from palestra_referee.receipts import Kept
from palestra_referee.verification import Checked, Played, Report, short, verify_matches
from palestra_tournament.automaton import begin, replay, step
from palestra_tournament.draws import commitment
from palestra_tournament.events import Began, Created, Ended, Event, MatchStarted, Record
from palestra_tournament.export import SEASONS, TABLES, place_of
from palestra_tournament.hiding import hides
from palestra_tournament.model import Carried, Earlier, Fixture, Ruled, Tournament
from palestra_tournament.openings import opening_lists
from palestra_tournament.records import event_to_record, foreign_event_from_record
from palestra_tournament.ruling import judged
from palestra_tournament.season import Season, parse_season
from palestra_tournament.season_tables import carry_over
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
        raise Wrong(
            f"{layout.MANIFEST}: of the tournament {min(strange)}, which is not in the file, a round is hidden."
        )
    lists = opening_lists()
    if files.read(layout.OPENINGS, len(lists)) != lists:
        raise Wrong(f"{layout.OPENINGS} does not hold the lists of openings that this program knows.")
    found: dict[str, Tournament | None] = {}
    for name in names:
        found[name] = now = verify_tournament(name, files, played, begun, remarks)
        if now is None or now.phase != "completed":
            going_on.add(name)
    _check_places(played, begun, names)
    for name in files.manifest.seasons:
        _verify_season(name, files, found)
    return Checked(frozenset(going_on), remarks)


def verify_tournament(
    name: str, files: Files, played: Mapping[str, Played], begun: dict[str, Fixture], remarks: list[str]
) -> Tournament | None:
    """Replays a tournament from its file and events, and compares its tables; None if it has not begun. Raises Wrong.

    Adds the fixtures of all matches that it started to `begun`, by match, and what it lacks to `remarks`, as sentences.
    """
    place, spec = layout.folder(name), _spec(name, files)
    created: Created | None = None
    now: Tournament | None = None
    for number, line in files.lines(place + layout.EVENTS):
        where = f"tournament {name}, event {number - 1}"
        event = _event(line, where)
        if created is None:
            created = _created(event, spec, where)
        elif now is None:
            now = _began(event, created, spec, where)
            if now.carried is not None:
                _verify_carried(now, now.carried, files, remarks)
        else:
            now = _after(now, spec, event, where, played, begun, remarks)
    if created is None:
        raise Wrong(f"{place}{layout.EVENTS} is empty.")
    if event.at_ms > files.manifest.exported:
        raise Wrong(f"tournament {name}: exported at {files.manifest.exported}, before its last event.")
    if files.has_begun(name) != (now is not None):
        raise Wrong(f"tournament {name} has {'no ' if now is not None else ''}tables, against its events.")
    if name in files.manifest.hidden and (now is None or now.revealed or hides(now)):
        raise Wrong(f"tournament {name}: its manifest says that a round is left out as hidden, but none is.")
    if now is not None:
        for file, table in TABLES.items():
            _compare_table(place + file, table(now), files)
    return now


N = TypeVar("N", Spec, Season)


def _read(name: str, file: str, parse: Callable[[str], N], what: str, files: Files) -> N:
    """The tournament or season of this name. Raises Wrong."""
    try:
        found = parse(files.read(file, layout.FILE_BYTES).decode())
    except ValueError as error:
        raise Wrong(f"{file}: {str(error).splitlines()[0]}") from None
    if found.name != name:
        raise Wrong(f"{file} belongs to the {what} {found.name}.")
    return found


def _spec(name: str, files: Files) -> Spec:
    return _read(name, layout.folder(name) + layout.FILE, parse_spec, "tournament", files)


def _verify_season(name: str, files: Files, found: Mapping[str, Tournament | None]) -> None:
    """Compares the tables of a season with those that its tournaments give. Raises Wrong."""
    season, place = _season(name, files), layout.season_folder(name)
    for file, table in SEASONS.items():
        _compare_table(place + file, table(season, [found.get(leg.name) for leg in season.tournaments]), files)


def _season(name: str, files: Files) -> Season:
    return _read(name, layout.season_folder(name) + layout.SEASON_FILE, parse_season, "season", files)


def _verify_carried(t: Tournament, carried: Carried, files: Files, remarks: list[str]) -> None:
    """Has the ratings that decided the seeding come out of the earlier tournaments again. Raises Wrong."""
    where, names = f"tournament {t.spec.name}", [each.name for each in carried.tournaments]
    if missing := [name for name in names if name not in files.manifest.tournaments]:
        remarks.append(
            f"Not checked: the ratings that decided the seeding of the tournament {t.spec.name}, since {missing[0]} of "
            f"the season {carried.season} is not in the file."
        )
        return
    if carried.season in files.manifest.seasons:
        season = _season(carried.season, files)
        before = [name for name in season.before(t.spec.name) if name in names]
        if season.seeding != "ratings" or names != before:
            # A season can be created anew with another file at any time.
            remarks.append(
                f"The seeding of the tournament {t.spec.name} follows ratings from {', '.join(names)}, which the "
                f"file of the season {season.name} does not carry over now."
            )
    earlier = [(_after_events(each, files, where), each.events) for each in carried.tournaments]
    if carry_over(carried.season, earlier, t.seeds) != carried:
        raise Wrong(f"{where}: its seeding follows other ratings than those of {', '.join(names)}.")


def _after_events(earlier: Earlier, files: Files, where: str) -> Tournament:
    lines = islice(files.lines(layout.folder(earlier.name) + layout.EVENTS), earlier.events)
    found = [_event(line, f"tournament {earlier.name}, event {number - 1}") for number, line in lines]
    try:
        t = replay(_spec(earlier.name, files), found) if len(found) == earlier.events else None
    except ValueError as error:
        raise Wrong(f"tournament {earlier.name}: {error}") from None
    if t is None or t.phase != "completed" or hides(t):
        raise Wrong(f"{where}: {earlier.name} was not over after {earlier.events} events.")
    return t


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
    now: Tournament,
    spec: Spec,
    event: Event,
    where: str,
    played: Mapping[str, Played],
    begun: dict[str, Fixture],
    remarks: list[str],
) -> Tournament:
    if isinstance(event, Ended):
        _ended(event, now, spec, where, played, remarks)
    try:
        after, effects = step(now, event)
    except ValueError as error:
        raise Wrong(f"{where}: {error}") from None
    if not effects:
        kind = event_to_record(event)["type"]
        raise Wrong(f"{where}: '{kind}' does not fit here, so the server did not write it.")
    if isinstance(event, Ruled):
        fixture = judged(after, event.match).fixture
        verdict = sentence("ruling", {"code": event.verdict, "winner": event.winner})
        remarks.append(
            f"Ruling: match {event.match} ({' - '.join(fixture.players)}) of the tournament {spec.name} {verdict}: "
            f"{event.why}"
        )
    if effects[0] != Record(event):
        raise Wrong(f"{where}: at_ms is {event.at_ms}, before that of the event before, {now.at_ms}.")
    if isinstance(event, MatchStarted):
        before = now.playing.get(event.fixture)
        if before is not None or event.match in begun:
            raise Wrong(f"{where}: match {before or event.match} was started before, and did not end.")
        begun[event.match] = after.by_id[event.fixture]
    return after


def _event(line: bytes, where: str) -> Event:
    record = read_map(line, where)
    if canonical(record, where) != line:
        raise Wrong(f"{where} is not canonical JSON.")
    try:
        return foreign_event_from_record(record)
    except ValueError as error:
        raise Wrong(f"{where}: {error}") from None


def _created(event: Event, spec: Spec, where: str) -> Created:
    if not isinstance(event, Created):
        raise Wrong(f"{where}: the first event of a tournament is 'created'.")
    if event.file != spec.sha256:
        raise Wrong(
            f"{where}: the tournament was created with another {layout.FILE}: its SHA-256 was {short(event.file)}."
        )
    return event


def _began(event: Event, created: Created, spec: Spec, where: str) -> Tournament:
    if not isinstance(event, Began):
        raise Wrong(f"{where}: the second event of a tournament is 'began'.")
    if commitment(event.seed, event.salt) != created.commitment:
        raise Wrong(f"{where}: seed {event.seed} is not the one that the server had committed to.")
    if event.at_ms < created.at_ms:
        raise Wrong(f"{where}: at_ms is {event.at_ms}, before that of the event before, {created.at_ms}.")
    if spec.seed is not None and event.seed != spec.seed:
        raise Wrong(f"{where}: the seed is {event.seed}, but the file says {spec.seed}.")
    for entrant in event.entrants:
        if entrant.reference != (entrant.name in spec.reference):
            raise Wrong(f"{where}: {entrant.name} is a reference bot in the file or in the event, but not in both.")
        if not (entrant.reference or spec.invites(entrant.name, entrant.group)):
            raise Wrong(f"{where}: {entrant.name} was not invited.")
    try:
        return begin(spec, event.entrants, event.seed, event.at_ms, salt=event.salt, carried=event.carried)[0]
    except ValueError as error:
        raise Wrong(f"{where}: {error}") from None


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
    if (why := this.outcome.why)["code"] == "house_late" and why["player"] not in now.references:
        raise Wrong(f"{where}: match {event.match} was void for {why['player']}, who is no reference bot.")


def _check_places(played: Mapping[str, Played], begun: Mapping[str, Fixture], names: Collection[str]) -> None:
    """Raises Wrong for a match that claims a tournament which never started it, or a different place in one, and for
    one that is listed before another that its tournament started earlier.
    """
    order = {match: number for number, match in enumerate(begun)}
    latest: dict[str | None, str] = {}
    for name, this in played.items():
        tournament, fixture = this.config.tournament, begun.get(name)
        if tournament in names and fixture is None:
            raise Wrong(f"match {name} was not started by the tournament {tournament}.")
        place = layout.NOWHERE if fixture is None else place_of(fixture)
        if this.place != place:
            raise Wrong(f"match {name}: fixture, round and pair are {short(this.place)}, not {short(place)}.")
        if fixture is not None:
            before = latest.get(tournament, name)
            if order[before] > order[name]:
                raise Wrong(
                    f"{layout.MATCHES} has match {before} before {name}, against the events of tournament {tournament}."
                )
            latest[tournament] = name
