from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_tournament.simple import double_round_robin

names = st.lists(st.text("abcdefgh", min_size=1, max_size=3), min_size=2, max_size=9, unique=True)


@given(names)
def test_every_ordered_pair_meets_once_and_nobody_plays_twice_in_a_round(players):
    fixtures = double_round_robin(players, "connect4")
    assert Counter(f.players for f in fixtures) == Counter((a, b) for a in players for b in players if a != b)
    for number in {f.round for f in fixtures}:
        busy = [name for f in fixtures if f.round == number for name in f.players]
        assert len(busy) == len(set(busy))


def test_three_players_make_six_fixtures_in_six_rounds():
    fixtures = double_round_robin(["a", "b", "c"], "mancala")
    assert len(fixtures) == 6
    assert max(f.round for f in fixtures) == 6
    assert {f.game for f in fixtures} == {"mancala"}


@pytest.mark.parametrize("players", [[], ["a"], ["a", "b", "a"]])
def test_a_list_that_cannot_be_paired_is_refused_with_a_sentence(players):
    with pytest.raises(ValueError, match=r"\.$"):
        double_round_robin(players, "connect4")
