"""`step(tournament, event) -> (tournament, effects)`; the package's docstring says what each event does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, assert_never

from palestra_games.interface import DRAW
from palestra_tournament import draws
from palestra_tournament.events import (
    Began,
    Closed,
    Completed,
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
from palestra_tournament.formats import PairRound, draw, pair_round
from palestra_tournament.model import ABSENCES, RULES, Entrant, Fixture, Result, Tournament
from palestra_tournament.openings import with_openings
from palestra_tournament.spec import Spec

VOIDS_MAX: Final = 3  # a fixture whose matches have been void this often stays void
# The reason when a player is withdrawn for absence.
ABSENT: Final = "the bot lost {count} matches in a row because it was absent or did not answer in time."


def check_entrants(spec: Spec, entrants: Sequence[Entrant]) -> None:
    """Raises ValueError, with a one-sentence message, for entrants that can't play."""
    names = [entrant.name for entrant in entrants]
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"Everybody takes part once, but the list has {', '.join(twice)} more than once.")
    playing = [entrant for entrant in entrants if not entrant.reference]
    wanted = 1 if spec.format == "gauntlet" else 2
    if len(entrants) < 2 or len(playing) < wanted:
        count = len(playing)
        raise ValueError(f"This format needs at least {wanted} players besides the reference bots, not {count}.")


def begin(
    spec: Spec,
    entrants: Sequence[Entrant],
    seed: int,
    at_ms: int,
    pair: PairRound = pair_round,
    rules: int = RULES,
) -> Step:
    """A new tournament with its first fixtures drawn; `pair` as in `step`.

    Raises ValueError like `check_entrants`, and for rules unknown to this version.
    """
    check_entrants(spec, entrants)
    if not 1 <= rules <= RULES:
        raise ValueError(
            f"This tournament goes by rules {rules}, and this program knows 1 to {RULES}: use a newer one."
        )
    names = [entrant.name for entrant in entrants]
    event = Began(tuple(entrants), seed, at_ms, rules)
    seeds = tuple(names) if spec.seeding == "roster" else tuple(draws.shuffled(names, seed, "seeding"))
    t = Tournament(spec, event.entrants, seeds, seed, revealed=spec.embargo == "none", rules=rules)
    return _advance(t, [Record(event)], pair)


def replay(spec: Spec, events: Iterable[Event], pair: PairRound = pair_round) -> Tournament:
    """The tournament that these recorded events lead to. Raises ValueError if the first one is not Began."""
    t: Tournament | None = None
    for event in events:
        if t is not None:
            t, _ = step(t, event, pair)
        elif isinstance(event, Began):
            t, _ = begin(spec, event.entrants, event.seed, event.at_ms, pair, event.rules)
        else:
            raise ValueError(f"The records of a tournament begin with 'began', not with {type(event).__name__}.")
    if t is None:
        raise ValueError("There is no record of this tournament.")
    return t


def playable(t: Tournament) -> Iterator[Fixture]:
    """The fixtures that may begin now, in order, each judged as if it were the next one to begin.

    Both players have fewer than `per_bot` matches in progress; reference bots may have any number. Take the first
    suitable one (both players are connected, the host has room), feed MatchStarted, and ask again.
    """
    if t.phase != "running" or t.closed:
        return
    busy: dict[str, int] = {}
    for identifier in t.playing:
        for name in t.by_id[identifier].players:
            busy[name] = busy.get(name, 0) + 1
    references = t.references
    full = {name for name, count in busy.items() if count >= t.spec.per_bot and name not in references}
    if len(t.seeds) - len(full) < 2:
        return
    for fixture in t.fixtures[t.settled :]:
        if fixture.id in t.results or fixture.id in t.playing:
            continue
        if full.isdisjoint(fixture.players):
            yield fixture


def step(t: Tournament, event: Event, pair: PairRound = pair_round) -> Step:
    """The tournament after `event`, and what the shell has to do now, in order.

    An event that doesn't fit (a second result, an unknown fixture, pausing twice) changes nothing and has no effects.
    Raises ValueError for Began, which belongs to `begin`. `pair` pairs a Swiss round instead of `pair_round`.
    """
    if isinstance(event, Began):
        raise ValueError("A tournament begins once: use begin() for a new one.")
    after = _after(t, event)
    if after is None:
        return t, ()
    changed, effects = after
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
        case Withdrew(player, why):
            if over or player in t.withdrawn or player not in t.seeds:
                return None
            return _withdraw(t, player, why, event.at_ms)
        case Reinstated(player):
            if over or player not in t.withdrawn:
                return None
            return _reinstate(t, player), []
        case Paused(why):
            return None if t.phase != "running" else (t.but(phase="paused", why_paused=why), [])
        case Resumed():
            return None if t.phase != "paused" else (t.but(phase="running", why_paused=""), [])
        case Revealed():
            return None if t.revealed else (t.but(revealed=True), [])
        case Closed():
            return None if over or t.closed else (t.but(closed=True), [])
        case Began():
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
    t = _with_results(t, [result])
    effects: list[Effect] = []
    for player, at_fault in zip(fixture.players, result.at_fault, strict=True):
        streak = t.failures.get(player, 0) + 1 if at_fault and event.reason in ABSENCES else 0
        t = t.but(failures={**t.failures, player: streak})
        limit = t.spec.withdraw_after
        if limit and streak >= limit and player not in t.references | t.withdrawn.keys():
            why = ABSENT.format(count=streak)
            t, more = _withdraw(t, player, why, event.at_ms)
            effects += more
    return t, effects


def _withdraw(t: Tournament, player: str, why: str, at_ms: int) -> tuple[Tournament, list[Effect]]:
    return _walk_over(t.but(withdrawn={**t.withdrawn, player: why}), at_ms), [Notify(player, why)]


def _reinstate(t: Tournament, player: str) -> Tournament:
    """Lets a player back in, and reopens its walkovers unless later rounds were drawn from them."""
    out = {name: why for name, why in t.withdrawn.items() if name != player}
    drawn_upfront = t.spec.format in ("round-robin", "gauntlet")
    kept = {
        identifier: result
        for identifier, result in t.results.items()
        if result.match is not None
        or player not in result.fixture.players
        or not out.keys().isdisjoint(result.fixture.players)
        or not (drawn_upfront or (t.spec.format == "swiss" and result.fixture.round == t.round))
    }
    return _with_results(t.but(withdrawn=out, failures={**t.failures, player: 0}, results=kept, settled=0), [])


def _walk_over(t: Tournament, at_ms: int = 0) -> Tournament:
    """Awards the fixtures that withdrawn players haven't begun to their opponents.

    The withdrawal of one of the host's bots makes nobody win: those fixtures are void.
    """
    if not t.withdrawn:
        return t
    hosts = t.references & t.withdrawn.keys() if t.rules > 1 else frozenset()
    results = []
    for fixture in t.fixtures[t.settled :]:
        first, second = (player in t.withdrawn for player in fixture.players)
        if (first or second) and fixture.id not in t.results and fixture.id not in t.playing:
            if hosts.isdisjoint(fixture.players):
                results.append(Result(fixture, (float(second - first), float(first - second)), "walkover", at_ms=at_ms))
            else:
                results.append(Result(fixture, DRAW, "void", at_ms=at_ms))
    return _with_results(t, results)


def _with_results(t: Tournament, results: Iterable[Result]) -> Tournament:
    known = {**t.results, **{result.fixture.id: result for result in results}}
    settled = t.settled
    while settled < len(t.fixtures) and t.fixtures[settled].id in known:
        settled += 1
    return t.but(results=known, settled=settled)


def _advance(t: Tournament, effects: list[Effect], pair: PairRound = pair_round) -> Step:
    """Draws whatever can be drawn now, and completes the tournament if nothing is left."""
    fresh: list[Fixture] = []
    while t.phase != "completed" and not t.closed:
        drawn = draw(t, pair)
        if drawn is None:
            break
        fixtures = with_openings(t, drawn.fixtures)
        by_id = {**t.by_id, **{fixture.id: fixture for fixture in fixtures}}
        t = _walk_over(t.but(fixtures=t.fixtures + fixtures, by_id=by_id, byes=t.byes + drawn.byes))
        fresh += fixtures
        effects += [Notify(bye.player, bye) for bye in drawn.byes]
    if fresh:
        effects.append(Drawn(tuple(fresh)))
    if t.phase != "completed" and not t.playing and (t.closed or t.settled == len(t.fixtures)):
        t = t.but(phase="completed")
        effects.append(Completed())
    return t, tuple(effects)
