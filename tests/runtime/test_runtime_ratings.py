"""Ratings are computed beside the loop, not with each match that ends, and tell nothing that is hidden."""

import asyncio
import threading
from contextlib import asynccontextmanager

import pytest
from tests.support.helping import without_time

from palestra_server.helper import Helper
from palestra_server.runtime.ratings import AGAIN_S, APART, REST, Ratings, strengths_of
from palestra_server.store import NOTHING, Hidden, RatedGame

TOOK_S = 0.5


def rated(number, first, second, score, plies=10):
    return RatedGame(number, "connect4", first, second, score, plies + number, 1000 * number, f"m{number}", number != 3)


def test_a_rating_goes_up_with_wins_and_its_interval_narrows():
    games = [rated(n, "ana", "bob", 0.0 if n % 3 == 0 else 1.0) for n in range(1, 49)]
    found = strengths_of(games)
    ana = found["ana"][0].moments
    assert len(ana) == 6
    assert ana[-1].rating > 0 > found["bob"][0].moments[-1].rating
    assert ana[-1].high - ana[-1].low < ana[0].high - ana[0].low
    assert [moment.when for moment in ana] == sorted(moment.when for moment in ana)
    assert all(moment.low < moment.rating < moment.high for moment in ana)


def test_the_same_game_again_says_nothing_new():
    games = [rated(n, "ana", "bob", 1.0, plies=10 - n) for n in range(1, 9)]
    again = strengths_of(games)["ana"]
    assert again == strengths_of(games[:1])["ana"]
    assert strengths_of([]) == {}


def test_a_reference_bot_takes_no_place_and_the_best_win_is_on_the_board():
    games = [rated(1, "level8", "ana", 1.0), rated(2, "ana", "bob", 1.0), rated(3, "ana", "level8", 1.0)]
    found = {name: one for name, (one,) in strengths_of(games).items()}
    assert {name: one.ranked for name, one in found.items()} == {"ana": 2, "bob": 2, "level8": 0}
    assert found["level8"].rank_low is None
    assert 1 == found["ana"].rank_low <= found["bob"].rank_low
    best = found["ana"].best
    assert (best.match, best.opponent) == ("m2", "bob"), "level8 lost by a fault"
    assert best.rating == found["bob"].moments[-1].rating
    assert found["level8"].best.opponent == "ana"
    assert found["bob"].best is None


class MatchesEnd:
    """A store in which another match of ana against bob has ended each time, and half a second has passed."""

    def __init__(self, count=0):
        self.tallies, self.now_s, self.count, self.reads, self.may_go = self, 0.0, count, 0, threading.Event()
        self.may_go.set()

    def last(self):
        return self.reads

    def rated(self, _limit, without):
        assert self.may_go.wait(60)
        self.now_s += TOOK_S
        self.reads += 1
        games = [rated(number, "ana", "bob", 1.0) for number in range(self.count + self.reads)]
        return [game for game in games if game.match not in without.matches]


@asynccontextmanager
async def rating(store, supervisor):
    ratings = Ratings(store, supervisor, Helper(), lambda: store.now_s)
    try:
        yield ratings
    finally:
        await asyncio.to_thread(ratings.close)


async def renewed(ratings):
    """Once those that are being made are made, and have taken the place of the others."""
    await asyncio.wait([ratings._making])


def hides(*matches, tournaments=()):
    return lambda: Hidden(frozenset(matches), frozenset(tournaments))


def nothing():
    return NOTHING


async def test_they_are_not_made_anew_with_each_match_that_ends(supervisor):
    store = MatchesEnd()
    async with rating(store, supervisor) as ratings:
        for _ in range(3):
            (one,) = await ratings.of("ana", nothing)
        assert (store.reads, len(one.moments)) == (1, 1)
        store.now_s += REST * TOOK_S
        assert await ratings.of("ana", nothing) == [one], "those of before, while new ones are made"
        await renewed(ratings)
        assert store.reads == 2
        assert await ratings.of("ana", nothing) != [one]
        assert await ratings.of("zoe", nothing) == []


async def test_a_hidden_match_that_begins_is_no_reason_and_one_that_was_counted_is(supervisor):
    store = MatchesEnd()
    async with rating(store, supervisor) as ratings:
        await ratings.of("ana", nothing)
        await ratings.of("ana", hides("begun"))
        assert store.reads == 1
        assert await ratings.of("ana", hides("m0", "m1")) == [], "its only match"
        await ratings.of("ana", hides("m0", "m1", "begun"))
        assert store.reads == 2
        (one,) = await ratings.of("ana", nothing)
        assert (store.reads, len(one.moments)) == (3, 3), "what is revealed is counted"
        await ratings.of("ana", hides(tournaments=("cup",)))
        assert store.reads == 4


async def test_who_asks_while_they_are_made_gets_those_of_before(supervisor):
    store = MatchesEnd()
    async with rating(store, supervisor) as ratings:
        before = await ratings.of("ana", nothing)
        store.now_s += REST * TOOK_S
        store.may_go.clear()
        for _ in range(3):
            assert await ratings.of("ana", nothing) == before
        store.may_go.set()
        await renewed(ratings)
        assert store.reads == 2, "once for all of them"


@pytest.mark.process
async def test_many_matches_are_counted_by_another_process(supervisor):
    store = MatchesEnd(APART)
    async with rating(store, supervisor) as ratings:
        found = await ratings.of("ana", nothing)
        assert ratings._helper._process is not None
        assert found == strengths_of([rated(number, "ana", "bob", 1.0) for number in range(APART + 1)])["ana"]


@pytest.mark.process
async def test_without_them_a_player_has_none_and_they_are_tried_again_later(supervisor, monkeypatch):
    store = MatchesEnd(APART)
    async with rating(store, supervisor) as ratings:
        without_time(monkeypatch, ratings._helper)
        for _ in range(3):
            assert await ratings.of("ana", nothing) == []
        assert store.reads == 1
        store.now_s += AGAIN_S
        await ratings.of("ana", nothing)
        await renewed(ratings)
        assert store.reads == 2
