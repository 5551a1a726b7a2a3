"""Hypothesis strategies: valid messages of both directions, and values that are nearly messages."""

from __future__ import annotations

from typing import get_args

from hypothesis import strategies as st

from palestra_protocol import limits
from palestra_protocol.messages import (
    Action,
    Challenge,
    EndReason,
    Error,
    ErrorCode,
    Event,
    Hello,
    Info,
    LastAction,
    Limits,
    MatchEnd,
    MatchStart,
    Played,
    Ready,
    Resign,
    Turn,
    Unwatch,
    Watch,
    Welcome,
)


def text(most: int, least: int = 0) -> st.SearchStrategy[str]:
    return st.text(st.characters(codec="utf-8"), min_size=least, max_size=min(most, 12)) | st.just("x" * most)


ids = text(limits.ID_MAX, 1)
names = text(limits.NAME_MAX, 1)
tokens = text(limits.TOKEN_MAX)
topics = text(limits.TOPIC_MAX, 1)
plies = st.integers(0, limits.PLY_MAX)
actions = st.integers(0, limits.ACTION_MAX)
seats = st.sampled_from((0, 1))
finite = st.floats(-limits.VALUE_MAX, limits.VALUE_MAX)


def maybe(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | strategy


infos = st.builds(
    Info,
    depth=maybe(st.integers(0, limits.DEPTH_MAX)),
    nodes=maybe(st.integers(0, limits.NODES_MAX)),
    value=maybe(finite | st.integers(-(10**12), 10**12)),
    pv=maybe(st.lists(actions, max_size=limits.PV_MAX)),
    text=maybe(text(limits.TEXT_MAX)),
)
client_messages = st.one_of(
    st.builds(
        Hello,
        token=tokens,
        client=text(limits.TEXT_MAX),
        name=maybe(names),
        resume=maybe(tokens),
        challenges=st.booleans(),
    ),
    st.builds(Ready, match=ids),
    st.builds(Action, match=ids, ply=plies, action=actions, info=maybe(infos)),
    st.builds(Resign, match=ids),
    st.builds(Challenge, game=ids, opponent=names, seat=maybe(seats), rated=st.booleans()),
    st.builds(Watch, topic=topics, from_=maybe(st.integers(0, limits.SEQ_MAX))),
    st.builds(Unwatch, topic=topics),
)

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text(9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text(9), inner, max_size=4),
    max_leaves=8,
)
maps = st.dictionaries(text(9), plain, max_size=4)
pairs = st.tuples(names, names)
wide = st.integers(0, 10**6)
words = text(30)
server_messages = st.one_of(
    st.builds(
        Welcome,
        session=words,
        player=words,
        server=words,
        limits=st.builds(Limits, frame_bytes=wide, ping_s=finite, hello_s=finite),
        matches=st.lists(ids, max_size=3),
    ),
    st.builds(
        MatchStart,
        match=ids,
        game=ids,
        seat=seats,
        players=pairs,
        move_ms=wide,
        grace_ms=wide,
        ready_ms=wide,
        opening=st.lists(actions, max_size=5),
        away_ms=wide,
        tournament=maybe(ids),
    ),
    st.builds(
        Turn,
        match=ids,
        ply=plies,
        seat=seats,
        state=maps,
        legal=st.lists(actions, max_size=9),
        last=maybe(st.builds(LastAction, ply=plies, seat=seats, action=actions, name=words, charged_ms=finite)),
        remaining_ms=finite,
    ),
    st.builds(Played, match=ids, ply=plies, seat=seats, action=actions, name=words, charged_ms=finite, state=maps),
    st.builds(
        MatchEnd,
        match=ids,
        ply=plies,
        returns=st.tuples(finite, finite),
        reason=st.sampled_from(get_args(EndReason)),
        detail=words,
    ),
    st.builds(
        Error,
        code=st.sampled_from(get_args(ErrorCode)),
        message=words,
        match=maybe(ids),
        ply=maybe(plies),
        legal=maybe(st.lists(actions, max_size=9)),
        fatal=st.booleans(),
    ),
    st.builds(Event, topic=topics, seq=wide, event=maps),
)

odd = (
    plain
    | st.floats()
    | st.integers(-(2**200), 2**200)
    | st.sampled_from([-1, 1.0, "3", True, "", [], {}, None, 2**53 + 1, limits.VALUE_MAX * 2, "x" * 300, [0] * 65])
)


@st.composite
def near_misses(draw: st.DrawFn) -> dict[str, object]:
    """A client's message as a plain map with one thing changed: a key taken out, put in, or given an odd value."""
    fields = dict(draw(client_messages).fields())
    if isinstance(fields.get("info"), Info):
        fields["info"] = dict(fields["info"].fields())
    inner = fields["info"] if isinstance(fields.get("info"), dict) and draw(st.booleans()) else fields
    change = draw(st.sampled_from(["drop", "add", "odd", "odd", "odd"]))
    key = draw(st.sampled_from(sorted(inner)))
    if change == "drop":
        del inner[key]
    else:
        inner[key if change == "odd" else draw(text(9))] = draw(odd)
    return fields
