"""A tournament in progress: performs the effects of `palestra_tournament.step`, in order.

`step` decides who plays whom; this shell starts the matches, records every event and informs the watchers. `Timetable`
decides when matches may begin, `Matchmaker` which is next.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import islice
from typing import Any, Final, Literal

import structlog

from palestra_referee import MS, Match, MatchConfig, Outcome
from palestra_server.runtime.cached_tables import CachedTables
from palestra_server.runtime.embargo import VISITOR, Viewer
from palestra_server.runtime.live import LiveMatch
from palestra_server.runtime.pairing import HERE, draws_round
from palestra_server.runtime.remarks import Remark
from palestra_server.runtime.round_drawing import Draw, RoundDrawing, Undrawn
from palestra_server.runtime.tournament_shell import TournamentShell
from palestra_server.store import JournalBroken, StoreError
from palestra_server.supervision import described
from palestra_server.tables import fixture_values, scheduled_values
from palestra_tournament import (
    Began,
    Closed,
    Completed,
    Created,
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
    Withdrew,
    begin,
    check_entrants,
    event_from_record,
    event_to_record,
    hides,
    pair_round,
    playable,
    progress,
    replay,
    step,
)

log = structlog.get_logger()

# Before its first event a tournament is a draft, or is waiting for the start time in its file.
State = Literal["draft", "waiting", "running", "paused", "completed"]
PACE_RESULTS: Final = 50  # how many of the latest results the predicted end is based on


class LiveTournament:
    """`tournament` is the current state, None until the tournament begins. `tables` holds tables of it (see `shown`).

    `stuck` maps fixtures whose match can't continue to the reason.
    """

    def __init__(self, shell: TournamentShell, toml: str, spec: Spec, secret: tuple[int, str]) -> None:
        """`secret`: the seed to which it is committed, and its salt."""
        self._shell = shell
        self.toml = toml
        self.spec = spec
        self._secret = secret
        self._created: Created | None = None
        self._beginning_with: Sequence[Entrant] = ()
        self.tournament: Tournament | None = None
        self.overrules_break = False
        self.tables = CachedTables()
        self.stuck: dict[str, str] = {}
        self._late_bots: tuple[str, ...] = ()
        self._why_not_begun = ""
        self._faults: dict[str, str] = {}  # what failed, by the name of the work
        self._drawing = RoundDrawing(spec.name, shell.pair, self._take_drawn, self._tell_state, shell.supervisor)
        self._records = 0

    @cached_property
    def _described(self) -> dict[str, Any]:
        return self.spec.model_dump(mode="json", exclude={"grades", "seed"})

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
        if self.tournament is not None:
            return self.tournament.phase
        return "draft" if self.spec.start is None else "waiting"

    @property
    def is_over(self) -> bool:
        return self.state == "completed"

    @property
    def is_over_for_good(self) -> bool:
        return self.tournament is not None and self.tournament.phase == "completed" and self.tournament.revealed

    @property
    def entrants(self) -> Sequence[Entrant]:
        """Who takes part, also while the first round is being drawn; nobody before."""
        return self._beginning_with if self.tournament is None else self.tournament.entrants

    @property
    def recorded(self) -> int:
        return self._records

    # Events:

    def begin(self, entrants: Sequence[Entrant]) -> None:
        """Draw the first fixtures, in a thread if there are many players. Raises ValueError, with a one-sentence
        message, for entrants that can't play.
        """
        check_entrants(self.spec, entrants)
        self._beginning_with = entrants
        seed, salt = self._secret
        now_ms = max(self._shell.wall_ms(), 0 if self._created is None else self._created.at_ms)
        log.info("tournament begins", tournament=self.name, players=len(entrants))
        self._draw(lambda pair: begin(self.spec, entrants, seed, now_ms, pair, salt), None, apart=len(entrants) > HERE)

    def restore(self, records: Sequence[Mapping[str, Any]], pair: PairRound = pair_round) -> None:
        """Restore the tournament from its records. Raises ValueError if they are inconsistent. `pair` as in `step`."""
        events = [event_from_record(record) for record in records]
        self.tournament = replay(self.spec, events, pair)
        self._created = next(event for event in events if isinstance(event, Created))
        self._records = len(records)
        self._note()

    def feed(self, event: Event) -> bool:
        """Feed an event and perform its effects; False if the event didn't fit."""
        assert self.tournament is not None
        drawing = self._drawing
        if drawing.undrawn is not None and isinstance(event, Paused):
            return False
        if drawing.undrawn is not None and not isinstance(event, Ended):
            return self._hand_in_first(event, drawing.undrawn)
        if drawing.held is not None:
            drawing.held.append(event)
            return True
        before = self.tournament
        apart = len(before.seeds) > HERE and draws_round(before, event)
        return self._draw(lambda pair: step(before, event, pair), event, apart=apart)

    def _draw(self, draw: Draw, after: Event | None, *, apart: bool) -> bool:
        """Make this step, in a thread if `apart`; False if its event didn't fit."""
        if apart:
            self._drawing.begin(draw, after)
            return True
        try:
            return self._perform(draw(pair_round))
        except Exception as error:
            self._drawing.fail(draw, after, error)
            return True

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

    def _perform(self, made: Step) -> bool:
        """Take a step; False if it has no effects. It may be tried again if this raises, since nothing is recorded
        then: once it is, whatever fails is told, and goes no further.
        """
        supervisor = self._shell.supervisor
        after, effects = made
        for effect in effects:
            if isinstance(effect, Record):
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
            elif isinstance(effect, Notify):
                supervisor.run("player is told", self, self._shell.notices.notify, self.spec, effect)
            elif isinstance(effect, Completed):
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

    def _react(self, event: Event) -> None:
        """An event has been recorded and published."""
        t = self.tournament
        assert t is not None
        if isinstance(event, Began):
            self._shell.notices.tell_all(self.spec, t.active, "begins")
        elif self.state == "completed" and isinstance(event, Ended | Closed | Withdrew):
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
        self.feed(MatchStarted(fixture.id, match, self._shell.wall_ms()))
        begins = self.tournament is not None and self.tournament.playing.get(fixture.id) == match
        if begins:
            self.start(fixture, match)
        return begins

    def start(self, fixture: Fixture, match: str) -> None:
        """Start a match that was recorded: each start in the records is of one match."""
        clock = self.spec.clock
        config = MatchConfig(
            match=match,
            game=fixture.game,
            players=fixture.players,
            opening=fixture.opening,
            move_ms=clock.move_ms,
            grace_ms=clock.grace_ms,
            ready_ms=clock.ready_ms,
            away_ms=clock.away_ms,
            away=clock.away,
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
            "match of a tournament is over",
            self,
            live.finished,
            lambda _: self.take_result(fixture, live.match, live.drops),
        )

    def take_result(self, fixture: str, match: Match, drops: tuple[int, int]) -> None:
        """The match of this fixture is over, and its result is on disk."""
        assert match.outcome is not None
        self.stuck.pop(fixture, None)
        self.feed(ended(fixture, match, match.outcome, drops, self._shell.wall_ms()))

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
        return self.feed(Ended(fixture, match, (0.0, 0.0), "void", 0, (), (), self._shell.wall_ms(), (0, 0)))

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

    def _tell_state(self) -> None:
        if self._shell.hub.watched(self.topic):
            self._shell.hub.publish(self.topic, {"type": "state", **self.summary()})

    # For watchers:

    def _pause(self, viewer: Viewer) -> Remark | None:
        if self._drawing.undrawn is not None:
            return Remark("undrawn", name=self.name, why=viewer.why(self._drawing.undrawn.why))
        t = self.tournament
        return None if t is None or t.why_paused is None else Remark.of(t.why_paused)

    def troubles(self, viewer: Viewer = VISITOR) -> list[Remark]:
        """What keeps it from ending and needs attention."""
        told = [Remark("house_bot", bot=bot, name=self.name) for bot in self._late_bots]
        told += [Remark("tournament_fault", work=work, why=viewer.why(error)) for work, error in self._faults.items()]
        t = self.tournament
        if t is None:
            return [*told, Remark("cannot_begin", why=self._why_not_begun)] if self._why_not_begun else told
        seen = t if viewer.role == "teacher" else viewer.tournament(t)
        stuck = [
            (t.by_id[fixture].players, t.playing[fixture], why)
            for fixture, why in self.stuck.items()
            if fixture in seen.playing
        ]
        if not stuck:
            return told
        told += [
            Remark("stuck", match=match, first=first, second=second, why=why) for (first, second), match, why in stuck
        ]
        return [*told, Remark("repair", name=self.name)]

    @property
    def hides(self) -> bool:
        """Whether an embargo hides anything now."""
        return self.tournament is not None and hides(self.tournament)

    def seen_by(self, viewer: Viewer) -> Tournament | None:
        return None if self.tournament is None else viewer.tournament(self.tournament)

    def summary(self, viewer: Viewer = VISITOR) -> dict[str, Any]:
        """The tournament's entry in a list, as plain values; times are UTC in ms."""
        t, spec = self.seen_by(viewer), self.spec
        so_far = None if t is None else progress(t)
        return {
            "name": spec.name,
            "title": self.title,
            "format": spec.format.name,
            "format_title": spec.format.title,
            "views": ["standings", "schedule", "crosstable", *spec.format.views],
            "games": list(spec.games),
            "state": self.state,
            "players": 0 if t is None else len(t.entrants),
            "played": 0 if so_far is None else so_far.played,
            "total": None if so_far is None else so_far.total,
            "round": 0 if so_far is None else so_far.round,
            "rounds": None if so_far is None else so_far.rounds,
            "why_paused": None if (pause := self._pause(viewer)) is None else pause.parts,
            "troubles": [each.parts for each in self.troubles(viewer)],
            "revealed": t is None or t.revealed,
            "hides": self.hides,
            "scheduled": None if spec.start is None else int(spec.start.timestamp() * 1000),
            "predicted_end": None if t is None else self._predicted_end(t),
        }

    def snapshot(self, viewer: Viewer = VISITOR) -> dict[str, Any]:
        t = self.seen_by(viewer)
        playing = [] if t is None else [(t.by_id[fixture], match) for fixture, match in t.playing.items()]
        active = [] if t is None or self.state == "completed" else t.active
        return {
            **self.summary(viewer),
            "spec": self._described,
            "seed": None if t is None else t.seed,
            "commitment": None if self._created is None else self._created.commitment,
            "entrants": [] if t is None else [entrant._asdict() for entrant in t.entrants],
            "playing": [{**fixture_values(fixture), "match": match} for fixture, match in playing],
            "missing": [name for name in active if name not in self._shell.players],
            "withdrawn": {} if t is None else dict(t.withdrawn),
        }

    def _predicted_end(self, t: Tournament) -> int | None:
        """When `t`, as far as it is seen, will be over at the pace of its latest results, in UTC ms, if known."""
        if self.state != "running":
            return None
        so_far = progress(t)
        played = (result.at_ms for result in reversed(t.results.values()) if result.match is not None)
        times = list(islice(played, PACE_RESULTS))
        if so_far.total is None or len(times) < 2:
            return None
        pace = (times[0] - times[-1]) / (len(times) - 1)
        return int(self._shell.wall_ms() + pace * (so_far.total - so_far.played))

    def _tell(self, event: Event) -> None:
        hub, t = self._shell.hub, self.tournament
        if t is None or not hub.watched(self.topic):
            return
        if isinstance(event, MatchStarted | Ended) and event.match in t.hidden:
            # Watchers hear that a round is hidden from now on, and that all is over.
            if t.phase == "completed" or (isinstance(event, MatchStarted) and len(t.hidden) == 1):
                self._tell_state()
        elif isinstance(event, MatchStarted | Ended):
            fixture = t.by_id[event.fixture]
            result = t.results.get(event.fixture)
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
