"""The servers that share a PostgreSQL database, as each last said of itself."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Row, text
from sqlalchemy.exc import SQLAlchemyError

from palestra_server.store.database import Database, described
from palestra_server.store.errors import LeaseHeld, StoreAway, StoreError
from palestra_server.store.lease import LEASE_S, NOW, Lease
from palestra_server.store.preparing import prepare

FORGOTTEN_S: Final = 86_400.0  # nodes not seen for this long are left out

_SAY: Final = text(
    "INSERT INTO nodes (name, run, page, bots, version, games, key_check, trouble, drained, load, seen) VALUES "
    f"(:name, :run, :page, :bots, :version, :games, :key_check, :trouble, FALSE, :load, {NOW}) "
    "ON CONFLICT (name) DO UPDATE "
    "SET run = excluded.run, page = excluded.page, bots = excluded.bots, version = excluded.version, "
    "games = excluded.games, key_check = excluded.key_check, trouble = excluded.trouble, load = excluded.load, "
    "seen = excluded.seen, drained = nodes.drained AND nodes.run = excluded.run "
    f"WHERE nodes.run = excluded.run OR nodes.seen < {NOW} - :lease_s"
)
_SEEN: Final = text(
    f"SELECT nodes.*, {NOW} - nodes.seen AS ago, referee.node IS NOT NULL AS referees FROM nodes "
    f"LEFT JOIN referee ON referee.node = nodes.name AND referee.until > {NOW} AND referee.open "
    f"WHERE nodes.seen > {NOW} - :forgotten_s ORDER BY nodes.name"
)
_HELD: Final = text(f"SELECT {NOW} AS now, (SELECT node FROM referee WHERE until > {NOW}) AS held")
_DRAIN: Final = text("UPDATE nodes SET drained = :drained WHERE name = :name")
_LEAVE: Final = text("UPDATE nodes SET seen = 0 WHERE name = :name AND run = :run")


@dataclass(frozen=True, slots=True)
class Node:
    """One server: `page` and `bots` are its addresses, `key_check` differs with the teacher's key."""

    name: str
    page: str
    bots: str
    version: str
    games: tuple[str, ...]
    key_check: str
    run: str = field(default_factory=lambda: secrets.token_hex(8))


@dataclass(frozen=True, slots=True)
class SeenNode:
    node: Node
    referees: bool
    drained: bool
    ago_s: float  # since it last said anything
    trouble: str  # why it can't take over, as a sentence; "" if it can
    load: float = 0.0  # the share of a core that it used lately

    @property
    def there(self) -> bool:
        return self.ago_s < LEASE_S


@dataclass(frozen=True, slots=True)
class Cluster:
    """`held`: somebody holds the lease, by this name: the `referee`, or who is about to be it; it need not be one of
    the nodes (a command, or a server without a name).
    """

    nodes: Sequence[SeenNode]
    held: str | None
    now_s: float | None = None  # by the database's clock

    @property
    def referee(self) -> Node | None:
        return next((seen.node for seen in self.nodes if seen.referees), None)

    def seen(self, name: str) -> SeenNode | None:
        return next((seen for seen in self.nodes if seen.node.name == name), None)


@contextmanager
def open_nodes(data: Path, database: str | None) -> Iterator[Nodes]:
    """The nodes that share this PostgreSQL, whose tables are made if need be. Raises StoreError."""
    with closing(Database(data, database, 0.0)) as opened:
        if opened.sqlite:
            raise StoreError("Several nodes need a PostgreSQL that all of them reach: name it with --database.")
        prepare(opened)
        yield Nodes(opened)


class NameTaken(StoreError):
    """Another node of this name is running."""


class Nodes:
    """Blocks, so not for the event loop's thread; thread-safe. All raise StoreError; StoreAway if it may pass."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def say(self, node: Node, trouble: str, load: float = 0.0) -> None:
        """What this node is, and that it is there. Raises NameTaken."""
        values = {**asdict(node), "games": json.dumps(node.games), "trouble": trouble, "load": load, "lease_s": LEASE_S}
        if not self._execute(_SAY, values):
            raise NameTaken(f"A node called {node.name} is running already: give this one another --node NAME.")

    def seen(self) -> Cluster:
        try:
            with self._database.beats.connect() as db:
                rows = db.execute(_SEEN, {"forgotten_s": FORGOTTEN_S}).all()
                held = db.execute(_HELD).one()
                return Cluster(tuple(map(_seen, rows)), held.held, held.now)
        except SQLAlchemyError as error:
            raise _away(self._database, described(error)) from None

    def take(self, node: Node) -> Lease | None:
        """The lease, for this node; None if another one was quicker."""
        try:
            return Lease(self._database, node.name, 0.0)
        except LeaseHeld:
            return None

    def drain(self, name: str, drained: bool) -> None:
        """Keep the node of this name from refereeing, or no longer."""
        self._execute(_DRAIN, {"name": name, "drained": drained})

    def leave(self, node: Node) -> None:
        self._execute(_LEAVE, {"name": node.name, "run": node.run})

    def give_up(self) -> StoreAway:
        """End what waits for an answer of the database, for a reason that says so."""
        self._database.cut()
        return _away(self._database, "it does not answer")

    def _execute(self, statement: Any, values: dict[str, object]) -> int:
        try:
            with self._database.beats.connect() as db:
                return int(db.execute(statement, values).rowcount)
        except SQLAlchemyError as error:
            raise _away(self._database, described(error)) from None


def _away(database: Database, why: str) -> StoreAway:
    return StoreAway(f"{database.name} can't be reached ({why}): bring it back; this node goes on by itself.")


def _seen(row: Row[Any]) -> SeenNode:
    games = tuple(json.loads(row.games))
    node = Node(row.name, row.page, row.bots, row.version, games, row.key_check, row.run)
    return SeenNode(node, row.referees, row.drained, row.ago, row.trouble, row.load)
