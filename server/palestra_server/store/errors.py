"""Errors of the store; `str()` of each is a sentence that says why and what to do."""

from __future__ import annotations

from palestra_protocol.harmless import ForPeople


class StoreError(ForPeople):
    """The data can't be used."""


class StoreAway(StoreError):
    """The database can't be reached for now; nothing is wrong with the data."""


class JournalBroken(StoreError):
    """A write failed for good, so no more are accepted: what is announced must be on disk."""


class LeaseHeld(StoreError):
    """Another server writes to this database."""
