"""The clock trap, with real sockets and a loop that is really blocked.

Every frame is sent by a thread that reads the same monotonic clock right before and right after. What must hold:

- never later than the truth: `at` is not after the send returned, so a bot in time is never flagged;
- hardly earlier: a bot that is really late (150 ms, inside the stall) is always flagged.

Where the kernel stamps packets, `at` is exact. Without its stamps, what comes in a stall is dated before it.
"""

import asyncio
import json
import os
import select
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from time import monotonic_ns

import pytest
from tests.support.calm import while_running
from tests.support.gateway import RawClient, Runtime, frame, house, packed, raw_player, until
from websockets.frames import Opcode

from palestra_server.gateway.arrivals import sockets
from palestra_server.gateway.arrivals.loop import StampingSelector
from palestra_server.gateway.arrivals.stall import Inflow, Sighting
from palestra_server.gateway.arrivals.stamps import Arrivals
from palestra_server.gateway.websocket import connection

MS = 1_000_000
STALL_S = 0.45
LATE_MS = 150


@pytest.fixture(params=[True, False], ids=["kernel", "selector"])
def kernel_stamps(request, monkeypatch):
    """Whether the kernel stamps what arrives: not every system does."""
    if not request.param:
        monkeypatch.setattr(sockets, "_want_stamps", lambda _: None)
    return request.param


def ready(match):
    return packed(type="ready", match=match)


def sleeping(seconds=STALL_S):
    time.sleep(seconds)


def computing(seconds=STALL_S):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


class Sender:
    """Sends each piece at its time (s after the start), from another thread."""

    def __init__(self, client, pieces):
        self._sent = []
        self._client, self._pieces = client, pieces
        self._thread = threading.Thread(target=self._run)
        self.began = monotonic_ns()
        self._thread.start()

    def join(self):
        self._thread.join()

    @property
    def sent(self):
        """(before, after) of each piece, in ns, once all are sent: one may be heard of before it is noted."""
        self.join()
        return self._sent

    def _run(self):
        pause = threading.Event()
        for at_s, data in self._pieces:
            pause.wait(self.began / 1e9 + at_s - time.monotonic())
            before = monotonic_ns()
            self._client.socket.sendall(data)
            self._sent.append((before, monotonic_ns()))


def in_a_stall(client, pieces, block=sleeping, then=lambda: None):
    """Who sends while the loop is blocked: the times count from when it is, however late that is, and it stays blocked
    until all is sent."""
    loop = asyncio.get_running_loop()
    sending = loop.create_future()

    def stall():
        sender = Sender(client, pieces)
        block()
        sender.join()
        then()
        sending.set_result(sender)

    loop.call_later(0.1, stall)
    return sending


def assert_dated(arrival, sent, kernel_stamps, slack_ms=1):
    before, after = sent
    late = (arrival.at - after) / MS
    assert late <= slack_ms, f"{late:.1f} ms too late: a stall charged to the bot"
    early = (before - arrival.at) / MS
    assert early < 5 or not kernel_stamps, f"{early:.1f} ms too early: a late bot goes free"
    assert arrival.at <= arrival.seen


async def arrivals(home, count):
    return [(await home.runtime.next("message"))[2] for _ in range(count)]


@while_running
async def test_without_a_stall(kernel_stamps):
    async with house() as home, raw_player(home) as client:
        for _ in range(20):
            sender = Sender(client, [(0, ready("m"))])
            (arrival,) = await arrivals(home, 1)
            # Without the kernel's stamps nobody knows how long the loop waited for the processor to come out of select.
            assert_dated(arrival, sender.sent[0], kernel_stamps, slack_ms=1 if kernel_stamps else 60)
            assert (sender.sent[0][0] - arrival.at) / MS < LATE_MS


@pytest.mark.parametrize(("block", "when_s"), [(sleeping, 0.1), (computing, 0.2), (sleeping, 0.4)])
@while_running
@pytest.mark.slow
async def test_sent_during_a_stall(kernel_stamps, block, when_s):
    async with house() as home, raw_player(home) as client:
        sending = in_a_stall(client, [(when_s, ready("m"))], block)
        (arrival,) = await arrivals(home, 1)
        assert_dated(arrival, sending.result().sent[0], kernel_stamps)
        assert arrival.stamp == ("stall" if kernel_stamps else "poll")


@while_running
async def test_sent_before_the_stall_and_read_after_it(kernel_stamps):
    """The frame is there, but a callback that was queued before the read blocks the loop."""
    async with house() as home, raw_player(home) as client:
        loop = asyncio.get_running_loop()
        sender = Sender(client, [(0, ready("m"))])
        sender.join()
        loop.call_soon(sleeping)
        (arrival,) = await arrivals(home, 1)
        assert_dated(arrival, sender.sent[0], kernel_stamps)
        assert arrival.seen - arrival.at >= STALL_S * 1e9


@while_running
async def test_several_frames_in_one_stall_are_dated_one_by_one(kernel_stamps):
    """Also when they are read together: the kernel stamps the last, the watcher has seen the stamps of the others."""
    async with house() as home, raw_player(home) as client:
        sending = in_a_stall(client, [(0.05, ready("in time")), (0.2, ready("late")), (0.35, ready("later"))])
        for index, arrival in enumerate(await arrivals(home, 3)):
            assert_dated(arrival, sending.result().sent[index], kernel_stamps)


@while_running
async def test_half_a_frame_in_time_does_not_date_the_other_half(kernel_stamps):
    whole = ready("m")
    async with house() as home, raw_player(home) as client:
        sending = in_a_stall(client, [(0.1, whole[:-1]), (0.35, whole[-1:] + ready("next")[:-1])])
        (arrival,) = await arrivals(home, 1)
        assert_dated(arrival, sending.result().sent[1], kernel_stamps)


@while_running
async def test_drained_in_the_callback_that_ends_the_stall(kernel_stamps):
    """An alarm that comes due behind a stall, in the same turn of the loop, hears the answer sent meanwhile."""
    async with house() as home, raw_player(home) as client:
        heard = []

        def alarm():
            home.runtime.peers["eva"].drain()
            heard.append(home.runtime.told.qsize())

        sending = in_a_stall(client, [(0.2, ready("m"))], then=alarm)
        (arrival,) = await arrivals(home, 1)
        assert heard == [1]
        assert_dated(arrival, sending.result().sent[0], kernel_stamps)


@pytest.mark.usefixtures("kernel_stamps")
@while_running
async def test_sent_while_reading_is_paused(monkeypatch):
    """A throttled connection is read late, and what it sent is not taken for later than it was."""
    monkeypatch.setattr(connection, "monotonic", lambda: 0.0)  # who takes long to send may send more
    async with house() as home, raw_player(home) as client:
        sender = Sender(client, [(0, ready("x") * 500)])
        await until(lambda: home.gateway.counts.throttled)
        sender.join()
        for arrival in await arrivals(home, 500):
            assert arrival.at <= sender.sent[0][1] + MS


def staying(_client):
    pass


def closing(client):
    client.socket.close()


def resetting(client):
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.socket.close()


def saying_goodbye(client):
    client.socket.sendall(frame((1000).to_bytes(2, "big"), Opcode.CLOSE))


class Leaver(Runtime):
    """Notes `left_at` of whoever leaves."""

    def on_leave(self, peer):
        self.left_at = peer.left_at
        super().on_leave(peer)


ends = pytest.mark.parametrize("end", [closing, resetting, saying_goodbye])


@pytest.mark.usefixtures("kernel_stamps")
@ends
@while_running
async def test_a_player_who_leaves_during_a_stall_left_then(end):
    async with house(runtime=Leaver()) as home, raw_player(home) as client:
        loop = asyncio.get_running_loop()
        began = monotonic_ns()

        def stall():
            time.sleep(STALL_S / 3)
            end(client)
            home.ended = monotonic_ns()
            time.sleep(STALL_S)

        loop.call_later(0.1, stall)
        await home.runtime.next("leave")
        assert began <= home.runtime.left_at <= home.ended + 5 * MS
        assert monotonic_ns() - home.runtime.left_at >= STALL_S * 1e9


@ends
@while_running
async def test_a_player_who_leaves_an_idle_server_left_now(end):
    """Not when the server last had something to do."""
    async with house(runtime=Leaver()) as home, raw_player(home) as client:
        await asyncio.sleep(0.3)
        before = monotonic_ns()
        await asyncio.to_thread(end, client)
        await home.runtime.next("leave")
        assert before - LATE_MS * MS <= home.runtime.left_at <= monotonic_ns()


@pytest.mark.parametrize("end", [closing, resetting])
@while_running
async def test_an_alarm_behind_a_stall_hears_that_the_player_has_left(end):
    async with house(runtime=Leaver()) as home, raw_player(home) as client:

        def alarm():
            sleeping()
            end(client)
            peer.drain()
            assert home.runtime.told.get_nowait() == ("leave", "eva")

        peer = home.runtime.peers["eva"]
        alarmed = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(lambda: alarmed.set_result(alarm()))
        await alarmed
        assert peer.left_at == home.runtime.left_at <= monotonic_ns()
        await until(lambda: home.gateway.counts.connections == 0)
        assert home.runtime.told.empty(), "it left once"


@while_running
async def test_a_replaced_player_left_when_the_newer_hello_came():
    async with house(runtime=Leaver()) as home, raw_player(home):
        session = home.runtime.peers["eva"].session
        newer = await RawClient.open(home.port)
        sending = in_a_stall(newer, [(0.2, packed(type="hello", token="", resume=session))])
        await home.runtime.next("leave")
        await home.runtime.next("join")
        assert home.runtime.left_at == home.runtime.peers["eva"].joined.at <= sending.result().sent[0][1] + MS
        newer.close()


async def test_a_select_that_slept_too_long_looks_again():
    """As after SIGSTOP: epoll_wait was interrupted, its time is over, and it says that nothing came."""
    ours, theirs = socket.socketpair()
    with ours, theirs, StampingSelector() as selector:
        selector.register(ours, 1)
        answers = iter([[]])
        real = selectors.DefaultSelector.select

        def stopped(self, timeout=None):
            for answer in answers:
                time.sleep(0.05)
                theirs.send(b"x")
                return answer
            return real(self, timeout)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(selectors.DefaultSelector, "select", stopped)
            assert [key.fileobj for key, _ in selector.select(0.001)] == [ours]


PONG = frame(b"", Opcode.PONG)


@pytest.mark.parametrize(
    ("behind", "end"),
    [(b"", staying), (PONG, staying), (PONG * 3 + ready("next")[:-1], staying), (b"", resetting)],
    ids=["alone", "pong", "half a frame", "reset"],
)
def test_a_whole_process_that_was_stopped(behind, end):
    """SIGSTOP: nothing of the server runs, not even the watcher. Only the kernel knows then, also when something else
    came with the frame, or when the client gave up by a reset (an orderly close would re-date the frame)."""
    command = [sys.executable, "-m", "tests.support.stopped_server"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        client = RawClient(int(server.stdout.readline()))
        client.join("eva")
        os.kill(server.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, server.pid, os.WSTOPPED)
        sender = Sender(client, [(0.3, ready("m") + behind)])
        sender.join()
        threading.Event().wait(0.3)
        end(client)
        os.kill(server.pid, signal.SIGCONT)
        arrival = json.loads(server.stdout.readline())
        client.close()
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
    before, after = sender.sent[0]
    assert arrival["seen"] - after >= 250 * MS
    assert before - 5 * MS <= arrival["at"] <= after + MS
    assert arrival["stamp"] == "stall"


def test_in_a_loop_that_is_not_ours(kernel_stamps):
    """The kernel's stamps are as good there; without them there is only the moment of reading."""

    @while_running
    async def play():
        async with house() as home, raw_player(home) as client:
            sending = in_a_stall(client, [(0.1, ready("m"))])
            (arrival,) = await arrivals(home, 1)
        if kernel_stamps:
            assert_dated(arrival, sending.result().sent[0], True)
            assert arrival.stamp == "stall"
        else:
            assert arrival == (arrival.seen, arrival.seen, "read")

    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        runner.run(play())


# What cannot be brought about on a real machine: a system clock that is set, times to the nanosecond.


@pytest.fixture
def polls():
    made = StampingSelector()
    yield made
    made.close()


@pytest.fixture
def inflow():
    with socket.socket() as made:
        yield Inflow(made)


def read(arrivals_, inflow, size=10, kernel_ns=0, full=False):
    arrivals_.note_read(inflow, size, full, kernel_ns)


@pytest.mark.parametrize("step_ms", [-3_600_000, -50, 50, 3_600_000])
def test_a_system_clock_that_was_set_is_not_believed_once(polls, inflow, monkeypatch, step_ms):
    now, ahead = 100_000_000 * MS, 7 * MS
    monkeypatch.setattr("palestra_server.gateway.arrivals.stamps.monotonic_ns", lambda: now)
    monkeypatch.setattr("palestra_server.gateway.arrivals.stamps.time_ns", lambda: now + ahead)
    other, dated = Inflow(inflow.socket), Arrivals(polls)
    polls.previous, polls.entered, polls.returned = now - 9 * MS, now - 8 * MS, now - 8 * MS + 1000
    before = now + ahead - 2 * MS
    ahead += step_ms * MS
    # The second is read in the same turn of the loop: what it sent may be older than the step, too.
    for each in (inflow, other):
        read(dated, each, kernel_ns=before)
        assert dated.of_frame(each, 0).at == polls.previous
    # What was not there yet when the step was noticed is on the new time.
    polls.previous = polls.entered = polls.returned = now
    now += 5 * MS
    read(dated, inflow, kernel_ns=now + ahead - 2 * MS)
    assert dated.of_frame(inflow, 0) == (now - 2 * MS, now, "read")


def test_a_select_that_waited_returned_when_the_bytes_came(polls, inflow):
    dated = Arrivals(polls)
    now = monotonic_ns()
    polls.previous, polls.entered, polls.returned = now - 900 * MS, now - 899 * MS, now - MS
    read(dated, inflow)
    assert dated.of_frame(inflow, 0)[::2] == (polls.returned, "read")


def test_a_select_that_only_lost_the_processor_after_a_stall_did_not_wait(polls, inflow):
    dated = Arrivals(polls)
    now = monotonic_ns()
    polls.previous, polls.entered, polls.returned = now - 900 * MS, now - 20 * MS, now - MS
    read(dated, inflow)
    assert dated.of_frame(inflow, 0)[::2] == (polls.previous, "poll")


def test_bytes_left_behind_by_a_full_read_are_as_old_as_that_read(polls, inflow):
    dated = Arrivals(polls)
    now = monotonic_ns()
    first = now - 400 * MS
    polls.previous, polls.entered, polls.returned = first, first + MS, first + 2 * MS
    read(dated, inflow, full=True)
    polls.previous, polls.entered, polls.returned = now - 100 * MS, now - 99 * MS, now - 99 * MS
    read(dated, inflow)
    assert dated.of_frame(inflow, 0).at == first
    polls.previous, polls.entered, polls.returned = now - 10 * MS, now - 9 * MS, now - 9 * MS
    read(dated, inflow)
    assert dated.of_frame(inflow, 0).at == now - 10 * MS


def test_the_stamp_that_the_watcher_saw_dates_what_was_complete_then(polls, inflow):
    """So it is exact for what nothing followed until then, whatever came later."""
    dated = Arrivals(polls)
    now, real = monotonic_ns(), time.time_ns()
    polls.previous, polls.entered, polls.returned = now - 900 * MS, now - 899 * MS, now - 899 * MS + 1000
    inflow.sightings = Sighting(20, real - 432 * MS), Sighting(50, real - 399 * MS)
    read(dated, inflow, size=60, kernel_ns=real - 200 * MS)
    ages = [round((now - dated.of_frame(inflow, behind).at) / MS) for behind in (50, 40, 39, 10, 9, 0)]
    assert ages == [432, 432, 399, 399, 200, 200]


async def test_what_waits_is_dated_without_being_taken():
    """Two frames in one stall, half a second and two reads apart: a count in between dates the first exactly."""
    async with house() as home, raw_player(home) as client:
        (its,) = home.gateway.shared.connections
        sent = []
        for name in ("a", "b"):
            client.socket.sendall(ready(name))
            while not its.has_unread():
                time.sleep(0)  # noqa: ASYNC251 (the stall is what is tested)
            its._inflow.sight()
            sent.append(monotonic_ns())
        first, second = await arrivals(home, 2)
        assert first.at <= sent[0]
        assert sent[0] - 5 * MS <= second.at <= sent[1]


@pytest.mark.skipif(not hasattr(select, "POLLRDHUP"), reason="about the stamps of Linux")
async def test_an_answer_in_time_is_not_dated_by_the_end_of_its_connection():
    """Linux stamps what waits anew when the empty packet comes that ends the connection."""
    async with house() as home, raw_player(home) as client:
        (its,) = home.gateway.shared.connections
        client.socket.sendall(ready("a"))
        sent = monotonic_ns()
        while not its.has_unread():
            time.sleep(0)  # noqa: ASYNC251 (the stall is what is tested)
        its._inflow.sight()
        ended = select.poll()
        ended.register(its._inflow.fd, select.POLLRDHUP)
        client.socket.shutdown(socket.SHUT_WR)
        ended.poll()
        (arrival,) = await arrivals(home, 1)
        assert arrival.at <= sent


def test_what_the_watcher_saw_counts_only_if_it_is_the_earlier(polls, inflow):
    """It may count too few bytes, if the loop reads at the same time; then its stamp is of bytes that came later."""
    dated = Arrivals(polls)
    now, real = monotonic_ns(), time.time_ns()
    for seen_ms, age_ms in ((250, 250), (150, 200)):
        inflow.sightings = (Sighting(inflow.consumed + 60, real - seen_ms * MS),)
        read(dated, inflow, size=60, kernel_ns=real - 200 * MS)
        assert round((now - dated.of_frame(inflow, 0).at) / MS) == age_ms


def test_a_stamp_is_never_later_than_the_read(polls, inflow):
    dated = Arrivals(polls)
    read(dated, inflow, kernel_ns=time.time_ns() + MS)
    assert dated.of_frame(inflow, 0) == (inflow.seen, inflow.seen, "read")


@pytest.mark.parametrize("woken_first", ["loop", "watcher"])
def test_an_end_while_the_process_was_stopped_is_dated_before_the_stop(polls, inflow, woken_first):
    """`select` waited all the while, and the kernel stamps no end of a connection."""
    dated = Arrivals(polls)
    now = monotonic_ns()
    polls.previous, polls.entered, polls.returned = now - 3000 * MS, now - 2990 * MS, now
    polls._beat = now - 2900 * MS
    if woken_first == "watcher":
        polls.beat()
    assert dated.of_end(inflow) == now - 2900 * MS
    polls.previous, polls.entered, polls.returned = now, now + MS, now + 40 * MS
    polls.beat()
    assert dated.of_end(inflow) >= now
