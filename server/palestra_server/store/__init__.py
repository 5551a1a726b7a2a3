"""What the server keeps: the journal of all matches, and the sessions that may be resumed."""

from palestra_server.store.journal import Callback, Journal, Session
from palestra_server.store.schema import JournalBroken, StoreError
from palestra_server.store.summaries import MatchSummary

__all__ = ["Callback", "Journal", "JournalBroken", "MatchSummary", "Session", "StoreError"]
