"""How often a player may start a match."""

from __future__ import annotations

import pytest

from palestra_protocol import limits
from palestra_referee import MS
from palestra_server.gateway import allowance
from palestra_server.gateway.allowance import Allowance

BURST, PAUSE = limits.CHALLENGE_BURST, limits.CHALLENGE_MS * MS


def started(buckets, player, now):
    """How many matches the player can start at `now`, up to 100."""
    for count in range(100):
        if buckets.wait(player, now):
            return count
        buckets.use(player, now)
    return 100


def test_a_burst_then_one_in_every_interval():
    buckets = Allowance(3, 10)
    assert started(buckets, "ana", 1000) == 3
    assert [buckets.wait("ana", at) for at in (1000, 1009, 1010)] == [10, 1, 0]
    assert started(buckets, "ana", 1010) == 1
    assert started(buckets, "ana", 1029) == 1
    assert started(buckets, "ana", 1030) == 1
    assert started(buckets, "ana", 9999) == 3
    assert started(buckets, "bob", 1000) == 3


def test_an_interval_of_nothing_is_no_limit():
    assert started(Allowance(3, 0), "ana", 5) == 100


def test_an_empty_bucket_gets_no_emptier():
    buckets = Allowance(3, 10)
    for _ in range(10_000):
        buckets.use("ana", 1000)
    assert buckets.wait("ana", 1000) == 10
    assert started(buckets, "ana", 1010) == 1


def test_only_so_many_players_are_remembered(monkeypatch):
    monkeypatch.setattr(allowance, "NAMES_MAX", 2)
    buckets = Allowance(1, 10)
    for player in ("ana", "bob", "eva"):
        buckets.use(player, 0)
    assert [buckets.wait(player, 0) for player in ("ana", "bob", "eva")] == [0, 10, 10]


async def challenges(home, challenger, count):
    """So many matches that the challenger starts and resigns at once."""
    for _ in range(count):
        match = challenger.challenge("bob")
        challenger.resign(match)
        await home.over(match)


@pytest.mark.parametrize("leaves", [False, True])
async def test_challenging_and_resigning_in_a_loop_is_rate_limited(open_home, leaves):
    home = open_home()
    ana, _bob = home.join("ana"), home.join("bob")
    await challenges(home, ana, BURST)
    if leaves:
        ana.leave()
        ana = home.join("ana", resumed=True)
    home.now += PAUSE - 400 * MS
    assert ana.challenge("bob") is None
    assert (ana.codes, home.matches) == (["try_later"], {})
    assert "challenge again in 0.4 s." in ana.sent[-1]["message"]
    home.now += 400 * MS
    await challenges(home, ana, 1)
    assert ana.challenge("bob") is None


async def test_being_challenged_or_refused_costs_nothing(open_home):
    home = open_home()
    ana, bob = home.join("ana"), home.join("bob")
    for _ in range(3 * BURST):
        assert ana.challenge("nobody") is None
    await challenges(home, ana, BURST)
    match = bob.challenge("ana")
    assert match is not None


async def test_what_is_played_to_its_end_does_not_count(open_home):
    home = open_home()
    ana, bob = home.join("ana"), home.join("bob")
    for _ in range(BURST + 5):
        match = ana.challenge("bob")
        ana.ready(match)
        bob.ready(match)
        for ply, action in enumerate((3, 0, 3, 0, 3, 0, 3)):
            (ana, bob)[ply % 2].act(match, ply, action)
        await home.over(match)
    await challenges(home, ana, BURST)
    assert ana.challenge("bob") is None


async def test_the_host_may_set_no_limit(open_home):
    home = open_home(challenge_ms=0)
    ana, _bob = home.join("ana"), home.join("bob")
    await challenges(home, ana, 3 * BURST)
