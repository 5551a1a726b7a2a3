"""The judge against plain minimax over the rules, which shares no code with the solvers."""

import random

import pytest

from palestra_bots.judge import kept, matches
from palestra_bots.judge.matches import Unjudgeable, judge
from palestra_bots.judge.values import sign
from palestra_games import get_game

JUDGED = 12  # plies, the last ones


def random_match(name, seed, judged=JUDGED):
    choose, game = random.Random(seed), get_game(name)
    state, actions = game.initial_state(), []
    while state.returns() is None:
        actions.append(choose.choice(state.legal_actions()))
        state = state.apply(actions[-1])
    return told(name, actions, state.returns(), judged)


def told(name, actions, returns, judged=JUDGED):
    moves = [{"action": action, "charged_ms": 1.0} for action in actions[-judged:]]
    return {"match": "m", "game": name, "opening": actions[:-judged], "moves": moves, "returns": returns}


def actions_of(match):
    return [*match["opening"], *(move["action"] for move in match["moves"])]


def states_of(match):
    state = get_game(match["game"]).initial_state()
    states = [state]
    states.extend(state := state.apply(action) for action in actions_of(match))
    return states


def minimax(state, known):
    """The result for the player to move: 1, 0 or -1."""
    if (result := state.returns()) is not None:
        return int(result[state.to_move])
    if state not in known:
        children = [(state.apply(action), state.to_move) for action in state.legal_actions()]
        known[state] = max(minimax(child, known) * (1 if child.to_move == mover else -1) for child, mover in children)
    return known[state]


def is_late(state):
    if hasattr(state, "pits"):
        return sum(map(sum, state.pits)) <= 9
    return sum(stones.bit_count() for stones in state.stones) >= 30


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect4", "mancala"])
def test_values_and_classes_are_those_of_minimax(name):
    compared = wrong = 0
    for seed in range(60):
        match = random_match(name, seed)
        states = states_of(match)
        late = sum(map(is_late, states[:-1]))
        if not late:
            continue
        known = {}
        for move in judge(told(name, actions_of(match), match["returns"], min(late, JUDGED))).moves:
            if move.estimate is None:
                before, after = states[move.ply], states[move.ply + 1]
                value = minimax(before, known)
                kept = minimax(after, known) * (1 if after.to_move == before.to_move else -1)
                best = before.apply(move.best)
                best_value = minimax(best, known) * (1 if best.to_move == before.to_move else -1)
                faulty = {0: ("only", "good", "forced", "slack"), 1: ("slip",), 2: ("blunder",)}[value - kept]
                wrong += sign(move.value) != value or best_value != value or move.class_ not in faulty
                compared += 1
    assert compared > 15
    assert wrong == 0


# Of these matches the decisive move is late enough for minimax.
@pytest.mark.slow
@pytest.mark.parametrize(("name", "seeds"), [("connect4", (11, 45, 48, 49, 53, 56, 60, 65)), ("mancala", (4, 6))])
def test_the_decisive_move_is_the_last_before_which_it_was_not_lost(name, seeds):
    for seed in seeds:
        match = random_match(name, seed)
        states, decisive = states_of(match), judge(match).decisive
        assert decisive is not None
        known = {}
        loser = int(match["returns"][0] > match["returns"][1])
        worth = [minimax(s, known) * (1 if s.to_move == loser else -1) for s in states[decisive.ply :]]
        assert decisive.seat == loser == states[decisive.ply].to_move
        assert worth[0] >= 0
        assert all(value < 0 for value in worth[1:])
        better = states[decisive.ply].apply(decisive.better)
        assert minimax(better, known) * (1 if better.to_move == loser else -1) >= 0


@pytest.mark.slow
def test_plies_to_the_end_are_those_that_are_played(monkeypatch):
    monkeypatch.setattr(matches, "DECISIVE_NODES", 100_000)  # it is not asked for here
    # Seat 0 stacks column 0 to a line while seat 1 stacks column 1.
    moves = judge(told("connect4", [0, 1, 0, 1, 0, 1, 0], (1.0, -1.0), judged=3)).moves
    assert [move.plies for move in moves] == [3, 2, 1] or moves[-1].plies == 1
    assert moves[-1].value > 0


@pytest.mark.slow
def test_a_move_into_a_proved_loss_is_a_blunder_though_what_was_before_is_an_estimate():
    found = judge(told("connect4-8x8", [3, 3, 4, 3, 2, 3, 1], [1.0, -1.0]))
    before, after = found.moves[3:5]
    assert (before.estimate is None, after.estimate) == (False, None)
    assert (found.decisive.ply, before.class_) == (3, "blunder")
    assert sum(found.accuracy[1].choices) - sum(found.accuracy[1].kept) == 1


@pytest.mark.slow
def test_no_move_decided_by_an_estimate_where_what_it_lost_is_within_the_error_of_estimates():
    # Before move 8 seat 0 has a chance of 0.33, after it 0.21; ten times the nodes find the other move worse.
    actions = [3, 5, 1, 5, 4, 2, 0, 0, 0, 6, 0, 7, 0, 6, 0]
    assert judge(told("desconecta4", actions, [-1.0, 1.0], judged=9)).decisive is None


@pytest.mark.slow
def test_a_move_into_a_proved_loss_decided_however_little_the_estimate_before_it_promised():
    # A chance of 0.34 before move 13, and a proved loss after it; that the other move loses, too, is not proved.
    actions = [7, 7, 4, 5, 1, 5, 0, 6, 7, 3, 7, 3, 2, 7, 6, 5, 6, 5]
    found = judge(told("connect4-8x8", actions, [-1.0, 1.0], judged=10)).decisive
    assert found is not None
    assert (found.ply, found.action, found.better) == (12, 2, 5)


@pytest.mark.slow
def test_the_same_match_gets_the_same_answer():
    match = random_match("desconecta4", 3, judged=6)
    assert judge(match) == judge(match)


@pytest.mark.parametrize(
    ("match", "sentence"),
    [
        (told("connect4", [9], None), "The moves of this match are not legal here"),
        (told("chess", [0], None), "There is no game 'chess'"),
        ({"game": "connect4"}, "can't be read"),
    ],
)
def test_what_cannot_be_judged_is_said_in_a_sentence(match, sentence):
    with pytest.raises(Unjudgeable, match=sentence):
        judge(match)


@pytest.mark.slow
def test_what_was_said_of_a_match_is_kept_and_a_broken_file_is_written_anew(monkeypatch, tmp_path):
    monkeypatch.setattr(kept, "user_cache_path", lambda _: tmp_path)
    match = random_match("desconecta4", 3, judged=6)
    found = kept.judge(match)
    (file,) = tmp_path.rglob("*.json")
    whole = file.read_bytes()
    with monkeypatch.context() as unable:
        unable.setattr(matches, "judge", lambda _: pytest.fail("judged twice"))
        assert kept.judge(match) == found == judge(match)
    file.write_bytes(whole[:-9])
    assert kept.judge(match) == found
    assert file.read_bytes() == whole
