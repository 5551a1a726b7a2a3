"""What can be wrong with the store; `str()` of each is a sentence that says why and what to do."""

from __future__ import annotations


class StoreError(Exception):
    """The data can't be used."""


class JournalBroken(StoreError):
    """Something could not be written, so nothing is taken any more: what is announced must be on disk."""
