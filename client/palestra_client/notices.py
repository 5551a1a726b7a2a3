"""What there is to tell the person at the terminal. The session and the client make these; the console words them.

Names of matches are the server's ids; times are seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from palestra_client.match import LastMove, Match, Result
from palestra_protocol import Info, NoticeCode


@dataclass(frozen=True, slots=True)
class Connected:
    """The server took the `hello`. `resumed`: an earlier session goes on."""

    player: str
    server: str
    url: str
    resumed: bool


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A connection could not be made or was lost; the next try is in `retry_s`. `attempt` counts from 1."""

    url: str
    why: str
    retry_s: float
    attempt: int


@dataclass(frozen=True, slots=True)
class Challenged:
    """This player's challenge was sent, the first of `games`."""

    opponent: str
    game: str
    games: int


@dataclass(frozen=True, slots=True)
class SeriesWaits:
    """The challenge was refused for now, `why` is the server's sentence; it is made again until it is taken."""

    why: str


@dataclass(frozen=True, slots=True)
class SeriesEnds:
    """As many matches were played as were asked for. A result is None where the connection was away at the end."""

    opponent: str
    game: str
    results: tuple[Result | None, ...]


@dataclass(frozen=True, slots=True)
class Noticed:
    """News from the server; `code` as in PROTOCOL.md, `message` its sentence."""

    code: NoticeCode
    message: str


@dataclass(frozen=True, slots=True)
class VersionsDiffer:
    """The server is of another version than this client."""

    server: str
    client: str
    url: str


@dataclass(frozen=True, slots=True)
class MatchBegins:
    """A match begins, or (`resumed`) goes on after a lost connection."""

    match: Match
    resumed: bool


@dataclass(frozen=True, slots=True)
class MatchElsewhere:
    """Another node referees this match: a second connection goes there."""

    match: str
    url: str


@dataclass(frozen=True, slots=True)
class Moved:
    """An action was accepted. `info` is what this player reported with it (None for the opponent's)."""

    match: Match
    move: LastMove
    info: Info | None


@dataclass(frozen=True, slots=True)
class MatchEnds:
    """The result. `choose_s` is how long the last `choose` took, or (`choosing`) has taken so far; None if there was
    none. `preparing_s` is set when the bot was not ready yet: how long it has been getting ready. `board` is the last
    position as text, None if none was seen; `receipt` the server's fingerprint of the record."""

    result: Result
    board: str | None
    receipt: str | None
    choose_s: float | None
    choosing: bool
    preparing_s: float | None


@dataclass(frozen=True, slots=True)
class MatchGone:
    """The match ended on the server while this client was away; the result is in the server's records."""

    match: Match


@dataclass(frozen=True, slots=True)
class LateAnswer:
    """`choose` came back when its answer was no longer wanted; nothing was sent."""

    match: Match
    ply: int
    took_s: float


@dataclass(frozen=True, slots=True)
class IllegalChoice:
    """The bot chose an action that is not legal. `board` is the position as text, `legal` the names allowed."""

    match: Match
    ply: int
    action: int
    name: str
    board: str
    legal: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class BotCrashed:
    """The bot raised an exception in `where` ("choose", "on_start", ...). `report` is its traceback, without our
    frames. `file` is where it was saved and `command` replays it; `problem` says why it could not be saved.
    `instead` is the name of the action that was played in its place; None: the match was given up."""

    match: Match
    where: str
    ply: int | None
    board: str | None
    report: str
    file: str | None
    command: str | None
    problem: str | None
    instead: str | None


@dataclass(frozen=True, slots=True)
class StillRunning:
    """`choose` is over its time: where in the student's code it is right now (a stack, oldest call first)."""

    match: Match
    stack: str


@dataclass(frozen=True, slots=True)
class ServerError:
    """The server did not accept something; `message` is its sentence."""

    code: str
    message: str
    match: str | None


@dataclass(frozen=True, slots=True)
class Warned:
    """Something the person should know; one sentence."""

    sentence: str


Notice: TypeAlias = (
    Connected
    | Unreachable
    | Challenged
    | SeriesWaits
    | SeriesEnds
    | Noticed
    | VersionsDiffer
    | MatchBegins
    | MatchElsewhere
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
