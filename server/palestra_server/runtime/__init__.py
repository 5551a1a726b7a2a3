"""The shell around the referee: matches in progress, connected players, running tournaments."""

from palestra_server.runtime.catalogue import DirectorError
from palestra_server.runtime.director import Director
from palestra_server.runtime.host import Host
from palestra_server.runtime.live import LiveMatch
from palestra_server.runtime.live_tournament import LiveTournament
from palestra_server.runtime.messages import EMBARGOED
from palestra_server.runtime.roster import Imported, NoSuchPlayer, Roster, RosterError
from palestra_server.runtime.server import Server
from palestra_server.runtime.snapshots import match_snapshot

__all__ = [
    "EMBARGOED",
    "Director",
    "DirectorError",
    "Host",
    "Imported",
    "LiveMatch",
    "LiveTournament",
    "NoSuchPlayer",
    "Roster",
    "RosterError",
    "Server",
    "match_snapshot",
]
