"""The messages of version 1, one class each, and one discriminated union for each direction.

What a client sends is untrusted: strict types (no "3", 3.0 or true for a whole number), no unknown key, every number
and length bounded. What the server sends is read by clients, which skip keys they do not know. PROTOCOL.md says
what each message means and when it is sent; here stand the shapes.

All messages are frozen; lists of the wire are tuples here. A field that may be null may also be left out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, TypeAdapter
from pydantic_core import PydanticCustomError

from palestra_protocol import limits

Seat: TypeAlias = Literal[0, 1]
"""0 moves first."""

EndReason: TypeAlias = Literal["rules", "timeout", "illegal", "resign", "disconnect", "not_ready", "ply_limit", "void"]
"""Why a match ended."""

ErrorCode: TypeAlias = Literal[
    "bad_message",
    "illegal_action",
    "stale_ply",
    "not_your_turn",
    "unknown_match",
    "not_in_match",
    "no_hello",
    "bad_token",
    "replaced",
    "unknown_game",
    "unknown_player",
    "player_busy",
    "challenges_off",
    "self_challenge",
    "guests_off",
    "name_taken",
    "unknown_topic",
    "already_hello",
    "read_only",
    "try_later",
    "bad_name",
]
"""What an `error` is about; PROTOCOL.md says what to do about each."""

NoticeCode: TypeAlias = Literal["queued", "withdrawn", "ready", "tournament"]
"""What a `notice` is about."""


def _seat_or_none(value: object) -> object:
    # A Literal compares with ==, so that it would take true and 1.0 for 1.
    if value is None or (type(value) is int and value in (0, 1)):
        return value
    raise PydanticCustomError("seat_type", "0, 1 or null")


_AnySeat = Annotated[Seat | None, BeforeValidator(_seat_or_none)]
_Id = Annotated[str, Field(min_length=1, max_length=limits.ID_MAX)]
_Name = Annotated[str, Field(min_length=1, max_length=limits.NAME_MAX)]
_Topic = Annotated[str, Field(min_length=1, max_length=limits.TOPIC_MAX)]
_Token = Annotated[str, Field(max_length=limits.TOKEN_MAX)]
_Text = Annotated[str, Field(max_length=limits.TEXT_MAX)]
_Ply = Annotated[int, Field(ge=0, le=limits.PLY_MAX)]
_Action = Annotated[int, Field(ge=0, le=limits.ACTION_MAX)]
_Value = Annotated[float, Field(ge=-limits.VALUE_MAX, le=limits.VALUE_MAX, allow_inf_nan=False)]
# Strict pydantic would take only a tuple for a tuple; the wire knows lists. The items stay strict.
_Actions = Annotated[tuple[int, ...], Strict(False)]
_Names = Annotated[tuple[str, str], Strict(False)]
_Returns = Annotated[tuple[float, float], Strict(False)]
_Budget = Annotated[int, Field(ge=limits.SEAT_MS_MIN, le=limits.SEAT_MS_MAX)]
_SeatBudgets = Annotated[tuple[_Budget | None, _Budget | None], Strict(False)]


class Message(BaseModel):
    """Base of everything that travels in a frame."""

    model_config = ConfigDict(strict=True, frozen=True)

    def fields(self) -> dict[str, object]:
        """The keys and values as they go on the wire, nested messages as they are.

        This is the hot path of the server: the instance's own dict, not a copy. Do not change it.
        """
        return self.__dict__


class _FromClient(Message):
    model_config = ConfigDict(extra="forbid")


class Hello(_FromClient):
    """The first frame of a connection to /play: who is there."""

    type: Literal["hello"] = "hello"
    token: _Token
    client: _Text = ""
    name: _Name | None = None
    resume: _Token | None = None
    challenges: bool = True


class Ready(_FromClient):
    """The player has loaded and warmed up for this match."""

    type: Literal["ready"] = "ready"
    match: _Id


class Info(_FromClient):
    """What the player's search found; kept with the move, never judged."""

    depth: Annotated[int, Field(ge=0, le=limits.DEPTH_MAX)] | None = None
    nodes: Annotated[int, Field(ge=0, le=limits.NODES_MAX)] | None = None
    value: _Value | None = None
    pv: Annotated[tuple[_Action, ...], Strict(False), Field(max_length=limits.PV_MAX)] | None = None
    text: _Text | None = None


class Action(_FromClient):
    """The answer to `turn`."""

    type: Literal["action"] = "action"
    match: _Id
    ply: _Ply
    action: _Action
    info: Info | None = None


class Resign(_FromClient):
    """The player gives the match up."""

    type: Literal["resign"] = "resign"
    match: _Id


class Challenge(_FromClient):
    """Asks for a match outside a tournament; `seat` is the challenger's own, null leaves it to the server.

    `seat_ms` gives a seat another time for each move, in milliseconds; null leaves it as it is.
    """

    type: Literal["challenge"] = "challenge"
    game: _Id
    opponent: _Name
    seat: _AnySeat = None
    rated: bool = False
    opening: Annotated[tuple[_Action, ...], Strict(False), Field(max_length=limits.OPENING_MAX)] | None = None
    seat_ms: _SeatBudgets | None = None
    wait: bool = False


class Watch(_FromClient):
    """Asks for the events of a topic; with `from`, those after this number that the watcher does not have yet."""

    # `from` is a keyword of Python: the attribute is from_. The wire only ever says from, so that the codecs
    # validate by alias alone.
    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    type: Literal["watch"] = "watch"
    topic: _Topic
    from_: Annotated[int, Field(ge=0, le=limits.SEQ_MAX)] | None = Field(
        default=None, validation_alias="from", serialization_alias="from"
    )

    def fields(self) -> dict[str, object]:
        return {"type": self.type, "topic": self.topic, "from": self.from_}


class Unwatch(_FromClient):
    """Ends the events of a topic."""

    type: Literal["unwatch"] = "unwatch"
    topic: _Topic


class _FromServer(Message):
    model_config = ConfigDict(extra="ignore")


class Limits(_FromServer):
    """What this server allows: bytes a frame, seconds between pings, seconds until `hello`."""

    frame_bytes: int
    ping_s: float
    hello_s: float


class Welcome(_FromServer):
    """The answer to a good `hello`; `matches` are the unfinished ones, which are about to be resumed."""

    type: Literal["welcome"] = "welcome"
    session: str
    player: str
    server: str
    limits: Limits
    matches: Annotated[tuple[str, ...], Strict(False)]


class At(_FromServer):
    """Where a match is refereed, if not here: the ticket is the token of the `hello` there."""

    url: str
    ticket: str


class MatchStart(_FromServer):
    """A match begins, or goes on after a lost connection. Times are in milliseconds."""

    type: Literal["match_start"] = "match_start"
    match: str
    game: str
    seat: Seat
    players: _Names
    move_ms: int
    grace_ms: int
    ready_ms: int
    opening: _Actions
    away_ms: int
    tournament: str | None = None
    rated: bool = False
    seat_ms: Annotated[tuple[int, int], Strict(False)] | None = None
    at: At | None = None


class LastAction(_FromServer):
    """The action before this turn."""

    ply: int
    seat: Seat
    action: int
    name: str
    charged_ms: float


class Turn(_FromServer):
    """This player has to move: `legal` is ascending, the clock runs."""

    type: Literal["turn"] = "turn"
    match: str
    ply: int
    seat: Seat
    state: dict[str, Any]
    legal: _Actions
    last: LastAction | None = None
    remaining_ms: float


class Played(_FromServer):
    """An action was accepted; `state` is the position after it."""

    type: Literal["played"] = "played"
    match: str
    ply: int
    seat: Seat
    action: int
    name: str
    charged_ms: float
    state: dict[str, Any]


class MatchEnd(_FromServer):
    """The result, which is on disk and stays."""

    type: Literal["match_end"] = "match_end"
    match: str
    ply: int
    returns: _Returns
    reason: EndReason
    detail: str
    receipt: str | None = None


class Notice(_FromServer):
    """News for the player that asks for nothing; `message` is a sentence, `code` says what it is about."""

    type: Literal["notice"] = "notice"
    code: NoticeCode
    message: str
    match: str | None = None
    tournament: str | None = None


class Error(_FromServer):
    """Something was not accepted; `message` says what to do. After a fatal one the connection closes."""

    type: Literal["error"] = "error"
    code: ErrorCode
    message: str
    match: str | None = None
    ply: int | None = None
    legal: _Actions | None = None
    fatal: bool = False


class Event(_FromServer):
    """Something happened in a topic; `event` is a map with its own `type`, described in PROTOCOL.md."""

    type: Literal["event"] = "event"
    topic: str
    seq: int
    event: dict[str, Any]


ClientMessage: TypeAlias = Annotated[
    Hello | Ready | Action | Resign | Challenge | Watch | Unwatch, Field(discriminator="type")
]
"""What a client may send."""

ServerMessage: TypeAlias = Annotated[
    Welcome | MatchStart | Turn | Played | MatchEnd | Notice | Error | Event, Field(discriminator="type")
]
"""What the server may send."""

# Building an adapter costs milliseconds, using one about a microsecond: these two are the only ones.
CLIENT_MESSAGES: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)
SERVER_MESSAGES: TypeAdapter[ServerMessage] = TypeAdapter(ServerMessage)
