"""What can be wrong with the roster, or with what is to be done to it."""


class RosterError(Exception):
    """The text is one sentence that says what is wrong and what to do."""


class NoSuchPlayer(RosterError):
    """Nobody of this name is on the roster."""
