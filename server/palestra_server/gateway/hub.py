"""Topics for watchers: publish once, encoded once per codec, resumed by sequence number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Snapshot = Callable[[str], Mapping[str, Any] | None]
"""topic -> the topic's present state as a plain map; None if there is no such topic."""


class Hub:
    """Topics are "lobby", "match:ID", "tournament:ID". One hub per gateway; used in the loop's thread."""

    def provide(self, kind: str, snapshot: Snapshot) -> None:
        """Register who knows the topics of a kind ("lobby", "match", "tournament")."""
        raise NotImplementedError

    def publish(self, topic: str, event: Mapping[str, Any]) -> None:
        """Send `event` (a plain map with its own "type") to everybody who watches `topic`."""
        raise NotImplementedError

    def watched(self, topic: str) -> bool:
        """Is it worth the trouble to build an event for this topic? (Somebody watches, or may resume.)"""
        raise NotImplementedError

    def retire(self, topic: str) -> None:
        """The topic will change no more (a match ended): forget its past once nobody watches it."""
        raise NotImplementedError
