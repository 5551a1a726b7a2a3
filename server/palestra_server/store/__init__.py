"""What the server keeps: the journal of all matches, sessions, roster and tournaments; in SQLite or PostgreSQL."""

from palestra_server.store.archive import backup, export, open_to_read
from palestra_server.store.database import Database
from palestra_server.store.errors import JournalBroken, StoreError
from palestra_server.store.journal import Journal, Session
from palestra_server.store.roster import PlayerRow, Players
from palestra_server.store.store import Store
from palestra_server.store.summaries import MatchSummary
from palestra_server.store.tournaments import Readiness, ReadinessBook, Tournaments
from palestra_server.store.writer import Callback

__all__ = [
    "Callback",
    "Database",
    "Journal",
    "JournalBroken",
    "MatchSummary",
    "PlayerRow",
    "Players",
    "Readiness",
    "ReadinessBook",
    "Session",
    "Store",
    "StoreError",
    "Tournaments",
    "backup",
    "export",
    "open_to_read",
]
