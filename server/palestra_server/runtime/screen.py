"""The big screen: what the teacher has it show, and the ceremony after a tournament.

Screens run through their programme by themselves (`js/screen/programme.js`), and all follow this state. A screen is a
viewer of its own: of a podium that is hidden from everybody else it gets the steps that the teacher has uncovered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from palestra_server.gateway import Hub
from palestra_server.runtime.catalogue import Catalogue, DirectorError
from palestra_server.runtime.director import Director
from palestra_server.runtime.judging import LiveJudging
from palestra_server.runtime.live_tournament import LiveTournament
from palestra_server.runtime.room import Playing
from palestra_server.store import ScreenBook
from palestra_server.supervision import Supervisor
from palestra_tournament import WARM_UP, Row, standings

TOPIC: Final = "screen"
STEPS: Final = 3
SHARED: Final = 2  # so many may share a step
PAUSE_S: Final = 7.0  # before each step that is uncovered by itself

Place = dict[str, Any]  # of a player on the podium: the columns of the standings that are read out


class Shown(BaseModel):
    """`going` counts how often the teacher went on to the next scene. `steps` is the podium of the tournament
    `ceremony`, the lowest step first; the first `uncovered` of them are seen, and with `by_itself` the rest follows.
    """

    model_config = ConfigDict(frozen=True)

    show: Literal["auto", "hold", "match"] = "auto"
    match: str | None = None
    judged: bool = False  # a judge follows the match
    going: int = 0
    ceremony: str | None = None
    title: str = ""
    steps: tuple[tuple[Place, ...], ...] = ()
    uncovered: int = 0
    by_itself: bool = False


@dataclass(kw_only=True, eq=False)
class Screen:
    """Written by the teacher's calls and by the timetable, which tells of every tournament that goes on or is over.

    Raises StoreError when it is made.
    """

    catalogue: Catalogue
    director: Director
    playing: Playing
    hub: Hub
    book: ScreenBook
    supervisor: Supervisor

    def __post_init__(self) -> None:
        last = self.book.last()
        self._shown = Shown() if last is None else Shown.model_validate_json(last)
        self.live = LiveJudging(self.playing, self._publish)
        self._follow()
        self._open: set[str] | None = None  # tournaments that may go on; None until the timetable has looked at all
        self._timer: asyncio.TimerHandle | None = None

    def state(self) -> dict[str, Any]:
        """For watchers: of the podium, what is uncovered."""
        shown = self._shown
        podium, is_whole = shown.steps[: shown.uncovered], shown.uncovered == len(shown.steps)
        value = self.live.value
        # Not how many steps there are: that tells of places that are shared.
        return {
            "type": "snapshot",
            **shown.model_dump(exclude={"steps", "uncovered", "by_itself"}),
            "value": None if value is None else value.model_dump(),
            "podium": podium,
            "is_whole": shown.ceremony is not None and is_whole,
        }

    # For the teacher:

    def auto(self) -> None:
        """Go on by itself; ends a ceremony."""
        self._become(Shown(going=self._shown.going))

    def hold(self) -> None:
        """Stay with what is shown."""
        self._become(self._shown.model_copy(update={"show": "hold", "by_itself": False}))

    def match(self, match: str, *, judged: bool) -> None:
        """Show this match, which every visitor may see, perhaps with what a judge says of it."""
        self._become(Shown(show="match", match=match, judged=judged, going=self._shown.going))

    def next(self) -> None:
        """Go on to the next scene, or uncover the next step of the podium."""
        if self._shown.ceremony is not None:
            self._uncover()
        else:
            self._become(self._shown.model_copy(update={"show": "auto", "going": self._shown.going + 1}))

    async def ceremony(self, name: str | None) -> None:
        """Begin the ceremony of a tournament that is over, the latest by default. Raises DirectorError, StoreAway."""
        if name is None:
            over = [one["name"] for one in self.catalogue.listed() if one["state"] == "completed"]
            name = next((each for each in reversed(over) if not each.endswith(WARM_UP)), None)
        if name is None:
            raise DirectorError("no_ceremony", "No tournament is over yet: there is nobody to honour.")
        live = await self.catalogue.fetch(name)
        if not live.is_over:
            raise DirectorError("no_ceremony", f"{name} is not over yet: its ceremony comes after its last match.")
        if not self._begin(live):
            raise DirectorError("no_podium", f"{name} has no podium: nobody played, or too many share its first place.")

    # For the timetable:

    def look(self, tournaments: Iterable[LiveTournament]) -> None:
        """Of these, one that is over has its ceremony, unless another is being played; one that begins ends that of
        another.
        """
        known = [live for live in tournaments if live.tournament is not None]
        before, self._open = self._open, {live.name for live in known if not live.is_over_for_good}
        if before is None:
            self._arm()
            return
        if self._open - before and self._shown.ceremony not in {None, *self._open}:
            self.auto()
        over = next((live for live in known if live.name in before and live.is_over_for_good), None)
        if over is None or over.name.endswith(WARM_UP) or any(live.state == "running" for live in known):
            return
        if self._shown.ceremony != over.name:
            self._begin(over, by_itself=True)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # The ceremony:

    def _begin(self, live: LiveTournament, *, by_itself: bool = False) -> bool:
        """Whether there is a podium."""
        assert live.tournament is not None
        steps = podium(standings(live.tournament, rated=False))
        if steps:
            going = self._shown.going
            self._become(Shown(going=going, ceremony=live.name, title=live.title, steps=steps, by_itself=by_itself))
        return bool(steps)

    def _arm(self) -> None:
        if self._shown.by_itself and self._shown.uncovered < len(self._shown.steps):
            go_on = partial(self._uncover, by_itself=True)
            self._timer = self.supervisor.later("ceremony", self.supervisor, PAUSE_S, go_on)

    def _uncover(self, *, by_itself: bool = False) -> None:
        shown = self._shown
        if shown.ceremony is None or shown.uncovered == len(shown.steps):
            return
        self._become(shown.model_copy(update={"uncovered": shown.uncovered + 1, "by_itself": by_itself}))
        if self._shown.uncovered == len(shown.steps) and self.catalogue.hides(shown.ceremony):
            # Who won was told to all.
            self.director.reveal(shown.ceremony)

    def _become(self, shown: Shown) -> None:
        self.close()
        self._shown = shown
        self._follow()
        self.book.put(shown.model_dump_json())
        self._publish()
        self._arm()

    def _follow(self) -> None:
        self.live.follow(self._shown.match if self._shown.judged and self._shown.show != "auto" else None)

    def _publish(self) -> None:
        self.hub.publish(TOPIC, self.state())


def podium(rows: Iterable[Row]) -> tuple[tuple[Place, ...], ...]:
    """The steps of a podium, the lowest first: players who share a place share a step. A place that many share has
    none.
    """
    ranked = [row for row in rows if row.rank is not None and row.played and row.rank <= STEPS]
    steps = [tuple(map(_place, level)) for _, level in groupby(ranked, lambda row: row.rank)]
    while steps and len(steps[-1]) > SHARED:
        steps.pop()
    return tuple(reversed(steps))


def _place(row: Row) -> Place:
    return {
        "rank": row.rank,
        "player": row.player,
        "points": row.points,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
    }
