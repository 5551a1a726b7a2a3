"""What a session asks its shell to do, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from palestra_client.match import LastMove, Match, Result
from palestra_client.notices import Notice
from palestra_games import State


@dataclass(frozen=True, slots=True)
class Send:
    """Write this frame. If the connection is gone, drop it: the session sends it again if it matters."""

    frame: bytes


@dataclass(frozen=True, slots=True)
class Prepare:
    """Make a bot for this match and warm it up; then call `bot_ready` or `bot_failed`."""

    match: Match


@dataclass(frozen=True, slots=True)
class Ask:
    """Have the bot of this match choose, then call `chose` or `bot_failed`, with this number.

    `number` grows with every question of the session; `deadline` is on the caller's clock; `history` has the actions
    from the start, None if they are not known.
    """

    match: Match
    number: int
    state: State
    ply: int
    legal: tuple[int, ...]
    last: LastMove | None
    deadline: float
    history: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class SetDeadline:
    """The question is the same, but its deadline has changed (after a lost connection)."""

    match: str
    number: int
    deadline: float


@dataclass(frozen=True, slots=True)
class Withdraw:
    """The answer to this question is no longer wanted; if it comes anyway, still call `chose`."""

    match: str
    number: int


@dataclass(frozen=True, slots=True)
class Finish:
    """The match is over: tell its bot (unless the result is unknown) and discard it."""

    match: str
    result: Result | None


@dataclass(frozen=True, slots=True)
class Later:
    """Call `woken` in `after_s` seconds, unless the session has ended by then."""

    after_s: float


@dataclass(frozen=True, slots=True)
class Show:
    notice: Notice


@dataclass(frozen=True, slots=True)
class Reconnect:
    """Connect again after a pause; `why` is a sentence fragment. `absent`: nobody plays at the address; `sent`: who is
    there named another one.
    """

    why: str
    absent: bool = False
    sent: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop connecting. `sentence` says why and what to do; `failed` is False for an orderly end."""

    sentence: str
    failed: bool


Effect: TypeAlias = Send | Prepare | Ask | SetDeadline | Withdraw | Finish | Later | Show | Reconnect | Stop
