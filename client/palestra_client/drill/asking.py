"""A bot in a position of a drill, at its clock."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from palestra_client import traces
from palestra_client.arena import replaying
from palestra_client.arena.contenders import contenders, factory_of
from palestra_client.arena.replaying import READY_S, Answer, Played
from palestra_client.drill.positions import DEFAULT, Position, read
from palestra_client.factories import BotFactory, check_factory
from palestra_protocol.harmless import harmless

SAME = 1e-6  # values that differ by less are the same, added up in another order
LATE_S = 2.0  # how long to wait for an answer that is late already

Mark = Literal["ok", "MISSED", "beyond", "weak", "untold"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the bot did: an answer, or a `fault`, which is a sentence (and a traceback). As text: what came of it."""

    position: Position
    move_s: float
    answer: Answer | None = None
    fault: str = ""

    @property
    def mark(self) -> Mark:
        """What came of it.

        "beyond": it looked less far ahead than a search needs there. "weak": it is no fault that it plays so, for all
        that is known: its evaluation says so, or that its move is worse lies deeper. "untold": it looked as far, but
        what it saw there it does not say, or its evaluation is another one by now.
        """
        answer, position = self.answer, self.position
        if answer is None or answer.took_s > self.move_s:
            return "MISSED"
        deepest, depth = max(answer.values, default=0), position.depth or 0
        if position.value == "searched":
            said = answer.values.get(depth)
            if said is not None:
                same = [abs(said - (value or 0)) <= SAME for value in (position.sound, position.told)]
                return "ok" if same[0] else "MISSED" if same[1] else "untold"
            return "MISSED" if deepest == 0 else "beyond" if deepest < depth else "untold"
        if answer.action in position.keeps:
            return "ok"
        if answer.action not in position.state().legal_actions():
            return "MISSED"
        if position.depth is not None and 0 < deepest < depth:
            return "beyond"
        doubtful = position.cause == "evaluation" or position.played not in (None, answer.action)
        return "weak" if doubtful and position.value != "other" else "MISSED"

    def __str__(self) -> str:
        if self.answer is None:
            return f"{self.position}: {self.fault}"
        mark = self.mark
        if mark == "beyond":
            seen, needed = max(self.answer.values), self.position.depth
            return f"{self.position}: needs a search of {needed} moves or more; this one looked {seen} ahead."
        if self.position.value == "searched" and self.answer.took_s <= self.move_s:
            return self._searched(self.answer, mark)
        action, took_s = self.answer.action, self.answer.took_s
        legal = action in self.position.state().legal_actions()
        chose = self.position.named([action]) if legal else f"{action}, which is not legal,"
        if legal and took_s > self.move_s:
            return f"{self.position}: {chose} after {took_s:.3f} s, too late for {self.move_s:g} s."
        told = "" if mark == "ok" else f"; {self.position.wanted()}"
        told += ": no fault is proved, it may take a better evaluation or a deeper search" if mark == "weak" else ""
        return f"{self.position}: {chose} after {took_s:.3f} s{told}."

    def _searched(self, answer: Answer, mark: Mark) -> str:
        depth = self.position.depth or 0
        if depth not in answer.values:
            how = "turn.report after each depth" if answer.values else "turn.report(depth=..., value=...)"
            return f"{self.position}: what it sees looking {depth} moves ahead would tell; it does not say it ({how})."
        said = f"{self.position}: it says {answer.values[depth]:g}, looking {depth} moves ahead"
        if mark == "untold":
            return f"{said}: by another evaluation than in the match. Play again, and ask `palestra why`."
        return f"{said}." if mark == "ok" else f"{said}; {self.position.wanted()}."


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
    found: list[Attempt] = []
    begun = threading.Event()

    def run() -> None:
        try:
            answer = replaying.ask(factory, played, position.actions, limit, begun=begun.set)
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
    it missed none but where no fault is proved.

    For notebooks: `practise(MyBot)` after `!palestra drill`. Raises NoBot and NotADrill.
    """
    check_factory(bot)
    asked = read(positions) if isinstance(positions, str) else positions
    count, faults = Counter[Mark](), Counter[Mark]()
    # Those of a fault come first: who has mended it sees that at once, whatever else is to be done.
    for number, position in enumerate(sorted(asked, key=lambda each: not each.of_a_fault), 1):
        tried = attempt(bot, position, move_s)
        mark = tried.mark
        print(f"{number:3} {mark:6}  {harmless(str(tried))}")
        if mark == "MISSED" and not count[mark]:
            print(position.state())
        count[mark] += 1
        faults[mark] += position.of_a_fault
    print(f"{count['ok']} of {len(asked)} right.{_summary(count, faults)}")
    return count["MISSED"] == 0


def _summary(count: Counter[Mark], faults: Counter[Mark]) -> str:
    """What is to be done, from how many of all and of those that show a fault came to what."""
    if faults.total() == faults["ok"] > 0:
        told = " Where the judge found a fault there is none now: play again to be sure."
    else:
        told = ""
    if count["beyond"]:
        told += f" {count['beyond']} beyond its depth: it has to look further ahead."
    return told + (f" {count['weak']} weak: that proves no fault." if count["weak"] else "")
