class RosterError(Exception):
    """The text is one sentence that says what is wrong and what to do."""


class NoSuchPlayer(RosterError): ...
