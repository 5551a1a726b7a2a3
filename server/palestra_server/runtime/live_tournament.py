"""A tournament in progress: performs the effects of `palestra_tournament.step`, in order.

`step` decides who plays whom; this shell starts the matches, records every event and informs the watchers. The director
decides which tournament may start a match, and when.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Protocol

import structlog

from palestra_referee import MS, Match, Outcome
from palestra_server.gateway import Hub
from palestra_server.runtime.drawing import Drawing, Undrawn
from palestra_server.runtime.host import Host
from palestra_server.runtime.live import LiveMatch
from palestra_server.runtime.pairing import HERE, draws_round
from palestra_server.runtime.remarks import Remark, pause_of, remark_parts
from palestra_server.store import JournalBroken
from palestra_server.tables import fixture_values, scheduled_values
from palestra_tournament import (
    Completed,
    Effect,
    Ended,
    Entrant,
    Event,
    Fixture,
    MatchStarted,
    Notify,
    PairRound,
    Paused,
    Record,
    Scheduled,
    Spec,
    Step,
    Tournament,
    begin,
    check_entrants,
    event_from_record,
    event_to_record,
    first_hidden_round,
    pair_round,
    playable,
    progress,
    public,
    replay,
    step,
)

log = structlog.get_logger()

# Before its first event a tournament is a draft, or is waiting for the start time in its file.
State = Literal["draft", "waiting", "running", "paused", "completed"]
PACE_RESULTS: Final = 50  # how many of the latest results the predicted end is based on


class TournamentBook(Protocol):
    """Stores the events of tournaments (`store.Tournaments`)."""

    def append(self, name: str, seq: int, record: Mapping[str, Any]) -> None:
        """Queue event number `seq` of a tournament. Raises JournalBroken."""


@dataclass(frozen=True, slots=True)
class TournamentShell:
    """What all tournaments share. `wall_ms` reads UTC in ms; `changed` is called after every event."""

    host: Host
    hub: Hub
    book: TournamentBook
    wall_ms: Callable[[], int]
    notify: Callable[[Spec, Notify], None]
    changed: Callable[[LiveTournament, Event], None]


class Made:
    """The tables of one tournament. `newest`: by table, and by whether it is of everything or of what is public: from
    how many events it was made, and its bytes.
    """

    def __init__(self) -> None:
        self.newest: dict[tuple[str, bool], tuple[int, bytes]] = {}
        self.turn = asyncio.Lock()


class LiveTournament:
    """`now` is the current state, None until the tournament begins. `made` holds tables of it (see `shown`).

    `stuck` maps fixtures whose match can't continue to the reason.
    """

    def __init__(self, shell: TournamentShell, toml: str, spec: Spec) -> None:
        self._shell = shell
        self.toml = toml
        self.spec = spec
        self.now: Tournament | None = None
        self.made = Made()
        self.stuck: dict[str, str] = {}
        self._late_bots: tuple[str, ...] = ()
        self._drawing = Drawing(spec.name, self._take_drawn, self._tell_state)
        self._records = 0
        # Every match that was started for it, including void ones.
        self._fixture_of: dict[str, str] = {}
        self._hidden: tuple[Tournament | None, frozenset[str]] = None, frozenset()

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def title(self) -> str:
        return self.spec.display_name

    @property
    def topic(self) -> str:
        return f"tournament:{self.name}"

    @property
    def state(self) -> State:
        if self.is_undrawn:
            return "paused"
        if self.now is not None:
            return self.now.phase
        return "draft" if self.spec.start is None else "waiting"

    @property
    def is_over_for_good(self) -> bool:
        return self.now is not None and self.now.phase == "completed" and self.now.revealed

    @property
    def recorded(self) -> int:
        return self._records

    # Events:

    def begin(self, entrants: Sequence[Entrant]) -> None:
        """Draw the first fixtures, in a thread if there are many players. Raises ValueError, with a one-sentence
        message, for entrants that can't play.
        """
        check_entrants(self.spec, entrants)
        seed = secrets.randbelow(2**53) if self.spec.seed is None else self.spec.seed
        now_ms = self._shell.wall_ms()
        log.info("tournament begins", tournament=self.name, players=len(entrants))
        if len(entrants) > HERE:
            self._drawing.begin(lambda pair: begin(self.spec, entrants, seed, now_ms, pair), None)
            return
        self.now, effects = begin(self.spec, entrants, seed, now_ms)
        self._perform(effects)

    def restore(self, records: Sequence[Mapping[str, Any]], pair: PairRound = pair_round) -> None:
        """Restore the tournament from its records. Raises ValueError if they are inconsistent. `pair` as in `step`."""
        if records:
            events = [event_from_record(record) for record in records]
            self.now = replay(self.spec, events, pair)
            self._records = len(records)
            self._fixture_of = {event.match: event.fixture for event in events if isinstance(event, MatchStarted)}

    def feed(self, event: Event) -> bool:
        """Feed an event and perform its effects; False if the event didn't fit."""
        assert self.now is not None
        drawing = self._drawing
        if drawing.undrawn is not None and isinstance(event, Paused):
            return False
        if drawing.undrawn is not None and not isinstance(event, Ended):
            return self._hand_in_first(event, drawing.undrawn)
        if drawing.held is not None:
            drawing.held.append(event)
            return True
        before = self.now
        if len(before.seeds) > HERE and draws_round(before, event):
            drawing.begin(lambda pair: step(before, event, pair), event)
            return True
        try:
            self.now, effects = step(before, event)
        except Exception as error:
            drawing.fail(lambda pair: step(before, event, pair), event, error)
            return True
        self._perform(effects)
        return bool(effects)

    def _hand_in_first(self, event: Event, undrawn: Undrawn) -> bool:
        # While a round can't be drawn, the teacher's events come before the one that should have drawn it: they are
        # recorded at once, and retry the round (or, after Closed, drop it).
        held = self._drawing.end()
        if not self.feed(event):
            self._drawing.held, self._drawing.undrawn = held, undrawn
            return False
        for each in (undrawn.after, *held):
            if each is not None:
                self.feed(each)
        return True

    def _take_drawn(self, made: Step) -> None:
        self.now, effects = made
        self._perform(effects)
        for each in self._drawing.end():
            self.feed(each)

    def draw_again(self) -> bool:
        """Retry the round that could not be drawn; False if there is none."""
        tried = self._drawing.again()
        if tried:
            self._tell_state()
        return tried

    @property
    def is_drawing(self) -> bool:
        """Whether a round is being drawn in a thread, or could not be, and events are held back."""
        return self._drawing.is_on

    @property
    def is_undrawn(self) -> bool:
        """Whether a round could not be drawn: it is paused until the next event, or `draw_again`."""
        return self._drawing.undrawn is not None

    @property
    def is_busy(self) -> bool:
        if self.is_drawing and not self.is_undrawn:
            return True
        return self.now is not None and bool(self.now.playing.keys() - self.stuck.keys() - self._drawing.over)

    async def drawn(self) -> None:
        await self._drawing.finished()

    def close(self) -> None:
        """Stop. A round being drawn will be drawn again after the next start."""
        self._drawing.close()

    def _perform(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Record):
                try:
                    self._shell.book.append(self.name, self._records, event_to_record(effect.event))
                except JournalBroken as error:
                    self._shell.host.storage_failed(error)
                    return
                self._records += 1
                if isinstance(effect.event, MatchStarted):
                    self._fixture_of[effect.event.match] = effect.event.fixture
                self._tell(effect.event)
                self._shell.changed(self, effect.event)
            elif isinstance(effect, Notify):
                self._shell.notify(self.spec, effect)
            elif isinstance(effect, Completed):
                log.info("tournament completed", tournament=self.name)

    # Matches:

    def waiting(self) -> Iterator[Fixture]:
        t, stuck = self.now, self.stuck
        if t is None or self.is_drawing:
            return iter(())
        if not stuck:
            return playable(t)
        # A stuck match doesn't keep its players from others.
        t = t.but(playing={fixture: match for fixture, match in t.playing.items() if fixture not in stuck})
        return (fixture for fixture in playable(t) if fixture.id not in stuck)

    def play(self, fixture: Fixture) -> LiveMatch:
        match, host, clock = secrets.token_hex(6), self._shell.host, self.spec.clock
        # The record comes first: after a crash, a recorded match that never started is started again.
        self.feed(MatchStarted(fixture.id, match, self._shell.wall_ms()))
        config = replace(
            host.configured(fixture.game, fixture.players),
            match=match,
            opening=fixture.opening,
            move_ms=clock.move_ms,
            grace_ms=clock.grace_ms,
            ready_ms=clock.ready_ms,
            away_ms=clock.away_ms,
            away=clock.away,
            tournament=self.name,
            fixture=fixture.id,
            rated=True,
        )
        live = host.start_match(config)
        self.follow(fixture.id, live)
        return live

    def follow(self, fixture: str, live: LiveMatch) -> None:
        def over(_: object) -> None:
            if not live.finished.cancelled():
                self.take_result(fixture, live.match, live.drops)

        live.finished.add_done_callback(over)

    def take_result(self, fixture: str, match: Match, drops: tuple[int, int]) -> None:
        """The match of this fixture is over, and its result is on disk."""
        assert match.outcome is not None
        self.stuck.pop(fixture, None)
        self.feed(ended(fixture, match, match.outcome, drops, self._shell.wall_ms()))

    def repeat(self, match: str) -> bool:
        fixture = next((fixture for fixture in self.stuck if self.now and self.now.playing.get(fixture) == match), None)
        if fixture is None:
            return False
        del self.stuck[fixture]
        at_ms = self._shell.wall_ms()
        return self.feed(Ended(fixture, match, (0.0, 0.0), "void", 0, (), (), at_ms, (0, 0)))

    def waits_for(self, bots: tuple[str, ...]) -> None:
        """It has been waiting for these bots of this server for too long; () if for none."""
        if bots == self._late_bots:
            return
        self._late_bots = bots
        if bots:
            log.warning("reference bots do not come; their matches wait", tournament=self.name, bots=bots)
        self._tell_state()

    def _tell_state(self) -> None:
        if self._shell.hub.watched(self.topic):
            self._shell.hub.publish(self.topic, {"type": "state", **self.summary()})

    # For watchers:

    @property
    def trouble(self) -> str:
        """What keeps it from ending and needs attention, for people; "" if nothing does."""
        return " ".join(self._troubles())

    def _troubles(self) -> list[Remark]:
        told = [Remark("house_bot", bot=bot, name=self.name) for bot in self._late_bots]
        t = self.now
        if t is None or not self.stuck:
            return told
        for fixture, why in self.stuck.items():
            if fixture in t.playing:
                first, second = t.by_id[fixture].players
                told.append(Remark("stuck", match=t.playing[fixture], first=first, second=second, why=why))
        return [*told, Remark("repair", name=self.name)]

    @property
    def hidden(self) -> frozenset[str]:
        """The matches hidden by an embargo, including those in progress."""
        t = self.now
        if t is None:
            return frozenset()
        if t is not self._hidden[0]:
            first = first_hidden_round(t)
            # Without an embargo there is nothing to search for: the lobby asks at every move.
            started = self._fixture_of.items() if first is not None else ()
            self._hidden = t, frozenset(match for match, fixture in started if t.by_id[fixture].round >= (first or 0))
        return self._hidden[1]

    @property
    def hides(self) -> bool:
        """Whether an embargo hides anything yet: a match in progress, or a result."""
        first = None if self.now is None else first_hidden_round(self.now)
        if self.now is None or first is None:
            return False
        t = self.now
        return bool(self.hidden) or any(t.by_id[fixture].round >= first for fixture in t.results)

    def summary(self) -> dict[str, Any]:
        """The tournament's entry in a list, as plain values; times are UTC in ms."""
        t, spec = self.now, self.spec
        so_far = None if t is None else progress(t)
        troubles = self._troubles()
        why_paused = "" if t is None else t.why_paused
        pause = pause_of(why_paused)
        if self._drawing.undrawn is not None:
            pause = self._drawing.undrawn.why
            why_paused = str(pause)
        return {
            "name": spec.name,
            "title": self.title,
            "format": spec.format,
            "games": list(spec.games),
            "state": self.state,
            "players": 0 if t is None else len(t.entrants),
            "played": 0 if so_far is None else so_far.played,
            "total": None if so_far is None else so_far.total,
            "round": 0 if so_far is None else so_far.round,
            "rounds": None if so_far is None else so_far.rounds,
            "why_paused": why_paused,
            "why_paused_parts": None if pause is None else remark_parts(pause),
            "trouble": " ".join(troubles),
            "trouble_parts": [remark_parts(each) for each in troubles],
            "revealed": t is None or t.revealed,
            "hides": self.hides,
            "scheduled": None if spec.start is None else int(spec.start.timestamp() * 1000),
            "predicted_end": self.predicted_end(),
        }

    def snapshot(self) -> dict[str, Any]:
        t, spec = self.now, self.spec
        playing = [] if t is None else [(t.by_id[fixture], match) for fixture, match in t.playing.items()]
        active = [] if t is None or t.phase == "completed" else t.active
        peers = self._shell.host.peers
        return {
            **self.summary(),
            "spec": spec.model_dump(mode="json", exclude={"grades"}),
            "seed": None if t is None else t.seed,
            "entrants": [] if t is None else [entrant._asdict() for entrant in t.entrants],
            "playing": [{**fixture_values(fixture), "match": match} for fixture, match in playing],
            "missing": [name for name in active if name not in peers],
            "withdrawn": {} if t is None else dict(t.withdrawn),
        }

    def predicted_end(self) -> int | None:
        """When the tournament will be over at the pace of the latest results, in UTC ms; None if unknown."""
        t = self.now
        if t is None or t.phase != "running":
            return None
        so_far = progress(t)
        times = [result.at_ms for result in t.results.values() if result.match is not None][-PACE_RESULTS:]
        if so_far.total is None or len(times) < 2:
            return None
        pace = (times[-1] - times[0]) / (len(times) - 1)
        return int(self._shell.wall_ms() + pace * (so_far.total - so_far.played))

    def _tell(self, event: Event) -> None:
        hub, t = self._shell.hub, self.now
        if t is None or not hub.watched(self.topic):
            return
        if isinstance(event, MatchStarted | Ended):
            fixture = t.by_id[event.fixture]
            result = public(t).results.get(event.fixture)
            state: Literal["playing", "ended", "waiting"] = "ended" if event.fixture in t.results else "waiting"
            if event.fixture in t.playing:
                state = "playing"
            entry = Scheduled(fixture, state, event.match, result)
            hub.publish(self.topic, {"type": "fixture", **scheduled_values(entry)})
            hub.publish(self.topic, {"type": "progress", **self.summary()})
        else:
            self._tell_state()


def ended(fixture: str, match: Match, outcome: Outcome, drops: tuple[int, int], at_ms: int) -> Ended:
    """The event for a match that is over. The charge for each action is rounded up to whole ms."""
    return Ended(
        fixture=fixture,
        match=match.config.match,
        returns=outcome.returns,
        reason=outcome.reason,
        plies=match.ply,
        actions=tuple(move.action for move in match.moves),
        charged_ms=tuple(-(-move.charged_ns // MS) for move in match.moves),
        at_ms=at_ms,
        drops=drops,
    )
