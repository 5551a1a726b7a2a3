"""The roster: who may play, and the token that proves it."""

from palestra_server.runtime.roster.class_list import parse_class_list
from palestra_server.runtime.roster.importing import Imported
from palestra_server.runtime.roster.roster import Issued, NoSuchPlayer, Roster, RosterError
