"""A TCP proxy between a program and its database, whose connections can be stalled, made deaf or cut."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Self
from urllib.parse import urlsplit, urlunsplit

BYTES = 1 << 16


class Proxy:
    """Passes on what both ends say. Threads of its own; all methods return at once.

    `asks` and `answers` are the two gates; a closed gate holds back what was said, until it is opened or the connection
    is cut. `passed` is told, in another thread, of each piece before it goes through: b">" or b"<", and the bytes.
    """

    def __init__(self, host: str, port: int, near: str = "127.0.0.1") -> None:
        self._target = host, port
        self._listener = socket.create_server((near, 0))
        self.port: int = self._listener.getsockname()[1]
        self.asks, self.answers = threading.Event(), threading.Event()
        self.passed = lambda _way, _piece: None
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._serving: list[threading.Thread] = []
        self.mend()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    @classmethod
    def to(cls, url: str, near: str = "127.0.0.1") -> tuple[Proxy, str]:
        """A proxy on the address `near` to the PostgreSQL of this URL, and the URL through it."""
        parts = urlsplit(url)
        proxy = cls(parts.hostname or "127.0.0.1", parts.port or 5432, near)
        user, mark, _ = parts.netloc.rpartition("@")
        return proxy, urlunsplit(parts._replace(netloc=f"{user}{mark}{near}:{proxy.port}"))

    def stall(self) -> None:
        """Nothing passes either way."""
        self.asks.clear()
        self.answers.clear()

    def deafen(self) -> None:
        """Half open: the server hears everything, and is not heard."""
        self.answers.clear()

    def mend(self) -> None:
        self.asks.set()
        self.answers.set()

    def cut(self) -> None:
        """End every connection; what was held back is lost."""
        pairs, self._pairs = self._pairs, set()
        for pair in pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                serving = threading.Thread(target=self._serve, args=(near,), daemon=True)
                self._serving.append(serving)
                serving.start()

    def _serve(self, near: socket.socket) -> None:
        with near, contextlib.suppress(OSError), socket.create_connection(self._target) as far:
            pair = near, far
            self._pairs.add(pair)
            back = threading.Thread(target=self._pump, args=(pair, far, near, self.answers, b"<"), daemon=True)
            back.start()
            self._pump(pair, near, far, self.asks, b">")
            back.join()

    def _pump(self, pair, source, sink, gate, way) -> None:  # type: ignore[no-untyped-def]
        with contextlib.suppress(OSError):
            while piece := source.recv(BYTES):
                self.passed(way, piece)
                gate.wait()
                if pair not in self._pairs:
                    break
                sink.sendall(piece)
        for end in pair:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        self.cut()
        self.mend()
        for each in self._serving:
            each.join()
