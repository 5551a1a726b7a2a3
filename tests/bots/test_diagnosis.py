"""Bots that are broken on purpose are told what is broken, and a healthy one is accused of nothing.

`python -m benchmarks diagnosis` does the same for many matches.
"""

import pytest
from tests.support.broken_matches import FAULTS, Perfect, answers, played

from palestra_bots.judge import judge
from palestra_bots.judge.depths import bought
from palestra_client.arena import diagnosed, openings
from palestra_client.arena.replaying import contradictions, from_map
from palestra_games import get_game

FAIR = {"horizon", "deep", "unreported", "evaluation"}  # no fault of a program
GAME = "mancala"
OPENINGS = openings.drawn(get_game(GAME), 6, 8, 4)


def lost(name, seat=1):
    for opening in OPENINGS:
        told = played(name, GAME, opening, seat, Perfect(GAME))
        if told["returns"][seat] < 0:
            return told
    raise AssertionError(f"{name} lost no match")


def causes(told, analysis, name):
    return [each for each in analysis.diagnoses if told["players"][each.seat] == name]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FAULTS if name not in ("WrongBounds", "NotTheSameTwice")])
def test_the_fault_comes_first_and_nothing_else_is_a_fault(name):
    told = lost(name)
    analysis = judge(told)
    found = causes(told, analysis, name)
    assert {each.code for each in found} - FAIR <= {FAULTS[name]}
    if FAULTS[name] is not None:
        assert found[0].code == FAULTS[name]
        said = "\n".join(diagnosed.of_match(from_map({**told, "why": told["why"]}), analysis, "m"))
        assert name in said


@pytest.mark.slow
def test_a_bot_that_is_asked_again_contradicts_itself_only_if_there_is_chance_in_it():
    told = lost("NotTheSameTwice")
    plies = [move["ply"] for move in told["moves"] if move["seat"] == 1][:4]
    assert any(contradictions(answers("NotTheSameTwice", told, ply, 3)) for ply in plies)
    assert not any(contradictions(answers("Healthy", told, ply, 3)) for ply in plies)


@pytest.mark.parametrize(("depth", "nodes", "took", "plies"), [(6, 729, 10, 4), (6, 729, 900, 0), (1, None, 100, 2)])
def test_unused_time_buys_plies_by_the_growth_of_the_search(depth, nodes, took, plies):
    assert bought(depth, nodes, took, 1000) == plies
