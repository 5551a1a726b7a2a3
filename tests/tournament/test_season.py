"""A season: its file, its table, its marks."""

import csv
import io
import json
from dataclasses import replace

import pytest
from tests.support.seasons import FILE, LOSS, WIN, cup, play

from palestra_referee.canonical import canonical_json
from palestra_tournament import (
    Entrant,
    Ruled,
    SpecError,
    begin,
    create,
    event_from_record,
    event_to_record,
    parse_spec,
    ratings,
    replay,
    standings,
    step,
)
from palestra_tournament.model import Earlier
from palestra_tournament.records import foreign_event_from_record
from palestra_tournament.season import example_season, parse_season
from palestra_tournament.season_tables import (
    carry_over,
    season_grades,
    season_ratings,
    season_standings,
    season_standings_csv,
)


def strongest(order):
    """Who comes first in `order` wins."""
    return lambda fixture: (WIN if order.index(fixture.players[0]) < order.index(fixture.players[1]) else LOSS, "rules")


def season(extra="", grades="", best=2):
    return parse_season(FILE.format(best=best, extra=extra) + grades)


def table(found):
    return {row.player: (row.rank, row.total, [leg and leg.score for leg in row.legs]) for row in found}


def test_the_best_two_of_three_count():
    played = [
        play(cup("week-1"), strongest(["ana", "bob", "eva"])),
        play(cup("week-2", names=("ana", "bob")), strongest(["bob", "ana"])),
        play(cup("final"), strongest(["eva", "bob", "ana"])),
    ]
    rows = season_standings(season(), played)
    assert table(rows) == {
        "bob": (1, 200.0, [50.0, 100.0, 100.0]),
        "eva": (1, 200.0, [0.0, None, 200.0]),
        "ana": (3, 100.0, [100.0, 0.0, 0.0]),
    }
    bob = next(row for row in rows if row.player == "bob")
    assert [leg.counts for leg in bob.legs] == [False, True, True]
    assert [leg.place for leg in bob.legs] == [2, 1, 2]
    assert (bob.played, bob.wins, bob.losses) == (10, 6, 4)


def test_who_has_another_name_now_is_one_student():
    played = [
        play(cup("week-1", names=("anna", "bob", "eva")), strongest(["anna", "bob", "eva"])),
        play(cup("week-2", names=("ana", "bob", "leo")), strongest(["bob", "ana", "leo"])),
        play(cup("final"), strongest(["eva", "bob", "ana"])),
    ]
    same = season('renamed = { anna = "ana", leo = "bob" }\n')
    rows = season_standings(same, played)
    assert table(rows) == {
        "eva": (1, 200.0, [0.0, None, 200.0]),
        "bob": (1, 200.0, [50.0, 100.0, 100.0]),
        "ana": (3, 150.0, [100.0, 50.0, 0.0]),
        "leo": (4, 0.0, [None, 0.0, None]),  # met bob, so that these are two
    }
    ana = next(row for row in rows if row.player == "ana")
    assert (ana.played, ana.wins, ana.losses) == (12, 6, 6)
    assert ana.rating is not None
    assert ana.rating == season_ratings(played, [same.names(t) for t in played])["ana"]
    assert {row.player for row in season_standings(season(), played)} == {"ana", "anna", "bob", "eva", "leo"}


def test_totals_that_are_equal_are_so_whichever_scores_they_are_made_of():
    names = ("ana", "bob", "eva", "leo", "luz", "noa", "teo")
    played = [
        play(cup("week-1", names=names), strongest(["ana", "bob", "eva", "leo", "luz", "noa", "teo"])),
        play(cup("week-2", names=names), strongest(["ana", "teo", "noa", "bob", "eva", "leo", "luz"])),
        None,
    ]
    found = {row.player: (row.rank, row.total) for row in season_standings(season(), played)}
    assert found["teo"] == found["noa"]
    assert found["teo"][1] == pytest.approx(250 / 3)


def test_who_is_level_shares_and_who_never_came_gets_nothing():
    level = play(cup("week-1"), lambda _: ((0.0, 0.0), "rules"))
    assert [leg.score for row in season_standings(season(), [level, None, None]) for leg in row.legs[:1]] == [50.0] * 3

    def eva_is_away(fixture):
        if "eva" not in fixture.players:
            return WIN, "rules"
        return (LOSS if fixture.players[0] == "eva" else WIN), "not_ready"

    away = season_standings(season(), [play(cup("week-1", "withdraw_after = 0\n"), eva_is_away), None, None])
    assert {row.player: row.legs[0].came for row in away} == {"ana": True, "bob": True, "eva": False}
    assert {row.player: row.total for row in away}["eva"] == 0.0


def test_a_season_of_one_tournament_has_its_ratings():
    t = play(cup("week-1"), strongest(["ana", "bob", "eva"]))
    of_season, own = season_ratings([t]), ratings(t).players
    assert of_season == own
    assert {row.player: row.rating for row in season_standings(season(), [t, None, None])} == own


def test_ratings_carry_over_and_repeated_games_do_not():
    t = play(cup("week-1"), strongest(["ana", "bob", "eva"]))
    again = play(cup("week-2"), strongest(["ana", "bob", "eva"]))
    assert season_ratings([t, again]) == season_ratings([t])
    other = play(cup("week-2"), strongest(["ana", "bob", "eva"]), first=3)
    more, before = season_ratings([t, other])["ana"], season_ratings([t])["ana"]
    assert (before.rank_low, before.rank_high) == (1, 3)
    assert (more.rank_low, more.rank_high) == (1, 2)
    assert season("ratings = 'none'\n").ratings == "none"
    assert all(row.rating is None for row in season_standings(season("ratings = 'none'\n"), [t, other, None]))


def test_a_ruling_and_a_running_tournament_count_as_they_stand():
    whole = play(cup("week-1"), strongest(["ana", "bob", "eva"]))
    match = next(r.match for r in whole.results.values() if set(r.fixture.players) == {"ana", "bob"})
    ruled, _ = step(whole, Ruled(match, "win", "bob", "an appeal", 9))
    assert season_standings(season(), [ruled, None, None]) != season_standings(season(), [whole, None, None])
    begun = cup("week-1")
    assert {row.total for row in season_standings(season(), [begun, None, None])} == {0.0}
    assert season_standings(season(), [None, None, None]) == ()


def test_points_add_up_where_the_file_says_so():
    played = [play(cup("week-1"), strongest(["ana", "bob", "eva"])), None, None]
    own = {row.player: row.points for row in standings(played[0])}
    assert {row.player: row.total for row in season_standings(season("scoring = 'points'\n"), played)} == own


def test_reference_bots_are_in_no_season():
    t = play(cup("week-1", bots=("level1",)), strongest(["level1", "ana", "bob", "eva"]))
    rows = season_standings(season(), [t, None, None])
    assert [row.player for row in rows] == ["ana", "bob", "eva"]
    assert [row.legs[0].score for row in rows] == [100.0, 50.0, 0.0]
    assert rows[0].rating.rank_low == 1


def test_marks_say_what_they_are_made_of():
    rubric = "[grades]\nscore = { points = 6 }\nparticipation = { points = 2 }\ntop = [{ places = 1, points = 1 }]\n"
    played = [
        play(cup("week-1"), strongest(["ana", "bob", "eva"])),
        play(cup("week-2", names=("ana", "bob")), strongest(["ana", "bob"])),
        None,
    ]
    found = {grade.player: grade for grade in season_grades(season(grades=rubric), played)}
    assert [part._asdict() for part in found["ana"].parts] == [
        {"rule": "score", "points": 4.0, "counted": {"total": 200.0, "highest": 300.0}},
        {"rule": "participation", "points": 2.0, "counted": {"came": 2, "begun": 2}},
        {"rule": "top 1", "points": 1.0, "counted": {"place": 1}},
    ]
    assert found["ana"].points == 7.0
    assert found["eva"].points == 1.0
    assert season_grades(season(), played) == ()


def test_the_csv_has_a_column_for_each_tournament_and_whether_it_counts():
    played = [play(cup("week-1"), strongest(["ana", "bob", "eva"])), None, None]
    header, first, *_ = csv.reader(io.StringIO(season_standings_csv(season(), played)))
    row = dict(zip(header, first, strict=True))
    assert row["player"] == "ana"
    assert (row["week-1"], row["week-1 counts"], row["final"], row["final counts"]) == ("100", "1", "", "")
    assert int(row["rating low"]) < int(row["rating"]) < int(row["rating high"])


def test_the_example_is_a_season_as_it_stands_and_with_every_key():
    assert parse_season(example_season()).counting == 3
    assert [leg.name for leg in parse_season(example_season("x", ["cup", "final"])).tournaments] == ["cup", "final"]
    every = "\n".join(line.removeprefix("# ") if " = " in line else line for line in example_season().splitlines())
    assert parse_season(every).grades.top[0].places == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = 'x'\n", "'tournaments' is missing."),
        ("name = 'x'\ntournaments = []\n", "'tournaments' must not be empty."),
        ("name = 'x'\ntournaments = ['a', 'a']\n", "'tournaments': 'a' must not be listed twice."),
        ("name = 'x'\ntournaments = ['a']\nbst = 2\n", "'bst'"),
        ("name = 'x'\ntournaments = ['a']\nscoring = 'points'\ngrades.score = { points = 1 }\n", "grades.score"),
        ("name = 'x'\ntournaments = [{ name = 'a', weight = 0 }]\n", "weight"),
        ("name = 'x'\ntournaments = ['a']\nratings = 'none'\nseeding = 'ratings'\n", "'seeding' needs ratings"),
        ("name = 'x\n", "line 1"),
        (FILE.format(best=2, extra='renamed = { a = "b", b = "c" }'), "line 5, column 1: 'renamed': 'b' must have"),
        (FILE.format(best=2, extra="renamed = { a = 1 }"), "'renamed.a' must be a text in quotes, not 1."),
        (FILE.format(best=2, extra='renamed = { a = "" }'), "'renamed.a' must not be empty."),
        (FILE.format(best=2, extra='renamed = "a"'), "'renamed' must be a table"),
    ],
)
def test_a_faulty_file_is_refused_in_sentences(text, said):
    with pytest.raises(SpecError) as refused:
        parse_season(text)
    assert said in str(refused.value)
    assert all(problem.endswith((".", "?")) for problem in refused.value.problems)


def test_the_order_in_which_results_came_in_changes_no_rating():
    t = play(cup("week-1"), strongest(["ana", "bob", "eva"]))
    turned = replace(t, results=type(t.results)(reversed(list(t.results.items()))))
    assert season_ratings([turned]) == season_ratings([t])


def test_ratings_carry_over_into_the_seeding_of_the_next_tournament():
    """The strongest come first; who has no rating comes after, in the order that the file gives."""
    t = play(cup("week-1"), lambda fixture: (WIN if max(fixture.players) == fixture.players[0] else LOSS, "rules"))
    carried = carry_over("spring", [(t, 14)], ["new", "ana", "bob", "eva", "also-new"])
    assert carried.ratings.keys() == {"ana", "bob", "eva"}
    assert (carried.season, carried.tournaments) == ("spring", (Earlier("week-1", 14),))
    players = [Entrant(name) for name in ("new", "ana", "bob", "also-new", "eva")]
    spec = parse_spec('name = "week-2"\ngames = ["connect4"]\nformat = "round-robin"\nseeding = "roster"\n')
    t, effects = begin(spec, players, 7, 0, carried=carried)
    assert t.seeds == ("eva", "bob", "ana", "new", "also-new")
    began = effects[0].event
    record = json.loads(canonical_json(event_to_record(began)))
    assert record["carried"]["tournaments"] == [{"name": "week-1", "events": 14}]
    assert event_from_record(record) == foreign_event_from_record(record) == began
    assert replay(spec, [create(spec, 7, "", 0), began]) == t
    # Drawn by lot, the others keep the order of their lot.
    drawn = parse_spec('name = "week-2"\ngames = ["connect4"]\nformat = "round-robin"\n')
    lot = begin(drawn, players, 7, 0)[0].seeds
    after = begin(drawn, players, 7, 0, carried=carried)[0].seeds
    assert after == ("eva", "bob", "ana", *(name for name in lot if "new" in name))
