"""What is known of a tournament in progress, and what each viewer sees of it; `LiveTournament` is what moves it on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Final, Literal, TypeAlias

from palestra_server.gateway import Hub, ProvenConnection
from palestra_server.runtime.embargo import VISITOR, Embargo, Viewer
from palestra_server.runtime.matches import Matches
from palestra_server.runtime.notices import Notices, Remark
from palestra_server.runtime.outlook import outlook
from palestra_server.runtime.room import Bell, Claims
from palestra_server.runtime.round_drawing import RoundDrawing
from palestra_server.runtime.saving import Saving
from palestra_server.store import Tournaments
from palestra_server.supervision import Supervisor
from palestra_server.tables import ruling_values, scheduled_values
from palestra_tournament import (
    Carried,
    Entrant,
    PairRound,
    Progress,
    Scheduled,
    Spec,
    Tournament,
    events,
    first_incomplete,
    hides,
    progress,
)

Version: TypeAlias = tuple[str | None, int]  # its commitment, and how many events
# Before its first event a tournament is a draft, or is waiting for the start time in its file.
State = Literal["draft", "waiting", "running", "paused", "completed"]
PACE_RESULTS: Final = 50  # how many of the latest results the predicted end is based on


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentShell:
    """`players`: who is connected, guests left out; `invited`: who takes part as the roster is now. `wall_ms` reads UTC
    in ms, `ply_limit` is the server's, `pair` is for threads, `titles` are those of all tournaments.
    """

    players: Mapping[str, ProvenConnection]
    invited: Callable[[Spec], Sequence[Entrant]]
    matches: Matches
    saving: Saving
    hub: Hub
    book: Tournaments
    notices: Notices
    embargo: Embargo
    claims: Claims
    bell: Bell
    supervisor: Supervisor
    wall_ms: Callable[[], int]
    ply_limit: int
    pair: PairRound
    titles: Mapping[str, str]


class SeenTournament:
    """`tournament` is the current state, None until the tournament begins.

    `stuck` maps fixtures whose match can't continue to the reason.
    """

    _drawing: RoundDrawing

    def __init__(self, shell: TournamentShell, toml: str, spec: Spec, secret: tuple[int, str]) -> None:
        """`secret`: the seed to which it is committed, and its salt."""
        self._shell = shell
        self.toml = toml
        self.spec = spec
        self.name, self.title = spec.name, spec.display_name
        self.topic = f"tournament:{spec.name}"
        self._secret = secret
        self._created: events.Created | None = None
        self._beginning_with: Sequence[Entrant] = ()
        self.tournament: Tournament | None = None
        self.overrules_break = False
        self.is_held = False  # its warm-up is over, and the teacher has to start it
        self.stuck: dict[str, str] = {}
        self._late_bots: tuple[str, ...] = ()
        self._why_not_begun = ""
        self._faults: dict[str, str] = {}  # what failed, by the name of the work
        self._records = 0

    @cached_property
    def _described(self) -> dict[str, Any]:
        return self.spec.model_dump(mode="json", exclude={"seed"})

    @property
    def state(self) -> State:
        if self.is_undrawn:
            return "paused"
        if self.tournament is not None:
            return self.tournament.phase
        return "draft" if self.spec.start is None or self.is_held else "waiting"

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

    @property
    def version(self) -> Version:
        """Another one whenever something has changed, and of another tournament that was called so."""
        return (None if self._created is None else self._created.commitment), self._records

    @property
    def is_drawing(self) -> bool:
        """Whether a round is being drawn in a thread, or could not be, and events are held back."""
        return self._drawing.is_on

    @property
    def is_undrawn(self) -> bool:
        """Whether a round could not be drawn: it is paused until the next event, or `draw_again`."""
        return self._drawing.undrawn is not None

    # For watchers:

    def _tell_state(self) -> None:
        if self._shell.hub.watched(self.topic):
            self._shell.hub.publish(self.topic, {"type": "state", **self.summary()})

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

    def rulings(self, viewer: Viewer) -> list[dict[str, Any]]:
        t = self.seen_by(viewer)
        return [] if t is None else [ruling_values(t, each) for each in t.rulings]

    def summary(self, viewer: Viewer = VISITOR) -> dict[str, Any]:
        """The tournament's entry in a list, as plain values; times are UTC in ms."""
        t, spec = self.seen_by(viewer), self.spec
        so_far = Progress(0, None, 0, None) if t is None else progress(t)
        return {
            "name": spec.name,
            "title": self.title,
            "format": spec.format.name,
            "format_title": spec.format.title,
            "views": ["standings", "schedule", "crosstable", *spec.format.views],
            "games": list(spec.games),
            "state": self.state,
            "players": 0 if t is None else len(t.entrants),
            **so_far._asdict(),  # played, total, round, rounds
            "why_paused": None if (pause := self._pause(viewer)) is None else pause.parts,
            "troubles": [each.parts for each in self.troubles(viewer)],
            "revealed": t is None or t.revealed,
            "hides": self.hides,
            "closed": t is not None and t.closed,
            "incomplete": None if t is None else first_incomplete(t),
            "counts_all": t is not None and t.counts_all,
            "scheduled": None if spec.start is None else int(spec.start.timestamp() * 1000),
            "predicted_end": None if t is None else self._predicted_end(t),
            "rulings": self.rulings(viewer),
        }

    def snapshot(self, viewer: Viewer = VISITOR) -> dict[str, Any]:
        t = self.seen_by(viewer)
        playing = [] if t is None else [(t.by_id[fixture], match) for fixture, match in t.playing.items()]
        # Until it begins, whoever is on the roster by then may come.
        entrants = t.entrants if t is not None else self._shell.invited(self.spec)
        expected = [one.name for one in entrants if not one.reference] if t is None else t.active
        length = outlook(self.spec, entrants, self._shell.wall_ms()) if t is None else None
        missing = [] if self.state == "completed" else [name for name in expected if name not in self._shell.players]
        return {
            **self.summary(viewer),
            "spec": self._described,
            "criteria": [criterion.label for criterion in self.spec.format.criteria],
            "outlook": length and length._asdict(),
            "seed": None if t is None else t.seed,
            "carried": None if t is None or t.carried is None else self._carried(t.carried),
            "commitment": None if self._created is None else self._created.commitment,
            "entrants": [entrant._asdict() for entrant in entrants],
            "playing": [{**fixture._asdict(), "match": match} for fixture, match in playing],
            "missing": missing,
            "withdrawn": {} if t is None else dict(t.withdrawn),
            "struck": 0 if t is None else len(t.struck),
        }

    def _carried(self, carried: Carried) -> dict[str, Any]:
        earlier = [{**asdict(each), "title": self._shell.titles.get(each.name)} for each in carried.tournaments]
        return {**asdict(carried), "tournaments": earlier}

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

    def _tell(self, event: events.Event) -> None:
        hub, t = self._shell.hub, self.tournament
        if t is None or not hub.watched(self.topic):
            return
        if isinstance(event, events.MatchStarted | events.Ended) and event.match in t.hidden:
            # Watchers hear that a round is hidden from now on, and that all is over.
            if t.phase == "completed" or (isinstance(event, events.MatchStarted) and len(t.hidden) == 1):
                self._tell_state()
        elif isinstance(event, events.MatchStarted | events.Ended):
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
