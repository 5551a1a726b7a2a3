"""The interface of the course's Mancala programs, so that they play here as they are.

A command is a line (TIMEOUT, SETPLAYER and GETMOVE are followed by one more), and so is an answer:

| command                                | answer                                           |
|----------------------------------------|--------------------------------------------------|
| PING                                   | PONG                                             |
| GETNAME                                | the program's name                               |
| TIMEOUT, milliseconds for a move       | any line                                         |
| SETPLAYER, 0 or 1                      | OK                                               |
| GETMOVE, `n m1 .. mn t` and 14 numbers | a pit, 1 to 6                                    |
| END                                    | OK                                               |

m1 .. mn are the pits that the opponent has sown since this program's last move, t is the player to move, and the 14
numbers are store and pits 1 to 6 of player 0, then those of player 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from palestra_client.bridge.dialect import NO_ACTION, ProgramFailed, Talk, quoted, think_ms
from palestra_client.match import Match, Result
from palestra_client.turn import Turn
from palestra_games import get_game

PAUSE_S = 2.0
"""How long an answer that says nothing (OK, any line) is waited for."""
IN_TURN_S = 1.0
"""The same while the clock of a move runs, but no longer than a quarter of the move."""
AFTER_NONSENSE_S = 0.25
"""A line that is no pit may be followed by one that is, within this pause: some programs print what they think."""
ODD_TOLD = 3
"""Turns of a match in which the person is told of such lines; a program that prints them does so in every turn."""
_RETIME = 0.25
"""TIMEOUT is said again when the time for a move differs by more than this share."""


class CourseMancala:
    """A Dialect. Its programs are taken as they come: with CR LF, with blank lines, with lines of their own in between,
    and with any answer to TIMEOUT, such as their last one once more."""

    def __init__(self) -> None:
        self._told_ms = 0
        self._odd = 0

    def start(self, talk: Talk, match: Match) -> None:
        if match.game != "mancala":
            raise ProgramFailed(f"A program that speaks course-mancala can't play {match.game}, only mancala.")
        talk.say("PING")
        while (line := talk.hear()).upper() != "PONG":
            talk.tell(f"wrote {quoted(line)} where PONG was expected; skipped.")
        talk.say("GETNAME")
        talk.hear()
        self._told_ms = think_ms(match.move_s)
        talk.say("TIMEOUT", str(self._told_ms))
        talk.quiet(PAUSE_S)
        talk.say("SETPLAYER", str(match.seat))
        _until_ok(talk, "SETPLAYER")

    def ask(self, talk: Talk, turn: Turn) -> int:
        while talk.quiet(0.0) is not None:  # what came too much is no answer to this
            pass
        if abs(think_ms(turn.remaining_s) - self._told_ms) > _RETIME * self._told_ms:
            self._retime(talk, turn.remaining_s)
        state = turn.state.to_wire()
        pits, stores = cast(list[list[int]], state["pits"]), cast(list[int], state["stores"])
        theirs = _since_last(turn)
        numbers = (len(theirs), *theirs, turn.seat, stores[0], *pits[0], stores[1], *pits[1])
        talk.say("GETMOVE", " ".join(map(str, numbers)))
        return self._answer(talk)

    def end(self, talk: Talk, _result: Result) -> None:
        talk.say("END")
        talk.quiet(PAUSE_S / 4)

    def _retime(self, talk: Talk, left_s: float) -> None:
        """The answer to TIMEOUT may be a pit, the one of the last move: what comes before PONG is none of this move."""
        pause_s = min(IN_TURN_S, left_s / 4)
        self._told_ms = think_ms(left_s)
        talk.say("TIMEOUT", str(self._told_ms), "PING")
        while (line := talk.quiet(pause_s)) is not None and line.upper() != "PONG":
            pass

    def _answer(self, talk: Talk) -> int:
        hear: Callable[[], str | None] = talk.hear
        while (line := hear()) is not None:
            if line.upper() in ("OK", "PONG"):  # to something before
                continue
            if pit := re.fullmatch(r"([+-]?\d{1,9})(?:\.0*)?", line):
                action = int(pit[1]) - 1
                if not 0 <= action < 6:
                    talk.tell(f"answered {quoted(line)} to GETMOVE: there are the pits 1 to 6.")
                return action if 0 <= action < 6 else NO_ACTION
            if hear == talk.hear:  # the first line of this turn
                self._odd += 1
                if self._odd <= ODD_TOLD:
                    talk.tell(f"answered {quoted(line)} to GETMOVE, where the number of a pit, 1 to 6, was expected.")
            hear = lambda: talk.quiet(AFTER_NONSENSE_S)  # noqa: E731
        return NO_ACTION


def _until_ok(talk: Talk, command: str) -> None:
    while (line := talk.quiet(PAUSE_S)) is not None:
        if line.upper() == "OK":
            return
    talk.tell(f"did not answer {command} with OK; going on.")


def _since_last(turn: Turn) -> tuple[int, ...]:
    """The pits that the opponent has sown since this program's last move, from 1."""
    if turn.history is None:  # this client joined in the middle of the match
        return () if turn.last is None or turn.last.seat == turn.seat else (turn.last.action + 1,)
    state = get_game(turn.match.game).initial_state()
    theirs: list[int] = []
    for action in turn.history:
        theirs = [] if state.to_move == turn.seat else [*theirs, action + 1]
        state = state.apply(action)
    return tuple(theirs)
