"""Hello: who is this connection? Tokens, guests, sessions that prove an identity again."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class KnownSession(NamedTuple):
    """What the book says of an earlier session."""

    player: str
    guest: bool


class Authenticator(Protocol):
    """The roster."""

    def player_for(self, token: str) -> str | None:
        """The player this token belongs to; None if it is nobody's. Must take the same time either way."""

    def is_player(self, name: str) -> bool:
        """Is this name on the roster (so that no guest may carry it)?"""


class SessionBook(Protocol):
    """Remembers sessions across restarts. Only hashes (hex SHA-256) of session ids are handed over."""

    def remember(self, session_hash: str, player: str, guest: bool) -> None:
        """Note a new session. Must not block (queue the write)."""

    def find(self, session_hash: str) -> KnownSession | None:
        """The session with this hash, also from before a restart."""
