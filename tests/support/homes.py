"""A host with a real journal, a clock that the test moves, and players who write down what they are sent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgpack

from palestra_protocol.messages import Action, Challenge, Ready, Resign
from palestra_server.gateway import Arrival, Hub
from palestra_server.runtime import House
from palestra_server.runtime.matchmaking import Capacity
from palestra_server.settings import Settings
from palestra_tournament import Entrant, begin, pair_round, parse_spec


class Player:
    """Implements `PlayerConnection`. `kinds` are the types of the messages it was sent, `codes` those of its errors."""

    def __init__(self, home: Home, name: str, guest: bool, resumed: bool, address: str) -> None:
        self.home = home
        self.player, self.guest, self.resumed, self.continued = name, guest, resumed, resumed
        self.session, self.client, self.version, self.challenges = f"session of {name}", "test/1", "", True
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

    def dismiss(self, code, message, close):
        self.reject(code, message, fatal=True)
        self.close(close, message)

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


class Bots:
    """Reference bots that nobody starts: a test lets them join."""

    def __init__(self):
        self.names, self.limits = frozenset(), {}

    def want(self, names):
        self.names = names

    async def close(self):
        pass

    def missing(self):
        return "There are no bots here."

    def match_limit(self, player):
        return self.limits.get(player, 1)

    def player_for(self, _token):
        return None

    def token_hash(self, _player):
        return None


def cup(*players, more=""):
    """A tournament that has just begun."""
    spec = parse_spec('name = "cup"\ngames = ["connect4"]\nformat = "round-robin"\n' + more)
    return begin(spec, [Entrant(player, "") for player in players], 7, 0)[0]


class Home:
    """The server's house without its gateway. `now` is in ns, `wall` UTC in ms, and both are moved by hand."""

    pair = staticmethod(pair_round)

    def __init__(self, data, supervisor, machines=None, **settings):
        self.now = 10**12
        self.wall = 1_800_000_000_000
        self.data = data
        self.references = Bots()
        self.house = house = House(
            Settings(data=data, guests=True, **settings),
            supervisor,
            hub=Hub(clock=lambda: self.now / 1e9, later=lambda _pause, serve: serve(), players_wait=lambda: False),
            references=self.references,
            capacity=Capacity(lambda: 0.0, lambda: 0.0, lambda: 0, cores=1),
            pair=lambda of: self.pair(of),
            machines=machines,
            now=lambda: self.now,
            wall_ms=lambda: self.wall,
        )
        self.store, self.journal, self.hub, self.host = house.store, house.journal, house.hub, house.host
        self.lobby, self.matches, self.tally = house.lobby, house.playing.matches, house.tally
        self.catalogue, self.director, self.timetable = house.catalogue, house.director, house.timetable

    def arrival(self, at=None):
        return Arrival(self.now if at is None else at, self.now, "read")

    def join(self, name, *, guest=True, resumed=False, address="127.0.0.1"):
        peer = Player(self, name, guest, resumed, address)
        self.host.on_join(peer)
        return peer

    async def over(self, match):
        """How the match ended, once that is announced."""
        return await asyncio.wait_for(asyncio.shield(self.matches[match].finished), 120)

    def close(self):
        self.timetable.close()
        self.host.close()
        self.lobby.close()
        self.house.matches.close()
        self.store.close()


class Watcher:
    """Keeps the events it is sent."""

    binary = True

    def __init__(self, home, topic):
        self.frames = []
        assert home.hub.watch(self, topic, None) is None

    backlog = 0

    def send_frames(self, frame):
        length = frame[1] & 127
        self.frames.append(msgpack.unpackb(frame[{126: 4, 127: 10}.get(length, 2) :])["event"])

    def heard(self, kind=None):
        """The events since the last call, or those of one type."""
        events, self.frames = self.frames, []
        return [event for event in events if kind in (None, event["type"])]
