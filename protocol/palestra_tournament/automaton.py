"""`step(tournament, event) -> (tournament, effects)`; the package's docstring says what each event does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, assert_never

from palestra_referee.events import Why
from palestra_tournament import draws, events
from palestra_tournament.drawn import checked
from palestra_tournament.entering import check_entrants, join
from palestra_tournament.following import settled, walk_over
from palestra_tournament.formats.pairing import PairRound, pair_round
from palestra_tournament.hiding import covered, lifted, waiting_round
from palestra_tournament.interface import Draw
from palestra_tournament.model import ABSENCES, Carried, Entrant, Fixture, Result, Ruled, Tournament
from palestra_tournament.openings import with_openings
from palestra_tournament.pending import between, with_fixtures, with_results, without_results
from palestra_tournament.ruling import judged, rule
from palestra_tournament.spec import Spec

VOIDS_MAX: Final = 3  # a fixture whose matches have been void this often stays void


def create(spec: Spec, seed: int, salt: str, at_ms: int) -> events.Created:
    """The first event of a tournament, which says neither the seed nor the salt, but lets nobody change them."""
    return events.Created(spec.sha256, draws.commitment(seed, salt), at_ms)


def begin(
    spec: Spec,
    entrants: Sequence[Entrant],
    seed: int,
    at_ms: int,
    pair: PairRound = pair_round,
    salt: str = "",
    carried: Carried | None = None,
) -> events.Step:
    """A new tournament with its first fixtures drawn; `pair` as in `step`. `salt` is what its seed was committed with,
    `carried` what its season carries over.

    Raises ValueError like `check_entrants`.
    """
    check_entrants(spec, entrants)
    names = [entrant.name for entrant in entrants]
    event = events.Began(tuple(entrants), seed, at_ms, salt, carried)
    seeds = names if spec.seeding == "roster" else draws.shuffled(names, seed, "seeding")
    if carried is not None:
        seeds = carried.seeds(seeds)
    revealed = spec.embargo == "none"
    t = Tournament(spec, event.entrants, tuple(seeds), seed, carried, revealed=revealed, at_ms=at_ms)
    return _advance(t, [events.Record(event)], pair)


def replay(spec: Spec, recorded: Iterable[events.Event], pair: PairRound = pair_round) -> Tournament | None:
    """The tournament that `recorded` events, of which the first is Created, lead to; None if it has not begun.

    Raises ValueError for events in another order, or another file.
    """
    created, t = False, None
    for event in recorded:
        if t is not None:
            t, _ = step(t, event, pair)
        elif not created and isinstance(event, events.Created):
            created = True
            if event.file != spec.sha256:
                raise ValueError("its file is not the one that it was created with.")
        elif created and isinstance(event, events.Began):
            t, _ = begin(spec, event.entrants, event.seed, event.at_ms, pair, event.salt, event.carried)
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


def step(t: Tournament, event: events.Event, pair: PairRound = pair_round) -> events.Step:
    """The tournament after `event`, and what the shell has to do now, in order.

    An event that doesn't fit (a second result, an unknown fixture, pausing twice) changes nothing and has no effects.
    Raises ValueError for Created and Began, which come before. `pair` pairs a Swiss round instead of `pair_round`.
    """
    if isinstance(event, events.Created | events.Began):
        raise ValueError("A tournament begins once: use begin() for a new one.")
    if event.at_ms < t.at_ms:
        event = replace(event, at_ms=t.at_ms)
    after = _after(t, event)
    if after is None:
        return t, ()
    changed, effects = after
    changed = changed.but(at_ms=event.at_ms)
    if isinstance(event, events.MatchStarted | events.Ended):
        changed = covered(t, changed, event)
    if isinstance(event, events.MatchStarted):  # half of all events, and none of them decides anything
        return changed, (events.Record(event), *effects)
    return _advance(changed, [events.Record(event), *effects], pair)


def _after(t: Tournament, event: events.Event) -> tuple[Tournament, list[events.Effect]] | None:
    """The direct changes of an event; None if it doesn't fit."""
    over = t.phase == "completed"
    match event:
        case events.MatchStarted(fixture, match):
            if over or fixture not in t.by_id or fixture in t.results:
                return None
            return t.but(playing={**t.playing, fixture: match}), []
        case events.Ended():
            return _ended(t, event)
        case events.Joined():
            try:
                return _joined(t, event)
            except ValueError:
                return None
        case events.Withdrew(player):
            if over or player in t.withdrawn or player not in t.seeds:
                return None
            return _withdraw(t, {player: {"code": "host"}}, event.at_ms)
        case events.Reinstated(player):
            # While a round is hidden, nobody may learn from this who was withdrawn in it.
            if (over and (t.closed or t.shown is not None)) or player not in t.withdrawn:
                return None
            return _reinstate(t, player), []
        case events.Paused(why):
            return None if t.phase != "running" else (t.but(phase="paused", why_paused=why), [])
        case events.Resumed():
            if t.phase != "paused" and not t.closed:
                return None
            return t.but(phase="running", why_paused=None, closed=False), []
        case events.Revealed():
            return None if t.revealed else (lifted(t), [])
        case events.Closed(counts_all=counts_all):
            return None if over or t.closed else (t.but(closed=True, counts_all=counts_all), [])
        case Ruled():
            try:
                after = rule(t, event)
            except ValueError:
                return None
            fixtures = [
                judged(t, event.match).fixture,
                *(t.by_id[each] for each in after.struck.keys() - t.struck.keys()),
            ]
            told = sorted({player for fixture in fixtures for player in fixture.players}, key=t.seeds.index)
            return after, [events.Notify(player, event) for player in told]
        case events.Created() | events.Began():
            return None
        case _:
            assert_never(event)


def _ended(t: Tournament, event: events.Ended) -> tuple[Tournament, list[events.Effect]] | None:
    fixture = t.by_id.get(event.fixture)
    if fixture is None or fixture.id in t.results or t.playing.get(fixture.id, event.match) != event.match:
        return None
    t = t.but(playing={key: match for key, match in t.playing.items() if key != fixture.id})
    if event.reason == "void":
        voids = t.voids.get(fixture.id, 0) + 1
        t = t.but(voids={**t.voids, fixture.id: voids})
        if voids < VOIDS_MAX:
            return walk_over(t, event.at_ms), []
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


def _joined(t: Tournament, event: events.Joined) -> tuple[Tournament, list[events.Effect]]:
    """Raises Refused."""
    t, drawn = join(t, event)
    return walk_over(_with_drawn(t, drawn), event.at_ms), [events.Notify(event.player, event)]


def _withdraw(t: Tournament, whys: Mapping[str, Why], at_ms: int) -> tuple[Tournament, list[events.Effect]]:
    """Takes these players out together: what two of them had not played is worth nothing to either."""
    if not whys:
        return t, []
    notices: list[events.Effect] = [events.Notify(player, why) for player, why in whys.items()]
    return walk_over(t.but(withdrawn={**t.withdrawn, **whys}), at_ms), notices


def _reinstate(t: Tournament, player: str) -> Tournament:
    """Lets a player back in, and reopens its walkovers unless fixtures were drawn since."""
    out = {name: why for name, why in t.withdrawn.items() if name != player}
    reopened = [
        identifier
        for number, (identifier, result) in enumerate(t.results.items())
        if number >= t.fixed
        and result.match is None
        and identifier not in t.struck
        and player in result.fixture.players
        and out.keys().isdisjoint(result.fixture.players)
    ]
    phase = "running" if t.phase == "completed" else t.phase
    return without_results(t.but(withdrawn=out, failures={**t.failures, player: 0}, phase=phase), reopened)


def _advance(t: Tournament, effects: list[events.Effect], pair: PairRound) -> events.Step:
    """Draws whatever can be drawn now, and completes the tournament if nothing is left."""
    if t.struck:
        t = settled(t, t.at_ms)
    while t.phase != "completed" and not t.closed:
        drawn = t.spec.format.draw(t, pair)
        if drawn is None:
            break
        t = _with_drawn(t, checked(t, drawn))
        t = t.but(fixed=len(t.results))
        t = settled(t, t.at_ms) if t.struck else walk_over(t)
        effects += [events.Notify(bye.player, bye) for bye in drawn.byes]
    if t.phase != "completed" and not t.playing and (t.closed or t.settled == len(t.fixtures)):
        t = t.but(phase="completed", why_paused=None)
        effects.append(events.Completed())
    return t, tuple(effects)


def _with_drawn(t: Tournament, drawn: Draw) -> Tournament:
    fixtures = with_openings(t, drawn.fixtures)
    return t.but(
        fixtures=t.fixtures + fixtures,
        by_id=t.by_id.plus((fixture.id, fixture) for fixture in fixtures),
        pending=with_fixtures(t.pending, enumerate(fixtures, len(t.fixtures))),
        byes=t.byes + drawn.byes,
    )
