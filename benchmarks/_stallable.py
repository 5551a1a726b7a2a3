"""A server for the `clock` benchmark: complete, but its event loop can be stalled, and it reports its clocks.

python -m benchmarks._stallable DATA MOVE_MS SWAMPED(0 or 1)

Prints `bots ws://...`, then a line of JSON for each match: its id, and the offset of its clock from the machine's
monotonic clock (ns), which relates the journal's times to those of the players.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from pathlib import Path

import structlog

from palestra_server.cli.hosting import hosting, stop_on_signals
from palestra_server.gateway import new_event_loop
from palestra_server.settings import Settings

BLOCKED_S = (0.005, 0.3)
FREE_S = (0.0, 0.05)


async def serve(data: Path, move_ms: int, swamped: bool) -> None:
    stop = stop_on_signals()
    settings = Settings(
        host="127.0.0.1", port=0, web_port=0, data=data, guests=True, move_ms=move_ms, challenge_ms=0, log="json"
    )
    async with hosting(settings) as (server, _):
        host = server.host
        ready = host.on_message
        told = set()

        def on_message(peer, message, arrival):  # type: ignore[no-untyped-def]
            ready(peer, message, arrival)
            live = server.playing.matches.get(getattr(message, "match", ""))
            if live is not None and live.id not in told:
                told.add(live.id)
                print(json.dumps({live.id: live._offset}), flush=True)

        host.on_message = on_message  # type: ignore[method-assign]
        print(f"bots ws://127.0.0.1:{server.opened.port}", flush=True)
        loop = asyncio.get_running_loop()

        def hold_up() -> None:
            """Alternate the two ways to block an event loop: computing and sleeping."""
            seconds = random.uniform(*BLOCKED_S)
            if random.random() < 0.5:
                time.sleep(seconds)
            else:
                end = time.monotonic() + seconds
                while time.monotonic() < end:
                    pass
            loop.call_later(random.uniform(*FREE_S), hold_up)

        if swamped:
            loop.call_later(1, hold_up)
        await stop.wait()


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    folder, ms, held_up = sys.argv[1:]
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(serve(Path(folder), int(ms), held_up == "1"))
