"""The frames that are built as plain maps are the messages that the protocol knows."""

import pytest

from palestra_games import get_game
from palestra_protocol.codecs import JSON, MSGPACK
from palestra_protocol.messages import Played, Turn
from palestra_referee import Acted, Attached, BecameReady, MatchConfig, SendPlayed, SendTurn, TurnWritten, start, step
from palestra_referee.frames import move_fields, played_message, turn_message


def effects_of_a_ply():
    """The match after one action, and the `turn` and `played` that follow from it."""
    match, _ = start(MatchConfig("m1", "connect4", ("ann", "bob"), 2000, 100, 30_000, 10_000, 200), 0)
    for event in (
        Attached(0, 1),
        Attached(1, 2),
        BecameReady(0, 3),
        BecameReady(1, 4),
        TurnWritten(0, 5),
        Acted(0, 0, 3, 1_234_567, 1_300_000),
    ):
        match, effects = step(match, event)
    (turn,) = (effect for effect in effects if isinstance(effect, SendTurn))
    played, *_ = (effect for effect in effects if isinstance(effect, SendPlayed))
    return match, turn, played


@pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["msgpack", "json"])
def test_turn_and_played_are_the_messages_of_the_protocol(codec):
    match, turn, played = effects_of_a_ply()
    game, state = get_game("connect4"), match.state.to_wire()
    last = move_fields(played.move, game)
    for wire, model in ((turn_message(match, turn, state, last), Turn), (played_message(match, last, state), Played)):
        assert wire.keys() == model.model_fields.keys()
        message = codec.decode_server(codec.encode(wire))
        assert type(message) is model
        assert codec.encode(message) == codec.encode(wire)
    assert last == {"ply": 0, "seat": 0, "action": 3, "name": "PUT 4", "charged_ms": 1.235}
