"""Players for tests, written against the wire and not against our client."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

import msgpack
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

PATIENCE_S = 120.0
"""Longest wait for something that will come: what a machine that is ten times slower and busy needs."""
UNHURRIED: dict[str, Any] = {"open_timeout": PATIENCE_S, "ping_interval": None, "max_queue": None}
"""How a connection of a test is made: it may leave messages unread for long, and gives nobody up."""
BADBOT = Path(__file__).parent.parent / "badbots" / "badbot.py"


class RawPlayer:
    """A connection that a test drives message by message. `resume` is an earlier session."""

    def __init__(
        self, url: str, name: str | None = None, *, token: str = "", resume: str | None = None, version: str = ""
    ) -> None:
        self._open = contextlib.ExitStack()
        self.socket = self._open.enter_context(
            connect(url, subprotocols=["palestra.v1.msgpack"], compression=None, max_size=None, **UNHURRIED)
        )
        self.send(type="hello", token=token, client="test/1", version=version, name=name, resume=resume)
        self.welcome = self.expect("welcome")
        self.name: str = self.welcome["player"]
        self.session: str = self.welcome["session"]

    def send(self, **message: Any) -> None:
        self.socket.send(msgpack.packb(message))

    def receive(self, timeout: float = PATIENCE_S) -> dict[str, Any]:
        """The next message, whatever it is."""
        return msgpack.unpackb(self.socket.recv(timeout))

    def expect(self, kind: str) -> dict[str, Any]:
        """The next message, which must be of this type."""
        message = self.receive()
        assert message["type"] == kind, message
        return message

    def until(self, kind: str) -> dict[str, Any]:
        """The next message of this type; what comes before it is passed over."""
        while (message := self.receive())["type"] != kind:
            pass
        return message

    def challenge(self, opponent: str, game: str = "connect4", seat: int | None = 0) -> None:
        self.send(type="challenge", game=game, opponent=opponent, seat=seat, rated=False)

    def ready(self) -> str:
        """Waits for `match_start`, says ready, returns the match."""
        match = self.until("match_start")["match"]
        self.send(type="ready", match=match)
        return match

    def act(self, turn: dict[str, Any], action: int | None = None) -> None:
        chosen = turn["legal"][0] if action is None else action
        self.send(type="action", match=turn["match"], ply=turn["ply"], action=chosen)

    def play(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Answers every turn with the first legal action; returns `match_end` and all that came before it."""
        messages = []
        while (message := self.receive())["type"] != "match_end":
            messages.append(message)
            if message["type"] == "turn":
                self.act(message)
        return message, messages

    def close_now(self) -> None:
        """Ends the TCP connection without a closing handshake, as a crash does."""
        self.socket.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PairBeside:
    """Two honest players in threads, who play one short match after the other until told to stop."""

    def __init__(self, url: str, name: str) -> None:
        self.ends: list[dict[str, Any]] = []
        self._stop = threading.Event()
        self._players = RawPlayer(url, f"{name}-a"), RawPlayer(url, f"{name}-b")
        self._threads = [threading.Thread(target=self._play, args=(player,)) for player in self._players]

    def _play(self, player: RawPlayer) -> None:
        first, second = self._players
        while True:
            if player is first:
                player.challenge(second.name)
            try:
                player.send(type="ready", match=player.until("match_start")["match"])
                end, _ = player.play()
            except ConnectionClosed:
                return  # the second player waits for a match that does not come any more
            if player is first:
                self.ends.append(end)
                # The first alone looks whether to stop: else the second may go while a match of theirs begins.
                if self._stop.is_set():
                    return

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._threads[0].join()
        for player in self._players:
            player.close()
        self._threads[1].join()


def start_badbot(kind: str, url: str, name: str, after: int = 1) -> subprocess.Popen[str]:
    """A bot of tests/badbots as a process; it prints what it sees as JSON lines."""
    return subprocess.Popen(
        [sys.executable, str(BADBOT), kind, "--server", url, "--name", name, "--after", str(after)],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    )
