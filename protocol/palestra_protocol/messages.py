"""The messages of version 1, one class each, and a discriminated union for each direction.

Messages from clients are untrusted: types are strict (no "3", 3.0 or true for a whole number), unknown keys are
refused, and every number and length is bounded. Clients ignore unknown keys in messages from the server. PROTOCOL.md
says what each message means and when it is sent; this module defines the shapes.

All messages are frozen; lists on the wire are tuples here. A field that may be null may also be left out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, TypeAdapter
from pydantic_core import PydanticCustomError

from palestra_protocol import limits

Seat: TypeAlias = Literal[0, 1]  # 0 moves first

# Why a match ended.
EndReason: TypeAlias = Literal["rules", "timeout", "illegal", "resign", "disconnect", "not_ready", "ply_limit", "void"]

# What an `error` is about; PROTOCOL.md says how to handle each.
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
    "elsewhere",
]

NoticeCode: TypeAlias = Literal["queued", "withdrawn", "ready", "tournament"]  # what a `notice` is about


def _seat_or_none(value: object) -> object:
    # A Literal compares with ==, so it would accept true and 1.0 as 1.
    if value is None or (type(value) is int and value in (0, 1)):
        return value
    raise PydanticCustomError("seat_type", "0, 1 or null")


_AnySeat = Annotated[Seat | None, BeforeValidator(_seat_or_none)]
_Version = Annotated[str, Field(max_length=limits.VERSION_MAX, pattern="^[ -~]*$")]
_Id = Annotated[str, Field(min_length=1, max_length=limits.ID_MAX)]
_Name = Annotated[str, Field(min_length=1, max_length=limits.NAME_MAX)]
_Topic = Annotated[str, Field(min_length=1, max_length=limits.TOPIC_MAX)]
_Token = Annotated[str, Field(max_length=limits.TOKEN_MAX)]
_Text = Annotated[str, Field(max_length=limits.TEXT_MAX)]
_Ply = Annotated[int, Field(ge=0, le=limits.PLY_MAX)]
_Action = Annotated[int, Field(ge=0, le=limits.ACTION_MAX)]
_Value = Annotated[float, Field(ge=-limits.VALUE_MAX, le=limits.VALUE_MAX, allow_inf_nan=False)]
# In strict mode pydantic accepts only tuples, but the wire has lists. The items stay strict.
_Actions = Annotated[tuple[int, ...], Strict(False)]
_Names = Annotated[tuple[str, str], Strict(False)]
_Returns = Annotated[tuple[float, float], Strict(False)]
_Budget = Annotated[int, Field(ge=limits.SEAT_MS_MIN, le=limits.SEAT_MS_MAX)]
_SeatBudgets = Annotated[tuple[_Budget | None, _Budget | None], Strict(False)]


class Message(BaseModel):
    """Base class of everything that is sent in a frame."""

    model_config = ConfigDict(strict=True, frozen=True)

    def fields(self) -> dict[str, object]:
        """The keys and values for the wire; nested messages are left as they are.

        This is the instance's own dict, not a copy (the server's hot path): do not modify it.
        """
        return self.__dict__


class _FromClient(Message):
    model_config = ConfigDict(extra="forbid")


class Hello(_FromClient):
    """The first frame on a connection to /play: who is connecting."""

    type: Literal["hello"] = "hello"
    token: _Token
    client: _Text = ""
    version: _Version = ""
    name: _Name | None = None
    resume: _Token | None = None
    challenges: bool = True


class Ready(_FromClient):
    """The player has loaded, warmed up and is ready to play this match."""

    type: Literal["ready"] = "ready"
    match: _Id


class Info(_FromClient):
    """What the player's search found; stored with the move, with no effect on the match."""

    depth: Annotated[int, Field(ge=0, le=limits.DEPTH_MAX)] | None = None
    nodes: Annotated[int, Field(ge=0, le=limits.NODES_MAX)] | None = None
    value: _Value | None = None
    pv: Annotated[tuple[_Action, ...], Strict(False), Field(max_length=limits.PV_MAX)] | None = None
    text: _Text | None = None


class Action(_FromClient):
    """The answer to `turn`. `note`: what the bot's player and the teacher read beside the move, and nobody else."""

    type: Literal["action"] = "action"
    match: _Id
    ply: _Ply
    action: _Action
    info: Info | None = None
    note: Annotated[str, Field(max_length=limits.NOTE_MAX)] | None = None


class Resign(_FromClient):
    """The player resigns the match; `crashed`: because its program failed; `takes_back`: to play on from before."""

    type: Literal["resign"] = "resign"
    match: _Id
    crashed: bool = False
    takes_back: bool = False


class Challenge(_FromClient):
    """Asks for a match outside of tournaments; `seat` is the challenger's own, null lets the server choose.

    `seat_ms` sets each seat's time per move in milliseconds; null keeps the default.
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
    """Subscribes to the events of a topic; with `from`, starting after that number."""

    # `from` is a Python keyword, so the attribute is from_. On the wire it is always "from": the codecs validate by
    # alias alone.
    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    type: Literal["watch"] = "watch"
    topic: _Topic
    from_: Annotated[int, Field(ge=0, le=limits.SEQ_MAX)] | None = Field(
        default=None, validation_alias="from", serialization_alias="from"
    )

    def fields(self) -> dict[str, object]:
        return {"type": self.type, "topic": self.topic, "from": self.from_}


class Unwatch(_FromClient):
    """Ends the subscription to a topic."""

    type: Literal["unwatch"] = "unwatch"
    topic: _Topic


class _FromServer(Message):
    model_config = ConfigDict(extra="ignore")


class Limits(_FromServer):
    """This server's limits: bytes per frame, seconds between pings, seconds until `hello`."""

    frame_bytes: int
    ping_s: float
    hello_s: float


class Welcome(_FromServer):
    """The answer to a valid `hello`; `matches` lists unfinished matches, which are about to resume.

    `server_id` is the same as long as the server keeps its records. `page` is the address of the server's web page,
    "http://HOST:8000", for whoever connected as this client did. `nodes`: where bots find the machines of a server that
    has several; if one does not answer, another will.
    """

    type: Literal["welcome"] = "welcome"
    session: str
    player: str
    server: str
    server_id: str | None = None
    limits: Limits
    matches: Annotated[tuple[str, ...], Strict(False)]
    page: str | None = None
    nodes: Annotated[tuple[str, ...], Strict(False)] = ()


class MatchStart(_FromServer):
    """A match begins, or continues after a lost connection. Times are in milliseconds."""

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


class LastAction(_FromServer):
    """The action before this turn."""

    ply: int
    seat: Seat
    action: int
    name: str
    charged_ms: float


class Turn(_FromServer):
    """It is this player's turn, and the clock is running; `legal` is ascending."""

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
    """The result, which is final and on disk."""

    type: Literal["match_end"] = "match_end"
    match: str
    ply: int
    returns: _Returns
    reason: EndReason
    detail: str
    receipt: str | None = None


class NoticeParts(_FromServer):
    """The sentence of a notice in parts, to say it in another language: which sentence it is, and what stands in it."""

    code: str
    values: dict[str, str | int]


class Notice(_FromServer):
    """News that needs no answer; `message` is a sentence, `code` says what it is about."""

    type: Literal["notice"] = "notice"
    code: NoticeCode
    message: str
    match: str | None = None
    tournament: str | None = None
    parts: NoticeParts | None = None


class Error(_FromServer):
    """Something was refused; `message` says what to do about it. After a fatal error the connection closes.

    `address`, of the code "elsewhere": the machine to connect to instead.
    """

    type: Literal["error"] = "error"
    code: ErrorCode
    message: str
    match: str | None = None
    ply: int | None = None
    legal: _Actions | None = None
    fatal: bool = False
    address: str | None = None


class Event(_FromServer):
    """An event of a topic; `event` is a map with a `type` of its own, described in PROTOCOL.md."""

    type: Literal["event"] = "event"
    topic: str
    seq: int
    event: dict[str, Any]


# What a client may send.
ClientMessage: TypeAlias = Annotated[
    Hello | Ready | Action | Resign | Challenge | Watch | Unwatch, Field(discriminator="type")
]

# What the server may send.
ServerMessage: TypeAlias = Annotated[
    Welcome | MatchStart | Turn | Played | MatchEnd | Notice | Error | Event, Field(discriminator="type")
]

# Building an adapter takes milliseconds, using one about a microsecond: build them once.
CLIENT_MESSAGES: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)
SERVER_MESSAGES: TypeAdapter[ServerMessage] = TypeAdapter(ServerMessage)
