"""A bot in a position of a drill, at its clock."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from palestra_client import traces
from palestra_client.arena import replaying
from palestra_client.arena.contenders import contenders, factory_of
from palestra_client.arena.replaying import READY_S, Answer, Played
from palestra_client.drill.positions import DEFAULT, Position, read
from palestra_client.factories import BotFactory, check_factory
from palestra_protocol.harmless import harmless

SAME = 1e-6  # values that differ by less are the same, added up in another order
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
        answer, position = self.answer, self.position
        if answer is None or answer.took_s > self.move_s:
            return False
        if position.value == "searched":
            # Any other value than the wrong one: who has changed the evaluation, too, says neither.
            said = answer.values.get(position.depth or 0)
            return said is not None and abs(said - (position.told or 0)) > SAME
        return answer.action in position.keeps

    @property
    def untested(self) -> bool:
        """Whether it looked so far ahead, but does not say what it saw at the depth that is asked for."""
        answer, position = self.answer, self.position
        if position.value != "searched" or answer is None or answer.took_s > self.move_s or not answer.values:
            return False
        return position.depth not in answer.values and max(answer.values) > (position.depth or 0)

    @property
    def beyond(self) -> bool:
        """Whether it missed what it can't see: it looked less far ahead than a search needs there."""
        answer, needed = self.answer, self.position.depth
        if self.passed or answer is None or answer.took_s > self.move_s or needed is None or not answer.values:
            return False
        return max(answer.values) < needed

    def __str__(self) -> str:
        if self.answer is None:
            return f"{self.position}: {self.fault}"
        if self.beyond:
            seen, needed = max(self.answer.values), self.position.depth
            return f"{self.position}: needs a search of {needed} moves or more; this one looked {seen} ahead."
        if self.position.value == "searched" and self.answer.took_s <= self.move_s:
            return self._searched(self.answer)
        action, took_s = self.answer.action, self.answer.took_s
        legal = action in self.position.state().legal_actions()
        chose = self.position.named([action]) if legal else f"{action}, which is not legal,"
        if legal and took_s > self.move_s:
            return f"{self.position}: {chose} after {took_s:.3f} s, too late for {self.move_s:g} s."
        told = "" if self.passed else f"; {self.position.wanted()}"
        return f"{self.position}: {chose} after {took_s:.3f} s{told}."

    def _searched(self, answer: Answer) -> str:
        depth = self.position.depth or 0
        if depth not in answer.values:
            how = "turn.report after each depth" if answer.values else "turn.report(depth=..., value=...)"
            return f"{self.position}: what it sees looking {depth} moves ahead would tell; it does not say it ({how})."
        said = f"{self.position}: it says {answer.values[depth]:g}, looking {depth} moves ahead"
        return f"{said}." if self.passed else f"{said}; {self.position.wanted()}."


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


def practise(bot: BotFactory, positions: str | Sequence[Position] = DEFAULT, move_s: float | None = None) -> bool:
    """Asks a bot in all positions (those of a folder, say), prints what comes of it, and returns whether all is well:
    it missed none but what is beyond its depth, or can't be told.

    For notebooks: `practise(MyBot)` after `!palestra drill`. Raises NoBot and NotADrill.
    """
    check_factory(bot)
    asked = read(positions) if isinstance(positions, str) else positions
    count, faults = Counter[str](), Counter[str]()
    # Those of a fault come first: who has mended it sees that at once, whatever else is to be done.
    for number, position in enumerate(sorted(asked, key=lambda each: not each.of_a_fault), 1):
        tried = attempt(bot, position, move_s)
        mark = "ok" if tried.passed else "beyond" if tried.beyond else "untold" if tried.untested else "MISSED"
        print(f"{number:3} {mark:6}  {harmless(str(tried))}")
        if mark == "MISSED" and not count[mark]:
            print(position.state())
        count[mark] += 1
        faults[mark] += position.of_a_fault
    deeper = f" {count['beyond']} beyond its depth: it has to look further ahead." if count["beyond"] else ""
    gone = " The fault that the judge found is gone." if faults.total() == faults["ok"] > 0 else ""
    print(f"{count['ok']} of {len(asked)} found.{gone}{deeper}")
    return count["MISSED"] == 0
