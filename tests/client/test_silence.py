"""When a server counts as gone, by the clock alone."""

from palestra_client.silence import GONE_S, LATE_S, Silence
from palestra_protocol import limits


def test_a_server_that_pings_is_there():
    silence = Silence(100.0)
    for ping in range(1, 50):
        silence.heard(100.0 + ping * limits.PING_S)
        assert silence.left(100.0 + ping * limits.PING_S) == GONE_S


def test_it_is_gone_after_its_silence_and_not_before():
    silence = Silence(100.0)
    assert silence.left(100.0) == GONE_S
    silence.heard(104.0)
    assert silence.left(100.0 + GONE_S) == 4.0
    assert silence.left(104.0 + GONE_S) == 0.0


def test_who_was_held_up_reads_first_what_came_meanwhile():
    """A laptop that slept, a process that was stopped: one more second, in which the unread is read."""
    silence = Silence(100.0)
    silence.left(100.0)
    assert silence.left(4000.0) == LATE_S
    silence.heard(4000.5)
    assert silence.left(4001.0) == GONE_S - 0.5


def test_who_was_held_up_and_reads_nothing_gives_up():
    silence = Silence(100.0)
    silence.left(100.0)
    assert silence.left(4000.0) == LATE_S
    assert silence.left(4000.0 + LATE_S) == 0.0
