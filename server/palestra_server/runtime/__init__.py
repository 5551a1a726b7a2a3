"""The shell around the referee: matches in progress, who is connected, the tournament that is being played."""

from palestra_server.runtime.director import play_fixtures
from palestra_server.runtime.host import Host
from palestra_server.runtime.live import LiveMatch
from palestra_server.runtime.roster import Imported, NoSuchPlayer, NotText, Roster, RosterError, decode
from palestra_server.runtime.server import VERSION, Server
from palestra_server.runtime.settings import Settings

__all__ = [
    "VERSION",
    "Host",
    "Imported",
    "LiveMatch",
    "NoSuchPlayer",
    "NotText",
    "Roster",
    "RosterError",
    "Server",
    "Settings",
    "decode",
    "play_fixtures",
]
