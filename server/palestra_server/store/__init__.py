"""Persistence: the journal of all matches, sessions, roster and tournaments; in SQLite or PostgreSQL."""

from palestra_server.store.archive import Archive, open_archive
from palestra_server.store.database import lock_folder
from palestra_server.store.errors import JournalBroken, LeaseHeld, StoreAway, StoreError
from palestra_server.store.journal import Journal, Session
from palestra_server.store.lease import Lease
from palestra_server.store.nodes import Cluster, NameTaken, Node, Nodes, SeenNode, open_nodes
from palestra_server.store.notes import Note
from palestra_server.store.repairing import repair
from palestra_server.store.roster import PlayerRow, Players
from palestra_server.store.screen import ScreenBook
from palestra_server.store.store import Store
from palestra_server.store.summaries import NOTHING, Hidden, MatchSummary, Which
from palestra_server.store.tallies import BY_PLAY, By, Counted, RatedGame, Tally
from palestra_server.store.teachers import LoggedOut, Rights, TeacherRow, Teachers
from palestra_server.store.tournaments import NewTournament, ReadinessBook, SeasonFiles, Tournaments
from palestra_server.store.writer import wall_clock_ms
