"""What a program's faults cost it in a real match, and that nothing of it is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.players import RawPlayer

from palestra_client.bridge import CourseMancala, program_bots
from palestra_client.client import Client, Player
from palestra_client.notices import BotCrashed, Connected, MatchEnds
from palestra_client.session import Settings

COURSE = """
import sys
for line in sys.stdin:
    word = line.strip()
    if word in ("TIMEOUT", "SETPLAYER"):
        sys.stdin.readline()
        print("OK", flush=True)
    elif word == "GETMOVE":
        sys.stdin.readline()
        {answer}
    else:
        print({{"PING": "PONG"}}.get(word, "OK"), flush=True)
"""


class Bridged:
    """A program that plays as a guest, in this process; `seen` are the notices."""

    def __init__(self, url, name, source, folder):
        path = folder / "program.py"
        path.write_text(source)
        self.seen = []
        self._news = asyncio.Event()
        factory = program_bots([sys.executable, str(path)], CourseMancala, errors=None)
        self._client = Client(Player(factory, self._show, crash_folder=folder), Settings((url,), "", name))

    def _show(self, notice):
        self.seen.append(notice)
        self._news.set()

    async def until(self, kind):
        while not (found := [notice for notice in self.seen if isinstance(notice, kind)]):
            self._news.clear()
            await self._news.wait()
        return found[0]

    async def __aenter__(self):
        self._task = asyncio.create_task(self._client.run())
        await self.until(Connected)
        return self

    async def __aexit__(self, *_):
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task


def meet(url, name, move_ms):
    """Somebody challenges the program, lets it move first, and tells how the match ended."""
    with RawPlayer(url, f"opponent-of-{name}") as opponent:
        opponent.send(type="challenge", opponent=name, game="mancala", seat=1, seat_ms=[move_ms, None])
        opponent.ready()
        end, _ = opponent.play()
        return end


@pytest.mark.parametrize(
    ("name", "answer", "reason", "told"),
    [
        ("nonsense", "print('left', flush=True)", "illegal", None),
        ("outside", "print('9', flush=True)", "illegal", None),
        ("silent", "pass", "timeout", None),
        ("dead", "raise SystemExit(7)", "resign", "exit code 7"),
    ],
)
async def test_each_fault_has_its_verdict(server, tmp_path, name, answer, reason, told):
    async with Bridged(server.url, name, COURSE.format(answer=answer), tmp_path) as program:
        end = await asyncio.to_thread(meet, server.url, name, 200 if reason == "timeout" else None)
        assert (await program.until(MatchEnds)).result.lost
        if told is not None:
            assert told in (await program.until(BotCrashed)).report
    assert (end["reason"], end["returns"]) == (reason, [-1.0, 1.0])


async def test_another_game_is_given_up_before_it_begins(server, tmp_path):
    async with Bridged(server.url, "other", COURSE.format(answer="pass"), tmp_path) as program:
        with RawPlayer(server.url, "opponent-of-other") as opponent:
            await asyncio.to_thread(opponent.challenge, "other", "connect4")
            end = await asyncio.to_thread(opponent.until, "match_end")
        assert "can't play connect4, only mancala" in (await program.until(BotCrashed)).report
    assert end["reason"] == "void", "a match that has not begun is not lost"


def gone(pid):
    """Whether the process has ended; one that nobody has collected yet has ended, too."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_bridge_that_is_ended_in_a_match_leaves_nothing_behind(server, tmp_path, how, code):
    """The program has a child, and neither reads nor ends by itself."""
    (tmp_path / "program.py").write_text(
        COURSE.format(
            answer="import os, subprocess; "
            "child = subprocess.Popen(['sleep', '600']); "
            "print(os.getpid(), child.pid, file=sys.stderr, flush=True); os.wait()"
        )
    )
    words = ["--course-mancala", "--server", server.url, "--name", f"hung-{code}", "--", sys.executable, "program.py"]
    bridge = subprocess.Popen(
        [sys.executable, "-m", "palestra_client", "bridge", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "Connected" in bridge.stdout.readline()
    with RawPlayer(server.url, f"ender-{code}") as opponent:
        opponent.challenge(f"hung-{code}", "mancala", seat=1)
        opponent.ready()
        pids = [int(word) for word in bridge.stderr.readline().split()[1:]]
        bridge.send_signal(how)
        bridge.communicate()
    assert bridge.returncode == code
    assert len(pids) == 2
    while not all(map(gone, pids)):
        pass  # the signal is on its way
