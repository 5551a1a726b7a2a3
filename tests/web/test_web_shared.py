"""What many ask for at once is made once for all of them."""

from __future__ import annotations

import asyncio
import random
from contextlib import contextmanager

import pytest
from sqlalchemy import event
from tests.support.played import play_casual
from tests.support.web import KEY

from palestra_server.web.shared import SharedAnswer


class Making:
    """Answers that are made when the test says so: "1", "2" and so on."""

    def __init__(self):
        self.count, self.begun, self.go_on = 0, asyncio.Semaphore(0), asyncio.Semaphore(0)
        self.fault = None

    async def __call__(self):
        self.count += 1
        number = str(self.count).encode()
        self.begun.release()
        await self.go_on.acquire()
        if self.fault is not None:
            raise self.fault
        return number


@pytest.fixture(autouse=True)
def without_rest(monkeypatch):
    monkeypatch.setattr("palestra_server.web.shared.REST", 0.0)


async def test_those_who_ask_while_an_answer_is_made_get_the_next_one():
    shared, making = SharedAnswer(), Making()
    first = [asyncio.create_task(shared.get(making)) for _ in range(5)]
    await making.begun.acquire()
    late = [asyncio.create_task(shared.get(making)) for _ in range(5)]
    making.go_on.release()
    assert await asyncio.gather(*first) == [b"1"] * 5
    await making.begun.acquire()
    making.go_on.release()
    assert await asyncio.gather(*late) == [b"2"] * 5
    assert making.count == 2


async def test_a_failure_is_told_to_one_and_the_next_one_asks_again():
    shared, making = SharedAnswer(), Making()
    making.fault = RuntimeError("the disk is away")
    asked = [asyncio.create_task(shared.get(making)) for _ in range(3)]
    await making.begun.acquire()
    making.go_on.release()
    await making.begun.acquire()
    making.fault = None
    making.go_on.release()
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert sorted(map(repr, found)) == ["RuntimeError('the disk is away')", "b'2'", "b'2'"]


async def test_who_gives_up_waiting_keeps_nobody_from_the_answer():
    shared, making = SharedAnswer(), Making()
    impatient, patient = (asyncio.create_task(shared.get(making)) for _ in range(2))
    await making.begun.acquire()
    impatient.cancel()
    await making.begun.acquire()
    making.go_on.release()
    assert await patient == b"2"


async def test_the_rest_is_longer_after_a_longer_answer(monkeypatch):
    shared, slept, now = SharedAnswer(), [], 0.0
    loop, sleep = asyncio.get_running_loop(), asyncio.sleep

    async def noted(seconds):
        slept.append(seconds)
        await sleep(0)

    async def made():
        nonlocal now
        now += 0.010
        return b""

    monkeypatch.setattr("palestra_server.web.shared.REST", 9.0)
    monkeypatch.setattr(loop, "time", lambda: now)
    monkeypatch.setattr("palestra_server.web.shared.asyncio.sleep", noted)
    await shared.get(made)
    await shared.get(made)
    assert slept[1:] == [pytest.approx(0.090)]


@contextmanager
def statements(store):
    """The queries that are made meanwhile."""
    said = []

    def note(_db, _cursor, statement, *_):
        said.append(statement)

    event.listen(store.journal.database.readers, "before_cursor_execute", note)
    yield said
    event.remove(store.journal.database.readers, "before_cursor_execute", note)


async def test_a_crowd_that_lists_the_players_counts_the_matches_once_or_twice(open_web):
    async with open_web("eva", "ben") as web:
        await asyncio.to_thread(play_casual, web.server.store, "m1", random.Random(3))
        visitor, teacher = web.client(), web.client(KEY)
        with statements(web.server.store) as said:
            answers = await asyncio.gather(*(visitor.get("/api/v1/players") for _ in range(40)))
        assert {answer.status_code for answer in answers} == {200}
        assert sum("GROUP BY" in each for each in said) <= 2
        # And each kind of viewer has a list of its own.
        assert "banned" in (await teacher.get("/api/v1/players")).json()["players"][0]
        assert "banned" not in (await visitor.get("/api/v1/players")).json()["players"][0]


async def test_the_preview_of_a_player_counts_its_own_matches_alone(open_web):
    async with open_web("eva") as web:
        await asyncio.to_thread(play_casual, web.server.store, "m1", random.Random(3))
        with statements(web.server.store) as said:
            assert "og:title" in (await web.client().get("/player/eva/")).text
        of_matches = [each for each in said if "matches" in each]
        assert of_matches
        assert all("matches.first = ?" in each and "matches.second = ?" in each for each in of_matches)
