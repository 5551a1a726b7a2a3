"""The command and the client against the real referee, as processes."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress

import pytest
from tests.support.noticing import Log
from tests.support.servers import ServerProcess, held_port

from palestra_client import Bot
from palestra_client.client import Client, Player
from palestra_client.notices import (
    BotCrashed,
    Connected,
    IllegalChoice,
    LateAnswer,
    MatchBegins,
    MatchEnds,
    Moved,
    ServerError,
)
from palestra_client.session import Settings
from palestra_games import game_names
from palestra_protocol.messages import Challenge

BOT = """
import sys
from palestra_client import Bot, run

class MyBot(Bot):
    def choose(self, turn):
        action = turn.legal[len(turn.legal) // 2]
        turn.report(depth=1, value=float("nan"), pv=[action])
        return action

    def on_end(self, result):
        # One write: what the console prints from its own thread can't come into the middle of the line.
        sys.stdout.write(f"on_end {result.won} {result.reason}\\n")
        sys.stdout.flush()
"""


class Program:
    """A program with its output read line by line."""

    def __init__(self, *words, cwd):
        self.process = subprocess.Popen(
            [sys.executable, *words], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.lines = []

    def until(self, text):
        for line in self.process.stdout:
            self.lines.append(line)
            if text in line:
                return line
        raise AssertionError("".join(self.lines) + self.process.stderr.read())

    def end(self, how=signal.SIGINT):
        """Sends the signal; returns exit code and standard error."""
        self.process.send_signal(how)
        _, errors = self.process.communicate()
        return self.process.returncode, errors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ServerProcess(tmp_path_factory.mktemp("data"), "--guests") as running:
        yield running


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """For those who are late on purpose."""
    with ServerProcess(tmp_path_factory.mktemp("hasty"), "--guests", "--move-ms", "400") as running:
        yield running


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mybot.py").write_text(BOT)
    (tmp_path / "script.py").write_text(
        BOT + '\nimport sys\nif __name__ == "__main__":\n    run(MyBot, server=sys.argv[1], name=sys.argv[2])\n'
    )
    return tmp_path


def test_two_students_play_without_a_tournament(server, folder):
    join = ("-m", "palestra_client", "join", "mybot.py", "--server", server.url)
    with Program("script.py", server.url, "bob-1", cwd=folder) as bob:
        bob.until("Connected to")
        with Program(
            *join, "--name", "ana-1", "--challenge", "bob-1", "--game", "mancala", "--seat", "1", cwd=folder
        ) as ana:
            ana.until("mancala against bob-1")
            ended = ana.until("): you ")
            # The bot says it in its own thread, before or after the console.
            told = next((line for line in ana.lines if line.startswith("on_end")), None) or ana.until("on_end")
            assert ("you won" in ended, "True" in told) in ((True, True), (False, False))
            assert "depth 1" in "".join(ana.lines)
            code, errors = ana.end(signal.SIGINT)
            assert (code, errors) == (130, "")
        bob.until("against ana-1")
        code, errors = bob.end(signal.SIGTERM)
        assert (code, errors) == (143, "")


def test_a_token_that_is_nobodys_ends_with_one_sentence(server, folder):
    join = ("-m", "palestra_client", "join", "mybot.py", "--server", server.url, "--token", "wrong")
    done = subprocess.run([sys.executable, *join], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Nobody has this token" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_ctrl_c_ends_a_bot_that_hangs(hasty, folder):
    (folder / "stuck.py").write_text(
        "from palestra_client import Bot\n"
        "class Stuck(Bot):\n"
        "    def choose(self, turn):\n"
        "        while True:\n"
        "            print('thinking', flush=True)\n"
    )
    join = ("-m", "palestra_client", "join", "--server", hasty.url)
    with Program("script.py", hasty.url, "bob-2", cwd=folder) as bob:
        bob.until("Connected to")
        challenge = ("--name", "ana-2", "--challenge", "bob-2", "--game", "connect4", "--seat", "0")
        with Program(*join, *challenge, "stuck.py", cwd=folder) as ana:
            ana.until("you lost (out of time)")
            ana.until("still running after")
            ana.until("Where choose was")
            code, errors = ana.end(signal.SIGINT)
            assert code == 130
            assert "Fatal" not in errors
            assert "Traceback" not in errors


def test_ctrl_c_in_the_middle_of_a_match_says_what_becomes_of_it(folder, tmp_path_factory):
    (folder / "slow.py").write_text(
        "import threading\n"
        "from palestra_client import Bot\n"
        "class Slow(Bot):\n"
        "    def choose(self, turn):\n"
        "        print('thinking', flush=True)\n"
        "        threading.Event().wait()\n"
    )
    with ServerProcess(tmp_path_factory.mktemp("patient"), "--guests", "--move-ms", "600000") as patient:
        join = ("-m", "palestra_client", "join", "slow.py", "--server", patient.url)
        with Program(*join, "--name", "bob", cwd=folder) as bob:
            bob.until("Connected to")
            challenge = ("--challenge", "bob", "--game", "connect4", "--seat", "0")
            with Program(*join, "--name", "ana", *challenge, cwd=folder) as ana:
                ana.until("thinking")
                code, errors = ana.end(signal.SIGINT)
    assert code == 130
    assert errors.startswith("You left in the middle of connect4 against bob (match ")
    assert errors.endswith("it is lost, since a guest can't come back to it.\n")


class Joined:
    """A client that plays in this process as a guest."""

    def __init__(self, url, name, factory, crash_folder, challenge=None, **more):
        self.log = Log()
        player = Player(factory, self.log.show, crash_folder=crash_folder, **more)
        self._client = Client(player, Settings((url,), "", name, challenge))

    async def __aenter__(self):
        self._task = asyncio.create_task(self._client.run())
        await self.log.until(Connected)
        return self

    async def __aexit__(self, *_):
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task


class Middle(Bot):
    def choose(self, turn):
        return turn.legal[len(turn.legal) // 2]


@pytest.fixture
def meet(tmp_path):
    """A match between two bots of this process; gives both logs when it is over."""

    async def meeting(url, names, first, second, game="connect4", matches=1):
        challenge = Challenge(game=game, opponent=names[1], seat=0)
        async with Joined(url, names[1], second, tmp_path) as other:
            async with Joined(url, names[0], first, tmp_path, challenge) as one:
                await one.log.until(MatchEnds, matches)
                await other.log.until(MatchEnds, matches)
            return one.log, other.log

    return meeting


@pytest.mark.parametrize("game", game_names())
async def test_every_game_is_played_and_both_see_the_same(server, meet, game):
    one, other = await meet(server.url, (f"ana-{game}", f"bob-{game}"), Middle, Middle, game)
    (mine,), (theirs,) = one.all(MatchEnds), other.all(MatchEnds)
    assert (mine.result.returns, mine.result.reason) == (theirs.result.returns, theirs.result.reason)
    moves = [notice.move for notice in one.all(Moved)]
    assert moves == [notice.move for notice in other.all(Moved)]
    assert [move.ply for move in moves] == list(range(mine.result.ply)), "every action is shown once"
    assert one.all(ServerError) == other.all(ServerError) == []


async def test_a_late_choose_loses_on_time_and_is_told_so(hasty, meet):
    over = threading.Event()

    class Late(Bot):
        def choose(self, turn):
            over.wait()
            return turn.legal[0]

        def on_end(self, result):
            pass

    class Patient(Middle):
        def on_end(self, _result):
            over.set()

    one, _ = await meet(hasty.url, ("ana-3", "bob-3"), Late, Patient)
    end = one.all(MatchEnds)[0]
    assert (end.result.reason, end.result.lost, end.choosing) == ("timeout", True, True)
    assert end.choose_s > 0  # since the turn was read, which a busy machine does late
    late = await one.until(LateAnswer)
    assert late.took_s >= end.choose_s
    assert one.all(ServerError) == [], "the late answer was never sent"


async def test_an_illegal_action_is_judged_by_the_referee_and_shown_with_the_board(server, meet):
    class Wrong(Bot):
        def choose(self, _turn):
            return 42

    one, _ = await meet(server.url, ("ana-4", "bob-4"), Wrong, Middle)
    assert one.all(MatchEnds)[0].result.reason == "illegal"
    (notice,) = one.all(IllegalChoice)
    assert notice.action == 42
    assert "1 2 3 4 5 6 7" in notice.board


async def test_a_crash_resigns_and_the_next_match_is_played(server, meet, tmp_path):
    class Fragile(Bot):
        matches = 0

        def __init__(self):
            Fragile.matches += 1
            self.broken = Fragile.matches == 1

        def choose(self, turn):
            if self.broken:
                raise RuntimeError("no idea")
            return turn.legal[0]

    one, _ = await meet(server.url, ("ana-5", "bob-5"), Fragile, Middle)
    assert one.all(MatchEnds)[0].result.reason == "resign"
    assert len(one.all(BotCrashed)) == len(list(tmp_path.glob("*.json"))) == 1
    # The same class, in a match of its own: the bot of the first match does not come back.
    one, _ = await meet(server.url, ("ana-6", "bob-6"), Fragile, Middle)
    assert one.all(MatchEnds)[0].result.reason == "rules"


def until_on_disk(data):
    """Waits for the first commit of a match: what is not on disk when the server is killed was never promised."""
    with closing(sqlite3.connect(data / "palestra.sqlite3", timeout=60)) as database:
        while not database.execute("SELECT count(*) FROM journal").fetchone()[0]:
            time.sleep(0)


async def test_a_match_goes_on_when_the_server_is_killed_and_started_again(tmp_path):
    reached, go = threading.Event(), threading.Event()

    class Pausing(Middle):
        def choose(self, turn):
            if turn.ply == 4:
                reached.set()
                go.wait()
            return super().choose(turn)

    restarted = asyncio.Event()

    async def sleep(_seconds):
        await restarted.wait()

    data = tmp_path / "data"
    options = ("--guests", "--move-ms", "600000", "--away-ms", "600000")
    with ServerProcess(data, *options, port=held_port()) as first:
        challenge = Challenge(game="connect4", opponent="bob", seat=0)
        async with (
            Joined(first.url, "bob", Middle, tmp_path, sleep=sleep) as bob,
            Joined(first.url, "ana", Pausing, tmp_path, challenge, sleep=sleep) as ana,
        ):
            await asyncio.to_thread(reached.wait)
            await asyncio.to_thread(until_on_disk, data)
            await asyncio.to_thread(first.stop, signal.SIGKILL)
            with await asyncio.to_thread(ServerProcess, data, *options, port=first.port):
                restarted.set()
                for player in (ana, bob):
                    assert (await player.log.until(Connected, 2)).resumed
                    assert (await player.log.until(MatchBegins, 2)).resumed
                go.set()
                end = await ana.log.until(MatchEnds)
                assert (await bob.log.until(MatchEnds)).result.returns == end.result.returns
    assert end.result.reason == "rules"
    plies = [notice.move.ply for notice in ana.log.all(Moved)]
    # The last actions may not have reached the disk when the server was killed: those are played once more.
    again = plies[4]
    assert again <= 4
    assert plies == [0, 1, 2, 3, *range(again, end.result.ply)]


def test_sigterm_ends_a_bot_that_was_started_with_sigint_ignored(tmp_path, server):
    """As a shell script starts its background jobs."""
    (tmp_path / "mybot.py").write_text(
        "from palestra_client import Bot\n\n\nclass MyBot(Bot):\n    def choose(self, turn):\n        return 0\n"
    )
    command = [sys.executable, "-m", "palestra_client", "join", "mybot.py", "--server", server.url]
    command += ["--name", "ignoring"]
    bot = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    for line in bot.stdout:
        if "ignoring" in line:
            break
    bot.send_signal(signal.SIGTERM)
    bot.communicate()
    assert bot.returncode == 143
