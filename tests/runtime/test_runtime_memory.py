"""However many matches were played and connections came, the server keeps what it keeps after a few of them."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from weakref import WeakSet

import pytest
from tests.support.homes import Watcher
from tests.support.players import RawPlayer

from palestra_server.runtime import House
from palestra_server.runtime.boards import Board
from palestra_server.settings import Settings

pytestmark = pytest.mark.slow


def kept():
    """How many objects of ours there are, by type."""
    gc.collect()
    types = map(type, gc.get_objects())
    return Counter(each.__qualname__ for each in types if str(each.__module__).startswith("palestra_"))


async def test_a_match_that_is_over_leaves_nothing(open_home):
    home = open_home(challenge_ms=0)
    lobby = Watcher(home, "lobby")
    ana, bob = home.join("ana"), home.join("bob")
    alive = WeakSet()  # other tests of this process may have left some

    async def play(count):
        for _ in range(count):
            match = ana.challenge("bob", "mancala")
            live, over = home.matches[match], home.matches[match].finished
            alive.add(live)
            eva = Watcher(home, f"match:{match}")
            ana.ready(match)
            bob.ready(match)
            for ply in range(6):
                (ana, bob)[live.match.state.to_move].act(match, ply, live.match.state.legal_actions()[0])
            assert eva.heard("played")
            late = Watcher(home, f"match:{match}")
            ana.resign(match)
            await asyncio.wait_for(over, 120)
            assert eva.heard("match_end")
            home.hub.leave(eva)
            home.hub.leave(late)
            home.now += 1
            del live
        lobby.heard()

    await play(90)  # the lobby keeps its last events
    before = kept()
    await play(50)
    assert kept() - before == Counter()
    assert len(alive) == 1, "its result may be told again"
    assert not any(isinstance(each, Board) for live in alive for each in vars(live).values()), "the lobby's last one"


async def test_a_connection_that_ended_leaves_its_session_and_no_more(tmp_path):
    house = await House.open(Settings(host="127.0.0.1", port=0, web_port=0, data=tmp_path))
    try:
        tokens = await asyncio.to_thread(house.roster.enrol, ["ana"])
        url = f"ws://127.0.0.1:{house.opened.port}/play"

        def come_and_go(count):
            for _ in range(count):
                with RawPlayer(url, token=tokens["ana"]) as ana:
                    ana.send(type="watch", topic="lobby")
                    ana.until("event")

        deserted = house.opened.shared.deserted
        await asyncio.to_thread(come_and_go, 5)
        await deserted.wait()
        before = kept()
        await asyncio.to_thread(come_and_go, 40)
        await deserted.wait()
        # The watcher of stalls may hold on to the last that it looked at.
        left = {kind: count for kind, count in (kept() - before).items() if count >= 40}
        assert left == {"_Recent": 40, "Event": 80}, "its session, and the lobby's news of it"
    finally:
        await house.close()
