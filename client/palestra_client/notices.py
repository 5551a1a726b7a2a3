"""What to tell the person at the terminal. The session and the client create notices; the console words them.

Matches are identified by the server's ids; times are in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from palestra_client.match import LastMove, Match, Result
from palestra_protocol.messages import ErrorCode, Info, NoticeCode


@dataclass(frozen=True, slots=True)
class Connected:
    """The server accepted the `hello`. `resumed`: an earlier session continues; `page`: the address of the web page, if
    known.
    """

    player: str
    server: str
    url: str
    resumed: bool
    page: str | None = None


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Connecting failed, or the connection was lost; retrying in `retry_s`. `attempt` counts from 1."""

    url: str
    why: str
    retry_s: float
    attempt: int


@dataclass(frozen=True, slots=True)
class Challenged:
    """This player's challenge was sent, for the first of `games` matches."""

    opponent: str
    game: str
    games: int


@dataclass(frozen=True, slots=True)
class SeriesWaits:
    """The challenge was refused for now and will be repeated until accepted. `why` is the server's sentence."""

    why: str


@dataclass(frozen=True, slots=True)
class NotCounted:
    """A match of the series doesn't count (`Result.counts`). `again`: another is requested in its place."""

    match: Match
    again: bool


@dataclass(frozen=True, slots=True)
class SeriesEnds:
    """The series is over. A result is None if the match ended while disconnected; some may not count."""

    opponent: str
    game: str
    results: tuple[Result | None, ...]


@dataclass(frozen=True, slots=True)
class Noticed:
    """A notice from the server: a `code` of PROTOCOL.md, and a sentence in `message`."""

    code: NoticeCode
    message: str


@dataclass(frozen=True, slots=True)
class VersionsDiffer:
    """The server and this client have different versions."""

    server: str
    client: str
    page: str | None


@dataclass(frozen=True, slots=True)
class MatchBegins:
    """A match begins, or (`resumed`) continues after a lost connection."""

    match: Match
    resumed: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """An action was accepted. `info` is what this player reported with it (None for the opponent's actions)."""

    match: Match
    move: LastMove
    info: Info | None


@dataclass(frozen=True, slots=True)
class MatchEnds:
    result: Result
    board: str | None
    receipt: str | None
    choose_s: float | None
    choosing: bool
    preparing_s: float | None


@dataclass(frozen=True, slots=True)
class MatchGone:
    """The match ended while this client was disconnected; the result is in the server's records."""

    match: Match


@dataclass(frozen=True, slots=True)
class LateAnswer:
    """`choose` returned after its answer was no longer wanted; nothing was sent."""

    match: Match
    ply: int
    took_s: float


@dataclass(frozen=True, slots=True)
class IllegalChoice:
    """The bot chose an illegal action. `board` is the position as text, `legal` the names of the legal actions.

    `wrote` is set for a program whose answer was no action at all: "answered 'left'".
    """

    match: Match
    ply: int
    action: int
    name: str
    board: str
    legal: tuple[tuple[int, str], ...]
    wrote: str | None = None


@dataclass(frozen=True, slots=True)
class BotCrashed:
    """The bot raised an exception in `where` ("choose", "on_start", ...).

    `report` is the traceback without our frames. `file` is where the crash was saved and `command` replays it;
    `problem` says why it could not be saved. `instead` is the name of the action played in its place;
    None if the bot resigned.
    """

    match: Match
    where: str
    ply: int | None
    board: str | None
    report: str
    file: str | None
    command: str | None
    problem: str | None
    instead: str | None

    @property
    def gives_up(self) -> bool:
        """Whether it loses the match."""
        return self.instead is None and self.where not in ("on_end", "fallback")


@dataclass(frozen=True, slots=True)
class StillRunning:
    """`choose` has overrun its time: where the student's code is right now (a stack, oldest call first)."""

    match: Match
    stack: str


@dataclass(frozen=True, slots=True)
class ServerError:
    """The server rejected something; `message` is its sentence."""

    code: ErrorCode
    message: str
    match: str | None


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning, in one sentence."""

    sentence: str


Notice: TypeAlias = (
    Connected
    | Unreachable
    | Challenged
    | SeriesWaits
    | NotCounted
    | SeriesEnds
    | Noticed
    | VersionsDiffer
    | MatchBegins
    | Moved
    | MatchEnds
    | MatchGone
    | LateAnswer
    | IllegalChoice
    | BotCrashed
    | StillRunning
    | ServerError
    | Warned
)
