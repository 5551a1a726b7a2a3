"""The protocol of the course's Mancala programs, so that they can play here unmodified.

A command is one line (TIMEOUT, SETPLAYER and GETMOVE are followed by an argument line), and so is an answer:

| command                                | answer                                           |
|----------------------------------------|--------------------------------------------------|
| PING                                   | PONG                                             |
| GETNAME                                | the program's name                               |
| TIMEOUT, milliseconds for a move       | any line                                         |
| SETPLAYER, 0 or 1                      | OK                                               |
| GETMOVE, `n m1 .. mn t` and 14 numbers | a pit, 1 to 6                                    |
| END                                    | OK                                               |

m1 .. mn are the pits the opponent has sown since this program's last move, t is the player to move, and the 14 numbers
are the store and pits 1 to 6 of player 0, then those of player 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from palestra_client.bridge.dialect import ProgramFailed, Talk, no_action, quoted, think_ms
from palestra_client.match import Match, Result
from palestra_client.turn import Turn
from palestra_games import get_game

PAUSE_S = 2.0  # how long to wait for an answer that carries no information (OK, or any line)
IN_TURN_S = 1.0  # the same while the clock is running, but at most a quarter of the time left
# How long to wait for a pit after a line that isn't one: some programs print debugging output first.
AFTER_NONSENSE_S = 0.25
# Such lines are reported only this often per match, since a program that prints them does so on every turn.
ODD_TOLD = 3
_RETIME = 0.25  # TIMEOUT is sent again when the time for a move changes by more than this fraction


class CourseMancala:
    def __init__(self) -> None:
        self._told_ms = 0
        self._odd = 0
        self._surplus = False
        self._answers_ping = True

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
        while (ready := talk.quiet(PAUSE_S)) is not None and ready.upper() != "OK":
            self._surplus = True
        if ready is None:
            talk.tell("did not answer SETPLAYER with OK; going on.")

    def ask(self, talk: Talk, turn: Turn) -> int:
        owes_pong = self._discard(talk, turn)
        state = turn.state.to_wire()
        pits, stores = cast(list[list[int]], state["pits"]), cast(list[int], state["stores"])
        theirs = _since_last(turn)
        numbers = (len(theirs), *theirs, turn.seat, stores[0], *pits[0], stores[1], *pits[1])
        talk.say("GETMOVE", " ".join(map(str, numbers)))
        return self._answer(talk, turn, owes_pong)

    def end(self, talk: Talk, _result: Result) -> None:
        talk.say("END")
        talk.quiet(PAUSE_S / 4)

    def _discard(self, talk: Talk, turn: Turn) -> bool:
        """Skip what the program wrote unasked, and its answer to TIMEOUT, which may be its last pit. Returns whether
        that answer may still come, and then a PONG.
        """
        while talk.quiet(0.0) is not None:
            self._surplus = True
        left_ms = think_ms(turn.remaining_s)
        retime = abs(left_ms - self._told_ms) > _RETIME * self._told_ms
        if retime:
            self._told_ms = left_ms
            talk.say("TIMEOUT", str(left_ms))
        if not retime and not (self._surplus and self._answers_ping):
            return False
        pause_s = min(IN_TURN_S, turn.remaining_s / 4)
        talk.say("PING")
        while (line := talk.quiet(pause_s)) is not None and line.upper() != "PONG":
            pass
        self._answers_ping = line is not None
        return retime and line is None

    def _answer(self, talk: Talk, turn: Turn, owes_pong: bool) -> int:
        hear: Callable[[], str | None] = talk.hear
        odd = ""
        while (line := hear()) is not None:
            if line.upper() in ("OK", "PONG"):  # a late answer to an earlier command
                owes_pong = owes_pong and line.upper() == "OK"
                continue
            if pit := re.fullmatch(r"([+-]?\d{1,9})(?:\.0*)?", line):
                if owes_pong and (talk.quiet(min(AFTER_NONSENSE_S, turn.remaining_s / 4)) or "").upper() == "PONG":
                    owes_pong = False  # that pit was a late answer to TIMEOUT
                    continue
                action = int(pit[1]) - 1
                if 0 <= action < 6:
                    return action
                talk.tell(f"answered {quoted(line)} to GETMOVE: there are the pits 1 to 6.")
                return no_action(turn, line)
            odd = odd or line
            if hear == talk.hear:  # the first line of this turn
                self._odd += 1
                if self._odd <= ODD_TOLD:
                    talk.tell(f"answered {quoted(line)} to GETMOVE, where the number of a pit, 1 to 6, was expected.")
            hear = lambda: talk.quiet(AFTER_NONSENSE_S)  # noqa: E731
        return no_action(turn, odd)


def _since_last(turn: Turn) -> tuple[int, ...]:
    """The pits the opponent has sown since this program's last move, numbered from 1."""
    if turn.history is None:  # this client joined mid-match
        return () if turn.last is None or turn.last.seat == turn.seat else (turn.last.action + 1,)
    state = get_game(turn.match.game).initial_state()
    theirs: list[int] = []
    for action in turn.history:
        theirs = [] if state.to_move == turn.seat else [*theirs, action + 1]
        state = state.apply(action)
    return tuple(theirs)
