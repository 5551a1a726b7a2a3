"""Frames in every shape, the ways a connection ends, keepalive, and when things leave."""

import asyncio
import contextlib
import functools
import itertools
import socket
import threading
import time

import msgpack
import pytest
from tests.support.gateway import WAIT_S, RawClient, frame, hello, house, packed, raw_player, until
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode
from websockets.sync.client import connect as connect_sync

from palestra_server.gateway.arrivals import stamps
from palestra_server.gateway.websocket import connection

READY = msgpack.packb({"type": "ready", "match": "m"})


@contextlib.asynccontextmanager
async def player(home, name="eva", **options):
    """A library client that has said hello."""
    async with connect(home.url + "/play", compression=None, **options) as client:
        await client.send(msgpack.packb(hello(name)))
        assert (await receive(client))["type"] == "welcome"
        assert await home.runtime.next("join") == name
        yield client


async def receive(client):
    return msgpack.unpackb(await asyncio.wait_for(client.recv(), WAIT_S))


async def closed(client):
    """The close code that the client was given."""
    with pytest.raises(ConnectionClosed) as ended:
        await asyncio.wait_for(client.recv(), WAIT_S)
    return ended.value.rcvd.code


@pytest.mark.parametrize("cut", [1, 7, 100])
async def test_frames_in_pieces(cut):
    async with house() as home, raw_player(home) as client:
        data = packed(type="ready", match="a") + packed(type="ready", match="b")
        for start in range(0, len(data), cut):
            await asyncio.to_thread(client.socket.sendall, data[start : start + cut])
        for match in "ab":
            _, message, _ = await home.runtime.next("message")
            assert message.match == match


async def test_many_frames_at_once_are_answered_in_order():
    async with house() as home, raw_player(home) as client:
        home.runtime.answer = lambda peer, message, _: peer.send({"type": "echo", "match": message.match})
        sent = [f"m{number}" for number in range(300)]
        await asyncio.to_thread(client.socket.sendall, b"".join(packed(type="ready", match=m) for m in sent))
        heard = [(await asyncio.to_thread(client.receive))["match"] for _ in sent]
        assert heard == sent


@pytest.mark.parametrize("cuts", [[5], [0, 5], [1, 1, 2, 9, 12]])
@pytest.mark.parametrize("between", [b"", frame(b"hi", Opcode.PING)], ids=["", "with a ping between"])
async def test_fragmented_messages(cuts, between):
    async with house() as home, raw_player(home) as client:
        edges = [0, *cuts, len(READY)]
        parts = [READY[a:b] for a, b in itertools.pairwise(edges)]
        data = between.join(
            frame(part, Opcode.CONT if index else Opcode.BINARY, fin=index == len(parts) - 1)
            for index, part in enumerate(parts)
        )
        await asyncio.to_thread(client.socket.sendall, data + packed(type="ready", match="after"))
        for match in ("m", "after"):
            _, message, _ = await home.runtime.next("message")
            assert message.match == match


FAULTS = {
    "too long": (frame(bytes(4097)), 1009),
    "5 MB": (frame(bytes(5_000_000)), 1009),
    "said to be huge": (b"\x82\xff\x7f" + bytes(7 + 4), 1009),
    "too long in fragments": (
        frame(bytes(4000), fin=False) + frame(bytes(90), Opcode.CONT, fin=False) + frame(bytes(7), Opcode.CONT),
        1009,
    ),
    "not masked": (b"\x82\x03abc", 1002),
    "reserved bit": (b"\xc2" + frame(b"abc")[1:], 1002),
    "unknown opcode": (b"\x83" + frame(b"abc")[1:], 1002),
    "long ping": (b"\x89\xfe\x00\x80" + bytes(4 + 128), 1002),
    "fragmented ping": (b"\x09\x80" + bytes(4), 1002),
    "a continuation of nothing": (frame(b"abc", Opcode.CONT), 1002),
    "a message inside another": (frame(b"a", fin=False) + frame(b"b"), 1002),
    "close frame too short": (frame(b"a", Opcode.CLOSE), 1002),
    "close code that may not be sent": (frame(b"\x03\xed", Opcode.CLOSE), 1002),
}


@pytest.mark.parametrize("kind", FAULTS)
async def test_faulty_frames_end_the_connection_with_their_code(kind):
    data, code = FAULTS[kind]
    async with house(close_s=WAIT_S) as home, raw_player(home) as client:

        def send_and_read():
            with contextlib.suppress(OSError):
                client.socket.sendall(data)
            return client.until_closed()

        assert await asyncio.to_thread(send_and_read) == code
        assert await home.runtime.next("leave") == "eva"
        assert home.runtime.told.empty()


async def test_a_real_client_hears_1009_after_5_mb():
    def big(url):
        # The threaded client: asyncio's (of Python 3.11) stumbles over its own transport here.
        with connect_sync(url, compression=None) as client:
            with contextlib.suppress(ConnectionClosed):
                client.send(bytes(5_000_000))
            with pytest.raises(ConnectionClosed) as ended:
                client.recv(WAIT_S)
            return ended.value.rcvd.code

    # However long 5 MB take to be sent and discarded.
    async with house(close_s=WAIT_S) as home:
        assert await asyncio.to_thread(big, home.url + "/play") == 1009


async def test_exactly_the_longest_frame_is_read():
    async with house() as home, player(home) as client:
        await client.send(bytes(4096))
        assert (await receive(client))["code"] == "bad_message"
        await client.send(READY)
        assert (await home.runtime.next("message"))[0] == "eva"


async def test_the_wrong_kind_of_frame_is_explained():
    async with house() as home, player(home) as client:
        await client.send("text")
        error = await receive(client)
        assert error["code"] == "bad_message"
        assert "palestra.v1.json" in error["message"]
        await client.send(READY)
        await home.runtime.next("message")
    async with house() as home, connect(home.url + "/play", subprotocols=["palestra.v1.json"]) as client:
        await client.send(b"binary")
        error = await asyncio.wait_for(client.recv(), WAIT_S)
        assert isinstance(error, str)
        assert "palestra.v1.msgpack" in error


@pytest.mark.parametrize(
    "payload",
    [b"", b"\xc1", b"\x80", msgpack.packb({"type": "dance"}), msgpack.packb({"type": "ready"}), b"\x81" * 900],
)
async def test_malformed_messages_are_explained_and_forgiven(payload):
    async with house() as home, player(home) as client:
        await client.send(payload)
        error = await receive(client)
        assert (error["type"], error["code"], error["fatal"]) == ("error", "bad_message", False)
        assert error["message"].endswith(".")
        await client.send(READY)
        await home.runtime.next("message")
        assert home.gateway.counts.rejected == 1


@pytest.mark.parametrize("how", ["close frame", "end of stream", "reset"])
async def test_every_end_is_told_once(how):
    async with house() as home, raw_player(home) as client:
        if how == "close frame":
            client.socket.sendall(frame(b"\x03\xe8bye", Opcode.CLOSE) + packed(type="ready", match="too late"))
            assert await asyncio.to_thread(client.until_closed) == 1000
        elif how == "end of stream":
            client.socket.shutdown(socket.SHUT_WR)
        else:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.socket.close()
        assert await home.runtime.next("leave") == "eva"
        client.socket.close()
    assert home.runtime.told.empty()
    assert home.gateway.counts.connections == 0


async def test_nothing_is_heard_of_a_peer_after_it_was_closed():
    async with house(close_s=WAIT_S) as home, raw_player(home) as client:
        peer = home.runtime.peers["eva"]

        def close(peer, _message, _arrival):
            peer.close(1000, "x" * 500)
            assert not peer.connected
            peer.send({"type": "never"})
            peer.reject("bad_message", "Never.")
            peer.close(1001)

        home.runtime.answer = close
        client.socket.sendall(packed(type="ready", match="a") + packed(type="ready", match="b"))
        assert (await home.runtime.next("message"))[1].match == "a"
        assert await home.runtime.next("leave") == "eva"
        assert await asyncio.to_thread(client.until_closed) == 1000
        client.socket.sendall(packed(type="ready", match="c"))
        client.socket.shutdown(socket.SHUT_WR)
        await until(lambda: not home.gateway.counts.connections)
        peer.flush()
        peer.drain()
        assert not peer._connection.has_unread()
    assert home.runtime.told.empty()


async def test_a_client_that_does_not_close_its_end_is_cut_off():
    async with house(close_s=0.1) as home, raw_player(home) as client:
        home.runtime.peers["eva"].close(1000)
        assert await asyncio.to_thread(client.until_closed) == 1000
        await until(lambda: not home.gateway.counts.connections)  # though the client has not closed


async def test_what_is_sent_leaves_together_at_the_end_unless_flushed():
    async with house() as home, raw_player(home) as client:
        client.socket.setblocking(False)
        seen = []

        def look():
            with contextlib.suppress(BlockingIOError):
                return client.socket.recv(65536)
            return b""

        def answer(peer, _message, _arrival):
            peer.send({"type": "first"})
            seen.append(look())
            peer.flush()
            seen.append(look())
            peer.send({"type": "second"})
            peer.send({"type": "third"})
            seen.append(look())

        home.runtime.answer = answer
        await asyncio.get_running_loop().sock_sendall(client.socket, packed(type="ready", match="m"))
        await home.runtime.next("message")
        rest = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(client.socket, 65536), WAIT_S)
        assert seen[0] == b""
        assert b"first" in seen[1]
        assert seen[2] == b""
        assert b"second" in rest
        assert b"third" in rest


async def test_drain_delivers_what_has_arrived_at_once():
    async with house() as home, raw_player(home) as client, raw_player(home, "ben") as other:
        peer = home.runtime.peers["eva"]
        assert not peer._connection.has_unread()
        client.socket.sendall(packed(type="ready", match="a") + packed(type="ready", match="b"))
        # No await since then: the loop cannot have read it.
        assert peer._connection.has_unread()
        peer.drain()
        assert not peer._connection.has_unread()
        assert home.runtime.told.qsize() == 2
        # Draining others is allowed while a message is dealt with; draining its sender does nothing.
        home.runtime.answer = lambda *_: [one.drain() for one in home.runtime.peers.values()]
        client.socket.sendall(packed(type="ready", match="c"))
        other.socket.sendall(packed(type="ready", match="d"))
        for _ in "abcd":
            await home.runtime.next("message")
        assert home.runtime.told.empty()


async def test_drain_at_the_end_of_the_stream_leaves_it_to_the_loop():
    async with house() as home, raw_player(home) as client:
        peer = home.runtime.peers["eva"]
        client.socket.sendall(packed(type="ready", match="last"))
        client.socket.close()
        peer.drain()
        assert (await home.runtime.next("message"))[1].match == "last"
        assert await home.runtime.next("leave") == "eva"


async def test_a_spectator_who_does_not_read_is_dropped_and_nobody_waits_for_it(logged):
    async with house(write_buffer=100_000) as home, raw_player(home) as stuck, player(home, "ben") as client:
        peer, event = home.runtime.peers["eva"], {"type": "x", "data": bytes(50_000)}
        stuck.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for _ in range(1000):
            peer.send(event)
            if not peer.connected:
                break
        assert not peer.connected
        assert await home.runtime.next("leave") == "eva"
        assert home.gateway.counts.dropped_slow == 1
        assert "slow reader dropped" in [entry["event"] for entry in logged]
        await client.send(READY)
        assert (await home.runtime.next("message"))[0] == "ben"


async def test_small_frames_are_not_held_back():
    """Nagle's algorithm would keep a second small frame for up to 40 ms, which is the bot's time."""
    async with house() as home, raw_player(home) as client:
        peer = home.runtime.peers["eva"]
        accepted = peer._connection._transport.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        peer.send({"type": "one"})
        peer.send({"type": "two"})
        assert [(await asyncio.to_thread(client.receive))["type"] for _ in range(2)] == ["one", "two"]


# Keepalive, by a clock that is set forward: no timer goes off by itself.


@pytest.fixture
def later(monkeypatch):
    """`later(home, seconds)`: so much later by the gateway's clock, it looks after its one player."""
    real, passed = time.monotonic_ns, [0]
    for module in (connection, stamps):
        monkeypatch.setattr(module, "monotonic_ns", lambda: real() + passed[0])

    def go_on(home, seconds):
        passed[0] += int(seconds * 1e9)
        (its,) = home.gateway.shared.connections
        its._timer.cancel()
        its._keep_alive()

    return go_on


SLOWLY = {"ping_s": 3600, "silence_s": 10_000}


async def test_a_silent_peer_is_pinged_and_dropped(later):
    async with house(**SLOWLY) as home, raw_player(home) as client:
        later(home, 5000)
        assert await asyncio.to_thread(client.read_frame) == (0x89, b"")
        later(home, 4000)
        assert await asyncio.to_thread(client.read_frame) == (0x89, b"")
        assert home.gateway.counts.dropped_silent == 0
        later(home, 1001)
        assert await home.runtime.next("leave") == "eva"
        assert home.gateway.counts.dropped_silent == 1


async def test_a_spectator_is_pinged_less_often_and_may_be_silent_for_longer(later):
    async with house(**SLOWLY) as home:
        client = await RawClient.open(home.port, path="/watch")
        await until(lambda: home.gateway.counts.watchers == 1)
        for seconds in (20_000, 19_000):
            later(home, seconds)
            assert await asyncio.to_thread(client.read_frame) == (0x89, b"")
        assert home.gateway.counts.dropped_silent == 0
        later(home, 1001)
        await until(lambda: home.gateway.counts.watchers == 0)
        assert home.gateway.counts.dropped_silent == 1
        client.close()


async def test_any_byte_counts_as_life(later):
    async with house(**SLOWLY) as home, raw_player(home) as client:
        # A single long frame, one byte at each ping, and never a pong.
        slow = packed(type="ready", match="m" * 14)
        for count, byte in enumerate(slow, home.gateway.counts.bytes_in + 1):
            later(home, 9000)
            assert await asyncio.to_thread(client.read_frame) == (0x89, b"")
            client.socket.sendall(bytes((byte,)))
            await until(lambda count=count: home.gateway.counts.bytes_in == count)
        assert (await home.runtime.next("message"))[0] == "eva"
        assert home.gateway.counts.dropped_silent == 0


async def test_a_stall_of_the_server_is_not_the_peers_silence(later):
    """Neither when it was not pinged meanwhile, nor when its answer waits to be read."""
    async with house(**SLOWLY) as home, raw_player(home) as client:
        later(home, 20_000)
        assert await asyncio.to_thread(client.read_frame) == (0x89, b"")
        client.socket.sendall(frame(READY))
        (its,) = home.gateway.shared.connections
        while not its.has_unread():
            time.sleep(0)  # noqa: ASYNC251 (the stall is what is tested)
        later(home, 20_000)
        assert (await home.runtime.next("message"))[0] == "eva"
        assert home.gateway.counts.dropped_silent == 0


async def test_a_throttled_peer_is_read_again_and_is_not_taken_for_silent(later, monkeypatch):
    throttle = connection.Connection._throttle

    def throttle_for_long(its):
        throttle(its)
        for _ in range(2 * its._paused):  # a ping would be due, and an answer to it
            later(home, 20_000)

    monkeypatch.setattr(connection.Connection, "_throttle", throttle_for_long)
    monkeypatch.setattr(connection, "monotonic", lambda: 0.0)  # who takes long to send may send more
    async with house(**SLOWLY) as home, raw_player(home) as client:
        sent = 480
        client.socket.sendall(packed(type="ready", match="m") * sent)
        for _ in range(sent):
            await home.runtime.next("message")
        assert home.gateway.counts.throttled >= 1
        assert home.gateway.counts.dropped_silent == 0
        home.runtime.peers["eva"].close(1000)
        assert await asyncio.to_thread(client.until_closed) == 1000


async def test_pings_of_the_client_are_answered():
    async with house() as home, player(home) as client:
        await asyncio.wait_for(await client.ping(b"anyone there?"), WAIT_S)


@pytest.mark.usefixtures("defects_expected")
async def test_a_defect_of_the_runtime_is_logged_and_others_are_served(logged):
    def stumble(_peer, message, _arrival):
        if message.match == "bad":
            raise ZeroDivisionError("a defect")

    async with house() as home, player(home) as client:
        home.runtime.answer = stumble
        await client.send(msgpack.packb({"type": "ready", "match": "bad"}))
        await client.send(READY)
        assert (await home.runtime.next("message"))[1].match == "bad"
        assert (await home.runtime.next("message"))[1].match == "m"
    assert [entry["event"] for entry in logged if entry["log_level"] == "error"] == ["a message was not handled"]


async def test_counts():
    async with house() as home, player(home) as client, connect(home.url + "/watch"):
        counts = home.gateway.counts
        await client.send(READY)
        await home.runtime.next("message")
        home.runtime.peers["eva"].send({"type": "x"})
        await receive(client)
        assert (counts.connections, counts.accepted, counts.players, counts.watchers) == (2, 2, 1, 1)
        assert (counts.frames_in, counts.frames_out) == (2, 2)
        assert counts.bytes_in > len(READY)
        assert counts.bytes_out > 0


async def test_closing_tells_everybody_and_takes_no_longer_than_it_may():
    async with house(close_s=0.3) as home, player(home, "ben") as client, raw_player(home) as stuck:
        half = await asyncio.open_connection("127.0.0.1", home.port)
        half[1].write(b"GET /play HTTP/1.1\r\n")
        closing = asyncio.create_task(home.gateway.close())
        assert await closed(client) == 1001
        assert await asyncio.to_thread(stuck.until_closed) == 1001
        assert {await home.runtime.next("leave"), await home.runtime.next("leave")} == {"ben", "eva"}
        await asyncio.wait_for(closing, WAIT_S)  # though `stuck` does not close, and `half` never began
        assert home.gateway.counts.connections == 0
        with pytest.raises(OSError, match=r"refused|Connect call failed"):
            await RawClient.open(home.port)
        half[1].close()


async def test_a_port_that_another_takes_between_bind_and_listen_is_one_sentence(monkeypatch):
    from palestra_server.gateway import GatewayError
    from palestra_server.gateway.websocket import listening

    real = listening.bind
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]

        def bind(_host, _port, *more):
            bound = real("127.0.0.1", port, *more)
            other.listen()
            return bound

        monkeypatch.setattr(listening, "bind", bind)
        with pytest.raises(GatewayError, match=r"already in use: .*\.$"):
            async with house():
                pass
    assert not [thread for thread in threading.enumerate() if thread.name == "palestra-stall-watcher"]


async def test_an_address_that_cannot_be_used_is_one_sentence():
    from palestra_server.gateway import GatewayError, Hub, serve_gateway

    async with house() as home:
        opening = functools.partial(
            serve_gateway, runtime=home.runtime, roster=home.roster, sessions=home.book, hub=Hub()
        )
        with pytest.raises(GatewayError, match=rf"^Port {home.port} is already in use: .*\.$"):
            await opening("127.0.0.1", home.port)
        with pytest.raises(GatewayError, match=r"is not one of this machine: .*\.$"):
            await opening("192.0.2.1", 0)
        with pytest.raises(GatewayError, match=r"is unknown here: .*\.$"):
            await opening("no such host", 0)
