"""A gateway with a runtime that writes down what it is told, and a client that is nothing but a socket."""

import asyncio
import contextlib
import json
import socket
import time
from hashlib import sha256
from types import SimpleNamespace

import msgpack
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from websockets.frames import Frame, Opcode

from palestra_server.cli.hosting import listen
from palestra_server.gateway import GatewaySettings, Hub, serve_gateway
from palestra_server.supervision import Supervisor
from palestra_server.web.serving import WebServer

WAIT_S = 120
TOKENS = {"token-ana": "ana", "token-bob": "bob"}


class Runtime:
    """Notes ("join", player), ("leave", player) and ("message", player, message, arrival) in `told`."""

    def __init__(self):
        self.told = asyncio.Queue()
        self.peers = {}
        self.matches = {}
        self.answer = None

    def matches_of(self, player, guest):
        return self.matches.get((player, guest), [])

    def busy(self, player):
        return bool(self.matches_of(player, True) or self.matches_of(player, False))

    def on_join(self, peer):
        self.peers[peer.player] = peer
        self.told.put_nowait(("join", peer.player))

    def on_leave(self, peer):
        if self.peers.get(peer.player) is peer:
            del self.peers[peer.player]
        self.told.put_nowait(("leave", peer.player))

    def on_message(self, peer, message, arrival):
        self.told.put_nowait(("message", peer.player, message, arrival))
        if self.answer:
            self.answer(peer, message, arrival)

    async def next(self, kind):
        """The next note, which must be of this kind."""
        note = await asyncio.wait_for(self.told.get(), WAIT_S)
        assert note[0] == kind, note
        return note[1] if len(note) == 2 else note[1:]


class Roster:
    def __init__(self):
        self.tokens = dict(TOKENS)

    def player_for(self, token):
        return self.tokens.get(token)

    def is_taken_back(self, token):
        return token not in self.tokens and token in TOKENS

    def token_hash(self, player):
        return next((f"hash of {token}" for token, name in self.tokens.items() if name == player), None)

    @property
    def names(self):
        return tuple(self.tokens.values())


class Book:
    def __init__(self):
        self.sessions = {}

    def save_session(self, session, player, guest, token_hash):
        for other in self.sessions.values():
            other.newest = other.newest and other.player != player
        self.sessions[session] = SimpleNamespace(player=player, guest=guest, token_hash=token_hash, newest=True)

    def session(self, session):
        return self.sessions.get(session)

    def recent_sessions(self, limit):
        return {sha256(name.encode()).digest(): known for name, known in [*self.sessions.items()][-limit:]}


@contextlib.asynccontextmanager
async def house(clock=time.monotonic, runtime=None, book=None, **settings):
    """A running gateway: .gateway, .runtime, .roster, .book, .hub, .url."""
    home = SimpleNamespace(runtime=runtime or Runtime(), roster=Roster(), book=book or Book(), hub=Hub())
    home.gateway = await serve_gateway(
        "127.0.0.1",
        0,
        home.runtime,
        roster=home.roster,
        sessions=home.book,
        hub=home.hub,
        settings=GatewaySettings(**{"guests": True, "close_s": 0.5, **settings}),
        clock=clock,
    )
    home.port = home.gateway.port
    home.url = f"ws://127.0.0.1:{home.port}"
    try:
        yield home
    finally:
        await home.gateway.close()


@contextlib.asynccontextmanager
async def whole_house(**settings):
    """A gateway and the web port beside it: .web is its number."""
    app = Starlette(routes=[Route("/", lambda _request: PlainTextResponse("the page"))])
    with listen("127.0.0.1", 0) as listening:
        async with house(**settings) as home:
            supervisor = await Supervisor.open()
            web = WebServer(app, listening, home.gateway, supervisor)
            home.web = web.port
            try:
                yield home
            finally:
                await home.gateway.close()
                await web.close()
                await supervisor.close()


async def until(condition):
    """Waits for something that nothing tells of."""
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.002)


def frame(payload, opcode=Opcode.BINARY, fin=True):
    """A masked frame, as a client sends it."""
    return Frame(opcode, payload, fin).serialize(mask=True)


def packed(**message):
    """A masked frame with a message in MessagePack."""
    return frame(msgpack.packb(message))


def hello(name, **more):
    return {"type": "hello", "token": "", "name": name, **more}


def request(path="/play", *headers):
    lines = [f"GET {path} HTTP/1.1", "Host: here", "Upgrade: websocket", "Connection: Upgrade"]
    lines += ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


class RawClient:
    """A blocking socket after the handshake, without pings, checks or a library. Use it outside the loop's thread."""

    def __init__(self, port, *headers, path="/play"):
        self.socket = socket.create_connection(("127.0.0.1", port), WAIT_S)
        # Without this, a second small frame waits in the sender's kernel until the first is acknowledged.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(request(path, *headers))
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self._more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101"), head

    @classmethod
    async def open(cls, port, *headers, **named):
        return await asyncio.to_thread(cls, port, *headers, **named)

    def _more(self):
        data = self.socket.recv(65536)
        if not data:
            raise EOFError
        return data

    def read_frame(self):
        """(first byte, payload)."""

        def upto(size):
            while len(self.buffer) < size:
                self.buffer += self._more()

        upto(2)
        size, start = self.buffer[1], 2
        if size == 126:
            upto(4)
            size, start = int.from_bytes(self.buffer[2:4], "big"), 4
        upto(start + size)
        first, payload = self.buffer[0], self.buffer[start : start + size]
        self.buffer = self.buffer[start + size :]
        return first, payload

    def receive(self):
        """The next message; pings are passed over and not answered."""
        while True:
            first, payload = self.read_frame()
            if first & 0x0F in (1, 2):
                return msgpack.unpackb(payload) if first & 0x0F == 2 else json.loads(payload)
            assert first & 0x0F == 9, (first, payload)

    def join(self, name):
        self.socket.sendall(packed(**hello(name)))
        welcome = self.receive()
        assert welcome["type"] == "welcome", welcome
        return welcome

    def until_closed(self):
        """The code of the close frame, None if there is none before the end of the stream."""
        try:
            while True:
                first, payload = self.read_frame()
                if first == 0x88:
                    return int.from_bytes(payload[:2], "big")
        except (EOFError, ConnectionError):
            return None

    def close(self):
        self.socket.close()


@contextlib.asynccontextmanager
async def raw_player(home, name="eva"):
    """A RawClient that has said hello."""
    client = await RawClient.open(home.port)
    try:
        await asyncio.to_thread(client.join, name)
        assert await home.runtime.next("join") == name
        yield client
    finally:
        client.close()
