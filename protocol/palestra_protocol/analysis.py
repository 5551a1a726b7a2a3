"""What a judge says about a match: the values of its positions, the classes of its moves, and where it was decided.

`/api/v1/matches/ID/analysis` gives and takes it. Seats instead of names, codes instead of sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict

from palestra_protocol import limits

Class = Literal["only", "good", "forced", "slack", "slip", "blunder"]
# What a search gets wrong: its depth by one, the sign of its evaluation, whose view that takes, who won where a game is
# over, the last action of a list, or a rule: moving again, capturing, the bomb.
Flaw = Literal["depth", "sign", "view", "ends", "last_move", "extra_turn", "capture", "bomb"]
# The refutation of a move is deeper than the bot searched (`deep`: than the judge looked; `unreported`: the bot doesn't
# say how deep it searched). Any sound search, or one with the bot's own evaluation, sees it at the depth searched
# (`search`), or one with ours does (`evaluation`). Much time was left unused (`early`). The clock ended it (`late`),
# or an illegal action, a crash, a resignation or an absence (`forfeit`).
Cause = Literal["horizon", "deep", "unreported", "search", "evaluation", "early", "late", "forfeit", Flaw]

_Ply = Annotated[int, Field(ge=0, le=10_000)]
_Action = Annotated[int, Field(ge=0, le=limits.ACTION_MAX)]
_Seat = Literal[0, 1]
_Count = Annotated[int, Field(ge=0, le=limits.NODES_MAX)]
_Thirds = Annotated[tuple[_Count, _Count, _Count], Strict(False)]
_Key = Literal[
    "depth",
    "needed",
    "beyond",
    "took_ms",
    "move_ms",
    "bought",
    "fits",
    "of",
    "matches",
    "telling",
    "told",
    "sound",
    "worth",
    "other",
    "asked",
]
_Number = Annotated[float, Field(ge=-limits.VALUE_MAX, le=limits.VALUE_MAX)]
_Line = Annotated[tuple[_Action, ...], Strict(False), Field(max_length=limits.PV_MAX)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Estimate(_Part):
    """How a value was found that is not proved. `chance`: of the player to move to win, a draw counting half."""

    depth: Annotated[int, Field(ge=0, le=limits.DEPTH_MAX)]
    nodes: _Count
    chance: Annotated[float, Field(ge=0, le=1)]


class JudgedMove(_Part):
    """A move. `value` of the position before it, for `seat`, which moved; `best` keeps it.

    Proved values: above 0 the position is won, at 0 drawn, below 0 lost. `plies` are left to the end with the best play
    of both, where that is known.
    """

    ply: _Ply
    seat: _Seat
    action: _Action
    value: Annotated[int, Field(ge=-(10**9), le=10**9)]
    best: _Action
    class_: Annotated[Class, Field(alias="class")]
    plies: Annotated[int, Field(ge=0, le=10_000)] | None = None
    estimate: Estimate | None = None


class Decisive(_Part):
    """The loser's last own move before which the match was not lost. `line` goes on from the `better` move."""

    ply: _Ply
    seat: _Seat
    action: _Action
    better: _Action
    line: _Line = ()
    refutation: _Line = ()  # what followed the move that was played, at best
    keeps: _Line = ()  # every action that keeps the value; none: not known, or not clearly better than others


class Diagnosis(_Part):
    """What is wrong with the program at `seat`: a cause, its values, and the position before `ply` as evidence.

    `depth` was searched by the bot's own report; the refutation is first seen at depth `needed`, or not even at
    `beyond`. `took_ms` of `move_ms` were used; the rest would have `bought` so many plies more. A flaw explains `fits`
    of `of` reported values, also of so many other `matches`; no sound search explains the `telling` ones, such as
    `told` where it says `sound` at that depth. `worth`: above 0 the position was won for the bot, below 0 lost. `line`:
    what follows the move that was played, at best.
    """

    code: Cause
    seat: _Seat
    ply: _Ply
    values: Annotated[Mapping[_Key, _Number], Field(max_length=8)]
    line: _Line = ()


class Accuracy(_Part):
    """`kept` values of so many `choices`, unforced moves in positions not yet lost, by thirds of the match."""

    kept: _Thirds
    choices: _Thirds


class Analysis(_Part):
    """`exact`: every value is proved."""

    match: Annotated[str, Field(min_length=1, max_length=limits.ID_MAX)]
    game: Annotated[str, Field(min_length=1, max_length=limits.NAME_MAX)]
    exact: bool
    moves: Annotated[tuple[JudgedMove, ...], Strict(False), Field(max_length=10_000)]
    decisive: Decisive | None = None
    accuracy: Annotated[tuple[Accuracy, Accuracy], Strict(False)]
    # For each seat: what ended the match, a flaw of its search, its decisive move, its worst other moves.
    diagnoses: Annotated[tuple[Diagnosis, ...], Strict(False), Field(max_length=20)] = ()
    nodes: _Count  # what it took


class LiveValue(_Part):
    """What the position after so many plies of a match in play is worth. `chance`: of seat 0 to win, a draw counting
    half; it is 1, 0.5 or 0 if `proved`. `plies` are left to the end with the best play of both, where that is known.
    """

    ply: _Ply
    chance: Annotated[float, Field(ge=0, le=1)]
    proved: bool
    plies: Annotated[int, Field(ge=0, le=10_000)] | None = None


def to_json(analysis: Analysis) -> bytes:
    return analysis.model_dump_json(by_alias=True, exclude_none=True).encode()
