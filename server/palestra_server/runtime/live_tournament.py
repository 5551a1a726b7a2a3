"""A tournament in progress: performs the effects of `palestra_tournament.step`, in order.

`step` decides who plays whom; this shell starts the matches, records every event and informs the watchers, of what
`SeenTournament` shows them. `Timetable` decides when matches may begin, `Matchmaker` which is next.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any

import structlog

from palestra_referee import MS, Match, MatchConfig, Outcome
from palestra_server.runtime.live import LiveMatch
from palestra_server.runtime.round_drawing import HERE, Draw, RoundDrawing, Undrawn, draws_round
from palestra_server.runtime.seen_tournament import SeenTournament, TournamentShell
from palestra_server.store import JournalBroken, StoreError
from palestra_server.supervision import described
from palestra_tournament import (
    Carried,
    Entrant,
    Fixture,
    PairRound,
    Spec,
    begin,
    check_entrants,
    event_from_record,
    event_to_record,
    events,
    pair_round,
    playable,
    replay,
    step,
)

log = structlog.get_logger()


class LiveTournament(SeenTournament):
    """Takes events, and performs what follows from them."""

    def __init__(self, shell: TournamentShell, toml: str, spec: Spec, secret: tuple[int, str]) -> None:
        super().__init__(shell, toml, spec, secret)
        self._drawing = RoundDrawing(spec.name, shell.pair, self._take_drawn, self._tell_state, shell.supervisor)

    # Events:

    def begin(self, entrants: Sequence[Entrant], carrying: Callable[[], Carried] | None = None) -> None:
        """Draw the first fixtures, in a thread if there are many players, or ratings to be carried over. Raises
        ValueError, with a one-sentence message, for entrants that can't play.
        """
        check_entrants(self.spec, entrants)
        self._beginning_with = entrants
        seed, salt = self._secret
        now_ms = max(self._shell.wall_ms(), 0 if self._created is None else self._created.at_ms)
        log.info("tournament begins", tournament=self.name, players=len(entrants))

        def draw(pair: PairRound) -> events.Step:
            return begin(self.spec, entrants, seed, now_ms, pair, salt, carrying and carrying())

        self._draw(draw, None, apart=carrying is not None or len(entrants) > HERE)

    def restore(self, records: Sequence[Mapping[str, Any]], pair: PairRound = pair_round) -> None:
        """Restore the tournament from its records. Raises ValueError if they are inconsistent. `pair` as in `step`."""
        recorded = [event_from_record(record) for record in records]
        self.tournament = replay(self.spec, recorded, pair)
        self._created = next(event for event in recorded if isinstance(event, events.Created))
        self._records = len(records)
        self._note()

    def feed(self, event: events.Event) -> bool:
        """Feed an event and perform its effects; False if the event didn't fit."""
        assert self.tournament is not None
        drawing = self._drawing
        if drawing.undrawn is not None and isinstance(event, events.Paused):
            return False
        if drawing.undrawn is not None and not isinstance(event, events.Ended):
            return self._hand_in_first(event, drawing.undrawn)
        if drawing.held is not None:
            drawing.held.append(event)
            return True
        before = self.tournament
        apart = len(before.seeds) > HERE and draws_round(before, event)
        return self._draw(lambda pair: step(before, event, pair), event, apart=apart)

    def _draw(self, draw: Draw, after: events.Event | None, *, apart: bool) -> bool:
        """Make this step, in a thread if `apart`; False if its event didn't fit."""
        if apart:
            self._drawing.begin(draw, after)
            return True
        try:
            return self._perform(draw(pair_round))
        except Exception as error:
            self._drawing.fail(draw, after, error)
            return True

    def _hand_in_first(self, event: events.Event, undrawn: Undrawn) -> bool:
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

    def _take_drawn(self, made: events.Step) -> None:
        self._perform(made)
        for each in self._drawing.end():
            self._shell.supervisor.run("event after the draw", self, self.feed, each)

    def draw_again(self) -> bool:
        """Retry the round that could not be drawn; False if there is none."""
        tried = self._drawing.again()
        if tried:
            self._tell_state()
        return tried

    @property
    def is_busy(self) -> bool:
        if self.is_drawing and not self.is_undrawn:
            return True
        return self.tournament is not None and bool(
            self.tournament.playing.keys() - self.stuck.keys() - self._drawing.over
        )

    async def drawn(self) -> bool:
        """Once no round is being drawn; False if the server is stopping, and gave it up."""
        await self._drawing.finished()
        return self.is_undrawn or not self.is_drawing

    def close(self) -> None:
        """Stop. A round being drawn will be drawn again after the next start."""
        self._drawing.close()

    def _perform(self, made: events.Step) -> bool:
        """Take a step; False if it has no effects. It may be tried again if this raises, since nothing is recorded
        then: once it is, whatever fails is told, and goes no further.
        """
        supervisor = self._shell.supervisor
        after, effects = made
        for effect in effects:
            if isinstance(effect, events.Record):
                try:
                    self._shell.book.append(self.name, self._records, event_to_record(effect.event), self._refused)
                except JournalBroken as error:
                    self.tournament = after
                    self._shell.saving.failed(error)
                    break
                self.tournament = after
                self._records += 1
                supervisor.run("tournament is noted", self, self._note)
                supervisor.run("event is shown", self, self._tell, effect.event)
                supervisor.run("event has its consequences", self, self._react, effect.event)
            elif isinstance(effect, events.Notify):
                supervisor.run("player is told", self, self._shell.notices.notify, self.spec, effect)
            elif isinstance(effect, events.Completed):
                log.info("tournament completed", tournament=self.name)
        return bool(effects)

    def _refused(self, why: str) -> None:
        """Called in the store's thread."""
        error = StoreError(f"an event was not saved, since {why}")
        self._shell.supervisor.from_thread("event was not saved", self, self.failed, "saving", error)

    def _note(self) -> None:
        if self.tournament is not None:
            self._shell.embargo.note(self.tournament)
            self._shell.claims.note(self.tournament)

    def _react(self, event: events.Event) -> None:
        """An event has been recorded and published."""
        t = self.tournament
        assert t is not None
        if isinstance(event, events.Began):
            self._shell.notices.tell_all(self.spec, t.active, "begins")
        elif self.state == "completed" and isinstance(event, events.Ended | events.Closed | events.Withdrew):
            self._shell.notices.tell_all(self.spec, t.active, "over")
        if self.is_over_for_good:
            self.keep_summary()
        self._shell.bell.ring()

    def keep_summary(self) -> Mapping[str, Any]:
        """Have the next start list this tournament, which is over, without reading its events."""
        summary = self.summary()
        self._shell.book.summarise(self.name, self._records, summary)
        return summary

    # Matches:

    def waiting(self, among: Set[str]) -> Iterator[Fixture]:
        t, stuck = self.tournament, self.stuck
        if t is None or self.is_drawing:
            return iter(())
        if not stuck:
            return playable(t, among)
        # A stuck match doesn't keep its players from others.
        t = t.but(playing={fixture: match for fixture, match in t.playing.items() if fixture not in stuck})
        return (fixture for fixture in playable(t, among) if fixture.id not in stuck)

    def play(self, fixture: Fixture) -> bool:
        """Start a match of this fixture; False if the tournament does not take it."""
        match = secrets.token_hex(6)
        # The record comes first: after a crash, a recorded match that never started is started under its id.
        self.feed(events.MatchStarted(fixture.id, match, self._shell.wall_ms()))
        begins = self.tournament is not None and self.tournament.playing.get(fixture.id) == match
        if begins:
            self.start(fixture, match)
        return begins

    def start(self, fixture: Fixture, match: str) -> None:
        """Start a match that was recorded: each start in the records is of one match."""
        config = MatchConfig(
            match=match,
            game=fixture.game,
            players=fixture.players,
            opening=fixture.opening,
            **self.spec.clock.model_dump(),
            ply_limit=self._shell.ply_limit,
            tournament=self.name,
            fixture=fixture.id,
            rated=True,
            guests=(False, False),
        )
        live = self._shell.supervisor.run(
            "match of a tournament begins", self, self._shell.matches.start, config, self._shell.players
        )
        if live is None:  # it is tried again, as often as a match may be void
            self._void(fixture.id, match)
        else:
            self.follow(fixture.id, live)

    def follow(self, fixture: str, live: LiveMatch) -> None:
        self._shell.supervisor.when_done(
            "match of a tournament is over", self, live.finished, lambda _: self.take_result(fixture, live.match)
        )

    def take_result(self, fixture: str, match: Match) -> None:
        """The match of this fixture is over, and its result is on disk."""
        assert match.outcome is not None
        self.stuck.pop(fixture, None)
        self.feed(ended(fixture, match, match.outcome, self._shell.wall_ms()))

    def repeat(self, match: str) -> bool:
        fixture = next(
            (fixture for fixture in self.stuck if self.tournament and self.tournament.playing.get(fixture) == match),
            None,
        )
        if fixture is None:
            return False
        del self.stuck[fixture]
        return self._void(fixture, match)

    def _void(self, fixture: str, match: str) -> bool:
        return self.feed(events.Ended(fixture, match, (0.0, 0.0), "void", 0, (), (), self._shell.wall_ms(), (0, 0)))

    def failed(self, work: str, error: Exception) -> None:
        """Something of this tournament failed: the teacher is told, and everything else goes on."""
        self._faults[work] = described(error)
        self._shell.bell.ring()
        self._tell_state()

    def cannot_begin(self, why: str) -> None:
        """It is due, and can't begin: a sentence."""
        if why == self._why_not_begun:
            return
        self._why_not_begun = why
        log.warning("tournament cannot begin yet", tournament=self.name, why=why)
        self._tell_state()

    def waits_for(self, bots: tuple[str, ...]) -> None:
        """It has been waiting for these bots of this server for too long; () if for none."""
        if bots == self._late_bots:
            return
        self._late_bots = bots
        if bots:
            log.warning("reference bots do not come; their matches wait", tournament=self.name, bots=bots)
        self._tell_state()


def ended(fixture: str, match: Match, outcome: Outcome, at_ms: int) -> events.Ended:
    """The event for a match that is over. The charge for each action is rounded up to whole ms."""
    return events.Ended(
        fixture=fixture,
        match=match.config.match,
        returns=outcome.returns,
        reason=outcome.reason,
        plies=match.ply,
        actions=tuple(move.action for move in match.moves),
        charged_ms=tuple(-(-move.charged_ns // MS) for move in match.moves),
        at_ms=at_ms,
        drops=match.drops,
    )
