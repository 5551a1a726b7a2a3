"""`palestra-server rehearse`: a dress rehearsal with a class of simulated students.

A Swiss tournament, then an elimination, with a tiny clock and the faults that real bots have. It ends by itself,
verifies its records and reports what it cost the machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import resource
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.live import Live

from palestra_protocol.english import plural
from palestra_protocol.harmless import ForPeople
from palestra_server.cli.hosting import hosting
from palestra_server.cli.logs import configure_logs
from palestra_server.cli.output import fail, out
from palestra_server.cli.records import verify_folder
from palestra_server.cli.students import FAULTS, SHARE
from palestra_server.cli.views import status_view, when
from palestra_server.gateway import new_event_loop
from palestra_server.helper import niced
from palestra_server.runtime import House, LiveTournament
from palestra_server.settings import Settings
from palestra_server.web.addresses import address

GAMES: Final = ("connect4", "mancala")
CONNECT_S: Final = 120.0  # timeout for the class to connect
LOOK_S: Final = 1.0
LINE_S: Final = 10.0  # interval between progress lines when there is no terminal


@dataclass(frozen=True, slots=True)
class Cost:
    """What the rehearsal cost: `cpu` as a share of one core, `memory` as the peak in MiB."""

    matches: int
    actions: int
    seconds: float
    cpu: float
    memory: float

    def __str__(self) -> str:
        return (
            f"{self.matches} matches and {self.actions} moves in {self.seconds:.0f} s: "
            f"{60 * self.matches / self.seconds:.0f} matches a minute. The server took {100 * self.cpu:.0f} % of one "
            f"core and {self.memory:.0f} MiB of memory."
        )


def rehearsal_files(rounds: int, seed: int, move_ms: int) -> tuple[str, str]:
    clock = f"[clock]\nmove_ms = {move_ms}\ngrace_ms = 200\nready_ms = 5000\n"
    common = f"games = {json.dumps(GAMES)}\nseed = {seed}\n"
    swiss = f'name = "rehearsal-swiss"\ntitle = "Swiss"\nformat = "swiss"\nrounds = {rounds}\n'
    knockout = 'name = "rehearsal-elimination"\ntitle = "Elimination"\nformat = "elimination"\n'
    return swiss + common + clock, knockout + common + clock


def rehearse(
    bots: Annotated[int, typer.Option(help="Simulated students.", min=4, max=1000)] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the pairings and of what the students do.", min=0)] = 1,
    move_ms: Annotated[int, typer.Option(help="Time for one move, in ms.", min=50, max=60_000)] = 500,
    rounds: Annotated[
        int | None,
        typer.Option(help="Rounds of the Swiss.", min=1, max=100, show_default="as many as a cup would take"),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder for the records.", show_default="a new one in palestra-data")
    ] = None,
) -> None:
    """Play a dress rehearsal: a class of simulated students, a Swiss, then an elimination, then verified."""
    folder = data or Path("palestra-data") / time.strftime("rehearsal-%Y%m%d-%H%M%S")
    if (folder / "palestra.sqlite3").exists():
        fail(f"{folder} has records already: a rehearsal wants a folder of its own.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"The records cannot be kept in {folder} ({error.strerror}); name another --data.")
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        rounds = min(rounds or math.ceil(math.log2(bots)), bots - 1)
        cost = runner.run(_rehearse(out, folder, bots, rounds, seed, move_ms))
    out.print(str(cost))
    out.print(f"Verifying the {cost.matches} matches from their records.")
    report = verify_folder(folder, None)
    if not report.ok:
        fail(str(report))
    out.print(str(report), markup=False)


async def _rehearse(out: Console, folder: Path, bots: int, rounds: int, seed: int, move_ms: int) -> Cost:
    settings = Settings(host="127.0.0.1", port=0, web_port=0, data=folder, guests=False, max_per_address=bots + 100)
    with (folder / "server.log").open("a", encoding="utf-8") as log_file:
        configure_logs("json", "info", log_file)
        async with hosting(settings) as (server, web):
            out.print(f"Page at {address(settings.host, web.port, 'http')}. Records in {folder}.")
            share = max(1, bots // SHARE)
            out.print(f"{bots} simulated students; of each of these about {share}: {', '.join(FAULTS)}.")
            out.print(
                f"Swiss of {rounds} rounds, then elimination: about {_matches(bots, rounds)} matches of {move_ms} ms a "
                "move; a student answers at once, so that they last seconds."
            )
            names = [f"student-{number:03}" for number in range(1, bots + 1)]
            tokens = await asyncio.to_thread(server.roster.enrol, names)
            async with _students(server, folder, tokens, move_ms, seed) as ended:
                await _connected(server, names, ended)
                began, cpu = time.monotonic(), time.process_time()
                for toml in rehearsal_files(rounds, seed, move_ms):
                    live = await server.director.create(toml)
                    server.director.start(live.name)
                    await _follow(out, live, ended)
                seconds = time.monotonic() - began
                cpu = (time.process_time() - cpu) / seconds
            tally = server.tally
            return Cost(sum(tally.ended.values()), tally.actions, seconds, cpu, _peak_memory())


@contextlib.asynccontextmanager
async def _students(
    server: House, folder: Path, tokens: dict[str, str], move_ms: int, seed: int
) -> AsyncIterator[asyncio.Task[int]]:
    """The class, as a process; the task ends with it, which shouldn't happen early."""
    url = f"ws://127.0.0.1:{server.opened.port}/play"
    with (folder / "students.log").open("ab") as log_file:
        process = await niced(
            "palestra_server.cli.students",
            *(url, str(move_ms), str(seed)),
            stdin=asyncio.subprocess.PIPE,
            stdout=log_file,
            stderr=log_file,
            start_new_session=True,
        )
    assert process.stdin is not None
    # Kept open: its end tells the students that we are gone, whatever the cause.
    process.stdin.write(json.dumps(tokens).encode() + b"\n")
    ended = asyncio.create_task(process.wait())
    try:
        yield ended
    finally:
        if process.returncode is None:
            process.kill()
        await ended


async def _connected(server: House, names: list[str], ended: asyncio.Task[int]) -> None:
    everybody = asyncio.gather(*(server.presence.joined(name) for name in names))
    done, _ = await asyncio.wait((everybody, ended), timeout=CONNECT_S, return_when=asyncio.FIRST_COMPLETED)
    if everybody not in done:
        everybody.cancel()
        missing = len([name for name in names if name not in server.presence.peers])
        raise ForPeople(f"{plural(missing, 'student')} did not connect; see students.log in {server.settings.data}.")


async def _follow(out: Console, live: LiveTournament, ended: asyncio.Task[int]) -> None:
    with contextlib.ExitStack() as stack:
        board = stack.enter_context(Live(console=out, auto_refresh=False, transient=True)) if out.is_terminal else None
        told = time.monotonic()
        while live.state != "completed":
            await asyncio.wait((ended,), timeout=LOOK_S)
            if ended.done():
                raise ForPeople(f"The students ended by themselves, with exit code {ended.result()}.")
            if board is not None:
                board.update(status_view(live.snapshot()), refresh=True)
            elif time.monotonic() - told >= LINE_S:
                told = time.monotonic()
                out.print(_line(live))
    out.print(_line(live))


def _line(live: LiveTournament) -> str:
    state = live.summary()
    total = "" if state["total"] is None else f" of {state['total']}"
    end = "" if state["predicted_end"] is None else f", over {when(state['predicted_end'])}"
    return f"{state['title']}: {state['state']}, round {state['round']}, {state['played']}{total} matches{end}."


def _matches(bots: int, rounds: int) -> int:
    """A meeting is two matches of each game, and a bracket has one meeting fewer than players."""
    return 2 * len(GAMES) * (rounds * (bots // 2) + bots - 1)


def _peak_memory() -> float:
    """Peak memory of this process in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
