"""The shell around the referee: matches in progress, connected players, running tournaments."""

from palestra_server.runtime.catalogue import DirectorError
from palestra_server.runtime.director import Director
from palestra_server.runtime.embargo import VISITOR, Viewer
from palestra_server.runtime.gate import Gate, NotShown, View
from palestra_server.runtime.house import House
from palestra_server.runtime.live_tournament import LiveTournament
from palestra_server.runtime.roster import NoSuchPlayer, Roster, RosterError
