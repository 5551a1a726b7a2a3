"""A match between a bot under test and one that plays the first legal action."""

import asyncio

from palestra_client import Bot
from palestra_client.client import Client, Player
from palestra_client.session import Settings
from palestra_protocol.messages import Challenge


class First(Bot):
    def choose(self, turn):
        return turn.legal[0]


async def meet(player: Player, url: str, over: asyncio.Event, others_url: str) -> None:
    """`player`, as ana from `url`, challenges bob, who plays `First` from `others_url`, until `over`."""
    there = asyncio.Event()
    bob = Client(Player(First, lambda _: there.set()), Settings((others_url,), "", "bob"))
    ana = Client(player, Settings((url,), "", "ana", Challenge(game="connect4", opponent="bob", seat=0)))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(bob.run())]
        await there.wait()
        tasks.append(group.create_task(ana.run()))
        await over.wait()
        for task in tasks:
            task.cancel()
