"""What the doctor can find, in words for a beginner, and what to do about each fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from palestra_protocol.limits import AWAY_MS

# The name of a fault.
Code: TypeAlias = Literal[
    "does-not-start",
    "slow-start",
    "not-ready",
    "crash",
    "exception",
    "wrong-return",
    "silent",
    "program-ended",
    "thread-raised",
    "input",
    "no-answer",
    "late",
    "close-to-the-clock",
    "illegal-action",
    "wrong-ply",
    "unreadable-frames",
    "frame-too-big",
    "flood",
    "hangs-up",
    "does-not-come-back",
    "memory",
    "hides-a-module",
]

# Advice for each fault.
ADVICE: dict[Code, str] = {
    "does-not-start": "Mend what it says, and ask again.",
    "slow-start": f"Started again in the middle of a match, a bot has {AWAY_MS // 1000} s to be back: do less while "
    "its file is imported, or do it once and keep it in a file.",
    "not-ready": "Do less in __init__, warm_up and on_start, or do it once and keep it in a file. A program that "
    "connects by itself answers `match_start` with `ready`.",
    "crash": "Look for exit(), a crash in a library, or too much memory.",
    "exception": "Where it happened is in the file named below: `palestra replay-crash FILE BOT` does it again. In "
    "`choose`, `palestra join --never-resign` makes an exception cost the move, not the match.",
    "wrong-return": "End `choose` with `return action`, where action is one of turn.legal: a whole number.",
    "silent": "Read lines from standard input, and write each answer to standard output with a line end, and flush: "
    "`ready` soon after `start`, `move A` after `go`, as protocol/LINES.md shows. A program with the course's Mancala "
    'interface is named "course-mancala:PROGRAM", and one that connects by itself "PROGRAM {url} {token}".',
    "program-ended": "Keep reading lines until `end` (or END) comes. Start it by hand, and type what "
    "protocol/LINES.md shows; its last words are below.",
    "thread-raised": "Its other threads play on without that one: read the traceback below.",
    "input": "Nobody is at the keyboard while a bot plays: remove every input().",
    "no-answer": "Look for a loop that never ends, or a sleep: stop the search when turn.remaining_s (for a program, "
    "the time that `go` gave) is nearly 0.",
    "late": "Stop the search earlier: look at turn.remaining_s every few thousand nodes and stop when 0.1 s are left.",
    "close-to-the-clock": "On a busy machine or a slow line this loses the match: stop about 0.1 s earlier.",
    "illegal-action": "Choose from turn.legal only (for a program, from what `legal` listed); actions count from 0.",
    "wrong-ply": "Send back the ply of the latest turn message.",
    "unreadable-frames": "Send one whole message per frame, as PROTOCOL.md says; too many other frames are a flood.",
    "frame-too-big": "A frame may have 4096 bytes at most: report less with a move.",
    "flood": "Send one action for each turn, and wait for the next turn.",
    "hangs-up": "Keep the connection open until the server closes it; a lost one costs time.",
    "does-not-come-back": "Reconnect after a lost connection, with the session of the last welcome in `resume`.",
    "memory": "Something grows with every move: clear tables between moves, or limit their size.",
    "hides-a-module": "Rename that file: an import of the module gets your file instead.",
}

# Faults that don't lose a match by themselves.
WARNINGS: frozenset[Code] = frozenset({"slow-start", "close-to-the-clock", "hangs-up"})


class Ailment(Exception):
    """A fault was found; it ends the current check."""

    def __init__(self, code: Code, detail: str, *, in_turn: bool = False) -> None:
        super().__init__(code, detail)
        self.code: Code = code
        self.detail = detail
        self.in_turn = in_turn


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    `code` is None if it passed. `detail` is a sentence, possibly with a board below.
    `output` is what the bot printed last.
    """

    check: str
    detail: str
    code: Code | None = None
    output: str = ""

    @property
    def failed(self) -> bool:
        """Whether this could lose a match."""
        return self.code is not None and self.code not in WARNINGS


@dataclass(slots=True)
class Report:
    """Everything found about a bot. `times_ms` are the times of its answers, `budget_ms` is the limit."""

    bot: str
    budget_ms: int
    findings: list[Finding] = field(default_factory=list)
    times_ms: list[float] = field(default_factory=list)
    memory_mb: tuple[float, float] | None = None
    games: list[str] = field(default_factory=list)  # the games that the bot plays

    @property
    def passed(self) -> bool:
        """Whether nothing was found that could lose a match."""
        return not any(finding.failed for finding in self.findings)

    def times(self) -> tuple[float, float, float] | None:
        """Median, 99th percentile and maximum of the answer times."""
        if not self.times_ms:
            return None
        ordered = sorted(self.times_ms)
        return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], ordered[-1]

    def to_json(self) -> dict[str, object]:
        """The report as plain values, for `--json`."""
        times = self.times()
        return {
            "bot": self.bot,
            "passed": self.passed,
            "games": self.games,
            "findings": [
                {
                    "check": finding.check,
                    "code": finding.code,
                    "failed": finding.failed,
                    "detail": finding.detail,
                    "advice": None if finding.code is None else ADVICE[finding.code],
                    "output": finding.output,
                }
                for finding in self.findings
            ],
            "moves": len(self.times_ms),
            "time_ms": None if times is None else {"p50": times[0], "p99": times[1], "worst": times[2]},
            "budget_ms": self.budget_ms,
            "memory_mb": None if self.memory_mb is None else list(self.memory_mb),
        }

    def lines(self) -> list[str]:
        width = max((len(finding.check) for finding in self.findings), default=0)
        told = []
        for finding in self.findings:
            mark = "FAILED" if finding.failed else "ok" if finding.code is None else "careful"
            name = "" if finding.code is None else f"[{finding.code}] "
            sentence, *board = finding.detail.splitlines()
            told.append(f"{mark:>8}  {finding.check:{width}}  {name}{sentence}")
            told += [f"{'':8}  {'':{width}}  {line}" for line in board]
            if finding.code is not None:
                told.append(f"{'':8}  {'':{width}}  What to do: {ADVICE[finding.code]}")
        times = self.times()
        if times is not None:
            p50, p99, worst = times
            told.append(
                f"Time for {len(self.times_ms)} moves: half within {p50:.0f} ms, 99 of 100 within {p99:.0f} ms, "
                f"the slowest {worst:.0f} ms; the clock allows {self.budget_ms} ms."
            )
        if self.memory_mb is not None:
            told.append("Memory: {:.0f} MB at first, {:.0f} MB at the end.".format(*self.memory_mb))
        told += _printed(self.findings)
        return [*told, self.verdict()]

    def verdict(self) -> str:
        """The last line of the report."""
        failed = [finding for finding in self.findings if finding.failed]
        if not failed:
            return f"{self.bot} is well: it plays {', '.join(self.games) or 'nothing yet'}."
        many = f"{len(failed)} things" if len(failed) > 1 else "One thing"
        return f"{many} to mend in {self.bot}; begin with [{failed[0].code}]."


def _printed(findings: Sequence[Finding]) -> list[str]:
    """What the bot printed at the first fault, if that tells more."""
    for finding in findings:
        if finding.failed and finding.output:
            return [f"--- It printed last, in '{finding.check}':", finding.output, "---"]
    return []
