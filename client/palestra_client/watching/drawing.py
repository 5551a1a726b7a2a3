"""Draws boards as coloured text from the server's views, without knowing any game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from palestra_client.watching.model import Move, Watched
from palestra_protocol.harmless import harmless

SEATS = ("bold red", "bold yellow")
_SIGNS = {"empty": "·", "piece": "●", "bomb": "✹"}
_DECIDED = "reverse"


def board(view: Mapping[str, Any]) -> Text:
    """Draw the board, top row first."""
    return _pits(view) if view["kind"] == "pits" else _grid(view)


def _grid(view: Mapping[str, Any]) -> Text:
    text = Text()
    rows, cols, cells = view["rows"], view["cols"], view["cells"]
    for row in reversed(range(rows)):
        for cell in cells[row * cols : (row + 1) * cols]:
            style = "dim" if cell["seat"] is None else SEATS[cell["seat"]]
            sign = _SIGNS.get(cell["kind"], harmless(str(cell["kind"]))[:1])
            text.append(f" {sign}", style if not cell["highlight"] else f"{style} {_DECIDED}")
        text.append("\n")
    return text.append("".join(f"{col:2}" for col in range(1, cols + 1)), "dim")


def _pits(view: Mapping[str, Any]) -> Text:
    cols, cells, (first, second) = view["cols"], view["cells"], view["stores"]
    text = Text()
    text.append(f"{second:>4} ", SEATS[1])
    for cell in cells[cols:]:
        text.append(f"{cell['count']:4}", SEATS[1])
    text.append("\n     ")
    for cell in cells[:cols]:
        text.append(f"{cell['count']:4}", SEATS[0])
    return text.append(f" {first:4}", SEATS[0])


def moves(watched: Watched, last: int) -> Text:
    """List the `last` newest moves: player, move, time taken and what the player reported."""
    text = Text()
    for ply in range(max(0, len(watched.moves) - last), len(watched.moves)):
        move = watched.moves[ply]
        who = "" if move.seat is None else watched.players[move.seat]
        text.append(f"{ply:3} ", "dim")
        text.append(harmless(f"{who:12.12} {move.name:8}"), "" if move.seat is None else SEATS[move.seat])
        text.append(harmless(_time(move)) + "\n", "dim")
    return text


def _time(move: Move) -> str:
    if move.charged_ms is None:
        return " opening"
    info = move.info or {}
    said = ", ".join(f"{key} {info[key]:g}" for key in ("depth", "value") if info.get(key) is not None)
    return f"{move.charged_ms / 1000:7.3f} s  {said}"
