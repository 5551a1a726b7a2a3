"""The roster: who may play, and the token that proves it."""

from palestra_server.runtime.roster.old_file import Roster, RosterError, add_players, read_roster

__all__ = ["Roster", "RosterError", "add_players", "read_roster"]
