"""Is anybody charged for delays of the server or the machine? Answers on both sides of the deadline, in every framing,
with the server idle, with its event loop stalled repeatedly, with its whole process stopped (SIGSTOP), and with two
programs beside it that compute (hogs).

Ground truth is the player's monotonic clock before and after the system call that sends the last byte; the referee's
verdict is in the journal, and the deadline is counted from the turn there. Answers sent within `EPSILON_NS` of it are
not judged. A turn is stamped when its write has returned, which on a busy machine may be after the player has read it:
that is said, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgpack

from benchmarks._crowd import connect
from benchmarks._load import Load, Socket, frame
from benchmarks._processes import hogs
from palestra_protocol import limits
from palestra_server.store import NOTHING, Store

ANSWERS: Final = 3400
"""In each state; more than 10,000 in all."""
PAIRS: Final = 60
MOVE_MS: Final = 200
AROUND_S: Final = 0.06
"""Answers are sent at most this long before or after the deadline."""
EPSILON_NS: Final = 200_000
STATES: Final = ("quiet", "swamped", "stopped", "hogged")
HOGS: Final = 2
FRAMINGS: Final = ("alone", "with a pong", "with a frame behind", "a frame right after", "in three pieces")
PIECES_S: Final = 0.01
STOPPED_S: Final = (0.05, 0.6)
RUNNING_S: Final = (0.02, 0.3)
_PONG: Final = b"\x8a\x80\0\0\0\0"
_ANOTHER: Final = frame(msgpack.packb({"type": "unwatch", "topic": "lobby"}))


@dataclass(frozen=True, slots=True)
class Sent:
    """An answer; times in ns of the monotonic clock. `asked`: when the player had read the turn."""

    ply: int
    asked: int
    before: int
    after: int
    framing: str


class Piecewise(Socket):
    """Sends frames in pieces. Nothing may interrupt a frame: pongs are dropped, other data is queued."""

    def __init__(self, path: str, receive: Callable[[Socket, bytes], None]) -> None:
        super().__init__(path, receive)
        self.in_a_frame = False
        self.held: list[bytes] = []

    def pong(self, payload: bytes) -> None:
        if not self.in_a_frame:
            super().pong(payload)

    def send(self, payload: bytes) -> None:
        if self.in_a_frame:
            self.held.append(payload)
        else:
            super().send(payload)

    def frame_ends(self) -> None:
        """The last byte of the frame was sent."""
        self.in_a_frame = False
        while self.held:
            self.send(self.held.pop(0))


class Players(Load):
    """Pairs that send every answer near the deadline."""

    def __init__(self) -> None:
        super().__init__()
        self.sent_by: dict[str, list[Sent]] = {}
        self.count = 0

    def receive(self, socket: Socket, payload: bytes) -> None:
        message = msgpack.unpackb(payload)
        if message["type"] == "error":
            return  # the answer came after the end
        super().receive(socket, payload)

    def answer(self, socket: Piecewise, turn: dict[str, Any]) -> None:
        asked = time.monotonic_ns()
        allowed = (MOVE_MS + limits.GRACE_MS) / 1000
        when = allowed + self.random.uniform(-AROUND_S, AROUND_S)
        framing = self.random.choice(FRAMINGS)
        fields = {"match": turn["match"], "ply": turn["ply"], "action": self.random.choice(turn["legal"])}
        action = frame(msgpack.packb({"type": "action", **fields}))
        later = asyncio.get_running_loop().call_later
        if framing == "in three pieces":
            later(when - 2 * PIECES_S, self._begin, socket, action[:5])
            later(when - PIECES_S, socket.transport.write, action[5:-4])
            action = action[-4:]
        later(when, self._send, socket, turn, asked, framing, action)

    def _begin(self, socket: Piecewise, piece: bytes) -> None:
        socket.in_a_frame = True
        socket.transport.write(piece)

    def _send(self, socket: Piecewise, turn: dict[str, Any], asked: int, framing: str, last: bytes) -> None:
        behind = {"with a pong": _PONG, "with a frame behind": _ANOTHER}.get(framing, b"")
        before = time.monotonic_ns()
        socket.transport.write(last + behind)
        after = time.monotonic_ns()
        if framing == "a frame right after":
            socket.transport.write(_ANOTHER)
        socket.frame_ends()
        self.sent_by.setdefault(turn["match"], []).append(Sent(turn["ply"], asked, before, after, framing))
        self.count += 1


@dataclass
class Judged:
    """The verdicts on the answers in one state."""

    punctual: int = 0
    late: int = 0
    on_the_line: int = 0
    flagged: Counter[str] = field(default_factory=Counter)
    """Punctual answers that were flagged, by framing."""
    accepted: Counter[str] = field(default_factory=Counter)
    """Late answers that were accepted, by framing."""
    too_early: tuple[float, str] = (0.0, "")
    """How far the recorded arrival of an accepted answer was before it was sent, at most: ms, framing."""
    too_late: tuple[float, str] = (0.0, "")
    gifts_ms: list[float] = field(default_factory=list)
    """How long before its stamp each turn was read, if it was."""


def run() -> list[tuple[str, str]]:
    rows, everything = [], Judged()
    for state in STATES:
        judged = measure(state)
        rows.append((f"{state}: {ANSWERS:,} answers", describe(judged)))
        for name in ("punctual", "late", "on_the_line"):
            setattr(everything, name, getattr(everything, name) + getattr(judged, name))
        everything.flagged += judged.flagged
        everything.accepted += judged.accepted
    total = everything.punctual + everything.late
    rows.append((f"all {total:,} that were judged: punctual and flagged", str(everything.flagged.total())))
    rows.append((f"all {total:,} that were judged: late and accepted", str(everything.accepted.total())))
    return rows


def describe(judged: Judged) -> str:
    """Summarize as one line."""
    return (
        f"{judged.punctual:,} punctual, {judged.flagged.total()} of them flagged {dict(judged.flagged) or ''}; "
        f"{judged.late:,} late, {judged.accepted.total()} of them accepted {dict(judged.accepted) or ''}; "
        f"{judged.on_the_line} on the line; an arrival was at worst dated {judged.too_early[0]:.2f} ms before it was "
        f"sent ({judged.too_early[1]}), {judged.too_late[0]:.2f} ms after ({judged.too_late[1]}); "
        f"{sum(ms > EPSILON_NS / 1e6 for ms in judged.gifts_ms)} turns were read before they were stamped, "
        f"by {max(judged.gifts_ms, default=0.0):.2f} ms at most"
    )


def measure(state: str) -> Judged:
    """Measure one state, on its own server."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        with stallable(data, state == "swamped") as (server, port, ahead), hogs(HOGS if state == "hogged" else 0):
            players = asyncio.run(play(port, server.pid if state == "stopped" else None))
        return judge(data, ahead, players.sent_by)


@contextlib.contextmanager
def stallable(data: Path, swamped: bool) -> Iterator[tuple[subprocess.Popen[str], int, dict[str, int]]]:
    """Run `_stallable`; yield the process, its port, and the clock offset of each match (ns)."""
    command = [sys.executable, "-m", "benchmarks._stallable", str(data), str(MOVE_MS), "01"[swamped]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().rpartition(":")[2])
        ahead: dict[str, int] = {}
        listener = threading.Thread(target=lambda: [ahead.update(json.loads(line)) for line in process.stdout or ()])
        listener.start()
        try:
            yield process, port, ahead
        finally:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            process.wait(60)
            listener.join()


async def play(port: int, stop: int | None) -> Players:
    """Play until enough answers were sent; `stop` is a process to suspend from time to time."""
    load = Players()
    sockets = []
    for number in range(2 * PAIRS):
        socket = await connect(port, "/play", load.receive, "127.0.0.1", Piecewise)
        socket.send(msgpack.packb({"type": "hello", "token": "", "name": f"p{number}", "client": "clock"}))
        sockets.append((socket, await load.welcome.get()))
    for (socket, _), (_, rival) in zip(sockets[::2], sockets[1::2], strict=True):
        load.rivals[socket] = rival
        load.challenge(socket)
    await asyncio.sleep(1)
    while load.count < ANSWERS:
        if any(socket.transport.is_closing() for socket, _ in sockets):
            raise RuntimeError("the server closed a connection")
        if stop is None:
            await asyncio.sleep(0.1)
        else:
            await asyncio.sleep(random.uniform(*RUNNING_S))
            os.kill(stop, signal.SIGSTOP)
            await asyncio.sleep(random.uniform(*STOPPED_S))
            os.kill(stop, signal.SIGCONT)
    await asyncio.sleep(1)  # let the last answers be processed
    for socket, _ in sockets:
        socket.transport.abort()
    return load


def judge(data: Path, ahead: dict[str, int], sent_by: dict[str, list[Sent]]) -> Judged:
    """Compare the players' own times with the journal."""
    judged = Judged()
    allowed = (MOVE_MS + limits.GRACE_MS) * 1_000_000
    with closing(Store(data)) as store:
        over = {each.match: each.reason for each in store.journal.matches(100_000, NOTHING) if each.finished_ms}
        for match, answers in sent_by.items():
            if match not in ahead:
                continue
            asked, arrived = {}, {}
            for line in store.journal.read_lines(match):
                record = json.loads(line)
                if record["type"] == "turn":
                    asked[record["ply"]] = record["at"] - ahead[match]
                elif record["type"] == "acted":
                    arrived[record["ply"]] = record["arrived_at"] - ahead[match]
            for sent in answers:
                if sent.ply == max(asked) and over.get(match) not in ("rules", "timeout"):
                    continue  # not judged before the end
                accepted = sent.ply < max(asked) or over[match] == "rules"
                deadline = asked[sent.ply] + allowed
                if sent.asked < asked[sent.ply]:
                    judged.gifts_ms.append((asked[sent.ply] - sent.asked) / 1e6)
                if sent.after <= deadline - EPSILON_NS:
                    judged.punctual += 1
                    judged.flagged[sent.framing] += not accepted
                elif sent.before > deadline + EPSILON_NS:
                    judged.late += 1
                    judged.accepted[sent.framing] += accepted
                else:
                    judged.on_the_line += 1
                if accepted:
                    at = arrived[sent.ply]
                    judged.too_early = max(judged.too_early, ((sent.before - at) / 1e6, sent.framing))
                    judged.too_late = max(judged.too_late, ((at - sent.after) / 1e6, sent.framing))
    judged.flagged, judged.accepted = +judged.flagged, +judged.accepted
    return judged
