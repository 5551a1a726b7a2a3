"""The servers that share the database: which one referees, and whether this one may."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from palestra_server.store import Cluster, Node, Nodes, SeenNode, StoreAway

LOOK_S: Final = 0.5  # how often each node says that it is there, and looks at the others

log = structlog.get_logger()


class Machines:
    """`cluster` is what `look` last read; empty until it first could."""

    def __init__(self, nodes: Nodes, me: Node, pause: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        self._nodes = nodes
        self.me = me
        self._pause = pause
        self.cluster = Cluster((), None)
        self._away: str | None = None
        self._last_referee: Node | None = None
        self._looked = asyncio.Event()

    async def keep(self) -> None:
        """Look again and again. Raises NameTaken."""
        while True:
            await self.look()
            await self._pause(LOOK_S)

    async def look(self) -> None:
        try:
            self.cluster = await asyncio.to_thread(self._say_and_see)
            self._away = None
            self._last_referee = self.cluster.referee or self._last_referee
        except StoreAway as away:
            if self._away is None:
                log.warning("the nodes can't be read", why=str(away))
            self._away = str(away)
        self._looked.set()
        self._looked = asyncio.Event()

    def _say_and_see(self) -> Cluster:
        self._nodes.say(self.me, self.trouble)
        return self._nodes.seen()

    async def next_look(self) -> None:
        """Returns once the others were looked at again."""
        await self._looked.wait()

    @property
    def trouble(self) -> str:
        """Why this node can't referee, as a sentence; "" if it can."""
        return self._away or _less_than(self.me, self._last_referee)

    @property
    def referee(self) -> Node | None:
        """The node that referees, if it is another one."""
        referee = self.cluster.referee
        return None if referee is None or referee.name == self.me.name else referee

    @property
    def is_next(self) -> bool:
        """Nobody referees, and this node may."""
        seen = self.cluster.seen(self.me.name)
        return seen is not None and not seen.drained and self.cluster.held is None and not self.trouble

    @property
    def drained(self) -> bool:
        seen = self.cluster.seen(self.me.name)
        return seen is not None and seen.drained

    def addresses(self) -> tuple[str, ...]:
        """Where bots find the nodes that are there, this one's first."""
        others = (seen.node.bots for seen in self.cluster.nodes if seen.there and seen.node.name != self.me.name)
        return tuple(dict.fromkeys((self.me.bots, *others)))

    def successors(self, name: str) -> list[SeenNode]:
        """Who could take over from the node of this name."""
        return [
            seen
            for seen in self.cluster.nodes
            if seen.there and not seen.drained and not seen.trouble and seen.node.name != name
        ]

    async def drain(self, name: str, drained: bool) -> None:
        """Keep the node of this name from refereeing, or no longer. Raises StoreAway."""
        await asyncio.to_thread(self._nodes.drain, name, drained)
        self.cluster = await asyncio.to_thread(self._nodes.seen)

    async def leave(self) -> None:
        await asyncio.to_thread(self._nodes.leave, self.me)


def _less_than(me: Node, referee: Node | None) -> str:
    """What this node lacks to go on where that one stopped."""
    if referee is None or referee.name == me.name:
        return ""
    if me.key_check != referee.key_check:
        return f"It has another teacher's key than {referee.name}: give both the same PALESTRA_ADMIN_KEY."
    if _number(me.version) < _number(referee.version):
        return f"It has Palestra {me.version}, and {referee.name} has {referee.version}: update it."
    if missing := sorted(set(referee.games) - set(me.games)):
        return f"It lacks {', '.join(missing)}, which {referee.name} has: install the same games."
    return ""


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
