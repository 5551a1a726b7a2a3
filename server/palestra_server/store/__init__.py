"""What the server keeps: the journal of all matches, sessions, roster and tournaments; in SQLite or PostgreSQL."""

from palestra_server.store.errors import JournalBroken, StoreError
from palestra_server.store.journal import Journal, Session
from palestra_server.store.roster import PlayerRow, Players
from palestra_server.store.store import Store
from palestra_server.store.summaries import MatchSummary
from palestra_server.store.tallies import BY_PLAY, RatedGame, Tallies, Tally
from palestra_server.store.tournaments import Readiness, ReadinessBook, Tournaments
from palestra_server.store.writer import Callback

__all__ = [
    "BY_PLAY",
    "Callback",
    "Journal",
    "JournalBroken",
    "MatchSummary",
    "PlayerRow",
    "Players",
    "RatedGame",
    "Readiness",
    "ReadinessBook",
    "Session",
    "Store",
    "StoreError",
    "Tallies",
    "Tally",
    "Tournaments",
]
