"""Who may write to a PostgreSQL database that several servers know: one of them, for a few seconds at a time.

The lease is one row, on the database's clock (Gray and Cheriton, "Leases", SOSP 1989). Taking it raises its epoch, and
each write names the epoch in the statement that writes (`FENCE`): what a server that was stopped or cut off sends after
its time writes nothing. `FOR SHARE` holds up whoever takes the lease until that write is committed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from palestra_server.store.database import Database, Statement, described
from palestra_server.store.errors import LeaseHeld, StoreAway

LEASE_S: Final = 5.0
RENEW_S: Final = 1.0
WAIT_S: Final = 10.0  # how long to wait for a server that is about to leave, or was killed
LOOK_S: Final = 0.2  # how often to try while another server holds it
NOW: Final = "extract(epoch FROM clock_timestamp())::float8"  # seconds since 1970, on the database's clock

FENCE: Final = f"SELECT 1 FROM referee WHERE epoch = ? AND until > {NOW} FOR SHARE"
# The same for a transaction, which leaves its number: if its COMMIT is not answered, that tells whether it happened.
NUMBERED: Final = f"UPDATE referee SET batch = ? WHERE epoch = ? AND until > {NOW} AND batch < ?"
HAPPENED: Final = "SELECT 1 FROM referee WHERE batch = ? AND epoch = ?"

_TAKE: Final = text(
    f"INSERT INTO referee (id, node, epoch, until, batch, open) VALUES (1, :node, 1, {NOW} + :lease_s, 0, FALSE) "
    "ON CONFLICT (id) DO UPDATE "
    "SET node = excluded.node, epoch = referee.epoch + 1, until = excluded.until, batch = 0, open = FALSE "
    f"WHERE referee.until <= {NOW} RETURNING epoch"
)
_RENEW: Final = text(f"UPDATE referee SET until = {NOW} + :lease_s WHERE epoch = :epoch")
_OPEN: Final = text("UPDATE referee SET open = TRUE WHERE epoch = :epoch")
_RELEASE: Final = text(f"UPDATE referee SET until = {NOW} WHERE epoch = :epoch")
_HOLDER: Final = text("SELECT node FROM referee")

_log = structlog.get_logger(__name__)


class Lease:
    """Held until `close`, or until another server takes it. Thread-safe."""

    def __init__(self, database: Database, node: str, wait_s: float) -> None:
        """Take it, waiting `wait_s` for a server that is about to leave. Raises LeaseHeld and StoreAway."""
        self._database = database
        self._closing = threading.Event()
        self._renewed = time.monotonic()
        try:
            self.epoch = self._take(node, wait_s)
        except SQLAlchemyError as error:
            raise StoreAway(f"{database.name} can't be written ({described(error)}): bring it back.") from None
        self._thread: threading.Thread | None = None

    def keep(self, on_lost: Callable[[LeaseHeld], object]) -> None:
        """Renew it from now on; `on_lost` is called once, in another thread, when another server has taken it."""
        self._thread = threading.Thread(target=self._keep, args=(on_lost,), name="lease", daemon=True)
        self._thread.start()

    @property
    def left_s(self) -> float:
        """Seconds until it expires, by this machine's clock; negative if it could not be renewed in time."""
        return LEASE_S - (time.monotonic() - self._renewed)

    def renew(self) -> bool:
        """False if another server has taken it. Raises SQLAlchemy's errors."""
        began = time.monotonic()
        with self._database.beats.connect() as db:
            kept = db.execute(_RENEW, {"epoch": self.epoch, "lease_s": LEASE_S}).rowcount == 1
        if kept:
            self._renewed = began
        return kept

    def opened(self) -> None:
        """Say that its holder has begun to referee. Raises StoreAway."""
        try:
            with self._database.beats.connect() as db:
                db.execute(_OPEN, {"epoch": self.epoch})
        except SQLAlchemyError as error:
            raise StoreAway(f"{self._database.name} can't be written ({described(error)}): bring it back.") from None

    def why_not(self) -> str:
        """Why nothing can be written, as a sentence; "" if it was renewed in asking."""
        try:
            return "" if self.renew() else str(self.lost())
        except SQLAlchemyError as error:
            return f"{self._database.name} can't be written ({described(error)})."

    def lost(self) -> LeaseHeld:
        """Why nothing is written any more."""
        return LeaseHeld(f"Another server ({self._holder()}) referees now: it took over when this one did not answer.")

    def _holder(self) -> str:
        with self._database.beats.connect() as db:
            return str(db.execute(_HOLDER).scalar())

    def close(self) -> None:
        """Let the next server have it at once. Idempotent."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        try:
            with self._database.beats.connect() as db:
                db.execute(_RELEASE, {"epoch": self.epoch})
        except SQLAlchemyError as error:
            _log.warning("lease not given back: it expires by itself", why=str(error))

    def _take(self, node: str, wait_s: float) -> int:
        until, told = time.monotonic() + wait_s, False
        while True:
            with self._database.beats.connect() as db:
                epoch: int | None = db.execute(_TAKE, {"node": node, "lease_s": LEASE_S}).scalar()
            if epoch is not None:
                return epoch
            if time.monotonic() >= until:
                raise LeaseHeld(
                    f"Another palestra-server ({self._holder()}) uses the database {self._database.name}: stop it "
                    "first, choose another database, or let this one stand by with --node NAME."
                )
            if not told:
                told = True
                why = f"Another palestra-server ({self._holder()}) holds {self._database.name}; waiting {wait_s:g} s."
                _log.warning("database in use", why=why)
            time.sleep(LOOK_S)

    def _keep(self, on_lost: Callable[[LeaseHeld], object]) -> object:
        while not self._closing.wait(RENEW_S):
            try:
                if not self.renew():
                    return on_lost(self.lost())
            except SQLAlchemyError:
                pass  # the writer says that the database is away
        return None


def fenced(statement: str, values: Sequence[object], epoch: int) -> Statement:
    """`statement`, an `INSERT ... SELECT ...` that ends in its FROM clause, for whoever holds the lease alone."""
    return f"WITH fence AS MATERIALIZED ({FENCE}) {statement} WHERE EXISTS (SELECT 1 FROM fence)", (epoch, *values)
