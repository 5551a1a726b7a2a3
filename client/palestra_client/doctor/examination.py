"""The checks, one function each: whole games, random positions, and everything a server may do to a bot."""

from __future__ import annotations

import asyncio
import random
import re
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from palestra_client.arena.contenders import Contender
from palestra_client.arena.local_server import open_house
from palestra_client.bridge import SILENT
from palestra_client.doctor.findings import Ailment, Code, Finding, Report
from palestra_client.doctor.memory import memory_mb
from palestra_client.doctor.patient import Patient
from palestra_client.wording import STOOD_AT
from palestra_games import Game, Seat, State, get_game
from palestra_protocol.limits import AWAY_MS
from palestra_protocol.messages import Notice, Played

POSITIONS = 1000
SINGLE = 0.1  # the probability that a position is followed by one with a single legal action, if one is found
ATTEMPTS = 300  # how many random games to try in search of one
LONGEST_OPENING = 40
LONGEST = 100  # maximum length of a random game, in plies
LESS_MS = 500.0  # time left for a bot that reconnects during its turn
GROWTH_MB = 64.0  # growth beyond this over 200 moves counts as a leak; by then any tables have been built
GROWTH_MOVES = 200
MEMORY_EVERY = 10  # moves between memory readings, each of which takes some ms outside Linux
WORDS_PAUSE_S = 0.1
WORDS_TRIES = 50  # how long, and how many times, to wait for the bot to print its exception
OVERRUN_TRIES = 10  # the same for where it was when its time ran out
THREAD_RAISED = "Exception in thread"  # what Python prints
CHOOSE_RAISED = re.compile(r"raised an exception in choose.*\n(.*)")  # as it is told to the student
# The bot itself gave up: for a game it need not play, this means that it doesn't play it.
GAVE_UP: frozenset[Code] = frozenset({"exception", "program-ended", "silent"})
CLOSE = 0.95  # answers that take more than this share of the budget are close to the clock
SLOW_START_S = AWAY_MS / 2000  # half of what a bot has that is started again in a match: another machine may be slower


@dataclass(slots=True)
class Examination:
    """The examination of one bot. Each of the longer checks stops after `seconds`, finished or not."""

    patient: Patient
    seconds: float
    dice: random.Random
    report: Report
    matches: int = 0
    memory: list[tuple[int, float]] = field(default_factory=list)  # (moves so far, MB) after each match

    def name(self) -> str:
        self.matches += 1
        return f"d-{self.matches}"

    def note_memory(self) -> None:
        """Record the memory of the bot's process, if enough moves were made since the last reading."""
        moves = len(self.patient.times_ms)
        if self.memory and moves < self.memory[-1][0] + MEMORY_EVERY:
            return
        used = memory_mb(self.patient.runner.process_id)
        if used is not None:
            self.memory.append((moves, used))


# A check of one game: returns a sentence if all is well, raises Ailment otherwise.
Check: TypeAlias = Callable[[Examination, Game], Awaitable[str]]


async def whole_games(exam: Examination, game: Game) -> str:
    """Play a game from each seat against random moves."""
    moves = 0
    for seat in (0, 1):
        moves += await _whole_game(exam, game, 1 if seat else 0)
    return f"{moves} moves, all legal and in time"


async def _whole_game(exam: Examination, game: Game, seat: Seat) -> int:
    patient, match, until = exam.patient, exam.name(), time.monotonic() + exam.seconds
    await patient.begin(match, game, seat)
    state, ply, moves = game.initial_state(), 0, 0
    while state.legal_actions() and ply < 200:
        if time.monotonic() > until:
            patient.over(match, None, ply)
            return moves
        mover = state.to_move
        if mover == seat:
            action = await patient.ask(match, state, ply)
            moves += 1
        else:
            action = exam.dice.choice(state.legal_actions())
        state = state.apply(action)
        if mover == seat or state.to_move != seat:
            patient.send(_played(match, game, ply, mover, action, state))
        ply += 1
    patient.over(match, state.returns() or (0.0, 0.0), ply)
    exam.note_memory()
    return moves


async def positions(exam: Examination, game: Game) -> str:
    """Ask for one answer in each of many random positions, some of which have a single legal action."""
    patient, until, asked, single = exam.patient, time.monotonic() + exam.seconds, 0, 0
    for opening, state in random_positions(game, exam.dice):
        if asked == POSITIONS or (asked and time.monotonic() > until):
            break
        match = exam.name()
        await patient.begin(match, game, state.to_move, opening)
        await patient.ask(match, state, len(opening))
        patient.over(match, None, len(opening) + 1)
        asked += 1
        single += len(state.legal_actions()) == 1
        exam.note_memory()
    return f"{asked} positions ({single} with one action left), all answered"


def random_positions(game: Game, dice: random.Random) -> Iterator[tuple[tuple[int, ...], State]]:
    """Yield random openings and the positions they lead to, forever; some have a single legal action."""
    single = False
    attempts = 0
    while True:
        state, actions = game.initial_state(), list[int]()
        length = dice.randrange(LONGEST_OPENING)
        attempts += 1
        if single and attempts > ATTEMPTS:
            single = False  # not every game has such positions
        while (legal := state.legal_actions()) and len(actions) < LONGEST:
            if len(legal) == 1 if single else len(actions) == length:
                yield tuple(actions), state
                attempts = 0
                single = not single and dice.random() < SINGLE
                break
            actions.append(dice.choice(legal))
            state = state.apply(actions[-1])


async def reconnecting(exam: Examination, game: Game) -> str:
    """Drop the connection during the bot's turn; once it is back, repeat the turn with less time left."""
    patient, match, state = exam.patient, exam.name(), game.initial_state()
    await patient.begin(match, game, 0)
    patient.may_leave = True
    patient.send(patient.turn(match, state, 0, patient.move_ms))
    patient.guest.break_off()
    resumed = await patient.come_back()
    patient.may_leave = False
    left_ms = min(LESS_MS, patient.move_ms)
    patient.start_again()
    await patient.ask(match, state, 0, remaining_ms=left_ms)
    patient.over(match, None, 1)
    how = "" if resumed else " (without its session, which a guest needs to be known again)"
    return f"came back{how}, and answered with {left_ms:.0f} ms left"


async def restarting(exam: Examination, game: Game) -> str:
    """Restart the server: close with 1001, then go back to the last ply that was saved."""
    patient, match, state = exam.patient, exam.name(), game.initial_state()
    await patient.begin(match, game, 0)
    action = await patient.ask(match, state, 0)
    later = state.apply(action)
    patient.send(_played(match, game, 0, 0, action, later))
    patient.may_leave = True
    await patient.guest.hang_up(1001)
    await patient.come_back()
    patient.may_leave = False
    patient.start_again()
    await patient.ask(match, state, 0)
    patient.over(match, None, 1)
    return "came back after a restart, and played the ply that was lost again"


async def newer_servers(exam: Examination, game: Game) -> str:
    """Send unknown keys, an unknown message type, notices, and the same turn twice."""
    patient, match, state = exam.patient, exam.name(), game.initial_state()
    patient.send({"type": "weather", "sky": "clear"})
    patient.send(Notice(code="tournament", message="A tournament begins soon."))
    await patient.begin(match, game, 0, more={"arena": {"hall": 3}, "rated": False})
    patient.start_again()
    patient.send(patient.turn(match, state, 0, patient.move_ms))
    action = await patient.ask(match, state, 0, more={"mood": "calm", "hints": [1, 2]})
    patient.over(match, None, 1)
    patient.over(match, None, 1)
    match = exam.name()
    await patient.begin(match, game, 0)
    await patient.ask(match, state, 0)
    patient.over(match, None, 1)
    return f"skipped what it does not know, and answered a turn that came twice (action {action})"


async def ended_in_its_turn(exam: Examination, game: Game) -> str:
    """End the match while the bot thinks (the opponent resigned, the host stopped it), and start the next at once."""
    patient, state = exam.patient, game.initial_state()
    for _ in range(2):
        match = exam.name()
        await patient.begin(match, game, 0)
        patient.send(patient.turn(match, state, 0, patient.move_ms))
        patient.over(match, None, 0)
        following = exam.name()
        await patient.begin(following, game, 0)
        await patient.ask(following, state, 0)
        patient.over(following, None, 1)
    return "let go of a match that ended in its turn, and played the next one"


# Checks done for every game.
CHECKS: tuple[tuple[str, Check], ...] = (("whole games", whole_games), ("random positions", positions))
# Checks done only for the first game that the bot plays.
SERVER_CHECKS: tuple[tuple[str, Check], ...] = (
    ("lost connection", reconnecting),
    ("server restart", restarting),
    ("newer server", newer_servers),
    ("match ends in its turn", ended_in_its_turn),
)


async def examine(
    contender: Contender,
    games: Sequence[str],
    *,
    move_ms: int = 2000,
    ready_ms: int = 30_000,
    seconds: float = 20.0,
    all_games: bool = True,
    only: Container[str] | None = None,
    told: Callable[[Finding], None] = lambda _: None,
) -> Report:
    """Run all checks on this bot in these games.

    Unless `all_games`, the bot may refuse some of the games, as long as it plays one. `only` names the checks to run,
    without the name of the game.
    """
    report = Report(contender.name, move_ms)
    kinds = [get_game(name) for name in games]

    def found(finding: Finding) -> None:
        report.findings.append(finding)
        told(finding)

    def wanted(checks: Sequence[tuple[str, Check]]) -> list[tuple[str, Check]]:
        return [(name, check) for name, check in checks if only is None or name in only]

    for finding in surroundings(contender):
        found(finding)
    async with _patient(contender, move_ms, ready_ms) as patient:
        exam = Examination(patient, seconds, random.Random(1), report)
        begun = time.monotonic()
        started = await _run(exam, "starts", None, _connects)
        if not started.failed:
            started = connected_after(time.monotonic() - begun)
        found(started)
        if not started.failed:
            refused: list[Finding] = []
            finding = started
            for game in kinds:
                for name, check in wanted(CHECKS):
                    finding = await _run(exam, f"{game.name}: {name}", game, check)
                    if finding.code in GAVE_UP and not all_games and check is whole_games:
                        refused.append(finding)
                        break
                    found(finding)
                    if finding.failed:
                        break
                else:
                    report.games.append(game.name)
                if finding.code == "silent" and not report.games:
                    break  # a bot that is silent here is silent in every game, at half a minute each
            for finding in refused:
                # A bot for a single game is fine; one that plays none is at fault.
                found(replace(finding, detail="It does not play this.", code=None) if report.games else finding)
            for name, check in wanted(SERVER_CHECKS) if report.games else ():
                found(await _run(exam, name, get_game(report.games[0]), check))
        report.times_ms = patient.times_ms
    if report.games:
        found(_close(report))
        found(grown(exam))
    return report


async def _connects(*_: object) -> str:
    return "connected"


def connected_after(took_s: float) -> Finding:
    return Finding("starts", f"connected after {took_s:.1f} s", "slow-start" if took_s > SLOW_START_S else None)


@asynccontextmanager
async def _patient(contender: Contender, move_ms: int, ready_ms: int) -> AsyncIterator[Patient]:
    async with open_house() as house:
        patient = Patient(contender, house, move_ms, ready_ms)
        try:
            yield patient
        finally:
            await patient.runner.close()


async def _run(exam: Examination, name: str, game: Game | None, check: Callable[..., Awaitable[str]]) -> Finding:
    """Run one check. After a fault the bot starts again in a fresh process."""
    patient = exam.patient
    try:
        await patient.come()
        well = await check(exam, game)
        if THREAD_RAISED in patient.runner.output():
            raise Ailment("thread-raised", "A thread that it started raised an exception, and ended.")
        return Finding(name, well)
    except Ailment as fault:
        output = "" if fault.code == "does-not-start" else await _last_words(patient, fault)
        await patient.runner.stop()
        patient.may_leave = False
        if fault.code == "exception" and "EOFError" in output:
            return Finding(name, "It asked for input with input().", "input", output)
        raised = CHOOSE_RAISED.findall(output)
        if fault.code == "exception" and raised and raised[-1].startswith("choose returned "):
            return Finding(name, f"It chose no action: {raised[-1]}.", "wrong-return", output)
        if fault.code == "program-ended" and SILENT in output:
            if fault.in_turn:
                return Finding(name, fault.detail, "no-answer", output)
            return Finding(name, "Its program didn't answer while getting ready, and was ended.", "silent", output)
        return Finding(name, fault.detail, fault.code, output)


async def _last_words(patient: Patient, fault: Ailment) -> str:
    """Return what the bot printed last: an exception, which it reports to the server first, or where it overran."""
    for _ in range(WORDS_TRIES if fault.code in GAVE_UP else OVERRUN_TRIES if fault.code == "no-answer" else 1):
        await asyncio.sleep(WORDS_PAUSE_S)
        if any(word in (said := patient.runner.output()) for word in ("Error", "Your program failed", STOOD_AT)):
            return said
    return patient.runner.output()


def _close(report: Report) -> Finding:
    times = report.times()
    worst = 0.0 if times is None else times[2]
    code: Code | None = "close-to-the-clock" if worst > CLOSE * report.budget_ms else None
    return Finding("time in hand", f"the slowest answer took {worst:.0f} of {report.budget_ms} ms", code)


def grown(exam: Examination) -> Finding:
    """Compare memory now and after the first tenth of the moves, when any tables have been built."""
    if not exam.memory:
        return Finding("memory", "not checked: this system doesn't say how much memory another process uses")
    moves = exam.memory[-1][0]
    first = next(entry for entry in exam.memory if entry[0] >= moves / 10)
    last = exam.memory[-1]
    exam.report.memory_mb = first[1], last[1]
    between = last[0] - first[0]
    if between <= 0:
        return Finding("memory", f"{last[1]:.0f} MB; too few moves to see it grow")
    per_200 = (last[1] - first[1]) / between * GROWTH_MOVES
    detail = f"{first[1]:.0f} MB after {first[0]} moves, {last[1]:.0f} MB after {last[0]}"
    if last[1] - first[1] > GROWTH_MB and per_200 > GROWTH_MB:
        return Finding("memory", f"It grew by {per_200:.0f} MB for {GROWTH_MOVES} moves: {detail}.", "memory")
    return Finding("memory", detail)


OURS = frozenset({"palestra_client", "palestra_games", "palestra_protocol", "palestra_referee", "palestra_bots"})
NEEDED = frozenset({"websockets", "msgpack", "pydantic", "typer", "rich", "numpy", "numba"})


def surroundings(contender: Contender) -> list[Finding]:
    """Check whether a file in the bot's folder shadows a module."""
    if contender.kind != "python":
        return []
    target = contender.words[0]
    place = target.rpartition(":")[0] or target
    folder = Path(place).absolute().parent if place.endswith(".py") else Path.cwd()
    there = {file.stem for file in folder.glob("*.py")} | {file.parent.name for file in folder.glob("*/__init__.py")}
    # Only the standard modules already imported: a student may well have a test.py or a code.py.
    hidden = sorted(there & (OURS | NEEDED | (sys.stdlib_module_names & sys.modules.keys())))
    if not hidden:
        return [Finding("files beside it", "none has the name of a module")]
    whose = "of palestra" if set(hidden) & OURS else "that others need"
    names = ", ".join(f"{name}.py" for name in hidden)
    have = "have the names of modules" if len(hidden) > 1 else "has the name of a module"
    return [Finding("files beside it", f"{names} {have} {whose}.", "hides-a-module")]


def _played(match: str, game: Game, ply: int, seat: Seat, action: int, state: State) -> Played:
    name = game.action_name(action)
    return Played(match=match, ply=ply, seat=seat, action=action, name=name, charged_ms=1.0, state=state.to_wire())
