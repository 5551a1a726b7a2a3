"""A server process that stands still for longer than a move: who answered in time is in time."""

import asyncio
import os
import signal

import psutil
from tests.support.meeting import meet
from tests.support.servers import ServerProcess

from palestra_client import Bot
from palestra_client.client import Player
from palestra_client.notices import MatchEnds, Unreachable

MOVE_S = 2.0


async def test_an_answer_to_a_stopped_server_is_in_time_although_the_client_gave_up(tmp_path):
    """The client is silent behind its action, and leaves by a reset: the kernel's date of the action stays."""
    shown = []
    over = asyncio.Event()

    class Stopper(Bot):
        """Answers its first turn at once, to a server that has just stopped."""

        stopped = False

        def choose(self, turn):
            if not Stopper.stopped:
                os.kill(server.process.pid, signal.SIGSTOP)
                while psutil.Process(server.process.pid).status() != psutil.STATUS_STOPPED:
                    pass
                Stopper.stopped = True
            return turn.legal[0]

    def show(notice):
        shown.append(notice)
        if Stopper.stopped and isinstance(notice, Unreachable):
            os.kill(server.process.pid, signal.SIGCONT)
        if isinstance(notice, MatchEnds):
            over.set()

    with ServerProcess(tmp_path / "data", "--guests", "--move-ms", str(int(MOVE_S * 1000))) as server:
        # Silent for longer than a move and its grace: a FIN then would make the action late.
        impatient = Player(Stopper, show, gone_s=2 * MOVE_S)
        await meet(impatient, server.url, over, server.url)
    assert Stopper.stopped
    assert any("nothing came from the server" in notice.why for notice in shown if isinstance(notice, Unreachable))
    (end,) = [notice for notice in shown if isinstance(notice, MatchEnds)]
    assert end.result.reason == "rules"
