"""Ratings of a tournament: what they say, and what must not change them."""

import math

import numpy as np
import pytest

from palestra_tournament import Ended, Entrant, begin, parse_spec, playable, standings, standings_csv, step
from palestra_tournament.davidson import ELO, Games, normal_numbers, strengths
from palestra_tournament.rated import ratings, repeats

WIN, DRAW, LOSS = (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)


def drawn(rng, truth, pairs, advantage=60.0):
    """Everybody meets everybody in `pairs` pairs of games, by Davidson's model."""
    games = []
    for a in range(len(truth)):
        for b in range(a):
            for _ in range(pairs):
                pair = len(games)
                for first, second in ((a, b), (b, a)):
                    better = math.exp((truth[first] - truth[second] + advantage) / ELO / 2)
                    weights = np.array([1 / better, 0.2, better])
                    score = rng.choice([0.0, 0.5, 1.0], p=weights / weights.sum())
                    games.append((first, second, 0, score, pair))
    return Games.of(games)


def test_many_games_find_the_strengths_and_the_advantage_of_the_first_seat():
    truth = np.array([-400.0, -100.0, 0.0, 100.0, 400.0])
    found = strengths(drawn(np.random.default_rng(1), truth, 400), 5, 1)
    assert found.mean * ELO == pytest.approx(truth, abs=30)
    assert found.seat_advantage[0] * ELO == pytest.approx(60, abs=20)
    assert found.ranks(1, range(5)) == [(5, 5), (4, 4), (3, 3), (2, 2), (1, 1)]
    assert found.ranks(1, [3, 0]) == [(1, 1), (2, 2)]


@pytest.mark.slow
def test_the_intervals_hold_the_truth():
    rng = np.random.default_rng(2)
    held = []
    for _ in range(40):
        truth = rng.normal(0, 300, 8)
        found = strengths(drawn(rng, truth, 2), 8, 1)
        truth -= truth.mean()
        for player in range(8):
            _, low, high = found.interval(player)
            held.append(low <= truth[player] <= high)
    assert 0.92 <= np.mean(held) <= 0.99


def test_pairs_that_scatter_more_than_single_games_widen_the_intervals():
    games = drawn(np.random.default_rng(3), np.zeros(6), 10)
    # Whoever wins the first leg of a pair wins the second one, too.
    score = games.score.copy()
    score[1::2] = 1 - score[0::2]
    doubled = strengths(Games(games.first, games.second, games.game, score, games.pair), 6, 1)
    assert doubled.dispersion > 1.5
    assert strengths(games, 6, 1).dispersion < 1.2


def test_the_numbers_are_those_that_anybody_draws_from_the_seed():
    numbers = normal_numbers(7, "test", 400, 5)
    assert numbers.shape == (400, 5)
    assert abs(numbers.mean()) < 0.1
    assert numbers.std() == pytest.approx(1, abs=0.05)
    assert (normal_numbers(7, "test", 400, 5) == numbers).all()


def cup(extra="", names=("ana", "bob", "eva"), entrants=(), kind="round-robin"):
    spec = parse_spec(f'name = "cup"\ngames = ["connect4"]\nformat = "{kind}"\nseeding = "roster"\n{extra}')
    t, _ = begin(spec, [*(Entrant(name) for name in names), *entrants], 7, 0)
    return t


def play(t, actions=None):
    """Plays everything, won by who comes first in the alphabet, each game another one unless `actions` are given."""
    for number, fixture in enumerate(t.fixtures):
        moves = actions or (number,)
        t, _ = step(t, Ended(fixture.id, "m", by_name(*fixture.players), "rules", 1, moves, (1,), 0))
    return t


def by_name(first, second):
    return WIN if first < second else LOSS


def test_whoever_won_everything_has_a_finite_rating_and_the_rest_follow():
    rows = standings(play(cup("pairs = 3\n")))
    assert [row.player for row in rows] == ["ana", "bob", "eva"]
    assert 1000 > rows[0].rating > rows[1].rating > rows[2].rating
    assert all(row.rating_low < row.rating < row.rating_high for row in rows)
    assert rows[0].rank_low == 1


def test_the_first_reference_bot_stands_at_zero():
    bots = [Entrant("level1", "", True), Entrant("level4", "", True)]
    t = play(cup('reference = ["level4", "level1"]\n', entrants=bots))
    found = ratings(t)
    assert found.zero == "level4"
    assert found.players["level4"].elo == found.players["level4"].low == 0
    assert found.players["ana"].elo > 0


@pytest.mark.parametrize("kind", ["gauntlet", "round-robin"])
def test_a_reference_bot_takes_no_place(kind):
    best = {"extra": 'reference = ["a1"]\npairs = 9\n', "entrants": [Entrant("a1", "", True)]}
    *students, bot = standings(play(cup(**best, kind=kind)))
    assert (bot.player, bot.rank, bot.rank_low, bot.rank_high) == ("a1", None, None, None)
    assert bot.points > students[0].points, "it would have the first place"
    assert students[0].rank == 1
    assert {row.rank_high for row in students} <= {1, 2, 3}


def test_games_that_repeat_each_other_are_shown_and_narrow_no_interval():
    extra = "cycles = 4\nopenings = false\n"
    repeated = play(cup(extra), (3, 3))
    single = play(cup("cycles = 1\nopenings = false\n"), (3, 3))
    assert len(repeats(repeated.results)) == len(repeated.fixtures) - 6
    assert [row.repeats for row in standings(repeated)] == [12, 12, 12]
    assert [row.points for row in standings(repeated)] == [16.0, 8.0, 0.0]
    for row, other in zip(standings(repeated), standings(single), strict=True):
        assert row.rating_low == pytest.approx(other.rating_low)
        assert row.rating_high == pytest.approx(other.rating_high)


def test_what_nobody_played_is_not_rated():
    t = cup()
    for fixture in t.fixtures:
        t, _ = step(t, Ended(fixture.id, "m", LOSS, "not_ready", 0, (), (), 0))
    rows = standings(t)
    assert all(row.rating is row.rating_low is row.rank_low is None for row in rows)
    assert ratings(t).players == {}
    assert ",," in standings_csv(t)


def test_the_order_in_which_results_come_does_not_matter():
    t = cup()
    there, back = t, t
    for fixture in t.fixtures:
        there, _ = step(there, Ended(fixture.id, "m", by_name(*fixture.players), "rules", 1, (1,), (1,), 0))
    for fixture in reversed(t.fixtures):
        back, _ = step(back, Ended(fixture.id, "m", by_name(*fixture.players), "rules", 1, (1,), (1,), 0))
    assert standings_csv(there) == standings_csv(back)
    assert next(playable(there), None) is None
