"""A gateway in a process that a test stops: it prints its port, then the arrival of every `ready` as JSON.

python stopped_server.py KERNEL_STAMPS(0 or 1)
"""

import asyncio
import json
import sys

import structlog
from tests.gateway.kit import Runtime, house

from palestra_server.gateway import new_event_loop


async def serve():
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    runtime = Runtime()
    runtime.answer = lambda _peer, _message, arrival: print(json.dumps(arrival._asdict()), flush=True)
    async with house(runtime=runtime, kernel_stamps=sys.argv[1] == "1") as home:
        print(home.port, flush=True)
        await asyncio.Event().wait()


with asyncio.Runner(loop_factory=new_event_loop) as runner:
    runner.run(serve())
