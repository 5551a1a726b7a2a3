"""The shell around the referee: matches in progress, who is connected, the tournaments that are being played."""

from palestra_server.runtime.director import Director, DirectorError
from palestra_server.runtime.host import Host
from palestra_server.runtime.live import LiveMatch
from palestra_server.runtime.live_tournament import LiveTournament, scheduled_values
from palestra_server.runtime.messages import EMBARGOED
from palestra_server.runtime.roster import Imported, NoSuchPlayer, NotText, Roster, RosterError, decode
from palestra_server.runtime.server import VERSION, Server
from palestra_server.runtime.settings import Settings
from palestra_server.runtime.snapshots import match_snapshot

__all__ = [
    "EMBARGOED",
    "VERSION",
    "Director",
    "DirectorError",
    "Host",
    "Imported",
    "LiveMatch",
    "LiveTournament",
    "NoSuchPlayer",
    "NotText",
    "Roster",
    "RosterError",
    "Server",
    "Settings",
    "decode",
    "match_snapshot",
    "scheduled_values",
]
