"""Bots that misbehave on purpose, each a process of its own that speaks the wire by hand.

    python badbot.py KIND --server ws://127.0.0.1:8765/play --name NAME [--after N]

KIND is one of BEHAVIOURS below; before its ply `--after` (counted in its own turns) every kind plays honestly, the
first legal action each time. What happens on its connection is printed as JSON lines for the test to read.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable

import msgpack
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect


def tell(kind: str, **fields: object) -> None:
    print(json.dumps({"saw": kind, **fields}), flush=True)


class Player:
    """A hand-written client: no library of ours, so that a fault of ours cannot hide on both sides."""

    def __init__(self, url: str, name: str, behave: Callable[[Player, dict], None], after: int) -> None:
        self.url, self.name, self.behave, self.after = url, name, behave, after
        self.session: str | None = None
        self.move_ms = 0
        self.own_turns = 0
        self.sockets = contextlib.ExitStack()
        self.socket: ClientConnection = self.dial()

    def dial(self) -> ClientConnection:
        opened = connect(self.url, subprotocols=["palestra.v1.msgpack"], compression=None, max_size=None)
        self.socket = self.sockets.enter_context(opened)
        self.send({"type": "hello", "token": "", "client": "badbot/1", "name": self.name, "resume": self.session})
        return self.socket

    def send(self, message: dict) -> None:
        self.socket.send(msgpack.packb(message))

    def act(self, turn: dict, action: int | None = None, ply: int | None = None) -> None:
        self.send(
            {
                "type": "action",
                "match": turn["match"],
                "ply": turn["ply"] if ply is None else ply,
                "action": turn["legal"][0] if action is None else action,
            }
        )

    def play(self) -> None:
        while True:
            try:
                message = msgpack.unpackb(self.socket.recv())
            except ConnectionClosed as closed:
                tell("closed", code=closed.rcvd.code if closed.rcvd else 1006)
                return
            match message["type"]:
                case "welcome":
                    self.session = message["session"]
                    tell("welcome", player=message["player"], matches=message["matches"])
                case "match_start":
                    self.move_ms = message["move_ms"]
                    tell("match_start", match=message["match"], seat=message["seat"])
                    self.send({"type": "ready", "match": message["match"]})
                case "turn":
                    self.own_turns += 1
                    if self.own_turns > self.after:
                        self.behave(self, message)
                    else:
                        self.act(message)
                case "error":
                    tell("error", code=message["code"], message=message["message"])
                case "match_end":
                    tell("match_end", reason=message["reason"], returns=message["returns"], detail=message["detail"])


def honest(player: Player, turn: dict) -> None:
    player.act(turn)


def crashes(_player: Player, _turn: dict) -> None:
    os._exit(3)


def hangs(_player: Player, _turn: dict) -> None:
    """Answers pings (the library's thread does) and never a turn."""


def late(player: Player, turn: dict) -> None:
    time.sleep((player.move_ms + 150) / 1000)  # past the grace of 100 ms: being late is the point of this bot
    player.act(turn)


def garbage(player: Player, turn: dict) -> None:
    if player.own_turns > player.after + 3:  # more than 50 would be another verdict, that of `floods`
        player.act(turn)
        return
    for junk in (b"", b"\xc1", b"\x93\x01\x02", os.urandom(64), msgpack.packb({"type": "dance"}), b"\x81" * 900):
        player.socket.send(junk)
    player.socket.send("text on a binary connection")
    player.act(turn)


def big(player: Player, _turn: dict) -> None:
    player.socket.send(b"\x00" * 1_000_000)  # which even a busy server has discarded before it cuts the connection


def wrong_ply(player: Player, turn: dict) -> None:
    player.act(turn, ply=turn["ply"] + 1)
    player.act(turn, ply=max(0, turn["ply"] - 2))
    player.act(turn)
    player.act(turn)  # the same frame again is harmless


def illegal(player: Player, turn: dict) -> None:
    player.act(turn, action=77)


def floods(player: Player, _turn: dict) -> None:
    while True:
        player.socket.send(b"\xc1 no message at all")


def chatters(player: Player, turn: dict) -> None:
    """Well-formed frames without end, none of them an answer to the turn."""
    while True:
        player.act(turn, ply=turn["ply"] + 1)


def disconnects(player: Player, turn: dict) -> None:
    """Hangs up at each of its turns, comes back with `resume`, and answers the turn it is given again."""
    if getattr(player, "back", None) == turn["ply"]:
        player.act(turn)
        return
    player.back = turn["ply"]
    player.socket.close()
    player.dial()


def leaves(player: Player, _turn: dict) -> None:
    """Hangs up for good, but the process lives on until its input is closed."""
    player.socket.close()
    tell("left")
    sys.stdin.read()
    sys.exit(0)


BEHAVIOURS = {
    f.__name__: f
    for f in (
        honest,
        crashes,
        hangs,
        late,
        garbage,
        big,
        wrong_ply,
        illegal,
        floods,
        chatters,
        disconnects,
        leaves,
    )
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=BEHAVIOURS)
    parser.add_argument("--server", required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--after", type=int, default=1)
    options = parser.parse_args()
    try:
        Player(options.server, options.name, BEHAVIOURS[options.kind], options.after).play()
    except ConnectionClosed as closed:
        tell("closed", code=closed.rcvd.code if closed.rcvd else 1006)


if __name__ == "__main__":
    main()
