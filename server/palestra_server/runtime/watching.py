"""The topics of matches, for watchers: those in progress, and those from the journal."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from palestra_referee import Match
from palestra_referee.frames import Wire
from palestra_server.gateway import Refusal, snapshot_frame
from palestra_server.runtime.embargo import EMBARGOED, Embargo
from palestra_server.runtime.finished import FinishedMatches, Found
from palestra_server.runtime.room import Playing
from palestra_server.runtime.snapshots import match_snapshot

_JUMP = 1_000_000  # more than a match has events, so that numbers after a restart never overlap earlier ones


def event_count(match: Match) -> int:
    """How many events the watchers of a match have been sent: every action, and the end.

    The number jumps at a restart: a watcher from before may have seen actions that were not on disk yet, and must not
    resume from there.
    """
    return len(match.moves) + match.announced + _JUMP * match.restarts


@dataclass(kw_only=True, eq=False)
class MatchTopics:
    """What the hub asks for `match:ID`."""

    playing: Playing
    finished: FinishedMatches
    embargo: Embargo
    titles: Mapping[str, str]

    def snapshot(self, topic: str) -> Wire | None:
        live = self.playing.matches.get(_id(topic))
        if live is None or self.embargo.hides(live.id, live.match.config.tournament):
            return None
        return live.snapshot(self._title(live.match))

    def event_count(self, topic: str) -> int:
        return event_count(self.playing.matches[_id(topic)].match)

    def past(self, topic: str, binary: bool) -> asyncio.Future[Found] | Refusal:
        def frame(match: Match) -> bytes | None:
            if self.embargo.hides(match.config.match, match.config.tournament):
                return None
            return snapshot_frame(topic, event_count(match), match_snapshot(match, None, self._title(match)), binary)

        if _id(topic) in self.embargo.hidden.matches:
            return Refusal("unknown_topic", EMBARGOED)
        return self.finished.ask(_id(topic), f"frame {binary}", frame)

    def _title(self, match: Match) -> str | None:
        return self.titles.get(match.config.tournament or "")


def _id(topic: str) -> str:
    return topic.partition(":")[2]
