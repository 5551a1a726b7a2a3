"""Addresses as people write them, and the pauses between attempts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_client.address import BadAddress, play_url
from palestra_client.backoff import BASE_S, CAP_S, SHARE, STEADY_S, Backoff


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("host", "ws://host:8765/play"),
        (" host:9000 ", "ws://host:9000/play"),
        ("http://host:8765", "ws://host:8765/play"),
        ("HTTP://Host/", "ws://host:8765/play"),
        ("https://host", "wss://host:443/play"),
        ("wss://host:8765/", "wss://host:8765/play"),
        ("ws://host/class/play", "ws://host:8765/class/play"),
        ("192.168.1.20", "ws://192.168.1.20:8765/play"),
        ("[::1]:9000", "ws://[::1]:9000/play"),
        ("::1", "ws://[::1]:8765/play"),
        ("ws://127.0.0.1:8765/play", "ws://127.0.0.1:8765/play"),
    ],
)
def test_reads_what_people_write(written, url):
    assert play_url(written) == url
    assert play_url(url) == url


@pytest.mark.parametrize(
    "written", ["", "ftp://host", "ws://", "host:port", "host:99999", "ho st", "ws://me@host", "host?token=x", "[::1"]
)
def test_refuses_in_one_sentence(written):
    with pytest.raises(BadAddress, match=r"Write it like ws://") as caught:
        play_url(written)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=30))
def test_takes_or_refuses_but_never_breaks(written):
    try:
        url = play_url(written)
    except BadAddress:
        return
    assert url.startswith(("ws://", "wss://"))


def test_pauses_grow_to_the_cap_with_full_jitter():
    longest = Backoff(lambda: 1.0)
    assert [longest.next_pause() for _ in range(6)] == [0.5, 1.0, 2.0, 4.0, CAP_S, CAP_S]
    assert Backoff(lambda: 0.0).next_pause() == 0.0


def test_an_address_that_was_named_is_tried_at_once_unless_two_in_a_row_were():
    backoff = Backoff(lambda: 1.0)
    assert [backoff.next_pause(sent=True) for _ in range(2)] == [0.0, 0.5]
    backoff.connected(1.0)
    assert backoff.next_pause(sent=True) == 0.0
    backoff.next_pause(absent=True)
    assert backoff.next_pause(sent=True) == 0.0


def test_only_a_lasting_connection_forgets_the_attempts():
    backoff = Backoff(lambda: 1.0)
    backoff.next_pause()
    backoff.connected(STEADY_S - 0.1)
    assert backoff.next_pause() == 2 * BASE_S
    backoff.connected(STEADY_S)
    assert backoff.next_pause() == BASE_S


def test_a_bot_waiting_for_a_server_is_back_soon_after_it():
    backoff = Backoff(lambda: 1.0)
    away = 0.0
    while away < 60:
        pause = backoff.next_pause(absent=True)
        assert pause <= min(CAP_S, max(BASE_S, SHARE * away))
        away += pause
    assert pause == CAP_S
    assert backoff.attempt < 40
    backoff.connected(0.0)
    assert backoff.next_pause(absent=True) == BASE_S


def test_a_server_that_was_away_is_not_one_that_turned_somebody_away():
    backoff = Backoff(lambda: 1.0)
    for _ in range(20):
        backoff.next_pause(absent=True)
    assert backoff.next_pause() == BASE_S
    assert backoff.next_pause() == 2 * BASE_S
