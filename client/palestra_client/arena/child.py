"""The subprocess that runs one contender: `python -m palestra_client.arena.child URL TOKEN KIND WORD...`.

It plays as `palestra join` and `palestra bridge` do, and prints only errors. Its output, including whatever the bot
prints, is captured in a temporary file by the arena. It exits when its standard input is closed.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence

from palestra_client.bridge import DIALECTS, kill_all, program_bots
from palestra_client.client import Client, Player
from palestra_client.factories import NoBot
from palestra_client.loading import bot_of
from palestra_client.notices import BotCrashed, IllegalChoice, LateAnswer, Notice, StillRunning, Unreachable, Warned
from palestra_client.options import BadOption
from palestra_client.session import Settings
from palestra_client.tied import end_with_parent
from palestra_client.wording import Wording

TOLD = (BotCrashed, IllegalChoice, LateAnswer, StillRunning, Warned)  # the only notices that are printed
ATTEMPTS = 3  # failed connection attempts after which the arena is assumed to be gone


def main(arguments: Sequence[str]) -> int:
    """Plays until the server closes; returns the exit code."""
    url, token, kind, *words = arguments
    end_with_parent(kill_all)
    try:
        factory = program_bots(words, DIALECTS[kind]) if kind in DIALECTS else bot_of(*words)
    except (NoBot, BadOption) as error:
        print(error, file=sys.stderr)
        return 1
    wording = Wording(program=kind in DIALECTS)

    def show(notice: Notice) -> None:
        if isinstance(notice, Unreachable) and notice.attempt >= ATTEMPTS:
            kill_all()
            os._exit(1)
        if isinstance(notice, TOLD):
            for line in wording.lines(notice):
                print(line.plain, file=sys.stderr, flush=True)

    return asyncio.run(_play(Player(factory, show), url, token))


async def _play(player: Player, url: str, token: str) -> int:
    stop = await Client(player, Settings((url,), token)).run()
    return int(stop.failed)


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    finally:
        kill_all()
    # A bot's thread may still be running, and a normal exit would wait for it.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
