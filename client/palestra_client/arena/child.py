"""The process of one bot: `python -m palestra_client.arena.child URL TOKEN TARGET [OPTION...]`.

It plays as `palestra join` does, and prints only what went wrong. What the bot prints itself goes where this process's
output goes, which is a file of the arena's.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence

from palestra_client.client import Client, Player
from palestra_client.factories import BotFactory, NoBot
from palestra_client.loading import load_factory
from palestra_client.notices import BotCrashed, IllegalChoice, LateAnswer, Notice, StillRunning, Unreachable, Warned
from palestra_client.options import BadOption, bind, read_options
from palestra_client.wording import Wording

TOLD = (BotCrashed, IllegalChoice, LateAnswer, StillRunning, Warned)
"""What is worth a line here."""
ATTEMPTS = 3
"""To find the house again, before it is taken for gone."""


def main(arguments: Sequence[str]) -> int:
    """Plays until the house is closed; returns the exit code."""
    url, token, target, *options = arguments
    try:
        factory = bind(load_factory(target), read_options(options))
    except (NoBot, BadOption) as error:
        print(error, file=sys.stderr)
        return 1
    return asyncio.run(_play(factory, url, token))


async def _play(factory: BotFactory, url: str, token: str) -> int:
    stop = await Client(Player(factory, _show), url, token=token).run()
    return int(stop.failed)


def _show(notice: Notice) -> None:
    if isinstance(notice, Unreachable) and notice.attempt >= ATTEMPTS:
        os._exit(1)
    if isinstance(notice, TOLD):
        for line in Wording().lines(notice):
            print(line.plain, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    # A bot's thread may still compute, and the interpreter would wait for what it prints.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
