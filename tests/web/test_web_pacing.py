"""However many requests come at once, the loop looks at the players' sockets between their steps."""

import asyncio
import itertools
import threading
from collections import Counter
from contextlib import AsyncExitStack

import pytest
from tests.support.gateway import whole_house

from palestra_server.web.pacing import OWED_S, PLAYERS_FIRST, SAVED_S, SHARE, Paced, Threads, Turns
from palestra_server.web.requests import CONNECTION_S

HTTP = {"type": "http", "client": ("here", 1)}


def never():
    return False


class Timeless(asyncio.SelectorEventLoop):
    """Where nothing takes time but waiting, which is over at once; not so for threads."""

    def __init__(self):
        super().__init__()
        self.now_s = 0.0
        look = self._selector.select

        def select(timeout):
            found = look(60 if timeout is None else 0)
            assert found or timeout is not None, "it would wait for ever"
            self.now_s += timeout or 0.0
            return found

        self._selector.select = select

    def time(self):
        return self.now_s


def run(main):
    with asyncio.Runner(loop_factory=Timeless) as runner:
        return runner.run(main)


class Rounds:
    """Counts the rounds of the event loop."""

    def __init__(self):
        self.now, self._loop = 0, asyncio.get_running_loop()
        self._turn()

    def _turn(self):
        self.now += 1
        self._again = self._loop.call_soon(self._turn)

    def stop(self):
        self._again.cancel()


@pytest.fixture
async def rounds():
    counted = Rounds()
    yield counted
    counted.stop()


async def test_one_request_goes_on_in_each_round(rounds):
    steps = Counter()

    async def app(scope, _receive, send):
        for _ in range(3):
            steps[rounds.now] += 1
            await asyncio.sleep(0)
        await send(scope["path"])

    sent = []

    async def send(path):
        sent.append(path)

    paced = Paced(app, Turns(never))
    await asyncio.gather(*(paced({**HTTP, "path": number}, None, send) for number in range(5)))
    assert sorted(sent) == list(range(5))
    assert (steps.total(), max(steps.values())) == (15, 1)
    websocket = {"type": "websocket", "path": "all"}
    await asyncio.gather(*(paced(websocket, None, send) for _ in range(5)))
    assert steps.most_common(1)[0][1] == 5, "these are the gateway's"


async def test_who_hangs_up_while_waiting_holds_nobody_up_and_what_fails_is_heard_of():
    seen = []

    async def app(scope, _receive, _send):
        try:
            await asyncio.sleep(0)
            if scope["path"] == "bad":
                raise ValueError("bad")
        except asyncio.CancelledError:
            seen.append(f"{scope['path']} cancelled")
            raise
        seen.append(scope["path"])

    paced = Paced(app, Turns(never))
    tasks = [asyncio.create_task(paced({**HTTP, "path": path}, None, None)) for path in ("a", "gone", "bad", "b")]
    await asyncio.sleep(0)
    tasks[1].cancel()
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in found] == [type(None), asyncio.CancelledError, ValueError, type(None)]
    assert sorted(seen) == ["a", "b"], "the one that is gone had not begun"
    await paced({**HTTP, "path": "c"}, None, None)


async def test_a_request_that_is_put_away_is_closed():
    closed = []

    async def app(_scope, _receive, _send):
        try:
            await asyncio.get_running_loop().create_future()
        except GeneratorExit:
            closed.append("the request")
            raise

    paced = Paced(app, Turns(never))
    first, second = (paced(HTTP, None, None) for _ in range(2))
    first.send(None)
    second.send(None)  # it waits for its turn, and has not begun
    first.close()
    second.close()
    assert closed == ["the request"]


async def test_what_times_out_within_a_request_is_its_own():
    async def app(_scope, _receive, send):
        try:
            async with asyncio.timeout(0):
                await asyncio.get_running_loop().create_future()
        except TimeoutError:
            await send("late")

    said = asyncio.Queue()
    await asyncio.gather(*(Paced(app, Turns(never))(HTTP, None, said.put) for _ in range(3)))
    assert said.qsize() == 3


STEP_S = 0.002


async def steps(turns, count, address="here"):
    """When `count` requests of a step each have had it."""
    times = []

    async def ask():
        await turns.wait(address)
        times.append(asyncio.get_running_loop().time())
        turns.charge(STEP_S)

    await asyncio.gather(*(ask() for _ in range(count)))
    return times


def test_while_matches_are_played_requests_have_their_share_and_no_more():
    count = 400

    async def main():
        loop, playing = asyncio.get_running_loop(), True
        turns = Turns(lambda: playing)
        await asyncio.sleep(10)  # which saves for no more than SAVED_S
        began_s = loop.time()
        taken_s = [time_s - began_s for time_s in await steps(turns, count)]
        playing = False
        freely_s = [time_s - loop.time() for time_s in await steps(turns, count)]
        return taken_s, freely_s

    taken_s, freely_s = run(main())
    at_once = taken_s.count(0.0)
    assert at_once == pytest.approx(SAVED_S * SHARE / STEP_S, abs=1.5), "what was saved"
    assert taken_s[-1] == pytest.approx((count - at_once) * STEP_S / SHARE, rel=0.01)
    assert freely_s[0] == freely_s[-1] == 0


def test_what_took_long_is_not_waited_for_as_long():
    async def main():
        turns, loop = Turns(lambda: True), asyncio.get_running_loop()
        turns.charge(10.0)
        await turns.wait("here")
        return loop.time()

    assert run(main()) == OWED_S


@pytest.mark.parametrize("where", ["the loop", "a thread"])
def test_what_a_request_takes_is_charged(monkeypatch, where):
    taken_s = {threading.get_ident(): 0.0}  # so far, by thread

    def work():
        taken_s[threading.get_ident()] = taken_s.get(threading.get_ident(), 0.0) + STEP_S

    async def app(_scope, _receive, _send):
        await (asyncio.to_thread(work) if where == "a thread" else asyncio.sleep(0, work()))

    async def main():
        loop = asyncio.get_running_loop()
        loop.set_default_executor(Threads(1))
        await asyncio.to_thread(work)  # for nobody who asks
        paced = Paced(app, Turns(lambda: True))
        for _ in range(200):
            await paced(HTTP, None, None)
        return loop.time()

    monkeypatch.setattr("palestra_server.web.pacing.time.thread_time", lambda: taken_s.get(threading.get_ident(), 0.0))
    assert run(main()) == pytest.approx(200 * STEP_S / SHARE, rel=0.01)


def test_who_asks_for_much_waits_behind_who_asks_for_little():
    async def main():
        turns, loop = Turns(lambda: True), asyncio.get_running_loop()
        flood = asyncio.create_task(steps(turns, 400, "one who floods"))
        await asyncio.sleep(0.3)
        came_s = loop.time()
        visit = await steps(turns, 3, "a visitor")
        flooded = [time_s for time_s in await flood if time_s > came_s]
        return [time_s - came_s for time_s in visit], len(flooded)

    visit, left = run(main())
    assert left > 200
    assert visit[-1] < 7 * STEP_S / SHARE, "its steps and the flood's alternate"


@pytest.mark.parametrize(("other", "shared"), [("2001:db8::2", True), ("2001:db8:1::1", False), ("10.0.0.1", False)])
async def test_a_household_has_one_turn(other, shared):
    order = []

    async def app(scope, _receive, _send):
        await asyncio.sleep(0)
        order.append(scope["client"][0])

    paced = Paced(app, Turns(never))
    first = [paced({**HTTP, "client": ("2001:db8::1", port)}, None, None) for port in range(4)]
    await asyncio.gather(*first, paced({**HTTP, "client": (other, 1)}, None, None))
    assert (order[-1] == other) is shared


async def test_a_turn_waits_for_players_but_not_for_ever(rounds):
    waiting = True
    turns = Turns(never, lambda: waiting)
    began = rounds.now
    await turns.wait("here")
    assert PLAYERS_FIRST <= rounds.now - began <= PLAYERS_FIRST + 1
    waiting = False
    began = rounds.now
    await turns.wait("here")
    assert rounds.now - began <= 1


async def test_a_request_is_charged_for_its_connection_and_for_reading_it_and_nobody_else_is(monkeypatch):
    charged, ticks = [], itertools.count(0, STEP_S)
    monkeypatch.setattr(Turns, "charge", lambda _turns, cpu_s: charged.append(cpu_s))
    monkeypatch.setattr("palestra_server.web.pacing.time.thread_time", lambda: next(ticks))
    async with whole_house() as home, AsyncExitStack() as stack:
        opened = []
        for _ in range(5):
            opened.append(await asyncio.open_connection("127.0.0.1", home.web))
            stack.push_async_callback(opened[-1][1].wait_closed)
            stack.callback(opened[-1][1].close)
        reader, writer = opened[-1]
        for connection_s in (CONNECTION_S, 0):
            writer.write(b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await reader.readuntil(b"\r\n\r\nNot Found")
            assert charged[0] == pytest.approx(connection_s + 2 * STEP_S), "it was read, and a step was taken"
            charged.clear()
