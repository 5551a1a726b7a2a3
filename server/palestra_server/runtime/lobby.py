"""The topic `lobby`: who is connected, what is being played, and its boards a few times a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from palestra_referee import MS, Match
from palestra_referee.frames import milliseconds
from palestra_server.gateway import Hub, PlayerConnection
from palestra_server.runtime.live import LiveMatch

TOPIC: Final = "lobby"
TICK_S: Final = 0.25  # pause between two rounds of boards
BOARDS_MAX: Final = 12  # boards sent in one round; with more matches, they take turns
# Frames sent in one round, over all watchers: the more watchers, the less often a board is sent.
FRAMES_MAX: Final = 500
VIEWS_MAX: Final = 24  # boards in a snapshot; those of other matches follow as they move


class Lobby:
    """The topic `lobby`. `peers` and `matches` are the host's own, and change; hidden matches are left out."""

    def __init__(
        self,
        hub: Hub,
        loop: asyncio.AbstractEventLoop,
        peers: Mapping[str, PlayerConnection],
        matches: Mapping[str, LiveMatch],
        busy: Callable[[str], bool],
        is_hidden: Callable[[str], bool],
        title_of: Callable[[str | None], str | None],
    ) -> None:
        self._hub = hub
        self._loop = loop
        self._peers = peers
        self._matches = matches
        self._busy = busy
        self._is_hidden = is_hidden
        self._title_of = title_of
        # Matches that moved since they were last sent, the longest waiting first.
        self._moved: dict[str, LiveMatch] = {}
        self._timer: asyncio.TimerHandle | None = None

    def snapshot(self) -> Mapping[str, Any]:
        shown = [live for live in self._matches.values() if not self._is_hidden(live.id)]
        return {
            "type": "snapshot",
            "players": [{"name": name, "busy": self._busy(name)} for name in sorted(self._peers)],
            "matches": [
                {**self._entry(live), **_position(live.match), "view": live.view if number < VIEWS_MAX else None}
                for number, live in enumerate(shown)
            ],
        }

    def tell(self, kind: str, **fields: object) -> None:
        if self._hub.watched(TOPIC):
            self._hub.publish(TOPIC, {"type": kind, **fields})

    def started(self, live: LiveMatch) -> None:
        """A match began, resumed after a restart, or is no longer hidden."""
        if self._hub.watched(TOPIC) and not self._is_hidden(live.id):
            self._hub.publish(
                TOPIC, {"type": "match_start", **self._entry(live), "ply": live.match.ply, "view": live.view}
            )

    def ended(self, live: LiveMatch) -> None:
        """The result of a match is announced; its last board goes before it."""
        moved = self._moved.pop(live.id, None) is not None
        if self._is_hidden(live.id):
            return
        if moved:
            self._show(live)
        outcome = live.finished.result()
        self.tell("match_end", match=live.id, returns=outcome.returns, reason=outcome.reason)

    def moved(self, live: LiveMatch) -> None:
        if not self._hub.audience(TOPIC):
            return
        self._moved.setdefault(live.id, live)
        if self._timer is None:
            self._timer = self._loop.call_later(self._pause(), self.show_boards)

    def show_boards(self) -> None:
        """Send one round of boards, the longest waiting first."""
        self._timer = None
        audience = self._hub.audience(TOPIC)
        if not audience:
            self._moved.clear()
            return
        room = max(1, min(BOARDS_MAX, FRAMES_MAX // audience))
        while self._moved and room:
            live = self._moved.pop(next(iter(self._moved)))
            if not self._is_hidden(live.id):
                self._show(live)
                room -= 1
        if self._moved:
            self._timer = self._loop.call_later(self._pause(), self.show_boards)

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
            "tournament_title": self._title_of(config.tournament),
            "move_ms": [budget // MS for budget in live.match.clock.budgets],
            "age_ms": live.now() // MS,
        }

    def _pause(self) -> float:
        return TICK_S * max(1.0, self._hub.audience(TOPIC) / FRAMES_MAX)

    def _show(self, live: LiveMatch) -> None:
        if self._hub.watched(TOPIC):
            self._hub.publish(TOPIC, partial(_board, live, live.match))


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
