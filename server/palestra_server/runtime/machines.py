"""The servers that share the database: which one referees, and whether this one may."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from palestra_server.store import Cluster, Lease, NameTaken, Node, Nodes, SeenNode, StoreAway, wall_clock_ms

LOOK_S: Final = 0.5  # how often each node says that it is there, and looks at the others
HURRY_S: Final = 0.1  # the same while another is about to referee
NEXT_S: Final = 5.0  # how long a node that hands over waits for the next one
LOAD_S: Final = 10.0
CLOCK_MS: Final = 2_000  # a clock that differs more from the database's is not used
ANSWER_S: Final = 2.0  # how long it waits for the database, which is less than a lease

log = structlog.get_logger()


class Machines:
    """`cluster` is what `look` last read; empty until it first could. `lease` is this node's, if it was the quickest to
    `take` it. `astray` is why one of this node's addresses does not lead to it; "" if both do.
    """

    def __init__(
        self,
        nodes: Nodes,
        me: Node,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock_ms: Callable[[], int] = wall_clock_ms,
    ) -> None:
        """`clock_ms`: this machine's clock, UTC."""
        self._nodes = nodes
        self._clock_ms = clock_ms
        self._behind_ms = 0
        self._load, self._used_s, self._at_s = 0.0, time.process_time(), time.monotonic()
        self.me = me
        self._pause = pause
        self.cluster = Cluster((), None)
        self.astray = ""
        self.lease: Lease | None = None
        self._away = ""
        self._told = ""
        self._last_referee: Node | None = None
        self._looked = asyncio.Event()

    async def enter(self) -> None:
        """Say for the first time that this node is there, once one of its name that was killed counts as gone.

        Raises NameTaken and StoreAway.
        """
        ago_s = -LOOK_S
        while True:
            try:
                return await asyncio.to_thread(self._nodes.say, self.me, "")
            except NameTaken:
                other = (await asyncio.to_thread(self._nodes.seen)).seen(self.me.name)
                if other is None or other.ago_s < ago_s + LOOK_S:  # it has said something meanwhile
                    raise
                ago_s = other.ago_s
            await self._pause(LOOK_S)

    async def keep(self) -> None:
        """Look again and again."""
        while True:
            await self.look()
            await self._pause(HURRY_S if self._changes else LOOK_S)

    async def look(self) -> None:
        try:
            async with asyncio.timeout(ANSWER_S):
                self.cluster = await asyncio.to_thread(self._say_and_see)
            self._away = ""
            self._last_referee = self.cluster.referee or self._last_referee
        except TimeoutError:
            self._away = str(self._nodes.give_up())
        except (StoreAway, NameTaken) as why:
            self._away = str(why)
        if self.trouble != self._told:
            self._told = self.trouble
            log.warning("this node can't referee" if self._told else "this node can referee", why=self._told)
        self._tell()

    def _tell(self) -> None:
        self._looked.set()
        self._looked = asyncio.Event()

    def _say_and_see(self) -> Cluster:
        self._nodes.say(self.me, self.trouble, self._busy())
        since_ms = self._clock_ms()
        seen = self._nodes.seen()
        self._compare(since_ms, seen.now_s)
        return seen

    def _busy(self) -> float:
        """The share of a core that this process used, over about LOAD_S."""
        used_s, at_s = time.process_time(), time.monotonic()
        lasted_s = max(at_s - self._at_s, 1e-3)
        share = (used_s - self._used_s) / lasted_s
        self._load += min(1.0, lasted_s / LOAD_S) * (share - self._load)
        self._used_s, self._at_s = used_s, at_s
        return self._load

    def wall_ms(self) -> int:
        """UTC in ms, the same at all nodes: the database's, if this machine's clock is set wrong."""
        return self._clock_ms() + self._behind_ms

    def _compare(self, since_ms: int, now_s: float | None) -> None:
        """The database's clock was `now_s` at some time since then."""
        if now_s is None:
            return
        behind_ms = round(now_s * 1000) - since_ms
        if -CLOCK_MS < behind_ms - self._behind_ms < CLOCK_MS + self._clock_ms() - since_ms:
            return
        self._behind_ms = behind_ms if abs(behind_ms) > CLOCK_MS else 0
        why = f"it is {abs(behind_ms) / 1000:.0f} s {'behind' if behind_ms > 0 else 'ahead of'} the database's: set it"
        log.warning("the clock of this machine is not used", why=why if self._behind_ms else "it is right again")

    async def next_look(self) -> None:
        """Returns once the others were looked at again."""
        await self._looked.wait()

    @property
    def _changes(self) -> bool:
        """Another node is about to referee: nobody does, or who does hands over, or is silent."""
        referee = next((seen for seen in self.cluster.nodes if seen.referees), None)
        return referee is None or referee.drained or referee.ago_s > 2 * LOOK_S

    @property
    def trouble(self) -> str:
        """Why this node can't referee, as a sentence; "" if it can."""
        return self._away or self.astray or _less_than(self.me, self._last_referee)

    @property
    def referees(self) -> bool:
        referee = self.cluster.referee
        return referee is not None and referee.run == self.me.run

    @property
    def referee(self) -> Node | None:
        """The node that referees, if it is another one."""
        return None if self.referees else self.cluster.referee

    @property
    def is_next(self) -> bool:
        """Nobody referees, and this node may."""
        seen = self.cluster.seen(self.me.name)
        return seen is not None and not seen.drained and self.cluster.held is None and not self.trouble

    @property
    def drained(self) -> bool:
        seen = self.cluster.seen(self.me.name)
        return seen is not None and seen.drained

    async def take(self) -> bool:
        """Take the lease; False if another node was quicker, or the database does not answer."""
        self.lease = None
        try:
            async with asyncio.timeout(ANSWER_S):
                self.lease = await asyncio.to_thread(self._nodes.take, self.me)
        except TimeoutError:
            self._nodes.give_up()
        except StoreAway:
            pass
        return self.lease is not None

    async def next_referee(self) -> Node | None:
        """Another node, once it referees; None if none does within NEXT_S."""
        try:
            async with asyncio.timeout(NEXT_S):
                while self.referee is None:
                    await self.next_look()
        except TimeoutError:
            return None
        return self.referee

    def cut(self) -> None:
        """End what waits for an answer of the database."""
        self._nodes.give_up()

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
        self._tell()

    async def leave(self) -> None:
        """Say that this node is gone. Raises StoreAway."""
        try:
            async with asyncio.timeout(ANSWER_S):
                await asyncio.to_thread(self._nodes.leave, self.me)
        except TimeoutError:
            raise self._nodes.give_up() from None


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
