"""`step(tournament, event) -> (tournament, effects)`; the package's docstring says what each event does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, assert_never

from palestra_games.interface import DRAW
from palestra_referee.events import Why
from palestra_tournament import draws
from palestra_tournament.events import (
    Began,
    Closed,
    Completed,
    Created,
    Drawn,
    Effect,
    Ended,
    Event,
    MatchStarted,
    Notify,
    Paused,
    Record,
    Reinstated,
    Resumed,
    Revealed,
    Step,
    Withdrew,
)
from palestra_tournament.faults import Fault
from palestra_tournament.formats.pairing import PairRound, pair_round
from palestra_tournament.hiding import covered, lifted, waiting_round
from palestra_tournament.model import ABSENCES, Entrant, Fixture, Result, Ruled, Tournament
from palestra_tournament.openings import with_openings
from palestra_tournament.pending import between, with_fixtures, with_results, without_results
from palestra_tournament.ruling import judged, rule
from palestra_tournament.spec import Spec

FIXTURES_MAX: Final = 500_000  # that many take seconds to draw and half a gigabyte
VOIDS_MAX: Final = 3  # a fixture whose matches have been void this often stays void


def check_entrants(spec: Spec, entrants: Sequence[Entrant]) -> None:
    """Raises ValueError, with a one-sentence message, for entrants that can't play."""
    names = [entrant.name for entrant in entrants]
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"Everybody takes part once, but the list has {', '.join(twice)} more than once.")
    playing = [entrant for entrant in entrants if not entrant.reference]
    wanted = 1 if spec.format.needs_references else 2
    if len(entrants) < 2 or len(playing) < wanted:
        count = len(playing)
        raise ValueError(f"This format needs at least {wanted} players besides the reference bots, not {count}.")
    fault = too_large(spec, entrants)
    if fault is not None:
        raise ValueError(fault)


def too_large(spec: Spec, entrants: Sequence[Entrant]) -> Fault | None:
    """What is wrong if these would have more fixtures than a tournament may have."""
    players = sum(not entrant.reference for entrant in entrants)
    if players < 2 and not (players and spec.format.needs_references):
        return None
    names = tuple(entrant.name for entrant in entrants)
    planned = spec.format.planned(Tournament(spec, tuple(entrants), names, 0)).fixtures or 0
    return Fault("too_large", players=players, planned=planned, most=FIXTURES_MAX) if planned > FIXTURES_MAX else None


def create(spec: Spec, seed: int, salt: str, at_ms: int) -> Created:
    """The first event of a tournament, which says neither the seed nor the salt, but lets nobody change them."""
    return Created(spec.sha256, draws.commitment(seed, salt), at_ms)


def begin(
    spec: Spec,
    entrants: Sequence[Entrant],
    seed: int,
    at_ms: int,
    pair: PairRound = pair_round,
    salt: str = "",
) -> Step:
    """A new tournament with its first fixtures drawn; `pair` as in `step`. `salt` is what its seed was committed with.

    Raises ValueError like `check_entrants`.
    """
    check_entrants(spec, entrants)
    names = [entrant.name for entrant in entrants]
    event = Began(tuple(entrants), seed, at_ms, salt)
    seeds = tuple(names) if spec.seeding == "roster" else tuple(draws.shuffled(names, seed, "seeding"))
    t = Tournament(spec, event.entrants, seeds, seed, revealed=spec.embargo == "none", at_ms=at_ms)
    return _advance(t, [Record(event)], pair)


def replay(spec: Spec, events: Iterable[Event], pair: PairRound = pair_round) -> Tournament | None:
    """The tournament that these recorded events, of which the first is Created, lead to; None if it has not begun.

    Raises ValueError for events in another order, or another file.
    """
    created, t = False, None
    for event in events:
        if t is not None:
            t, _ = step(t, event, pair)
        elif not created and isinstance(event, Created):
            created = True
            if event.file != spec.sha256:
                raise ValueError("its file is not the one that it was created with.")
        elif created and isinstance(event, Began):
            t, _ = begin(spec, event.entrants, event.seed, event.at_ms, pair, event.salt)
        else:
            raise ValueError(f"The records of a tournament can't begin with {type(event).__name__}.")
    if not created:
        raise ValueError("There is no record of this tournament.")
    return t


def playable(t: Tournament, among: Collection[str] | None = None) -> Iterator[Fixture]:
    """The fixtures that may begin now, in order, each judged as if it were the next one to begin.

    Both players have fewer than `per_bot` matches in progress; reference bots may have any number. A round that will be
    hidden waits for the end of all others. `among`: only fixtures of these players. Take the first suitable one (the
    host has room), feed MatchStarted, and ask again.
    """
    if t.phase != "running" or t.closed:
        return
    busy = Counter(name for identifier in t.playing for name in t.by_id[identifier].players)
    references = t.references
    full = {name for name, count in busy.items() if count >= t.spec.per_bot and name not in references}
    waits = waiting_round(t) if t.settled < len(t.fixtures) else None
    for fixture in between(t, t.pending.keys() - full if among is None else set(among) - full):
        if waits is not None and fixture.round >= waits:
            return
        if fixture.id not in t.playing:
            yield fixture


def step(t: Tournament, event: Event, pair: PairRound = pair_round) -> Step:
    """The tournament after `event`, and what the shell has to do now, in order.

    An event that doesn't fit (a second result, an unknown fixture, pausing twice) changes nothing and has no effects.
    Raises ValueError for Created and Began, which come before. `pair` pairs a Swiss round instead of `pair_round`.
    """
    if isinstance(event, Created | Began):
        raise ValueError("A tournament begins once: use begin() for a new one.")
    if event.at_ms < t.at_ms:
        event = replace(event, at_ms=t.at_ms)
    after = _after(t, event)
    if after is None:
        return t, ()
    changed, effects = after
    changed = changed.but(at_ms=event.at_ms)
    if isinstance(event, MatchStarted | Ended):
        changed = covered(t, changed, event)
    if isinstance(event, MatchStarted):  # half of all events, and none of them decides anything
        return changed, (Record(event), *effects)
    return _advance(changed, [Record(event), *effects], pair)


def _after(t: Tournament, event: Event) -> tuple[Tournament, list[Effect]] | None:
    """The direct changes of an event; None if it doesn't fit."""
    over = t.phase == "completed"
    match event:
        case MatchStarted(fixture, match):
            if over or fixture not in t.by_id or fixture in t.results:
                return None
            return t.but(playing={**t.playing, fixture: match}), []
        case Ended():
            return _ended(t, event)
        case Withdrew(player):
            if over or player in t.withdrawn or player not in t.seeds:
                return None
            return _withdraw(t, {player: {"code": "host"}}, event.at_ms)
        case Reinstated(player):
            # While a round is hidden, nobody may learn from this who was withdrawn in it.
            if (over and (t.closed or t.shown is not None)) or player not in t.withdrawn:
                return None
            return _reinstate(t, player), []
        case Paused(why):
            return None if t.phase != "running" else (t.but(phase="paused", why_paused=why), [])
        case Resumed():
            if t.phase != "paused" and not t.closed:
                return None
            return t.but(phase="running", why_paused=None, closed=False), []
        case Revealed():
            return None if t.revealed else (lifted(t), [])
        case Closed(counts_all=counts_all):
            return None if over or t.closed else (t.but(closed=True, counts_all=counts_all), [])
        case Ruled():
            try:
                return rule(t, event), [Notify(player, event) for player in judged(t, event.match).fixture.players]
            except ValueError:
                return None
        case Created() | Began():
            return None
        case _:
            assert_never(event)


def _ended(t: Tournament, event: Ended) -> tuple[Tournament, list[Effect]] | None:
    fixture = t.by_id.get(event.fixture)
    if fixture is None or fixture.id in t.results or t.playing.get(fixture.id, event.match) != event.match:
        return None
    t = t.but(playing={key: match for key, match in t.playing.items() if key != fixture.id})
    if event.reason == "void":
        voids = t.voids.get(fixture.id, 0) + 1
        t = t.but(voids={**t.voids, fixture.id: voids})
        if voids < VOIDS_MAX:
            return _walk_over(t, event.at_ms), []
    result = Result(
        fixture,
        event.returns,
        event.reason,
        event.match,
        event.plies,
        event.actions,
        event.charged_ms,
        event.drops,
        event.at_ms,
    )
    failures = dict(t.failures)
    out: dict[str, Why] = {}
    for player, at_fault in zip(fixture.players, result.at_fault, strict=True):
        streak = failures[player] = failures.get(player, 0) + 1 if at_fault and event.reason in ABSENCES else 0
        if 0 < t.spec.withdraw_after <= streak and player not in t.references | t.withdrawn.keys():
            out[player] = {"code": "absent", "count": streak}
    return _withdraw(with_results(t, [result]).but(failures=failures), out, event.at_ms)


def _withdraw(t: Tournament, whys: Mapping[str, Why], at_ms: int) -> tuple[Tournament, list[Effect]]:
    """Takes these players out together: what two of them had not played is worth nothing to either."""
    if not whys:
        return t, []
    notices: list[Effect] = [Notify(player, why) for player, why in whys.items()]
    return _walk_over(t.but(withdrawn={**t.withdrawn, **whys}), at_ms), notices


def _reinstate(t: Tournament, player: str) -> Tournament:
    """Lets a player back in, and reopens its walkovers unless fixtures were drawn since."""
    out = {name: why for name, why in t.withdrawn.items() if name != player}
    reopened = [
        identifier
        for number, (identifier, result) in enumerate(t.results.items())
        if number >= t.fixed
        and result.match is None
        and player in result.fixture.players
        and out.keys().isdisjoint(result.fixture.players)
    ]
    phase = "running" if t.phase == "completed" else t.phase
    return without_results(t.but(withdrawn=out, failures={**t.failures, player: 0}, phase=phase), reopened)


def _walk_over(t: Tournament, at_ms: int = 0) -> Tournament:
    """Awards the fixtures that withdrawn players haven't begun to their opponents.

    The withdrawal of one of the host's bots makes nobody win: those fixtures are void.
    """
    if not t.withdrawn:
        return t
    hosts = t.references & t.withdrawn.keys()
    places = {place for name in t.withdrawn for meeting in t.pending.get(name, {}).values() for place in meeting.places}
    results = []
    for fixture in (t.fixtures[place] for place in sorted(places)):
        if fixture.id in t.playing:
            continue
        first, second = (player in t.withdrawn for player in fixture.players)
        if hosts.isdisjoint(fixture.players):
            results.append(Result(fixture, (float(second - first), float(first - second)), "walkover", at_ms=at_ms))
        else:
            results.append(Result(fixture, DRAW, "void", at_ms=at_ms))
    return with_results(t, results)


def _advance(t: Tournament, effects: list[Effect], pair: PairRound = pair_round) -> Step:
    """Draws whatever can be drawn now, and completes the tournament if nothing is left."""
    fresh: list[Fixture] = []
    while t.phase != "completed" and not t.closed:
        drawn = t.spec.format.draw(t, pair)
        if drawn is None:
            break
        fixtures = with_openings(t, drawn.fixtures)
        t = t.but(
            fixtures=t.fixtures + fixtures,
            by_id=t.by_id.plus((fixture.id, fixture) for fixture in fixtures),
            pending=with_fixtures(t.pending, enumerate(fixtures, len(t.fixtures))),
            byes=t.byes + drawn.byes,
            fixed=len(t.results),
        )
        t = _walk_over(t)
        fresh += fixtures
        effects += [Notify(bye.player, bye) for bye in drawn.byes]
    if fresh:
        effects.append(Drawn(tuple(fresh)))
    if t.phase != "completed" and not t.playing and (t.closed or t.settled == len(t.fixtures)):
        t = t.but(phase="completed")
        effects.append(Completed())
    return t, tuple(effects)
