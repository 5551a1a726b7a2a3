"""Attacks that once worked, against a real server: the figure now, beside the one when they were found.

Twenty watchers asking for old matches; a hundred guests against one player; silent connections to a server with few
file descriptors; watchers retaking every free place while a registered player reconnects; guessed tokens, beside right
ones from the same address. Then every route of the web port (`_routes`).
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgpack
from tests.support.played import Play, keep
from tests.support.servers import enrol

from benchmarks._crowd import connect
from benchmarks._load import Load, Socket
from benchmarks._processes import many_files, server, turnarounds
from benchmarks._routes import run as routes
from palestra_referee import MatchConfig
from palestra_server.store import NOTHING, Store, wall_clock_ms

PAST = 2000
"""Finished matches; the server keeps the frames of only some of them."""
WATCHERS = 20
PAIRS = 5
"""Pairs whose turnaround is measured, each at full speed."""
SECONDS = 8.0
GUESTS = 100
HONEST = 40
FILES = 256
SILENT = 1000
CROWD = 1400
"""Watchers in place before the player arrives: about as many as the server has places for."""


def run() -> list[tuple[str, str]]:
    with many_files():
        return [
            *asyncio.run(past()),
            *asyncio.run(guests()),
            *asyncio.run(silent()),
            asyncio.run(crowded()),
            *asyncio.run(guesses()),
            *routes(),
        ]


def message(**fields: Any) -> bytes:
    return bytes(msgpack.packb(fields))


class Peer:
    """A client that keeps the messages it receives."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.socket: Socket

    @classmethod
    async def open(cls, port: int, path: str = "/play", address: str = "127.0.0.1", **hello: Any) -> Peer:
        """Connect, and send a hello if given."""
        peer = cls()
        peer.socket = await connect(
            port, path, lambda _, payload: peer.told.put_nowait(msgpack.unpackb(payload)), address
        )
        if hello:
            peer.say(type="hello", client="attack", **hello)
        return peer

    def say(self, **fields: Any) -> None:
        self.socket.send(message(**fields))

    async def hears(self, *kinds: str) -> dict[str, Any]:
        """Return the next message of one of these types."""
        async with asyncio.timeout(30):
            while True:
                told = await self.told.get()
                if told["type"] in kinds:
                    return told


@contextlib.asynccontextmanager
async def attacked(attacks: list[Callable[[], Awaitable[None]]]) -> AsyncIterator[None]:
    """Repeat each attack for the duration of the block."""

    over = asyncio.Event()

    async def forever(attack: Callable[[], Awaitable[None]]) -> None:
        while not over.is_set():  # until Python 3.12, wait_for may swallow cancellation
            with contextlib.suppress(OSError, RuntimeError, TimeoutError):
                await attack()
            await asyncio.sleep(0.01)

    tasks = [asyncio.create_task(forever(attack)) for attack in attacks]
    try:
        yield
    finally:
        over.set()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def past() -> list[tuple[str, str]]:
    """Turnaround of running matches while others watch and unwatch old ones."""
    with tempfile.TemporaryDirectory() as folder:
        data, chance = Path(folder), random.Random(1)
        with closing(Store(data)) as store:
            for number in range(PAST):
                config = MatchConfig(f"old{number}", "mancala", ("ana", "ben"), 2000, 100, 30_000, 10_000, 200)
                keep(store, Play(config, chance))
        with server(data, "--guests", "--challenge-ms", "0") as (_, port, _):
            load = Load()
            for pair in range(PAIRS):
                names = []
                for side in "ab":
                    socket = await connect(int(port), "/play", load.receive, "127.0.0.1")
                    socket.send(message(type="hello", token="", name=f"{side}{pair}", client="bench"))
                    names.append((socket, await load.welcome.get()))
                load.rivals[names[0][0]] = names[1][1]
                load.challenge(names[0][0])
            await asyncio.sleep(1)
            windows = [await window()]
            answers: Counter[str] = Counter()

            async def ask() -> None:
                watcher = await Peer.open(int(port), "/watch", f"127.0.2.{random.randrange(1, 20)}")
                for number in random.sample(range(PAST), 200):
                    watcher.say(type="watch", topic=f"match:old{number}")
                    watcher.say(type="unwatch", topic=f"match:old{number}")
                    await asyncio.sleep(0)
                    while not watcher.told.empty():
                        told = watcher.told.get_nowait()
                        answers[told.get("code", told["type"])] += 1
                    if watcher.socket.transport.is_closing():
                        return

            async with attacked([ask] * WATCHERS):
                windows.append(await window())
        alone, beside = [sorted(turnarounds(data, *each)) for each in windows]
    return [
        (
            f"{WATCHERS} watchers ask for {PAST:,} past matches: others' p50 / p99 (found: 0.7 ms -> 1.2 s)",
            f"{_middle_and_p99(alone)} without, {_middle_and_p99(beside)} with, by the server's journal",
        ),
        ("what the watchers were answered", ", ".join(f"{what} {count:,}" for what, count in answers.most_common())),
    ]


async def window() -> tuple[int, int]:
    """Let some seconds pass; return when they began and ended (UTC, ms)."""
    began = wall_clock_ms()
    await asyncio.sleep(SECONDS)
    return began, wall_clock_ms()


def _middle_and_p99(times: list[float]) -> str:
    return f"{times[len(times) // 2]:.1f} / {times[len(times) * 99 // 100]:.1f} ms"


async def guests() -> list[tuple[str, str]]:
    """Guests under fresh names keep challenging a registered player and resigning, while a classmate wants to play it
    too."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        tokens = enrol(data, "victim", "friend")
        with server(data, "--guests") as (_, port, _):
            victim, friend = [await Peer.open(int(port), token=tokens[name]) for name in ("victim", "friend")]
            refusals: Counter[str] = Counter()
            numbers = itertools.count()

            async def harass() -> None:
                stranger = await Peer.open(int(port), token="", name=f"stranger {next(numbers)}")
                stranger.say(type="challenge", game="connect4", opponent="victim", seat=None)
                told = await stranger.hears("match_start", "error", "notice")
                if told["type"] == "match_start":
                    stranger.say(type="resign", match=told["match"])
                    await stranger.hears("match_end")
                else:
                    refusals[told["code"]] += 1
                stranger.socket.transport.abort()

            async with attacked([harass] * GUESTS):
                played, waits = 0, [0.0]
                for _ in range(HONEST):
                    began = time.monotonic()
                    friend.say(type="challenge", game="connect4", opponent="victim", seat=None, wait=True)
                    told = await friend.hears("match_start", "error")
                    if told["type"] == "match_start":
                        played += 1
                        waits.append(time.monotonic() - began)
                        friend.say(type="resign", match=told["match"])
                        await friend.hears("match_end")
                    await asyncio.sleep(SECONDS / HONEST)
            victim.socket.transport.abort()
        with closing(Store(data)) as store:
            matches = [each for each in store.journal.matches(10_000, NOTHING) if "friend" not in each.players]
    took = f"{next(numbers):,} guests, {SECONDS:.0f} s"
    return [
        (
            f"guests under fresh names challenge one player ({took}; found: 100 matches in 0.4 s, rated)",
            f"{len(matches)} matches, {sum(each.rated for each in matches)} rated; refused: {dict(refusals)}",
        ),
        (
            f"meanwhile a classmate challenges the same player {HONEST} times (found: 39 of 40 refused)",
            f"{HONEST - played} refused; it waited {1000 * max(waits):.0f} ms at most",
        ),
    ]


async def silent() -> list[tuple[str, str]]:
    """Silent connections to both ports of a server with few descriptors, while a player plays."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        tokens = enrol(data, "ana")
        with contextlib.ExitStack() as running:
            process, port, web = running.enter_context(server(data, files=FILES))
            writers = []
            for number in range(SILENT):
                with contextlib.suppress(OSError):
                    where = int(web if number % 2 else port)
                    here = f"127.0.2.{1 + number % 9}", 0
                    writers.append((await asyncio.open_connection("127.0.0.1", where, local_addr=here))[1])
            before, log = time.monotonic(), data / "log.json"
            size, cpu = log.stat().st_size, process.cpu_times()
            waits = []
            for _ in range(10):
                began = time.monotonic()
                player = await Peer.open(int(port), token=tokens["ana"])
                await player.hears("welcome")
                waits.append(time.monotonic() - began)
                await asyncio.sleep(0.3)
            grown = (log.stat().st_size - size) / (time.monotonic() - before)
            after = process.cpu_times()
            for writer in writers:
                writer.close()
            began = time.monotonic()
            running.close()
            ended = time.monotonic() - began
    what = f"{SILENT:,} silent connections, {FILES} descriptors"
    return [
        (
            f"{what}: a player of the roster is in after (found: never)",
            f"{1000 * max(waits):.0f} ms at worst of {len(waits)}",
        ),
        (f"{what}: log (found: 2 MB a second, 684,000 tracebacks in 45 s)", f"{grown:.0f} bytes a second"),
        (f"{what}: processor meanwhile", f"{after.user + after.system - cpu.user - cpu.system:.2f} s"),
        (f"{what}: SIGTERM takes (found: 7 s)", f"{ended:.1f} s"),
    ]


async def crowded() -> tuple[str, str]:
    """Watchers retake each free place while a registered player comes and goes."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        tokens = enrol(data, "ana")
        with server(data) as (_, port, _):
            taken: set[Socket] = set()
            full = asyncio.Event()

            async def take() -> None:
                taken.add(await connect(int(port), "/watch", lambda *_: None, f"127.0.2.{random.randrange(1, 20)}"))
                for socket in [socket for socket in taken if socket.transport.is_closing()]:
                    taken.discard(socket)
                if len(taken) >= CROWD:
                    full.set()

            refused, waits = 0, []
            async with attacked([take] * 50):
                async with asyncio.timeout(120):
                    await full.wait()
                for _ in range(20):
                    began = time.monotonic()
                    player = await Peer.open(int(port), token=tokens["ana"])
                    refused += (await player.hears("welcome", "error"))["type"] == "error"
                    waits.append(time.monotonic() - began)
                    player.socket.transport.abort()
            for socket in taken:
                socket.transport.abort()
    return (
        "watchers retake every free place, a player connects 20 times (found: refused five times, match lost)",
        f"refused {refused} times; in after {1000 * sorted(waits)[10]:.0f} ms, {1000 * max(waits):.0f} ms at worst",
    )


async def guesses() -> list[tuple[str, str]]:
    """Invalid tokens, as fast as one address can send them, while classmates come with theirs from the same address."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        tokens = enrol(data, *(f"student {number}" for number in range(HONEST)))
        with server(data) as (_, port, _):
            verdicts: Counter[str] = Counter()

            async def guess() -> None:
                peer = await Peer.open(int(port), token=random.randbytes(16).hex())
                verdicts[(await peer.hears("error"))["code"]] += 1
                peer.socket.transport.abort()

            refused, waits = 0, []
            async with attacked([guess] * 20):
                await asyncio.sleep(1)
                for token in tokens.values():
                    began = time.monotonic()
                    peer = await Peer.open(int(port), token=token)
                    refused += (await peer.hears("welcome", "error"))["type"] == "error"
                    waits.append(time.monotonic() - began)
                    peer.socket.transport.abort()
                    await asyncio.sleep(SECONDS / HONEST)
    return [
        (
            "guessed tokens from one address that are looked at (found: 900 a second)",
            f"{verdicts['bad_token']} in {SECONDS:.0f} s (20 of them at once); {verdicts['try_later']:,} were not",
        ),
        (
            f"meanwhile {HONEST} classmates come with right ones from that address (found: 40 of 40 refused)",
            f"{refused} refused; in after {1000 * sorted(waits)[HONEST // 2]:.0f} ms, {1000 * max(waits):.0f} at worst",
        ),
    ]
