"""What holds in every position of every game that is reached by playing."""

import copy
import json
import pickle

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_games import Game, IllegalAction, State, get_game
from palestra_games.mancala import Mancala

GAMES = [
    *(get_game(name) for name in ("connect4", "connect4-8x8", "desconecta4", "mancala")),
    Mancala(pits=3, seeds=2, capture="any"),
]
# Every game ends within 200 of these choices or is an endless one; short lists shrink to short games.
CHOICES = st.lists(st.integers(0, 7), max_size=200)
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def play(game: Game, choices: list[int]) -> list[State]:
    """All positions of the game in which each choice picks a legal action, until it is over or choices run out."""
    states = [game.initial_state()]
    for choice in choices:
        legal = states[-1].legal_actions()
        if not legal:
            break
        states.append(states[-1].apply(legal[choice % len(legal)]))
    return states


@every_game
@given(choices=CHOICES)
@pytest.mark.slow
def test_the_wire_gives_back_the_same_state(game, choices):
    for state in play(game, choices)[-3:]:
        wire = state.to_wire()
        for travelled in (wire, json.loads(json.dumps(wire)), msgpack.unpackb(msgpack.packb(wire))):
            back = game.from_wire(travelled)
            assert back == state
            assert hash(back) == hash(state)
            assert back.to_wire() == wire
            assert back.legal_actions() == state.legal_actions()
            assert back.returns() == state.returns()
            assert back.to_move == state.to_move


@every_game
@given(choices=CHOICES)
@pytest.mark.slow
def test_apply_leaves_the_state_as_it_was(game, choices):
    state = play(game, choices)[-1]
    before, code = state.to_wire(), hash(state)
    for action in state.legal_actions():
        assert state.apply(action) != state
    assert state.to_wire() == before
    assert hash(state) == code


@every_game
@given(choices=CHOICES)
@pytest.mark.slow
def test_there_are_actions_until_there_are_returns(game, choices):
    for state in play(game, choices):
        legal = state.legal_actions()
        assert legal == tuple(sorted(set(legal)))
        assert (legal == ()) == (state.returns() is not None)
    assert state.returns() in (None, (1.0, -1.0), (-1.0, 1.0), (0.0, 0.0))
    assert all(type(value) is float for value in state.returns() or ())


@every_game
@given(choices=CHOICES, action=st.integers(-3, 12))
@pytest.mark.slow
def test_whatever_is_not_legal_raises(game, choices, action):
    state = play(game, choices)[-1]
    legal = state.legal_actions()
    if action in legal:
        state.apply(action)
        return
    with pytest.raises(IllegalAction) as caught:
        state.apply(action)
    assert (caught.value.action, caught.value.legal) == (action, legal)
    assert str(caught.value).endswith(".")


@every_game
@pytest.mark.parametrize("action", [True, False, 0.0, "0", None, [0]], ids=repr)
def test_what_is_not_an_int_is_not_an_action(game, action):
    with pytest.raises(IllegalAction, match="is of type"):
        game.initial_state().apply(action)


@every_game
def test_an_illegal_action_survives_pickling(game):
    with pytest.raises(IllegalAction) as caught:
        game.initial_state().apply(99)
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (copied.action, copied.legal, str(copied)) == (99, caught.value.legal, str(caught.value))


@every_game
@given(choices=CHOICES)
def test_states_can_be_pickled_and_copied_but_not_changed(game, choices):
    state = play(game, choices)[-1]
    for twin in (pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state)):
        assert twin == state
        assert twin.legal_actions() == state.legal_actions()
        assert twin.to_wire() == state.to_wire()
    with pytest.raises(AttributeError):
        state.to_move = 1 - state.to_move


@every_game
@given(choices=CHOICES)
@pytest.mark.slow
def test_a_view_can_be_drawn_without_knowing_the_game(game, choices):
    state = play(game, choices)[-1]
    view = game.view(state)
    assert len(view.cells) == view.rows * view.cols
    assert tuple(action.action for action in view.actions if action.legal) == state.legal_actions()
    assert [action.name for action in view.actions] == [game.action_name(a.action) for a in view.actions]
    assert all(0 <= index < len(view.cells) for action in view.actions for index in action.cells)
    assert view.returns == state.returns()
    assert view.to_move == (state.to_move if state.returns() is None else None)
    wire = view.to_wire()
    assert json.loads(json.dumps(wire)) == wire
    assert tuple(wire) == view._fields


@every_game
def test_a_view_is_of_the_games_own_states(game):
    stranger = next(other for other in GAMES if type(other) is not type(game)).initial_state()
    with pytest.raises(TypeError, match="This view is for"):
        game.view(stranger)


@every_game
def test_action_names_are_read_back(game):
    actions = [action.action for action in game.view(game.initial_state()).actions]
    for action in actions:
        name = game.action_name(action)
        for text in (name, name.lower(), f"  {name} "):
            assert game.parse_action(text) == action
        with pytest.raises(ValueError, match="no action"):
            game.action_name(action + len(actions))
    assert game.parse_action("2") == 1


@every_game
@pytest.mark.parametrize("text", ["", "PUT", "0", "PUT 0", "-1", "99", "PUT 1 2", "1.0", "²", "BOOM 1", "pull 1"])
def test_other_words_are_no_action(game, text):
    with pytest.raises(ValueError, match="is not an action; write"):
        game.parse_action(text)


@every_game
@pytest.mark.parametrize("action", [-1, 99, True, None, "1"], ids=repr)
def test_other_values_have_no_action_name(game, action):
    with pytest.raises(ValueError, match="no action"):
        game.action_name(action)


ODD_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.lists(st.integers(-1, 6), max_size=3)
)


@every_game
@given(choices=CHOICES, data=st.data())
@pytest.mark.slow
def test_a_spoilt_wire_state_is_refused_in_one_sentence(game, choices, data):
    """One value is replaced by another one: ValueError, or a state that says just that."""
    wire = play(game, choices)[-1].to_wire()
    key = data.draw(st.sampled_from(sorted(wire)))
    value = data.draw(ODD_VALUES)
    if isinstance(wire[key], list) and data.draw(st.booleans()):
        wire[key][data.draw(st.integers(0, len(wire[key]) - 1))] = value
    else:
        wire[key] = value
    sentence = "accepted."
    try:
        assert json.dumps(game.from_wire(wire).to_wire(), sort_keys=True) == json.dumps(wire, sort_keys=True)
    except ValueError as error:
        sentence = str(error)
    assert sentence.endswith(".")
    assert "\n" not in sentence


@every_game
@given(choices=CHOICES, data=st.data())
@pytest.mark.slow
def test_a_wire_state_needs_all_its_keys_and_ignores_others(game, choices, data):
    state = play(game, choices)[-1]
    wire = state.to_wire()
    assert game.from_wire({**wire, "colour": "green"}) == state
    del wire[data.draw(st.sampled_from(sorted(wire)))]
    with pytest.raises(ValueError, match="The state has no"):
        game.from_wire(wire)


@every_game
@pytest.mark.parametrize("wire", [None, 3, [], "cells", b""], ids=repr)
def test_a_wire_state_is_a_map(game, wire):
    with pytest.raises(ValueError, match="is a map"):
        game.from_wire(wire)


HUGE = st.sampled_from([2**31, 2**53, 2**63, 2**64, 10**30, -1, -(2**63)])
LEAF = st.none() | st.booleans() | st.integers() | HUGE | st.floats() | st.text(max_size=4) | st.binary(max_size=4)
LISTS = st.lists(LEAF, max_size=8)
HOSTILE = LEAF | LISTS | st.lists(LISTS, max_size=3) | st.dictionaries(st.text(max_size=4), LISTS | LEAF, max_size=3)


def read(game: Game, wire: object) -> None:
    """A wire that is read is a state like any other; any other is refused in one short sentence."""
    try:
        state = game.from_wire(wire)
    except ValueError as error:
        refusal = error
    else:
        sound(game, state)
        return
    assert type(refusal) is ValueError
    assert str(refusal).endswith(".")
    assert "\n" not in str(refusal)
    assert len(str(refusal)) < 300


def sound(game: Game, state: State) -> None:
    """What every state does, however it came about."""
    assert msgpack.unpackb(msgpack.packb(state.to_wire())) == json.loads(json.dumps(state.to_wire())) == state.to_wire()
    assert game.from_wire(state.to_wire()) == state
    assert (state.legal_actions() == ()) == (state.returns() is not None)


@every_game
@given(wire=HOSTILE)
def test_anything_at_all_is_read_or_refused_in_a_sentence(game, wire):
    read(game, wire)


@every_game
@given(data=st.data(), choices=CHOICES)
@pytest.mark.slow
def test_a_state_with_hostile_values_is_read_or_refused_in_a_sentence(game, data, choices):
    wire = play(game, choices)[-1].to_wire()
    for key in data.draw(st.lists(st.sampled_from(sorted(wire)), min_size=1, max_size=2)):
        value = wire[key]
        if isinstance(value, list) and value and data.draw(st.booleans()):
            value = [*value]
            value[data.draw(st.integers(0, len(value) - 1))] = data.draw(HOSTILE)
            if data.draw(st.booleans()):
                value = value[: data.draw(st.integers(0, len(value)))]
            wire[key] = value
        else:
            wire[key] = data.draw(HOSTILE)
    read(game, wire)


@every_game
@given(value=HOSTILE)
def test_a_hostile_action_is_refused_in_a_sentence(game, value):
    state = game.initial_state()
    if type(value) is int and value in state.legal_actions():
        return
    with pytest.raises(IllegalAction) as refused:
        state.apply(value)
    assert str(refused.value).endswith(".")
    assert len(str(refused.value)) < 300


def test_a_round_that_other_languages_cannot_hold_is_refused():
    game = get_game("desconecta4")
    wire = game.initial_state().to_wire()
    assert game.from_wire({**wire, "round": 2**53 - 1}).round == 2**53 - 1
    with pytest.raises(ValueError, match="round must be an int from 1 to 9007199254740991, not 9007199254740992"):
        game.from_wire({**wire, "round": 2**53})


@every_game
def test_a_number_of_too_many_digits_to_be_printed_is_refused_in_a_sentence(game):
    state, number = game.initial_state(), 1 << 20_000
    for key in state.to_wire():
        for value in (number, [number], {"a": number}):
            read(game, {**state.to_wire(), key: value})
    with pytest.raises(IllegalAction, match="int that can't be shown is not legal"):
        state.apply(number)
