"""When a server counts as gone, by the clock alone."""

from palestra_client.silence import GONE_S, LATE_S, SOON_S, Silence
from palestra_protocol import limits

ASK_S = 10.0
"""When a silence makes one ask; the server pings twice as often."""


def test_a_server_that_pings_is_there():
    silence = Silence(100.0)
    for ping in range(1, 50):
        now = 100.0 + ping * limits.PING_S
        assert not silence.asks(now)
        silence.heard(now)
        assert silence.left(now) == ASK_S


def test_it_is_gone_after_its_silence_and_not_before():
    silence = Silence(100.0)
    assert silence.left(100.0) == ASK_S
    silence.heard(104.0)
    assert silence.left(100.0 + GONE_S) == 4.0
    assert silence.left(104.0 + GONE_S) == 0.0


def test_a_delayed_client_first_reads_what_came_meanwhile():
    """A laptop that slept, a process that was stopped: one more second, in which the unread is read."""
    silence = Silence(100.0)
    silence.left(100.0)
    assert silence.left(4000.0) == LATE_S
    silence.heard(4000.5)
    assert silence.left(4001.0) == ASK_S - 0.5


def test_a_delayed_client_that_reads_nothing_gives_up():
    silence = Silence(100.0)
    silence.left(100.0)
    assert silence.left(4000.0) == LATE_S
    assert silence.left(4000.0 + LATE_S) == 0.0


def test_pings_that_do_not_come_are_asked_for_once():
    silence = Silence(100.0)
    assert not silence.asks(100.0 + ASK_S - 0.001)
    assert silence.asks(100.0 + ASK_S)
    assert silence.left(100.0 + ASK_S) == GONE_S - ASK_S
    assert not silence.asks(100.0 + ASK_S + 0.001)
    silence.heard(112.0)
    assert silence.asks(112.0 + ASK_S)


def test_nothing_is_sent_behind_an_action_that_may_be_unread():
    silence = Silence(100.0)
    silence.heard(103.0)
    silence.said()
    assert not silence.asks(103.0 + ASK_S)
    assert silence.left(103.0 + ASK_S) == GONE_S - ASK_S
    assert silence.left(103.0 + GONE_S) == 0.0


def test_a_server_that_pings_seldom_says_so():
    silence = Silence(100.0)
    silence.pings_come_every(30.0)
    assert silence.left(120.0) > 0.0
    assert silence.left(139.9) > 0.0
    assert silence.left(140.0) == 0.0
    for nonsense in (-1e308, 0.0):
        silence.pings_come_every(nonsense)
        assert silence.gone_s == GONE_S


def test_a_server_with_other_machines_is_left_sooner_than_a_match_is_lost():
    silence = Silence(100.0)
    silence.pings_come_every(5.0, others=True)
    assert silence.gone_s == SOON_S < limits.AWAY_MS / 1000
    silence.pings_come_every(15.0, others=True)
    assert silence.gone_s == SOON_S + 10.0
    hasty = Silence(100.0, 3.0)
    hasty.pings_come_every(5.0, others=True)
    assert hasty.gone_s == 3.0
