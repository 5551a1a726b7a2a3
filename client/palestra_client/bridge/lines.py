"""The line protocol, with which a program in any language can play any game. See protocol/LINES.md."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from palestra_client.bridge.dialect import NO_ACTION, ProgramFailed, Talk, no_action, quoted, think_ms
from palestra_client.match import Match, Result
from palestra_client.turn import Turn
from palestra_games import State, get_game
from palestra_games.connect4 import Connect4State
from palestra_games.desconecta4 import Desconecta4State
from palestra_games.mancala import MancalaState

VERSION = 1
OTHER_DIALECT = (
    "If it speaks the course's Mancala interface, say so: --course-mancala in palestra bridge, "
    "course-mancala:PROGRAM in palestra arena and doctor."
)


class Lines:
    """The dialect of the line protocol, for every game."""

    def __init__(self) -> None:
        self._told = False

    def start(self, talk: Talk, match: Match) -> None:
        talk.say(
            f"palestra {VERSION}",
            f"game {match.game}",
            f"seat {match.seat}",
            f"time {think_ms(match.move_s)}",
            f"opponent {match.opponent}",
            "start",
        )
        try:
            while (line := talk.hear()).lower() != "ready":
                if line.split()[0].lower() != "name":
                    self._skip(talk, line, "before it was ready")
        except ProgramFailed as failed:
            if match.game == "mancala":
                raise ProgramFailed(f"{failed} {OTHER_DIALECT}") from failed
            raise

    def ask(self, talk: Talk, turn: Turn) -> int:
        lines = [f"position {position(turn.state)}"]
        if turn.history is not None:
            lines.append(" ".join(("moves", *map(str, turn.history))))
        lines.append(" ".join(("legal", *map(str, turn.legal))))
        talk.say(*lines, f"go {think_ms(turn.remaining_s)}")
        while True:
            line = talk.hear()
            word, _, rest = line.partition(" ")
            if word.lower() == "info":
                report(turn, rest)
            elif word.lower() == "note":
                turn.note(rest)
            elif word.lower() == "move" or line.lstrip("+-").isdecimal():
                return self._action(talk, rest.strip() if word.lower() == "move" else line, turn)
            else:
                self._skip(talk, line, "where a line such as `move 3` was expected")

    def end(self, talk: Talk, result: Result) -> None:
        how = "win" if result.won else "loss" if result.lost else "draw" if result.drawn else "void"
        talk.say(f"end {how} {result.reason}")

    def _action(self, talk: Talk, answer: str, turn: Turn) -> int:
        """Parse an action, given as its number from 0 or its name."""
        if answer.lstrip("+-").isdecimal():
            number = int(answer[:10])
            return number if 0 <= number < NO_ACTION else no_action(turn, answer)
        try:
            return get_game(turn.match.game).parse_action(answer)
        except ValueError:
            talk.tell(
                f"answered {quoted(answer)}, which is not an action: write `move` and one of the numbers in `legal`."
            )
            return no_action(turn, answer)

    def _skip(self, talk: Talk, line: str, where: str) -> None:
        if not self._told:
            self._told = True
            what = "skipped, as all such lines are; print your own messages to standard error"
            talk.tell(f"wrote {quoted(line)} {where}: {what}.")


def position(state: State) -> str:
    """Encode a position as one line, beginning with the player to move.

    For our grids, the rows follow from the bottom up, separated by "/", then the round if there is one. For Mancala,
    the store and pits of seat 0, then those of seat 1. For any other game, the state's wire form as compact JSON.
    """
    wire = state.to_wire()
    if isinstance(state, Connect4State | Desconecta4State):
        cols, cells = cast(int, wire["cols"]), cast(Sequence[int], wire["cells"])
        rows = ("".join(map(str, cells[at : at + cols])) for at in range(0, len(cells), cols))
        return " ".join(map(str, (state.to_move, "/".join(rows), *_rest(wire))))
    if isinstance(state, MancalaState):
        pits, stores = cast(Sequence[Sequence[int]], wire["pits"]), cast(Sequence[int], wire["stores"])
        return " ".join(map(str, (state.to_move, stores[0], *pits[0], stores[1], *pits[1])))
    return f"{state.to_move} {json.dumps(wire, separators=(',', ':'))}"


def _rest(wire: Mapping[str, object]) -> tuple[object, ...]:
    return (wire["round"],) if "round" in wire else ()


def report(turn: Turn, words: str) -> None:
    """Pass an `info` line on as the bot's report: `depth 8 nodes 48211 value 0.5 pv 3 3 2 text four in a row`."""
    found: dict[str, list[str]] = {}
    key = ""
    for word in words.split():
        if key != "text" and word.lower() in ("depth", "nodes", "value", "pv", "text"):
            key = word.lower()
            found[key] = []
        elif key:
            found[key].append(word)
    told: dict[str, Any] = {}
    for key, values in found.items():
        with suppress(ValueError, IndexError):  # a malformed report must not lose the match
            match key:
                case "depth" | "nodes":
                    told[key] = int(values[0])
                case "value":
                    told[key] = float(values[0])
                case "pv":
                    told[key] = [int(value) for value in values]
                case "text":
                    told[key] = " ".join(values)
    turn.report(**told)
