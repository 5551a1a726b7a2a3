class RosterError(Exception):
    """The text is one sentence that says what is wrong and what to do."""


class NoSuchPlayer(RosterError):
    """Nobody with this name is on the roster."""
