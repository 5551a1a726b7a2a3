"""The topic `lobby`: who is connected, what is being played, and its boards a few times a second."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from palestra_referee import MS, Match
from palestra_referee.frames import milliseconds
from palestra_server.gateway import Hub, PlayerConnection
from palestra_server.runtime.embargo import Embargo
from palestra_server.runtime.live import LiveMatch
from palestra_server.runtime.room import Playing
from palestra_server.supervision import Supervisor

TOPIC: Final = "lobby"
PAGE: Final = "palestra-page/"  # how the page names itself in `hello`
TICK_S: Final = 0.25  # pause between two rounds of boards
BOARDS_MAX: Final = 12  # boards sent in one round; with more matches, they take turns
# Frames sent in one round, over all watchers: the more watchers, the less often a board is sent.
FRAMES_MAX: Final = 500
VIEWS_MAX: Final = 24  # boards in a snapshot; those of other matches follow


def is_person(peer: PlayerConnection) -> bool:
    """Whether somebody plays here by hand, as far as the client says so."""
    return peer.client.startswith(PAGE)


@dataclass(kw_only=True, eq=False)
class Lobby:
    """The topic `lobby`; hidden matches are left out."""

    hub: Hub
    peers: Mapping[str, PlayerConnection]
    playing: Playing
    embargo: Embargo
    titles: Mapping[str, str]
    supervisor: Supervisor

    def __post_init__(self) -> None:
        # Matches whose boards are to be sent, the longest waiting first.
        self._moved: dict[str, LiveMatch] = {}
        self._timer: asyncio.TimerHandle | None = None

    def snapshot(self) -> Mapping[str, Any]:
        shown = [live for live in self.playing.matches.values() if not self._hides(live)]
        for live in shown[VIEWS_MAX:]:
            self._to_show(live)
        return {
            "type": "snapshot",
            "players": [
                {"name": name, "busy": self.playing.count(name) > 0, "person": is_person(self.peers[name])}
                for name in sorted(self.peers)
            ],
            "matches": [
                {**self._entry(live), **_position(live.match), "view": live.view if number < VIEWS_MAX else None}
                for number, live in enumerate(shown)
            ],
        }

    def tell(self, kind: str, **fields: object) -> None:
        if self.hub.watched(TOPIC):
            self.hub.publish(TOPIC, {"type": kind, **fields})

    def started(self, live: LiveMatch) -> None:
        """A match began, was resumed after a restart, or is no longer hidden."""
        if self.hub.watched(TOPIC) and not self._hides(live):
            self.hub.publish(
                TOPIC, {"type": "match_start", **self._entry(live), "ply": live.match.ply, "view": live.view}
            )

    def revealed(self, matches: Iterable[str]) -> None:
        for match in matches:
            live = self.playing.matches.get(match)
            if live is not None:
                self.started(live)

    def ended(self, live: LiveMatch) -> None:
        """The result of a match is announced, its last board before it; one that was given up counts for nobody."""
        moved = self._moved.pop(live.id, None) is not None
        if self._hides(live):
            return
        if moved:
            self._show(live)
        outcome = live.match.outcome
        returns, reason = ((0.0, 0.0), "void") if outcome is None else (outcome.returns, outcome.reason)
        self.tell("match_end", match=live.id, returns=returns, reason=reason)

    def moved(self, live: LiveMatch) -> None:
        if self.hub.audience(TOPIC):
            self._to_show(live)

    def _to_show(self, live: LiveMatch) -> None:
        self._moved.setdefault(live.id, live)
        if self._timer is None:
            self._arm()

    def _arm(self) -> None:
        pause = TICK_S * max(1.0, self.hub.audience(TOPIC) / FRAMES_MAX)
        self._timer = self.supervisor.later("boards in the lobby", self.supervisor, pause, self.show_boards)

    def show_boards(self) -> None:
        """Send one round of boards, the longest waiting first."""
        self._timer = None
        audience = self.hub.audience(TOPIC)
        if not audience:
            self._moved.clear()
            return
        room = max(1, min(BOARDS_MAX, FRAMES_MAX // audience))
        while self._moved and room:
            live = self._moved.pop(next(iter(self._moved)))
            if not self._hides(live):
                self._show(live)
                room -= 1
        if self._moved:
            self._arm()

    def _hides(self, live: LiveMatch) -> bool:
        return self.embargo.hides(live.id, live.match.config.tournament)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _entry(self, live: LiveMatch) -> dict[str, object]:
        config = live.match.config
        return {
            "match": live.id,
            "game": config.game,
            "players": config.players,
            "tournament": config.tournament,
            "tournament_title": self.titles.get(config.tournament or ""),
            "move_ms": [budget // MS for budget in live.match.clock.budgets],
            "age_ms": live.now() // MS,
        }

    def _show(self, live: LiveMatch) -> None:
        if self.hub.watched(TOPIC):
            self.hub.publish(TOPIC, partial(_board, live, live.match))


def _board(live: LiveMatch, match: Match) -> dict[str, object]:
    return {"type": "played", "match": live.id, **_position(match), "view": live.view_of(match.state)}


def _position(match: Match) -> dict[str, object]:
    """The match's ply; each seat's latest reported value; what its latest move cost."""
    values: list[float | None] = [None, None]
    charged_ms: list[float | None] = [None, None]
    for move in match.moves[-2:]:
        value = (move.info or {}).get("value")
        values[move.seat] = value if isinstance(value, int | float) else None
        charged_ms[move.seat] = milliseconds(move.charged_ns)
    return {"ply": match.ply, "values": values, "charged_ms": charged_ms}
