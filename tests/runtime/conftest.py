"""A host with a real journal, a clock that the test moves, and players who write down what they are sent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from palestra_protocol import Action, Challenge, Ready, Resign
from palestra_server.gateway import Arrival, Hub
from palestra_server.runtime import Host
from palestra_server.settings import Settings
from palestra_server.store import Store


class Player:
    """Implements `PlayerConnection`. `kinds` are the types of the messages it was sent, `codes` those of its errors."""

    def __init__(self, home: Home, name: str, guest: bool, resumed: bool, address: str) -> None:
        self.home = home
        self.player, self.guest, self.resumed, self.continued = name, guest, resumed, resumed
        self.session, self.client, self.challenges = f"session of {name}", "test/1", True
        self.address = address
        self.joined = home.arrival()
        self.left_at = self.last_read = 0
        self.connected = True
        self.sent: list[dict] = []
        self.waiting: list[tuple[object, Arrival]] = []

    # What the host calls.

    def send(self, message):
        self.sent.append(dict(message) if isinstance(message, Mapping) else message.model_dump())

    def reject(self, code, message, **more):
        self.send({"type": "error", "code": code, "message": message, **more})

    def flush(self):
        pass

    def drain(self):
        while self.waiting:
            self.home.host.on_message(self, *self.waiting.pop(0))

    def close(self, _code, _reason=""):
        self.leave()

    # What a test does.

    @property
    def kinds(self):
        return [message["type"] for message in self.sent]

    @property
    def codes(self):
        return [message["code"] for message in self.sent if message["type"] == "error"]

    def says(self, message, at=None):
        """The host is handed a message that arrived at `at`, now if that is None."""
        self.last_read = self.home.now
        self.home.host.on_message(self, message, self.home.arrival(at))

    def challenge(self, opponent, game="connect4", seat=0, **more):
        """Starts a match, or is refused or waits; the match's name, None if there is none."""
        count = len(self.sent)
        self.says(Challenge(game=game, opponent=opponent, seat=seat, **more))
        starts = [message["match"] for message in self.sent[count:] if message["type"] == "match_start"]
        return starts[0] if starts else None

    def ready(self, match):
        self.says(Ready(match=match))

    def resign(self, match, at=None):
        self.says(Resign(match=match), at)

    def act(self, match, ply, action, at=None):
        self.says(Action(match=match, ply=ply, action=action), at)

    def leave(self):
        """The connection ends; nothing more was heard on it."""
        self.connected, self.left_at = False, self.home.now
        self.home.host.on_leave(self)


class Home:
    """`now` is in ns and moved by hand."""

    def __init__(self, data, **settings):
        self.now = 10**12
        self.data = data
        self.settings = Settings(data=data, guests=True, **settings)
        self.store = Store(data)
        self.journal = self.store.journal
        self.hub = Hub(later=lambda _pause, serve: serve(), players_wait=lambda: False)
        self.host = Host(self.settings, self.journal, self.hub, lambda: self.now)

    def arrival(self, at=None):
        return Arrival(self.now if at is None else at, self.now, "read")

    def join(self, name, *, guest=True, resumed=False, address="127.0.0.1"):
        peer = Player(self, name, guest, resumed, address)
        self.host.on_join(peer)
        return peer

    async def over(self, match):
        """How the match ended, once that is announced."""
        return await asyncio.wait_for(asyncio.shield(self.host.matches[match].finished), 120)

    def close(self):
        self.host.close()
        self.store.close()


@pytest.fixture
async def open_home(tmp_path):
    """`open_home(**settings)`: a host in a data folder of its own."""
    homes = []

    def opened(**settings):
        homes.append(Home(tmp_path / str(len(homes)), **settings))
        return homes[-1]

    yield opened
    for home in homes:
        home.close()
