"""The roster: who may play, and the token that proves it."""

from palestra_server.runtime.roster.roster import NoSuchPlayer, Roster, RosterError
