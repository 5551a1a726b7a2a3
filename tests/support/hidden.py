"""A tournament played for real up to its hidden round, and then that round in two ways that differ in every result."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

PLAYERS = ("ana", "bob", "cid", "dan")
NAME = "cup"
CUP = """
name = "cup"
games = ["connect4"]
seed = 11
seeding = "roster"
embargo = "last-round"
withdraw_after = 1
grades = { base = 1, participation = { points = 2 } }
who = { players = ["ana", "bob", "cid", "dan"] }
clock = { move_ms = 2000, ready_ms = 600000, away_ms = 0 }
"""
# In each, something hangs on the last round: an extra match, a place, a withdrawal, the whole cup.
FORMATS = {
    "round-robin": 'format = "round-robin"\n',
    "swiss": 'format = "swiss"\nrounds = 2\n',
    "elimination": 'format = "elimination"\ntie_breaks = 1\n',
    "groups": 'format = "groups"\ngroup_size = 2\nqualify = 1\ntie_breaks = 1\n',
}

LAST = {"round-robin": 3, "swiss": 2, "elimination": 2, "groups": 2}  # the round that is hidden
AT_ONCE = {"round-robin": 2, "swiss": 2, "elimination": 1, "groups": 1}  # and how many of its matches begin together

# What somebody does in a match: (the round is hidden, own name, the two names by seat) -> play, resign or leave.
Plan = Callable[[bool, str, list[str]], str]


def weaker(players: list[str]) -> str:
    return max(players)


def until_hidden(hidden: bool, me: str, players: list[str]) -> str:
    """Rounds that everybody may see: the stronger wins, one match of them on the board."""
    if hidden:
        return "wait"
    return "resign" if me == weaker(players) and me != "bob" else "play"


def first_seat_resigns(_: bool, me: str, players: list[str]) -> str:
    """Every meeting ends level."""
    return "resign" if me == players[0] else "play"


def weaker_leaves(_: bool, me: str, players: list[str]) -> str:
    """The stronger wins everything: the weaker one goes away in the middle, and is withdrawn for it."""
    return "leave" if me == weaker(players) else "play"


@dataclass
class Bot:
    """Plays as planned with any legal action, until its connection ends."""

    name: str
    socket: ClientConnection
    plan: Plan
    is_hidden: Callable[[str], Awaitable[bool]]
    heard: list[dict] = field(default_factory=list)
    held: asyncio.Event = field(default_factory=asyncio.Event)  # a match of the hidden round waits for it

    async def live(self) -> None:
        todo: dict[str, str] = {}
        try:
            async for text in self.socket:
                message = json.loads(text)
                self.heard.append(message)
                match = message.get("match")
                if message["type"] == "match_start":
                    todo[match] = self.plan(await self.is_hidden(match), self.name, message["players"])
                    if todo[match] == "wait":
                        self.held.set()
                    else:
                        await self.send(type="ready", match=match)
                elif message["type"] == "turn" and todo[match] == "resign":
                    await self.send(type="resign", match=match)
                elif message["type"] == "turn" and todo[match] == "leave" and message["ply"] > 3:
                    return await self.socket.close()
                elif message["type"] == "turn":
                    await self.send(type="action", match=match, ply=message["ply"], action=message["legal"][0])
        except ConnectionClosed:
            pass

    async def send(self, **message: object) -> None:
        await self.socket.send(json.dumps(message))


_JSON: dict[str, Any] = {
    "subprotocols": ["palestra.v1.json"],
    "ping_interval": None,
    "max_queue": None,
    "max_size": None,
}


async def dial(port: int, token: str) -> ClientConnection:
    socket = await connect(f"ws://127.0.0.1:{port}/play", **_JSON)
    version = token[:1]  # some differ
    hello = {"type": "hello", "token": token, "client": "test/1", "version": version, "name": None, "resume": None}
    await socket.send(json.dumps(hello))
    assert json.loads(await socket.recv())["type"] == "welcome"
    return socket


class Ear:
    """One who watches topics and writes down what is told."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.heard: list[dict] = []

    @classmethod
    async def open(cls, port: int) -> Self:
        return cls(await connect(f"ws://127.0.0.1:{port}/watch", **_JSON))

    async def watch(self, topic: str) -> None:
        await self._socket.send(json.dumps({"type": "watch", "topic": topic}))

    async def until(self, wanted: Callable[[dict], bool]) -> None:
        async for text in self._socket:
            message = json.loads(text)
            self.heard.append(message)
            if wanted(message):
                return

    async def close(self) -> None:
        await self._socket.close()


def timeless(body: bytes) -> str:
    """What an answer says besides the ports, the age and the pace of this one run."""
    text = body.decode("utf-8", "backslashreplace")
    return re.sub(
        r'"(port|bots|page|age_ms|when_ms|predicted_end|until|key|seq|session)":\s*("[^"]*"|[\d.]+|null)',
        r'"\1":0',
        text,
    )
