"""Plays a list of fixtures: each as soon as both players are there and there is room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from palestra_server.runtime.host import Host
from palestra_server.runtime.live import LiveMatch
from palestra_tournament.simple import Fixture, Result


async def play_fixtures(
    host: Host,
    fixtures: Sequence[Fixture],
    *,
    tournament: str,
    at_once: int,
    on_start: Callable[[Fixture, LiveMatch], None] = lambda _fixture, _live: None,
    on_result: Callable[[Fixture, Result], None] = lambda _fixture, _result: None,
) -> list[Result]:
    """All results, in the order in which they came.

    At most `at_once` matches are played at a time, and fixtures start in their order. A player that is not connected
    is waited for by the referee, until `ready_ms`, and loses `not_ready` then.
    """
    room = asyncio.Semaphore(at_once)
    results: list[Result] = []

    async def play(fixture: Fixture) -> None:
        async with room:
            live = host.start_match(replace(host.configured(fixture.game, fixture.players), tournament=tournament))
            on_start(fixture, live)
            outcome = await asyncio.shield(live.finished)
            result = Result(fixture.game, fixture.players, outcome.returns, outcome.reason)
            results.append(result)
            on_result(fixture, result)

    async with asyncio.TaskGroup() as group:
        for fixture in fixtures:
            group.create_task(play(fixture))
    return results
