"""More connections than places: nobody can hold up the house. First the rule, then real sockets."""

import asyncio
import contextlib
import errno
import socket

import pytest
from tests.support.gateway import WAIT_S, RawClient, hello, house, packed, until, whole_house

from palestra_server.gateway.allowance import LINE_S, LINES, SparingLog
from palestra_server.gateway.arrivals import StampedListener
from palestra_server.gateway.places import Room, build_rooms
from palestra_server.web.requests import RequestProtocol


class Guest:
    def __init__(self, idle=True):
        self.idle, self.here = idle, True

    def give_way(self):
        self.here = False


def enter(room, address, count=1, idle=True):
    guests = [Guest(idle) for _ in range(count)]
    for guest in guests:
        guest.here = room.enter(guest, address)
    return guests


def here(guests):
    return sum(guest.here for guest in guests)


def test_a_full_room_takes_from_the_address_that_has_most():
    room = Room(10)
    (first,) = enter(room, "192.0.2.1")
    crowd = enter(room, "192.0.2.2", 9)
    (last,) = enter(room, "192.0.2.3")
    assert (first.here, last.here, here(crowd)) == (True, True, 8)
    assert not crowd[0].here, "the oldest of them"
    crowd += enter(room, "192.0.2.2", 1000)
    assert (first.here, last.here, here(crowd), len(room)) == (True, True, 8, 10)
    assert all(guest.here for guest in crowd[-8:])


def test_a_busy_member_stays_unless_its_address_has_more_than_its_share():
    for shared in (False, True):
        room = Room(4, shared=shared)
        busy = enter(room, "192.0.2.1", 4, idle=False)
        assert enter(room, "192.0.2.1", 5, idle=False)[0].here is False, "its own crowd does not help it"
        late = enter(room, "192.0.2.2", 4, idle=False)
        assert (here(busy), here(late)) == ((2, 2) if shared else (4, 0))
        for guest in (*busy, *late):
            room.leave(guest)
        assert len(room) == 0


def test_the_idle_go_before_the_busy():
    room = Room(4, shared=True)
    busy = enter(room, "192.0.2.1", 3, idle=False)
    idle = enter(room, "192.0.2.2")
    assert here(enter(room, "192.0.2.1", idle=False)) == 1
    assert (here(busy), here(idle)) == (3, 0)


def test_one_address_has_so_many_places_an_ipv6_network_counts_as_one():
    room = Room(100, per_address=2)
    assert here(enter(room, "2001:db8:0:1::1", 2, idle=False)) == 2
    assert here(enter(room, "2001:db8:0:1::2")) == 0
    assert here(enter(room, "2001:db8:0:2::1")) == 1
    first, _ = enter(room, "192.0.2.1", 2)
    assert here(enter(room, "192.0.2.1")) == 1
    assert not first.here


def test_few_files_make_small_rooms():
    rooms = build_rooms(100, 200, 300, 400, per_address=7, files=100)
    assert [room.size for room in (rooms.strangers, rooms.watchers, rooms.guests, rooms.requests)] == [10, 20, 30, 40]
    assert build_rooms(100, 200, 300, 400, per_address=7, files=-5).strangers.size == 1
    strangers = [*enter(rooms.strangers, "192.0.2.1", 8), *enter(rooms.strangers, "192.0.2.2", 2, idle=False)]
    rooms.thin_out()
    assert here(strangers) == 7, "a quarter of the oldest"


# With sockets. Everybody comes from 127.0.0.1 here; other addresses come by X-Forwarded-For.


def silent(port):
    return socket.create_connection(("127.0.0.1", port), WAIT_S)


def is_cut(connection):
    """Waits until the other side has ended the connection."""
    with contextlib.suppress(ConnectionError):
        while connection.recv(65536):
            pass
    return True


async def test_silent_strangers_keep_nobody_out():
    """On either port, in front of the handshake and behind it."""
    async with whole_house(max_strangers=4, max_requests=4) as home:
        with contextlib.ExitStack() as opened:
            silents = []
            for port in (home.port, home.web):
                silents += [opened.enter_context(silent(port)) for _ in range(10)]
                for number in range(5):
                    newcomer = opened.enter_context(contextlib.closing(await RawClient.open(port)))
                    await asyncio.to_thread(newcomer.join, f"eva {port} {number}")
                    silents += [opened.enter_context(silent(port)) for _ in range(5)]
                    silent_player = await RawClient.open(port)
                    opened.enter_context(contextlib.closing(silent_player))
                    silents.append(silent_player.socket)
            reader, writer = await asyncio.open_connection("127.0.0.1", home.web)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert (await asyncio.wait_for(reader.read(), WAIT_S)).endswith(b"the page")
            writer.close()
            assert await asyncio.to_thread(is_cut, silents[0])
            assert home.gateway.counts.players == 10
            await until(lambda: home.gateway.counts.connections <= 10 + 4)


async def test_players_of_the_roster_and_who_is_in_a_match_find_a_place_when_guests_do_not():
    async with house(max_guests=1) as home:
        home.runtime.matches = {("eva", True): ["m"], ("zoe", True): ["m"]}
        first = await RawClient.open(home.port)
        session = (await asyncio.to_thread(first.join, "max"))["session"]
        home.runtime.matches["max", True] = ["m"]
        refused = await RawClient.open(home.port)
        refused.socket.sendall(packed(**hello("ben")))
        error = await asyncio.to_thread(refused.receive)
        assert (error["code"], error["fatal"]) == ("try_later", True)
        assert await asyncio.to_thread(refused.until_closed) == 1013
        ana = await RawClient.open(home.port)
        ana.socket.sendall(packed(type="hello", token="token-ana"))
        assert (await asyncio.to_thread(ana.receive))["player"] == "ana"
        back = await RawClient.open(home.port)
        back.socket.sendall(packed(type="hello", token="", resume=session))
        assert (await asyncio.to_thread(back.receive))["player"] == "max"
        # A guest without a match gives way.
        home.runtime.matches.clear()
        first.close()
        for client in (refused, ana, back):
            client.close()


async def test_the_oldest_idle_watcher_goes_first():
    async with house(max_watchers=2) as home:
        home.hub.provide("lobby", lambda _topic: {"type": "snapshot"})
        watching, idle = [await RawClient.open(home.port, path="/watch") for _ in range(2)]
        watching.socket.sendall(packed(type="watch", topic="lobby"))
        assert (await asyncio.to_thread(watching.receive))["type"] == "event"
        third = await RawClient.open(home.port, path="/watch")
        assert (await asyncio.to_thread(idle.receive))["code"] == "try_later"
        assert await asyncio.to_thread(idle.until_closed) == 1013
        third.socket.sendall(packed(type="watch", topic="lobby"))
        assert (await asyncio.to_thread(third.receive))["type"] == "event"
        # Both watch now, and come from one place: a third from there is one too many, one from elsewhere is not.
        fourth = await RawClient.open(home.port, path="/watch")
        assert (await asyncio.to_thread(fourth.receive))["code"] == "try_later"
        elsewhere = await RawClient.open(home.port, "X-Forwarded-For: 198.51.100.7", path="/watch")
        assert (await asyncio.to_thread(watching.receive))["code"] == "try_later"
        assert home.gateway.counts.watchers <= 2
        for client in (watching, idle, third, fourth, elsewhere):
            client.close()


@pytest.mark.slow
async def test_a_request_that_does_not_come_to_its_end_is_cut_off(monkeypatch):
    monkeypatch.setattr("palestra_server.web.requests.REQUEST_S", 0.05)
    async with whole_house() as home:
        for sent in (
            b"",
            b"GET / HTTP/1.1\r\nHost: x\r\n",
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc",
        ):
            with silent(home.web) as connection:
                connection.sendall(sent)
                assert await asyncio.to_thread(is_cut, connection)
        await until(lambda: not len(home.gateway.requests))


async def test_a_websocket_is_no_request_any_more(monkeypatch):
    limits = []

    class Noting(RequestProtocol):
        def _arm(self, seconds):
            super()._arm(seconds)
            limits.append(self)

    monkeypatch.setattr("palestra_server.web.serving.RequestProtocol", Noting)
    async with whole_house() as home:
        client = await RawClient.open(home.web)
        await asyncio.to_thread(client.join, "eva")
        assert await home.runtime.next("join") == "eva"
        assert len(home.gateway.requests) == 0
        assert [request._timer for request in limits] == [None]
        client.close()


async def test_without_descriptors_the_idle_make_room_and_it_is_said_once(monkeypatch, logged, caplog):
    accept, refusals = socket.socket.accept, []

    def exhausted(self):
        if len(refusals) < 3:
            refusals.append(errno.EMFILE)
            raise OSError(errno.EMFILE, "Too many open files")
        return accept(self)

    async with house() as home:
        with contextlib.closing(silent(home.port)) as idle:
            await until(lambda: home.gateway.counts.connections)
            monkeypatch.setattr("palestra_server.gateway.arrivals.sockets._PAUSE_S", 0)
            monkeypatch.setattr("asyncio.constants.ACCEPT_RETRY_DELAY", 0)
            monkeypatch.setattr(socket.socket, "accept", exhausted)
            client = await RawClient.open(home.port)
            assert await asyncio.to_thread(is_cut, idle)
            await asyncio.to_thread(client.join, "eva")
            client.close()
    assert len(refusals) == 3
    said = [entry for entry in logged if "too many files are open" in entry["event"]]
    assert len(said) == 1
    assert not caplog.records
    logged.remove(said[0])


def test_a_listener_without_descriptors_fails_once_and_is_silent_then(monkeypatch):
    told = []
    with StampedListener(socket.AF_INET) as listener:
        listener.on_exhausted = lambda: told.append(1)
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)

        def exhausted(_self):
            raise OSError(errno.EMFILE, "Too many open files")

        monkeypatch.setattr(socket.socket, "accept", exhausted)
        with pytest.raises(OSError, match="Too many"):
            listener.accept()
        for _ in range(1000):
            with pytest.raises(BlockingIOError):
                listener.accept()
    assert told == [1]


def test_what_strangers_bring_about_fills_no_log(logged):
    now = 0
    log = SparingLog(lambda: now)
    for _ in range(10_000):
        log.info("faulty frame", peer="192.0.2.1:9")
    log.info("hello refused", peer="192.0.2.1:9")
    assert [entry["event"] for entry in logged] == ["faulty frame"] * LINES + ["hello refused"]
    now = int(LINE_S * 1e9)
    log.info("faulty frame", peer="192.0.2.1:9")
    assert logged[-1]["like_it"] == 10_000 - LINES
