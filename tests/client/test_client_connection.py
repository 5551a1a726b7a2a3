"""The client over real sockets, against small servers that each test scripts with websockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

import pytest
from tests.support.meeting import First
from tests.support.noticing import Log
from tests.support.servers import held_port
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode

from palestra_client import Bot
from palestra_client.cli.verify import load
from palestra_client.client import Client, Player
from palestra_client.notices import (
    BotCrashed,
    Connected,
    LateAnswer,
    MatchEnds,
    StillRunning,
    Unreachable,
    Warned,
)
from palestra_client.receipts import newest
from palestra_client.session import Settings
from palestra_protocol.codecs import MSGPACK
from palestra_protocol.messages import Action, Challenge, Hello, Ready, Resign


class Script:
    """A server whose every connection runs `behaviour(wire)`; `hellos` are those that came."""

    def __init__(self, behaviour, **options):
        self._behaviour = behaviour
        self._options = options
        self.hellos = []
        self.codes = []

    async def __aenter__(self):
        self._server = await serve(self._serve, "127.0.0.1", 0, compression=None, **self._options)
        self.url = f"ws://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/play"
        return self

    async def __aexit__(self, *_):
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, socket):
        wire = Wire(socket)
        hello = await wire.next()
        assert isinstance(hello, Hello)
        self.hellos.append(hello)
        with contextlib.suppress(ConnectionClosed):
            await self._behaviour(wire)
        await socket.wait_closed()
        self.codes.append(socket.close_code)


class Wire:
    """The server's end of one connection."""

    def __init__(self, socket):
        self.socket = socket

    async def say(self, *frames):
        for frame in frames:
            await self.socket.send(frame)

    async def next(self):
        """The next message of the client, read as strictly as the referee does."""
        return MSGPACK.decode_client(await self.socket.recv())

    async def nothing_came(self):
        """Everything that the client sent so far was read: a pong comes back after it, and nothing before."""
        await (await self.socket.ping())
        try:
            async with asyncio.timeout(0):
                message = await self.next()
        except TimeoutError:
            return True
        raise AssertionError(message)


def client_for(url, log, factory=First, *, sleep=None, **more):
    async def at_once(_seconds):
        await asyncio.sleep(0)

    player = Player(factory, log.show, sleep=sleep or at_once, **more)
    return Client(player, Settings((url,), "secret"))


@pytest.fixture
def log():
    return Log()


@contextlib.asynccontextmanager
async def running(client):
    task = asyncio.create_task(client.run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_plays_a_match_to_its_end(log, server_says):
    results = []

    class Telling(First):
        def on_end(self, result):
            results.append((threading.current_thread().name, result))

    async def behaviour(wire):
        await wire.say(server_says.welcome(), server_says.match_start())
        assert await wire.next() == Ready(match="M1")
        await wire.say(server_says.turn())
        assert await wire.next() == Action(match="M1", ply=0, action=0)
        await wire.say(server_says.played(actions=(0,)), server_says.turn(actions=(0, 6)))
        assert await wire.next() == Action(match="M1", ply=2, action=0)
        await wire.say(server_says.match_end())
        await wire.socket.close(1000)

    async with Script(behaviour) as server:
        stop = await client_for(server.url, log, Telling).run()
        assert not stop.failed
    assert [hello.token for hello in server.hellos] == ["secret"]
    assert log.all(MatchEnds)[0].result.won
    ((thread, result),) = results
    assert result.won
    assert thread == "palestra M1"


@pytest.mark.parametrize("code", [1001, 1013, None])
async def test_comes_back_with_its_session(log, server_says, code):
    pauses = []

    async def sleep(seconds):
        pauses.append(seconds)

    async def behaviour(wire):
        if len(server.hellos) > 2:
            await wire.say(server_says.welcome("S3"))
            await wire.socket.close(1000)
        elif len(server.hellos) == 2 or code != 1013:
            await wire.say(server_says.welcome(f"S{len(server.hellos)}"))
        if code is None:
            wire.socket.transport.abort()
        else:
            await wire.socket.close(code)

    async with Script(behaviour) as server:
        stop = await client_for(server.url, log, sleep=sleep, random=lambda: 0.5).run()
    assert not stop.failed
    first = None if code == 1013 else "S1"
    assert [hello.resume for hello in server.hellos] == [None, first, "S2"]
    # Full jitter: half of 0.5 s, half of 1 s. A connection that is closed at once doesn't count as a good one.
    assert pauses == [0.25, 0.5]
    assert [notice.attempt for notice in log.all(Unreachable)] == [1, 2]


async def test_the_pauses_begin_anew_after_a_lasting_connection(log, server_says):
    pauses = []
    now = [0.0]

    async def sleep(seconds):
        pauses.append(seconds)

    async def behaviour(wire):
        if len(server.hellos) == 4:
            await wire.socket.close(1000)
            return
        await wire.say(server_says.welcome())
        await wire.nothing_came()  # the client's connection has begun by now
        now[0] += 60.0 if len(server.hellos) == 3 else 1.0
        await wire.socket.close(1001)

    async with Script(behaviour) as server:
        client = client_for(server.url, log, sleep=sleep, random=lambda: 1.0, clock=lambda: now[0])
        await client.run()
    assert pauses == [0.5, 1.0, 0.5]


@pytest.mark.parametrize("code", [1008, 1009, 4003, 4004, 4009])
async def test_stops_with_a_sentence_when_coming_back_is_no_use(log, server_says, code):
    async def behaviour(wire):
        await wire.say(server_says.welcome(), server_says.error("replaced", "Another one came.", fatal=True))
        await wire.socket.close(code)

    async with Script(behaviour) as server:
        stop = await client_for(server.url, log).run()
    assert stop.failed
    assert stop.sentence == "Another one came."
    assert len(server.hellos) == 1


async def test_waits_for_a_server_that_is_not_there_yet(log, server_says):
    async def behaviour(wire):
        await wire.say(server_says.welcome())
        await wire.socket.close(1000)

    server, port = Script(behaviour), held_port()
    again = None

    async def sleep(_seconds):
        nonlocal again
        if len(log.all(Unreachable)) == 3:
            again = await stack.enter_async_context(serve(server._serve, "127.0.0.1", port))

    async with contextlib.AsyncExitStack() as stack:
        stop = await client_for(f"ws://127.0.0.1:{port}/play", log, sleep=sleep).run()
    assert again is not None
    assert not stop.failed
    assert len(log.all(Unreachable)) == 3
    assert "is the server started" in log.all(Unreachable)[0].why


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
async def test_says_that_nothing_listens(log, host):
    async with running(client_for(f"ws://{host}:{held_port()}/play", log)):
        assert "nothing listens there" in (await log.until(Unreachable)).why


async def test_a_page_is_no_server_for_bots(log):
    async with Script(None, process_request=lambda c, _: c.respond(HTTPStatus.NOT_FOUND, "no")) as server:
        stop = await client_for(server.url, log).run()
    assert stop.failed
    assert "HTTP 404" in stop.sentence
    assert "8765" in stop.sentence


async def test_what_speaks_no_websocket_is_no_server(log):
    async def ssh(_reader, writer):
        writer.write(b"SSH-2.0-OpenSSH\r\n" * 3)
        writer.close()

    async with await asyncio.start_server(ssh, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        stop = await client_for(f"ws://127.0.0.1:{port}/play", log).run()
    assert stop.failed
    assert "not a Palestra server" in stop.sentence


async def test_tls_where_there_is_none_is_said(log):
    async with Script(None) as server, running(client_for(server.url.replace("ws://", "wss://"), log)):
        assert "ws:// in place of wss://" in (await log.until(Unreachable)).why


async def test_an_answer_in_plain_text_where_tls_is_wanted_ends_it(log):
    async def plain(reader, writer):
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        stop = await client_for(f"wss://127.0.0.1:{port}/play", log).run()
    assert stop.failed
    assert "ws:// in place of wss://" in stop.sentence


async def test_a_server_that_is_not_ready_is_asked_again(log):
    answers = [HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.BAD_GATEWAY]

    async def behaviour(wire):
        await wire.socket.close(1000)

    def gate(connection, _request):
        return connection.respond(answers.pop(0), "wait") if answers else None

    async with Script(behaviour, process_request=gate) as server:
        await client_for(server.url, log).run()
    assert [notice.why for notice in log.all(Unreachable)] == [
        "the server is not ready (HTTP 503)",
        "the server is not ready (HTTP 502)",
    ]


async def test_a_heavy_choose_misses_no_ping(log, server_says):
    enough = threading.Event()

    class Heavy(Bot):
        def choose(self, turn):
            while not enough.is_set():  # computes all the time, for as long as the pings take
                sum(range(1000))
            return turn.legal[-1]

    async def behaviour(wire):
        await wire.say(server_says.welcome(), server_says.match_start())
        await wire.next()
        await wire.say(server_says.turn())
        for _ in range(100):
            await (await wire.socket.ping())
        enough.set()
        assert (await wire.next()).action == 6
        await wire.socket.close(1000)

    async with Script(behaviour, ping_interval=0.05, ping_timeout=None) as server:
        stop = await client_for(server.url, log, Heavy).run()
    assert not stop.failed
    assert server.codes == [1000]


@pytest.mark.slow
async def test_it_leaves_a_server_that_fell_silent_and_comes_back(log, server_says):
    async def behaviour(wire):
        wire.socket.transport.pause_reading()  # no answer to a ping either
        await wire.say(server_says.welcome(f"S{len(server.hellos)}"))
        await log.until(Unreachable)
        wire.socket.transport.resume_reading()
        if len(server.hellos) == 2:
            await wire.socket.close(1000)

    async with Script(behaviour, ping_interval=None) as server:
        await client_for(server.url, log, gone_s=3.0).run()
    assert [hello.resume for hello in server.hellos] == [None, "S1"]
    assert "nothing came from the server" in log.all(Unreachable)[0].why
    assert server.codes[0] == 1006


@pytest.mark.slow
async def test_it_leaves_a_machine_that_fell_silent_for_another_one(log, server_says):
    async def silent(wire):
        wire.socket.transport.pause_reading()
        await wire.say(server_says.welcome(nodes=[one.url, two.url]))
        await log.until(Unreachable)
        wire.socket.transport.resume_reading()

    async def end(wire):
        await wire.socket.close(1000)

    async with Script(silent, ping_interval=None) as one, Script(end) as two:
        await client_for(one.url, log, gone_s=3.0).run()
    assert [hello.resume for hello in two.hellos] == ["S1"]


@pytest.mark.slow
async def test_it_stays_with_a_server_that_only_pings(log, server_says):
    """And sends none itself: behind an action, they would re-date it at a server that is stopped."""
    gone_s = 3.0  # a busy machine may take from us nearly as much

    async def behaviour(wire):
        await wire.say(server_says.welcome())
        until = asyncio.get_running_loop().time() + 1.2 * gone_s
        while asyncio.get_running_loop().time() < until:
            await (await wire.socket.ping())
        names = {task.get_coro().__name__ for task in asyncio.all_tasks()}
        assert "keepalive" not in names
        await wire.socket.close(1000)

    async with Script(behaviour, ping_interval=None) as server:
        stop = await client_for(server.url, log, gone_s=gone_s).run()
    assert not stop.failed
    assert not log.all(Unreachable)


@pytest.mark.slow
async def test_it_stays_with_a_server_whose_pings_something_on_the_way_keeps(log, server_says):
    async def behaviour(wire):
        pings = 0
        answer = wire.socket.protocol.recv_frame

        def count(frame):
            nonlocal pings
            pings += frame.opcode is Opcode.PING
            answer(frame)
            if pings == 2:
                enough.set()

        wire.socket.protocol.recv_frame = count
        enough = asyncio.Event()
        await wire.say(server_says.welcome())
        if len(server.hellos) == 2:
            await wire.socket.close(1000)
        either = (asyncio.create_task(enough.wait()), asyncio.create_task(wire.socket.wait_closed()))
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        await wire.socket.close(1000)

    async with Script(behaviour, ping_interval=None) as server:
        stop = await client_for(server.url, log, gone_s=6.0).run()
    assert not stop.failed
    assert not log.all(Unreachable)


async def test_it_is_patient_with_a_server_that_says_that_it_pings_seldom(log, server_says):
    gone_s, now = 0.2, 0.0
    looked = asyncio.Event()

    def clock():
        looked.set()
        return now

    async def behaviour(wire):
        nonlocal now
        wire.socket.transport.pause_reading()
        seldom = {"frame_bytes": 4096, "ping_s": 3600.0, "hello_s": 5.0}
        await wire.say(server_says.welcome(limits=seldom))
        await log.until(Connected)  # it was told by now
        looked.clear()
        now = 3 * gone_s
        await looked.wait()  # for whether the server is gone
        wire.socket.transport.resume_reading()
        await wire.socket.close(1000)

    async with Script(behaviour, ping_interval=None) as server:
        stop = await client_for(server.url, log, gone_s=gone_s, clock=clock).run()
    assert not stop.failed
    assert not log.all(Unreachable)


async def test_a_late_answer_is_dropped_and_the_student_told(log, server_says):
    began, release = threading.Event(), threading.Event()
    remaining = []

    class Slow(Bot):
        def choose(self, turn):
            if turn.match.id == "M1":
                began.set()
                release.wait()
                remaining.append(turn.remaining_s)
            return turn.legal[0]

    now = [100.0]
    checked = asyncio.Event()

    async def behaviour(wire):
        await wire.say(server_says.welcome(), server_says.match_start())
        assert isinstance(await wire.next(), Ready)
        await wire.say(server_says.turn())
        await asyncio.to_thread(began.wait)
        now[0] += 2.4
        await wire.say(server_says.match_end(returns=(-1.0, 1.0), reason="timeout"), server_says.match_start("M2"))
        # The next match is not held up.
        assert await wire.next() == Ready(match="M2")
        release.set()
        await log.until(LateAnswer)
        assert await wire.nothing_came()
        checked.set()
        await wire.socket.close(1000)

    async with Script(behaviour) as server:
        await client_for(server.url, log, Slow, clock=lambda: now[0]).run()
    assert checked.is_set()
    assert log.all(LateAnswer)[0].took_s == pytest.approx(2.4)
    assert log.all(MatchEnds)[0].choosing
    assert "in choose" in log.all(StillRunning)[0].stack
    assert "palestra_client" not in log.all(StillRunning)[0].stack
    assert remaining == [0.0]


@pytest.mark.parametrize("how", ["the match ends", "another turn comes"])
async def test_a_search_that_watches_its_time_stops_when_nobody_wants_its_answer(log, server_says, how):
    began, ended = threading.Event(), threading.Event()

    class Watching(Bot):
        def choose(self, turn):
            began.set()
            while turn.ply == 0 and turn.remaining_s > 0:  # for ever, by a clock that stands still
                pass
            ended.set()
            return turn.legal[-1]

    async def behaviour(wire):
        await wire.say(server_says.welcome(), server_says.match_start())
        await wire.next()
        await wire.say(server_says.turn())
        await asyncio.to_thread(began.wait)
        if how == "the match ends":
            await wire.say(server_says.match_end(reason="resign"))
            await asyncio.to_thread(ended.wait)
            await log.until(LateAnswer)
            assert await wire.nothing_came()
        else:
            await wire.say(server_says.turn(actions=(1, 1)))
            assert await wire.next() == Action(match="M1", ply=2, action=6)
        await wire.socket.close(1000)

    async with Script(behaviour) as server:
        await client_for(server.url, log, Watching, clock=lambda: 100.0).run()
    assert len(log.all(LateAnswer)) == 1


async def test_an_answer_survives_a_lost_connection(log, server_says):
    go = threading.Event()
    calls = []

    class Waiting(Bot):
        def choose(self, turn):
            calls.append(turn.ply)
            go.wait()
            return turn.legal[2]

    async def behaviour(wire):
        await wire.say(server_says.welcome(matches=("M1",) if len(server.hellos) > 1 else ()))
        await wire.say(server_says.match_start())
        if len(server.hellos) == 1:
            await wire.next()
            await wire.say(server_says.turn())
            await wire.nothing_came()
            wire.socket.transport.abort()
            return
        assert await wire.next() == Ready(match="M1")
        await wire.say(server_says.turn(remaining_ms=1200.0))
        assert await wire.nothing_came()
        go.set()
        assert await wire.next() == Action(match="M1", ply=0, action=2)
        await wire.say(server_says.match_end())
        await wire.socket.close(1000)

    async with Script(behaviour) as server:
        stop = await client_for(server.url, log, Waiting).run()
    assert not stop.failed
    assert calls == [0], "the bot was asked once"
    assert log.all(MatchEnds)[0].result.won


async def test_an_exception_gives_up_the_match_and_the_next_one_is_played(log, server_says, tmp_path):
    made = []

    class Fragile(Bot):
        def __init__(self):
            made.append(self)

        def choose(self, turn):
            return {}["missing"] if turn.match.id == "M1" else turn.legal[0]

    async def behaviour(wire):
        await wire.say(server_says.welcome(), server_says.match_start())
        await wire.next()
        await wire.say(server_says.turn())
        assert await wire.next() == Resign(match="M1", crashed=True)
        await wire.say(server_says.match_end(returns=(-1.0, 1.0), reason="resign"))
        await wire.say(server_says.match_start("M2"), server_says.turn("M2"))
        assert await wire.next() == Ready(match="M2")
        assert isinstance(await wire.next(), Action)
        await wire.socket.close(1000)

    async with Script(behaviour) as server:
        folder = tmp_path / "palestra-crashes"
        client = client_for(
            server.url, log, Fragile, crash_folder=folder, replay_command=lambda file: f"replay {file.name}"
        )
        await client.run()
    (crash,) = log.all(BotCrashed)
    assert (crash.where, crash.ply) == ("choose", 0)
    assert "KeyError: 'missing'" in crash.report
    assert "worker.py" not in crash.report
    assert len(made) == 2
    (file,) = folder.iterdir()
    assert file.name.endswith("-M1-ply0.json")
    assert crash.command == f"replay {file.name}"
    assert json.loads(file.read_text())["turn"]["ply"] == 0


@pytest.mark.parametrize("method", ["__init__", "warm_up", "on_start"])
async def test_a_bot_that_fails_before_the_match_gives_it_up(log, server_says, tmp_path, method):
    def fail(*_):
        raise ValueError("no table")

    bot = type("Failing", (First,), {method: fail})

    async def behaviour(wire):
        await wire.say(server_says.welcome(), server_says.match_start())
        assert await wire.next() == Resign(match="M1", crashed=True)
        await wire.say(server_says.match_end(reason="resign"))
        await wire.socket.close(1000)

    async with Script(behaviour) as server:
        await client_for(server.url, log, bot, crash_folder=tmp_path).run()
    (crash,) = log.all(BotCrashed)
    assert crash.where == method
    assert "ValueError: no table" in crash.report
    assert [file.name.endswith("-M1-start.json") for file in tmp_path.iterdir()] == [True]


async def test_an_exception_in_on_end_is_shown_and_costs_nothing(log, server_says, tmp_path):
    class Sore(First):
        def on_end(self, result):
            raise ValueError(result.reason)

    async def behaviour(wire):
        await wire.say(server_says.welcome(), server_says.match_start())
        await wire.next()
        await wire.say(server_says.match_end())
        await log.until(BotCrashed)
        assert await wire.nothing_came()
        await wire.socket.close(1000)

    async with Script(behaviour) as server:
        stop = await client_for(server.url, log, Sore, crash_folder=tmp_path).run()
    assert not stop.failed
    assert log.all(BotCrashed)[0].where == "on_end"
    assert list(tmp_path.iterdir()) == []


async def test_a_crash_that_cannot_be_saved_is_said(log, server_says, tmp_path):
    (tmp_path / "file").write_text("in the way")

    class Broken(Bot):
        def choose(self, turn):
            turn.state.legal_actions()[0]

    async def behaviour(wire):
        await wire.say(server_says.welcome(), server_says.match_start())
        await wire.next()
        await wire.say(server_says.turn())
        assert await wire.next() == Resign(match="M1", crashed=True)
        await log.until(BotCrashed)
        await wire.socket.close(1000)

    async with Script(behaviour) as server:
        await client_for(server.url, log, Broken, crash_folder=tmp_path / "file").run()
    (crash,) = log.all(BotCrashed)
    assert crash.file is None
    assert "could not be saved" in crash.problem
    assert crash.report == "choose returned nothing (None): is a `return` missing? It must return one of turn.legal"


async def test_leaving_closes_in_good_order(log, server_says):
    over = asyncio.Event()

    async def behaviour(wire):
        await wire.say(server_says.welcome())
        await wire.socket.wait_closed()
        over.set()

    async with Script(behaviour) as server:
        async with running(client_for(server.url, log)):
            await log.until(Connected)
        await over.wait()
    assert server.codes == [1000]


class Planned(First):
    """Has no idea, but something to fall back on."""

    def choose(self, _turn):
        raise KeyError("no idea")

    def fallback(self, turn):
        return turn.legal[-1]


class Wrong(First):
    def choose(self, _turn):
        return 42


class WrongPlan(Planned):
    def fallback(self, _turn):
        raise IndexError("none either")


class Writes(First):
    """Writes all over its turn."""

    def choose(self, turn):
        turn.state = turn.state.apply(0)
        turn.match, turn.ply, turn.legal = None, 1000, (42,)
        return 42

    def fallback(self, turn):
        turn.legal = (42,)
        return 42


@pytest.mark.parametrize(
    ("factory", "never_resign", "action", "places"),
    [
        (Planned, False, 6, ["choose"]),
        (Wrong, True, 0, ["choose"]),
        (Writes, True, 0, ["choose"]),
        (WrongPlan, True, 0, ["fallback", "choose"]),
    ],
)
async def test_an_exception_costs_a_move_and_not_the_match(
    log, server_says, tmp_path, factory, never_resign, action, places
):
    async def behaviour(wire):
        await wire.say(server_says.welcome(), server_says.match_start())
        assert await wire.next() == Ready(match="M1")
        await wire.say(server_says.turn())
        assert await wire.next() == Action(match="M1", ply=0, action=action)
        await log.until(BotCrashed)
        await wire.nothing_came()
        await wire.say(server_says.match_end())
        await wire.socket.close(1000)

    async with Script(behaviour) as server:
        await client_for(server.url, log, factory, crash_folder=tmp_path, never_resign=never_resign).run()
    assert [crash.where for crash in log.all(BotCrashed)] == places
    assert log.all(BotCrashed)[-1].instead == f"PUT {action + 1}"


async def test_a_fallback_that_fails_gives_the_match_up(log, server_says, tmp_path):
    async def behaviour(wire):
        await wire.say(server_says.welcome(), server_says.match_start())
        assert await wire.next() == Ready(match="M1")
        await wire.say(server_says.turn())
        assert await wire.next() == Resign(match="M1", crashed=True)
        await wire.say(server_says.match_end(returns=(-1.0, 1.0), reason="resign"))
        await wire.socket.close(1000)

    async with Script(behaviour) as server:
        await client_for(server.url, log, WrongPlan, crash_folder=tmp_path).run()
    assert [crash.where for crash in log.all(BotCrashed)] == ["fallback", "choose"]


async def test_the_receipt_of_a_match_is_kept(log, server_says, tmp_path):
    async def behaviour(wire):
        await wire.say(server_says.welcome())
        for match in ("M1", "M2"):
            await wire.say(server_says.match_start(match))
            assert await wire.next() == Ready(match=match)
            await wire.say(server_says.match_end(match, receipt=match * 32))
        await wire.socket.close(1000)

    path = tmp_path / "receipts.jsonl"
    async with Script(behaviour) as server:
        client = client_for(server.url, log, receipts=path)
        await client.run()
        await asyncio.get_running_loop().shutdown_default_executor()
    kept = [json.loads(line) for line in path.read_text().splitlines()]
    assert {(entry["match"], entry["receipt"], entry["server"], entry["server_id"]) for entry in kept} == {
        ("M1", "M1" * 32, server.url, "8f2c61d07be394a5"),
        ("M2", "M2" * 32, server.url, "8f2c61d07be394a5"),
    }
    path.write_text("not a receipt, and longer than what is read of a file\n" * 2_000 + path.read_text() + "half a li")
    last = newest(path)
    assert (last.server, last.player, last.match) == (server.url, "ana", kept[-1]["match"])


async def test_a_second_receipt_of_a_match_is_kept_beside_the_first_and_told_at_once(log, server_says, tmp_path):
    async def behaviour(wire):
        await wire.say(server_says.match_start("M1"))
        assert await wire.next() == Ready(match="M1")
        await wire.say(server_says.match_end("M1", receipt=(await told.get()) * 64))
        await wire.socket.close(1000)

    path = tmp_path / "receipts.jsonl"
    told = asyncio.Queue()
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(1))
    for receipt in ("a", "a", "b"):
        told.put_nowait(receipt)
        async with Script(behaviour) as server:
            await client_for(server.url, log, receipts=path).run()
        await loop.run_in_executor(None, int)  # the one before is done, and what it has to say is shown
    assert [kept.receipt[0] for kept in load(path)] == ["a", "b"]
    (warned,) = log.all(Warned)
    assert "two different receipts for match M1" in warned.sentence


async def test_a_refused_challenge_is_made_again_after_a_pause(log, server_says):
    pauses = []

    async def sleep(seconds):
        pauses.append(seconds)

    async def behaviour(wire):
        await wire.say(server_says.welcome())
        for _ in range(2):
            assert (await wire.next()).opponent == "bob"
            await wire.say(server_says.error("try_later", "bob is away."))
        assert (await wire.next()).opponent == "bob"
        await wire.socket.close(1000)

    async with Script(behaviour) as server:
        player = Player(First, log.show, sleep=sleep)
        challenge = Challenge(game="connect4", opponent="bob")
        await Client(player, Settings((server.url,), "t", challenge=challenge, games=3)).run()
    assert pauses == [2.0, 2.0]
