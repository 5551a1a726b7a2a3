"""A gateway in a process that a test stops: it prints its port, then the arrival of every `ready` as JSON."""

import asyncio
import json
import sys

import structlog
from tests.support.gateway import Runtime, house

from palestra_server.gateway import new_event_loop


async def serve():
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    runtime = Runtime()
    runtime.answer = lambda _peer, _message, arrival: print(json.dumps(arrival._asdict()), flush=True)
    async with house(runtime=runtime) as home:
        print(home.port, flush=True)
        await asyncio.Event().wait()


with asyncio.Runner(loop_factory=new_event_loop) as runner:
    runner.run(serve())
