"""What the server keeps: the journal of all matches, and the sessions that may be resumed."""

from palestra_server.store.journal import Journal, Session, rebuild_summaries
from palestra_server.store.schema import JournalBroken, StoreError
from palestra_server.store.summaries import MatchSummary
from palestra_server.store.writer import Callback

__all__ = ["Callback", "Journal", "JournalBroken", "MatchSummary", "Session", "StoreError", "rebuild_summaries"]
