"""A cable is pulled in the middle of a match: nobody hears an error, and the match goes on over a new connection."""

import asyncio
import sys

import pytest
from tests.support.deaf_proxy import DeafProxy
from tests.support.meeting import First, meet
from tests.support.servers import ServerProcess

from palestra_client.bridge import Lines, program_bots
from palestra_client.client import Player
from palestra_client.notices import Connected, MatchEnds, Moved, Unreachable

PROGRAM = """
for line in iter(input, None):
    word, _, rest = line.partition(" ")
    if word == "start":
        print("ready", flush=True)
    elif word == "legal":
        first = rest.split()[0]
    elif word == "go":
        print("move", first, flush=True)
"""


@pytest.mark.parametrize("bot", [First, program_bots([sys.executable, "-c", PROGRAM], Lines)], ids=["bot", "bridge"])
async def test_a_match_goes_on_when_the_cable_was_pulled(tmp_path, bot):
    shown = []
    over = asyncio.Event()
    with ServerProcess(tmp_path / "data", "--guests", "--move-ms", "60000") as server:
        async with DeafProxy(server.port) as cable:

            def show(notice):
                shown.append(notice)
                # After a move of its own: the opponent's next then comes over a dead line.
                if isinstance(notice, Moved) and notice.move.ply == 2:
                    cable.swallow()
                if isinstance(notice, MatchEnds):
                    over.set()

            await meet(Player(bot, show, gone_s=2.0), f"ws://127.0.0.1:{cable.port}/play", over, server.url)
    assert cable.swallowed > 0
    assert "nothing came from the server" in next(each.why for each in shown if isinstance(each, Unreachable))
    assert shown[-1].result.reason == "rules"
    assert [each.resumed for each in shown if isinstance(each, Connected)][-1]
