"""The arena: plays fixtures, several matches at a time, and reports each result as it comes in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from palestra_client.arena.contenders import Contender
from palestra_client.arena.fixtures import Fixture, Result, Settings
from palestra_client.arena.local_server import House, open_house
from palestra_client.arena.refereed import Finished, Table
from palestra_client.arena.runners import Runner
from palestra_client.arena.unrefereed import Ending
from palestra_referee import BecameReady, MatchConfig, Outcome


@dataclass(slots=True)
class Arena:
    """Plays fixtures. Calls `told` with each result; starts no more fixtures once `enough` returns true."""

    contenders: Sequence[Contender]
    settings: Settings
    told: Callable[[Result], None]
    enough: Callable[[], bool] = lambda: False
    # For each contender, its output when it first lost a match by a fault.
    outputs: dict[int, str] = field(default_factory=dict)
    # Contenders that lost their first match before they were ready to play. Their other matches are not played.
    unready: set[int] = field(default_factory=set)
    _begun: set[int] = field(default_factory=set)  # contenders that have been ready to play

    def judge(self, result: Result) -> None:
        """Notes which contenders of this match were ready, and which never were."""
        assert result.finished is not None
        ready = {result.seats[event.seat] for event in result.finished.events if isinstance(event, BecameReady)}
        self._begun |= ready
        for contender in result.seats:
            if contender not in self._begun and at_fault(result.outcome, result.seats.index(contender)):
                self.unready.add(contender)

    async def play(self, planned: Sequence[Fixture]) -> None:
        waiting = iter(planned)
        async with open_house() as house:
            benches = [_Bench(self, house) for _ in range(min(self.settings.jobs, len(planned)))]
            try:
                async with asyncio.TaskGroup() as group:
                    for bench in benches:
                        group.create_task(bench.work(waiting))
            except BaseExceptionGroup as failures:
                raise failures.exceptions[0] from None
            finally:
                for bench in benches:
                    await bench.close()


def at_fault(outcome: Outcome | Ending, seat: int) -> bool:
    """Whether this seat did not lose on the board, but by a fault such as an exception or a timeout."""
    return outcome.reason not in ("rules", "ply_limit") and outcome.returns[seat] <= 0


class _Bench:
    """Plays one match at a time, with its own process for each contender."""

    def __init__(self, arena: Arena, house: House) -> None:
        self._arena = arena
        self._house = house
        self._runners: dict[int, Runner] = {}

    async def work(self, waiting: Iterator[Fixture]) -> None:
        for fixture in waiting:
            for leg, seats in enumerate(fixture.seatings):
                if self._arena.unready.intersection(seats):
                    continue
                finished = await self._match(fixture.number + leg, seats, fixture.opening)
                result = Result(fixture.number + leg, seats, finished.outcome, finished)
                self._arena.judge(result)
                self._arena.told(result)
            if self._arena.enough():
                return

    async def _match(self, number: int, seats: tuple[int, int], opening: tuple[int, ...]) -> Finished:
        settings = self._arena.settings
        first, second = [self._runner(index) for index in seats]
        guests = (await first.ready(), await second.ready())
        config = MatchConfig(
            match=f"a-{number}",
            game=settings.game,
            players=(first.contender.name, second.contender.name),
            move_ms=settings.move_ms,
            grace_ms=settings.grace_ms,
            ready_ms=settings.ready_ms,
            away_ms=0,
            ply_limit=settings.ply_limit,
            opening=opening,
        )
        finished = await Table(config, guests).play()
        await self._clear_up(seats, finished)
        return finished

    async def _clear_up(self, seats: tuple[int, int], finished: Finished) -> None:
        """Restart any bot that lost by a fault: its process may be hanging or still computing."""
        outcome = finished.outcome
        for seat, index in enumerate(seats):
            failed = at_fault(outcome, seat)
            runner = self._runners[index]
            if failed:
                # The bot's last output may arrive after the match has ended.
                await asyncio.sleep(0.1)
                self._arena.outputs.setdefault(index, runner.output())
            if failed or not runner.running:
                await runner.stop()

    def _runner(self, index: int) -> Runner:
        if index not in self._runners:
            self._runners[index] = Runner(self._arena.contenders[index], self._house)
        return self._runners[index]

    async def close(self) -> None:
        for runner in self._runners.values():
            await runner.close()
