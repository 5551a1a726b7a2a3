"""The database of one server, opened and closed as a whole."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from socket import gethostname

from palestra_server.store.analyses import Analyses
from palestra_server.store.archive import Archive
from palestra_server.store.database import Database, lock_folder
from palestra_server.store.errors import JournalBroken
from palestra_server.store.journal import Journal
from palestra_server.store.lease import WAIT_S, Lease
from palestra_server.store.notes import Notes
from palestra_server.store.preparing import prepare
from palestra_server.store.roster import Players
from palestra_server.store.screen import ScreenBook
from palestra_server.store.tallies import Tallies
from palestra_server.store.teachers import LoggedOut, Teachers
from palestra_server.store.tournaments import ReadinessBook, SeasonFiles, Tournaments
from palestra_server.store.writer import RETRY_S, Writer, wall_clock_ms


class Store:
    """One database, SQLite in the data folder unless a URL names another, and its only writer."""

    def __init__(
        self,
        data: Path,
        database: str | None = None,
        *,
        busy_s: float = 5.0,
        retry_s: float = RETRY_S,
        wait_s: float = WAIT_S,
        node: str | None = None,
        lease: Lease | None = None,
        wall_ms: Callable[[], int] = wall_clock_ms,
        on_fault: Callable[[JournalBroken], object] = lambda _: None,
        on_trouble: Callable[[str | None], object] = lambda _: None,
    ) -> None:
        """Open the folder `data`, creating it if need be, and keep other servers out of it until `close`.

        `busy_s`: how long a write waits for another program that holds the file (a backup, say) before that counts as
        trouble; `retry_s`: the pause before it is retried; `wait_s`: how long to wait for another server that is about
        to leave the same PostgreSQL database; `node`: the name by which that one knows us; `lease`: one that is held
        already, which is the store's from now on; `wall_ms` reads UTC in ms. `on_trouble` gets a sentence
        when nothing can be written for now, and None when it works again; `on_fault` is called once when nothing ever
        will be. Both are called in one of the store's threads. Raises StoreError; LeaseHeld, if another server has the
        database.
        """
        with ExitStack() as stack:
            if lease is not None:
                stack.enter_context(closing(lease))
            stack.enter_context(closing(lock_folder(data)))
            db = stack.enter_context(closing(Database(data, database, busy_s)))
            prepare(db)
            if lease is None and not db.sqlite:
                lease = stack.enter_context(closing(Lease(db, node or gethostname(), wait_s)))
            self._files = stack.pop_all()
        self.lease = lease
        self.cut = db.cut
        self._writer = Writer(db.writer, f"The database {db.name}", on_fault, on_trouble, retry_s, lease, wall_ms)
        if lease is not None:
            lease.keep(self._writer.lose)
        self.analyses = Analyses(db, self._writer)
        self.archive = Archive(db)
        self.journal = Journal(db, self._writer)
        self.notes = Notes(db, self._writer)
        self.players = Players(db, self._writer)
        self.tournaments = Tournaments(db, self._writer)
        self.readiness = ReadinessBook(db, self._writer)
        self.screen = ScreenBook(db, self._writer)
        self.seasons = SeasonFiles(db, self._writer)
        self.tallies = Tallies(db)
        self.teachers = Teachers(db, self._writer)
        self.logged_out = LoggedOut(db, self._writer)

    def hand_over(self) -> None:
        """Write what is queued, end the thread and let the next server write; what is there can still be read."""
        self._writer.close()
        if self.lease is not None:
            self.lease.close()

    def close(self) -> None:
        """Write what is queued, end the thread and unlock the folder. Idempotent."""
        self._writer.close()
        self._files.close()
