"""Bots that are broken on purpose are told what is broken, and a healthy one is accused of nothing.

`python -m benchmarks diagnosis` does the same for many matches.
"""

from functools import cache

import pytest
from tests.support.broken_matches import FAULTS, Perfect, answers, asking, bots_of, played

from palestra_bots.judge import matches
from palestra_bots.judge.depths import Depths, bought
from palestra_bots.judge.matches import judge
from palestra_bots.judge.models import ENOUGH, Fit, flaw_of
from palestra_client.arena import diagnosed, openings
from palestra_client.arena.agreement import compared
from palestra_client.arena.replaying import contradictions, from_map
from palestra_games import get_game

FAIR = {"horizon", "deep", "unreported", "evaluation"}  # no fault of a program
SEEN = {"search", "evaluation"}  # at the depth that it reported, so that the fault is in one of the two
CASES = [
    *((name, "mancala") for name in bots_of("mancala") if name not in ("WrongBounds", "NotTheSameTwice")),
    *(("IgnoresBombs", "desconecta4"), ("SignError", "connect4-8x8"), ("MemoryTest", "connect4")),
]


@pytest.fixture(autouse=True)
def few_nodes(monkeypatch):
    """For values: the causes of a loss need few."""
    monkeypatch.setattr(matches, "POSITION_NODES", 100_000)
    monkeypatch.setattr(matches, "MATCH_NODES", 500_000)


@cache
def lost(name, game="mancala", seat=1):
    for opening in openings.drawn(get_game(game), 6, 8, 4):
        # In mancala it wins with few nodes as well.
        told = played(name, game, opening, seat, Perfect(game, 20_000 if game == "mancala" else 200_000))
        reported = sum(move["info"] is not None for move in told["moves"])
        if told["returns"][seat] < 0 and (reported >= ENOUGH or FAULTS[name] == "late"):
            return told
    raise AssertionError(f"{name} lost no match")


def causes(told, analysis, name):
    return [each for each in analysis.diagnoses if told["players"][each.seat] == name]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "game"), CASES)
def test_the_fault_comes_first_and_nothing_else_is_a_fault(name, game):
    told = lost(name, game)
    analysis = judge(told)
    found = causes(told, analysis, name)
    assert {each.code for each in found} - FAIR <= {FAULTS[name]}
    if FAULTS[name] is not None:
        assert found[0].code == FAULTS[name]
        said = "\n".join(diagnosed.of_match(from_map({**told, "why": told["why"]}), analysis, "m"))
        assert name in said


def saying(told, plies):
    """The same match, judged from the first of these plies on, with what was reported at them only."""
    before = [move["action"] for move in told["moves"] if move["ply"] < min(plies)]
    rest = told["moves"][len(before) :]
    return told | {
        "match": "few",
        "opening": [*told["opening"], *before],
        "moves": [move if move["ply"] in plies else move | {"info": None} for move in rest],
    }


def flaws(told, others):
    return [(each.code, each.values["matches"]) for each in judge(told, others).diagnoses if "matches" in each.values]


@pytest.mark.slow
def test_other_matches_of_the_program_tell_what_the_values_of_one_leave_open():
    whole = lost("SignError")
    shown = causes(whole, judge(whole), "SignError")[0].ply
    few = saying(whole, (shown,))
    assert "sign" not in {each.code for each in judge(few).diagnoses}
    assert flaws(few, [whole, {"match": "broken"}]) == [("sign", 1)]
    assert flaws(few | {"versions": ("", "2")}, [whole]) == [], "another version is another program"
    odd = next(move["ply"] for move in whole["moves"] if move["info"] and move["ply"] > shown)
    other = saying(whole, (shown, odd))
    other["moves"] = [
        move if move["ply"] != odd else move | {"info": move["info"] | {"value": move["info"]["value"] + 0.125}}
        for move in other["moves"]
    ]
    assert flaws(other, [whole]) == [], "what this match has against it counts more"
    mended = lost("Healthy") | {"players": whole["players"]}
    plies = [move["ply"] for move in mended["moves"] if move["info"]]
    assert flaws(saying(mended, plies[2:4]), [whole]) == [], "nothing in this match speaks for it"


@pytest.mark.slow
def test_what_a_search_of_the_reported_depth_sees_is_laid_to_the_search_or_the_evaluation():
    """Whose evaluation this bot has can't be told from its values, which are those of no search."""
    told = lost("WrongBounds", "connect4")
    analysis = judge(told)
    found = {each.code for each in causes(told, analysis, "WrongBounds") if each.ply == analysis.decisive.ply}
    assert found
    assert found <= SEEN


@pytest.mark.slow
def test_who_takes_bounds_for_values_contradicts_itself_if_asked_and_who_keeps_its_table_does_not():
    told = lost("WrongBounds", "connect4")
    record = from_map(told)
    # As early as four columns are left: with seven it takes five times as long.
    plies = [move["ply"] for move in told["moves"] if move["seat"] == 1]
    plies = [next(ply for ply in plies if len(record.states()[ply].legal_actions()) == 4)]
    codes = [
        compared(asking(name, told), record.game, record.states(), record.actions, plies).code
        for name in ("WrongBounds", "KeepsItsTable")
    ]
    assert codes == ["contradict", "agree"]


@pytest.mark.parametrize(
    ("sound", "flawed", "named"), [(10, 12, True), (9, 11, True), (10, 11, False), (11, 12, False), (9, 10, False)]
)
def test_a_flaw_is_named_by_three_values_that_only_it_explains_or_by_two_if_it_explains_all(sound, flawed, named):
    fits = [Fit("threats", "last_move", flawed, 12), Fit("threats", None, sound, 12)]
    assert (flaw_of(fits) is not None) == named


@pytest.mark.slow
def test_a_bot_that_is_asked_again_contradicts_itself_only_if_there_is_chance_in_it():
    told = lost("NotTheSameTwice")
    plies = [move["ply"] for move in told["moves"] if move["seat"] == 1][:4]
    assert any(contradictions(answers("NotTheSameTwice", told, ply, 8)) for ply in plies)
    assert not any(contradictions(answers("Healthy", told, ply, 3)) for ply in plies)


@pytest.mark.parametrize(("depth", "nodes", "took", "plies"), [(6, 729, 10, 4), (6, 729, 900, 0), (1, None, 100, 2)])
def test_unused_time_buys_plies_by_the_growth_of_the_search(depth, nodes, took, plies):
    assert bought(depth, nodes, took, 1000) == plies


@pytest.mark.slow
def test_a_threat_that_a_search_of_the_reported_depth_sees_is_a_bug_whatever_the_evaluation():
    """Seat 1 says that it searched four plies and that all is well, and lets a column grow to four."""
    actions, said = (6, 1, 6, 2, 6, 3, 6), {1: -3.0, 3: -2.5, 5: -1.5}
    moves = [
        {
            "ply": ply,
            "seat": ply % 2,
            "action": action,
            "info": {"depth": 4, "value": said[ply]} if ply in said else None,
        }
        for ply, action in enumerate(actions)
    ]
    told = {"match": "m", "game": "connect4", "opening": [], "moves": moves, "returns": [1.0, -1.0]}
    found = [(each.code, each.ply) for each in judge(told).diagnoses if each.seat == 1]
    assert found[0] == ("search", 5)
    assert {code for code, _ in found[1:]} <= FAIR


WINS_AT_ONCE = (0, 1, 0, 1, 0, 1)  # in connect4, for seat 0, which is to move


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "actions", "loser", "code", "worth"),
    [
        ("connect4", WINS_AT_ONCE, 0, "illegal", "won"),
        ("connect4", WINS_AT_ONCE, 1, "resigned", "lost"),
        ("connect4-8x8", (), 0, "crashed", "even"),
    ],
)
def test_what_a_match_was_worth_that_no_move_decided_is_told(game, actions, loser, code, worth):
    moves = [{"ply": ply, "seat": ply % 2, "action": action, "info": None} for ply, action in enumerate(actions)]
    why = {"code": code, "player": "ana", "ply": len(actions), "action": 9}
    told = {"match": "m", "game": game, "players": ["ben", "ana"] if loser else ["ana", "ben"], "why": why}
    told |= {"opening": [], "moves": moves, "returns": (1.0, -1.0) if loser else (-1.0, 1.0), "reason": "illegal"}
    analysis = judge(told)
    assert next(each.code for each in analysis.diagnoses if each.seat == loser) == "forfeit"
    said = list(diagnosed.of_match(from_map(told), analysis, "m"))
    assert f"ana, move {len(actions)}: the position was {worth}." in said


def test_what_is_sure_is_seen_with_any_evaluation():
    state = get_game("connect4").initial_state()
    for action in (6, 1, 6, 2, 6):
        state = state.apply(action)
    depths = Depths("connect4")
    assert depths.rejects(state, 0, (2, 3), surely=True)
    assert not depths.rejects(state, 0, (1, 2), surely=True)
    assert not depths.rejects(state, 6, (2, 3), surely=True)
