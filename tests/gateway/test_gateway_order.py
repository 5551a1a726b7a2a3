"""Players are read before spectators, however many of those speak at once."""

import contextlib
import socket
from selectors import EVENT_READ, EVENT_WRITE

import pytest
from tests.support.gateway import RawClient, house, packed, raw_player, until

from palestra_server.gateway import ACCEPTED_AT_ONCE
from palestra_server.gateway.arrivals.loop import OrderedSelector
from palestra_server.gateway.arrivals.stall import Inflow
from palestra_server.gateway.arrivals.stamps import Arrivals


@pytest.fixture
def selector():
    with OrderedSelector() as made:
        yield made


@pytest.fixture
def line(selector):
    """Ten sockets that were put last and have something to read: ([ours], [theirs])."""
    pairs = [socket.socketpair() for _ in range(10)]
    with contextlib.ExitStack() as stack:
        for ours, theirs in pairs:
            stack.enter_context(ours)
            stack.enter_context(theirs)
            selector.put_last(ours.fileno())
            selector.register(ours.fileno(), EVENT_READ, ours)
            theirs.send(b"x")
        yield tuple(zip(*pairs, strict=True))


def ready(selector, timeout=0):
    return [key.data for key, events in selector.select(timeout) if events & EVENT_READ]


def test_the_last_come_one_at_a_time_and_each_in_its_turn(selector, line):
    ours, _ = line
    twice = [ready(selector) for _ in range(20)]
    assert all(len(found) == 1 for found in twice)
    assert {found[0] for found in twice[:10]} == {found[0] for found in twice[10:]} == set(ours)


@pytest.mark.usefixtures("line")
def test_the_others_come_before_them_at_any_time(selector):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        selector.register(ours.fileno(), EVENT_READ, ours)
        assert not selector.somebody_first()
        assert len(ready(selector)) == 1
        theirs.send(b"x")
        assert selector.somebody_first()
        found = ready(selector)
        assert found[0] is ours
        assert len(found) == 2


def test_a_caller_that_left_is_skipped_without_waiting(selector, line):
    ours, _ = line
    (first,) = ready(selector)
    gone, paused, changed, *rest = (each for each in ours if each is not first)
    for each in (gone, paused):
        selector.unregister(each.fileno())
    selector.put_first(gone.fileno())
    selector.register(paused.fileno(), EVENT_READ, paused)
    selector.modify(changed.fileno(), EVENT_READ | EVENT_WRITE, changed)
    once = {found for _ in rest for found in ready(selector, 3600)}
    assert once == set(rest)
    later = {found for _ in range(9) for found in ready(selector, 3600)}
    assert later == {first, paused, changed, *rest}, "none is lost for good"


def test_a_descriptor_put_first_or_last_keeps_its_registration(selector, line):
    ours, _ = line
    for each in ours:
        selector.put_first(each.fileno())
    assert set(ready(selector)) == set(ours)
    for each in ours:
        assert selector.get_key(each.fileno()).data is each
        selector.put_last(each.fileno())
        assert selector.get_key(each.fileno()).data is each
    assert len(ready(selector)) == 1


def test_an_empty_line_waits_as_long_as_it_is_told(selector, line):
    ours, theirs = line
    for each in ours:
        each.recv(1)
    assert ready(selector) == []
    theirs[3].send(b"x")
    assert ready(selector, 3600) == [ours[3]]


def test_without_the_kernels_stamp_what_stood_in_line_is_dated_before_it_did(selector, line):
    """As if it had come right after the line was empty: a `hello` is never dated too late."""
    selector.previous = selector.entered = selector.returned = 0
    inflow, dated = Inflow(line[0][0]), Arrivals(selector)
    dated.put_last(inflow)
    while not (found := ready(selector)) or found[0] is not line[0][0]:
        pass
    dated.note_read(inflow, 1, False, 0)
    assert dated.of_frame(inflow, 0).at == selector.last_floor <= inflow.seen


async def test_a_player_is_read_before_a_crowd_that_speaks_at_once():
    """All of it, with the loop held up, before it looks."""
    async with house() as home, raw_player(home) as player:
        asked, before = [], []
        home.runtime.answer = lambda *_: before.append(len(asked))
        home.hub.provide("match", lambda topic: asked.append(topic) or {"type": "snapshot"}, lambda _topic: 0)
        crowd = [await RawClient.open(home.port, path="/watch") for _ in range(20)]
        watchers = home.gateway.shared.connections
        await until(lambda: home.gateway.counts.watchers == 20)
        for number, client in enumerate(crowd):
            client.socket.sendall(packed(type="watch", topic=f"match:{number}"))
        player.socket.sendall(packed(type="ready", match="m"))
        while not all(connection.has_unread() for connection in watchers):
            pass
        await home.runtime.next("message")
        assert before == [0]
        await until(lambda: len(asked) == 20)
        for client in crowd:
            client.close()


async def test_a_crowd_at_the_door_is_let_in_one_at_a_time():
    async with house() as home, raw_player(home) as player:
        turns = []
        home.runtime.answer = lambda *_: turns.append(home.gateway.counts.accepted)
        before = home.gateway.counts.accepted
        crowd = [socket.create_connection(("127.0.0.1", home.port)) for _ in range(20)]
        player.socket.sendall(packed(type="ready", match="m"))
        (watched,) = home.gateway.shared.connections
        while not watched.has_unread():
            pass
        await home.runtime.next("message")
        assert turns[0] - before <= ACCEPTED_AT_ONCE
        await until(lambda: home.gateway.counts.accepted == before + 20)
        for each in crowd:
            each.close()
