"""A spectator's state, built up from events. Does no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Board:
    """A match as listed in the lobby."""

    match: str
    game: str
    players: tuple[str, str]
    ply: int


@dataclass(slots=True)
class Lobby:
    """The connected players and the matches in progress."""

    players: set[str] = field(default_factory=set)
    boards: dict[str, Board] = field(default_factory=dict)

    def busy(self, player: str) -> bool:
        return any(player in board.players for board in self.boards.values())

    def happened(self, event: Mapping[str, Any]) -> None:
        """Apply a lobby event. Unknown types are ignored."""
        match event.get("type"):
            case "snapshot":
                self.players = {player["name"] for player in event["players"]}
                self.boards = {entry["match"]: _board(entry) for entry in event["matches"]}
            case "player_joined":
                self.players.add(event["player"])
            case "player_left":
                self.players.discard(event["player"])
            case "match_start":
                self.boards[event["match"]] = _board(event)
            case "played" if event["match"] in self.boards:
                self.boards[event["match"]].ply = event["ply"]
            case "match_end":
                self.boards.pop(event["match"], None)


def _board(entry: Mapping[str, Any]) -> Board:
    first, second = entry["players"]
    return Board(entry["match"], entry["game"], (first, second), entry.get("ply", 0))


@dataclass(frozen=True, slots=True)
class Move:
    """A played action. `charged_ms` is None if it belongs to the opening."""

    seat: int | None
    name: str
    charged_ms: float | None
    info: Mapping[str, Any] | None


@dataclass(slots=True)
class Watched:
    """The match being watched: its moves, and the view before the first and after each."""

    match: str
    game: str = ""
    players: tuple[str, str] = ("", "")
    moves: list[Move] = field(default_factory=list)
    views: list[Mapping[str, Any]] = field(default_factory=list)
    result: str | None = None

    def happened(self, event: Mapping[str, Any]) -> None:
        """Apply an event of the match. Unknown types are ignored."""
        match event.get("type"):
            case "snapshot":
                first, second = event["players"]
                self.game, self.players = event["game"], (first, second)
                self.views = list(event["views"])
                movers = [view["to_move"] for view in self.views]
                self.moves = list(map(Move, movers, event["names"], event["charged_ms"], event["infos"]))
                self.result = None if event["result"] is None else event["result"]["detail"]
            case "played" if event["ply"] == len(self.moves):
                self.moves.append(Move(event["seat"], event["name"], event["charged_ms"], event.get("info")))
                self.views.append(event["view"])
            case "match_end":
                self.result = event["detail"]
