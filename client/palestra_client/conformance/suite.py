"""The registry of rules, and the runner."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from websockets.exceptions import WebSocketException

from palestra_client.conformance.peer import Fault, Peer

LEISURE_MS = 60_000  # move time for checks that aren't about time, so that slow machines pass


@dataclass(slots=True)
class Place:
    """The server under test, as one check sees it. Its connections are closed when the check ends."""

    url: str
    peers: list[Peer] = field(default_factory=list)

    def dial(self, *subprotocols: str, path: str = "/play") -> Peer:
        """Open a connection without sending anything; JSON unless other subprotocols are offered."""
        peer = Peer(self.url.removesuffix("/play") + path, subprotocols or ("palestra.v1.json",))
        self.peers.append(peer)
        return peer

    def watch(self, topic: str, **more: Any) -> Peer:
        """Open a connection that watches this topic."""
        peer = self.dial(path="/watch")
        peer.send(type="watch", topic=topic, **more)
        return peer

    def join(self, **hello: Any) -> Peer:
        """Connect a guest under a unique name and wait for its `welcome`."""
        peer = self.dial()
        wanted = {"name": f"check-{secrets.token_hex(4)}", **hello}
        peer.send(type="hello", token="", client="palestra-conformance/1", **wanted)
        welcome = peer.expect("welcome")
        peer.name, peer.session = welcome["player"], welcome["session"]
        return peer

    def match(self, game: str = "connect4", **challenge: Any) -> tuple[Peer, Peer, dict[str, Any]]:
        """Start a match between two guests. Return seat 0, seat 1 and the `match_start` of seat 0; both are ready."""
        first, second = self.join(), self.join()
        asked = {"seat_ms": [LEISURE_MS, LEISURE_MS], **challenge}
        first.send(type="challenge", game=game, opponent=second.name, seat=0, **asked)
        start = first.until("match_start")
        second.until("match_start")
        for peer in (first, second):
            peer.send(type="ready", match=start["match"])
        return first, second, start


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: the chapter of PROTOCOL.md, the text of the rule, and its check."""

    chapter: str
    says: str
    check: Callable[[Place], None]


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one check: `fault` says what went wrong, None if nothing did."""

    rule: Rule
    fault: str | None


RULES: list[Rule] = []  # all rules, in the order of PROTOCOL.md


def rule(chapter: str, says: str) -> Callable[[Callable[[Place], None]], Callable[[Place], None]]:
    """Register the decorated check in RULES."""

    def add(check: Callable[[Place], None]) -> Callable[[Place], None]:
        RULES.append(Rule(chapter, says, check))
        return check

    return add


def run(url: str) -> Iterator[Result]:
    """Check the server at `url` (ws://HOST:PORT/play), rule by rule."""
    for each in RULES:
        yield Result(each, _fault(each, url))


def _fault(each: Rule, url: str) -> str | None:
    place = Place(url)
    try:
        each.check(place)
    except Fault as fault:
        return str(fault)
    except (OSError, WebSocketException, EOFError) as error:
        return f"the connection failed ({type(error).__name__}: {error})"
    finally:
        for peer in place.peers:
            peer.close()
    return None
