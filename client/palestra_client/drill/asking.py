"""A bot in a position of a drill, at its clock."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from palestra_client import traces
from palestra_client.arena import replaying
from palestra_client.arena.contenders import contenders, factory_of
from palestra_client.arena.replaying import READY_S, Answer, Played
from palestra_client.drill.positions import Position
from palestra_client.factories import BotFactory

LATE_S = 2.0  # how long to wait for an answer that is late already


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the bot did: an answer, or a `fault`, which is a sentence (and a traceback). As text: what came of it."""

    position: Position
    move_s: float
    answer: Answer | None = None
    fault: str = ""

    @property
    def passed(self) -> bool:
        answer = self.answer
        return answer is not None and answer.took_s <= self.move_s and answer.action in self.position.keeps

    def __str__(self) -> str:
        if self.answer is None:
            return f"{self.position}: {self.fault}"
        action, took_s = self.answer.action, self.answer.took_s
        legal = action in self.position.state().legal_actions()
        chose = self.position.named([action]) if legal else f"{action}, which is not legal,"
        if legal and took_s > self.move_s:
            return f"{self.position}: {chose} after {took_s:.3f} s, too late for {self.move_s:g} s."
        told = "" if self.passed else f"; {self.position.wanted()}"
        return f"{self.position}: {chose} after {took_s:.3f} s{told}."


def bot_named(text: str) -> BotFactory:
    """The bot of a command line: a Python file, a module, a level, or the command of a program behind the bridge.

    Raises NoContender, NoBot and BadOption.
    """
    return factory_of(contenders([text])[0])


def attempt(factory: BotFactory, position: Position, move_s: float | None = None) -> Attempt:
    """Asks a new bot, which has `move_s` seconds (those of the match the position is from, unless given)."""
    limit = position.move_ms / 1000 if move_s is None else move_s
    state = position.state()
    players = ("you", "opponent") if state.to_move == 0 else ("opponent", "you")
    played = Played("drill", position.game, players, position.actions, (), None, "", "")
    states, ply = played.states(), len(position.actions)
    found: list[Attempt] = []
    begun = threading.Event()

    def run() -> None:
        try:
            answer = replaying.ask(factory, played, states, ply, limit, begun=begun.set)
        except BaseException as error:  # anything can come out of a student's code
            found.append(Attempt(position, limit, fault=f"it raises an exception:\n{traces.report(error)}"))
        else:
            found.append(Attempt(position, limit, answer))
        begun.set()

    thread = threading.Thread(target=run, daemon=True)  # one that never answers doesn't keep the program from ending
    thread.start()
    if not begun.wait(READY_S):
        return Attempt(position, limit, fault=f"it was not ready within {READY_S:g} s.")
    thread.join(limit + LATE_S)
    return found[0] if found else Attempt(position, limit, fault=f"no answer within {limit:g} s.")
