"""Authentication at `hello`: tokens, guests and resumed sessions.

Sans-I/O. Tokens and session ids are secrets: never logged, and compared by hash.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, NamedTuple, Protocol

from palestra_protocol.messages import Hello
from palestra_protocol.reference_bots import REFERENCE_BOTS
from palestra_server.gateway.allowance import Allowance
from palestra_server.gateway.hosts import household
from palestra_server.gateway.interface import Refusal
from palestra_server.names import GUEST_NAME_MAX, clean_name, guises

_PROOFS_MAX: Final = 16
_RECENT_MAX: Final = 4096
GUESSES: Final = 20  # wrong tokens that one address may send in a burst; then one every GUESS_S
GUESS_S: Final = 1.0
TAKEN_BACK: Final = "This token was taken back: ask your teacher for another one."


class PlayerRoster(Protocol):
    """Checks tokens, for the gateway at `hello` and for the page at sign-in."""

    def player_for(self, token: str) -> str | None:
        """The player this token belongs to, or None. Must not leak anything by its timing."""

    def is_taken_back(self, token: str) -> bool:
        """Whether this token, no longer valid, is known to have been somebody's."""

    def token_hash(self, player: str) -> str | None:
        """A hash that changes with the player's token; None for one who is unknown, banned or without a token."""

    @property
    def names(self) -> Collection[str]:
        """The names of the roster, which no guest may take."""


class KnownSession(Protocol):
    @property
    def player(self) -> str: ...

    @property
    def guest(self) -> bool: ...

    @property
    def newest(self) -> bool:
        """Whether no other session of this player was saved later."""

    @property
    def token_hash(self) -> str | None:
        """Hash of the player's token at the time; None for a guest."""


class SessionBook(Protocol):
    """Keeps sessions across restarts. One just saved need not be readable at once."""

    def save_session(self, session: str, player: str, guest: bool, token_hash: str | None) -> None:
        """Save a new session without blocking. An exception means that nothing can be written any more."""

    def session(self, session: str) -> KnownSession | None:
        """The session with this id, even from before a restart; None if unknown."""

    def recent_sessions(self, limit: int) -> Mapping[bytes, KnownSession]:
        """The newest sessions by the SHA-256 of their ids, the newest last."""


class NotSaved(Exception):
    """The book can't save sessions any more; the text is its reason."""


class _Recent(NamedTuple):
    player: str
    guest: bool
    token_hash: str | None
    newest: bool = True


@dataclass(frozen=True, slots=True)
class Admission:
    """Whom a valid `hello` identified."""

    player: str
    guest: bool
    session: str
    resumed: bool  # whether this is known to be the same player as before
    continued: bool = False  # whether it resumed a session of this player: then it is the same program as before, too


class Guesses:
    """Wrong tokens, counted by the address that they come from, which may be a whole class's: whoever sends a right one
    is never held up. For both ports.
    """

    def __init__(self) -> None:
        self._allowance = Allowance(GUESSES, int(GUESS_S * 1e9))

    def player(self, roster: PlayerRoster, token: str, address: str, now: int) -> str | Refusal:
        """Whose token this is. `now`: ns, monotonic."""
        player = roster.player_for(token) if token else None
        if player is not None:
            return player
        if roster.is_taken_back(token):
            # Not a guess, however often it is tried.
            return Refusal("bad_token", TAKEN_BACK)
        home = household(address)
        wait = self._allowance.wait(home, now)
        if wait:
            seconds = -(-wait // 1_000_000_000)
            return Refusal("try_later", f"Many wrong tokens came from your address: try again in {seconds} s.")
        self._allowance.use(home, now)
        return Refusal("bad_token", "Nobody has this token: check it for typing errors, or ask your teacher.")


@dataclass(eq=False)
class Desk:
    """Admits players by their `hello`.

    `connected`: the players connected now. `engaged(name)`: whether a player of this name has unfinished matches.
    """

    roster: PlayerRoster
    book: SessionBook
    guests: bool
    connected: Collection[str]
    engaged: Callable[[str], bool]
    guesses: Guesses

    def __post_init__(self) -> None:
        # The newest sessions: a client that reconnects within milliseconds may be faster than the disk, and after a
        # restart all come at once.
        self._recent: dict[bytes, KnownSession] = dict(self.book.recent_sessions(_RECENT_MAX))
        # Who last had a name: hashes of the sessions that prove to be that guest, its newest and those it was resumed
        # from (a player on the roster needs no proof). A name stays here as long as any session of it is in `_recent`.
        self._holders: dict[str, tuple[bytes, ...]] = {}

    def admit(self, hello: Hello, address: str, now: int) -> Admission | Refusal:
        """Identify the client and open a session. Raises NotSaved, and what `SessionBook.session` raises.

        `now`: ns, monotonic.
        """
        known = self._known(hello.resume)
        if hello.token:
            player = self.guesses.player(self.roster, hello.token, address, now)
            if isinstance(player, Refusal):
                return player
            return self._open(player, guest=False, continued=known is not None and known.player == player)
        if hello.resume and known is not None:
            return self._resume(known, _hash(hello.resume))
        return self._guest(hello)

    def _known(self, session: str | None) -> KnownSession | None:
        if not session:
            return None
        recent = self._recent.get(_hash(session))
        # Unless the player got another name since, which only the book knows.
        current = recent is not None and (recent.guest or self._still_valid(recent))
        return recent if current else self.book.session(session) or recent

    def _still_valid(self, known: KnownSession) -> bool:
        """Sessions of roster players depend on their token: they end when it is replaced or withdrawn."""
        worth = None if known.guest else self.roster.token_hash(known.player)
        return worth is not None and worth == known.token_hash

    def _resume(self, known: KnownSession, proof: bytes) -> Admission | Refusal:
        if not known.guest:
            if self._still_valid(known):
                return self._open(known.player, guest=False, continued=True)
            if known.player not in self.roster.names:
                return Refusal("bad_token", f"{known.player} is no longer on the roster: ask your teacher for a token.")
            return Refusal("bad_token", f"The token of {known.player} has changed: ask your teacher for the new one.")
        if not self.guests:
            return self._no_guests()
        holder = self._holders.get(known.player)
        same = known.newest if holder is None else proof in holder
        taken = self._own_names()
        if not self.engaged(known.player):
            taken = taken.union(*(guises(name) for name in self.connected if name != known.player))
        if not same or not taken.isdisjoint(guises(known.player)):
            # Somebody else took the name, or one that looks like it, in the meantime.
            return self._open(self._free(known.player), guest=True)
        return self._open(known.player, guest=True, resumed=(proof, *(holder or ())), continued=True)

    def _guest(self, hello: Hello) -> Admission | Refusal:
        if hello.name is None:
            way = "a name to play as a guest" if self.guests else "the token that your teacher gave you"
            return Refusal("bad_token", f"Nothing says who you are: send {way}.")
        if not self.guests:
            return self._no_guests()
        name = clean_name(hello.name, GUEST_NAME_MAX)
        if name is None:
            return Refusal(
                "bad_name",
                f"A name has 1 to {GUEST_NAME_MAX} visible characters, a letter or digit among them, and does not "
                "begin with = + - or @: choose another one.",
            )
        return self._open(self._free(name), guest=True)

    def _no_guests(self) -> Refusal:
        return Refusal("guests_off", "Guests are not allowed here: send the token that your teacher gave you.")

    def _free(self, name: str) -> str:
        """`name`, or the first of "name-2", "name-3", ... that is neither taken nor confusable with a taken name."""
        taken = self._own_names().union(*map(guises, self.connected))
        candidate, number = name, 1
        while not taken.isdisjoint(guises(candidate)) or self.engaged(candidate):
            number += 1
            suffix = f"-{number}"
            candidate = name[: GUEST_NAME_MAX - len(suffix)] + suffix
        return candidate

    def _own_names(self) -> frozenset[str]:
        """What no guest may look like: the players on the roster, and the reference bots, running or not."""
        return frozenset().union(*map(guises, self.roster.names), *map(guises, REFERENCE_BOTS))

    def _open(self, player: str, *, guest: bool, resumed: tuple[bytes, ...] = (), continued: bool = False) -> Admission:
        """`resumed`: the sessions that prove that this guest had the name last."""
        session = secrets.token_urlsafe(24)
        try:
            token_hash = None if guest else self.roster.token_hash(player)
            self.book.save_session(session, player, guest, token_hash)
        except Exception as error:
            raise NotSaved(str(error)) from error
        proof = _hash(session)
        proofs = (proof, *dict.fromkeys(resumed))[:_PROOFS_MAX]
        self._recent[proof] = _Recent(player, guest, token_hash)
        _forget_oldest(self._recent)
        self._holders.pop(player, None)
        self._holders[player] = proofs
        _forget_oldest(self._holders)
        return Admission(player, guest, session, resumed=bool(resumed) or not guest, continued=continued)


def _forget_oldest(kept: dict[Any, Any]) -> None:
    if len(kept) > _RECENT_MAX:
        del kept[next(iter(kept))]


def _hash(session: str) -> bytes:
    return sha256(session.encode()).digest()
