"""A stall of the server is not charged to a bot; a bot that is late is flagged, stall or no stall (real sockets)."""

import contextlib
import threading
import time

import pytest
from tests.support.players import RawPlayer
from tests.support.servers import ServerThread
from websockets.exceptions import ConnectionClosed

MOVE_S, GRACE_S, STALL_S = 2.0, 0.1, 2.5


@pytest.fixture
def match(tmp_path):
    """A match whose seat 0 has just got its first turn: (server, seat 0, seat 1, that turn, when it came)."""
    with (
        ServerThread(tmp_path, move_ms=int(MOVE_S * 1000), grace_ms=int(GRACE_S * 1000)) as server,
        RawPlayer(server.url, "ana") as ana,
        RawPlayer(server.url, "bob") as bob,
    ):
        ana.challenge("bob")
        ana.ready()
        bob.ready()
        turn = ana.expect("turn")
        yield server, ana, bob, turn, time.monotonic()


def stall(server):
    """Blocks the server's loop, the way a slow callback would; returns once it does."""
    begun = threading.Event()

    def block():
        begun.set()
        time.sleep(STALL_S)  # the stall itself is what is tested

    server.loop.call_soon_threadsafe(block)
    begun.wait()


def send_at(player, turn, when):
    """Answers at this moment, or as soon as the machine lets it; the list that it gives holds when that was."""
    sent = []

    def send():
        with contextlib.suppress(ConnectionClosed):  # the verdict came first and the test is over
            player.act(turn)
            sent.append(time.monotonic())

    threading.Timer(max(0.0, when - time.monotonic()), send).start()
    return sent


@pytest.mark.parametrize("answer_s", [0.25, 0.45])
@pytest.mark.slow
def test_in_time_during_a_stall_across_the_deadline(match, answer_s):
    server, ana, bob, turn, began = match
    stall(server)
    sent = send_at(ana, turn, began + answer_s)
    played = bob.until("turn")
    assert played["last"]["ply"] == 0
    # A busy machine may have kept us from seeing the turn, but hardly for as long as the stall.
    charged = played["last"]["charged_ms"]
    assert charged <= (sent[0] - began + 1) * 1000, "the stall was charged to the bot"
    assert time.monotonic() - began > MOVE_S + GRACE_S, "the stall did not reach across the deadline"


@pytest.mark.slow
def test_late_during_a_stall_is_flagged(match):
    server, ana, bob, turn, began = match
    stall(server)
    send_at(ana, turn, began + MOVE_S + 0.15)
    end = bob.until("match_end")
    assert (end["reason"], end["returns"]) == ("timeout", [-1.0, 1.0]), end


@pytest.mark.slow
def test_late_without_a_stall_is_flagged(match):
    _server, ana, bob, turn, began = match
    send_at(ana, turn, began + MOVE_S + 0.15)
    end = bob.until("match_end")
    assert (end["reason"], end["returns"]) == ("timeout", [-1.0, 1.0])


@pytest.mark.slow
def test_a_stall_before_the_turn_is_nobodys(match):
    """The clock starts when `turn` is out: a stall between two moves is charged to neither side."""
    server, ana, bob, turn, _began = match
    ana.act(turn)
    stall(server)
    answer = bob.until("turn")
    assert answer["last"]["charged_ms"] < MOVE_S * 1000
    bob.act(answer)
    assert ana.until("turn")["last"]["charged_ms"] < MOVE_S * 1000
