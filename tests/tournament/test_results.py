"""What a teacher takes home: the tables, the grades, and who is ready."""

import csv
import io
import re

import pytest

from palestra_tournament import (
    Ended,
    Entrant,
    Revealed,
    begin,
    crosstable,
    crosstable_csv,
    earlier_ranks,
    first_loss_of_leader,
    grades,
    grades_csv,
    parse_spec,
    public,
    readiness,
    schedule_csv,
    standings,
    standings_csv,
    step,
    warm_up,
    warm_up_file,
)

WIN, DRAW, LOSS = (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)
NAMES = ("ana", "bob", "eva")


def cup(extra="", names=NAMES, kind="round-robin", games='"connect4"', bots=()):
    text = f'name = "cup"\ngames = [{games}]\nformat = "{kind}"\nseeding = "roster"\nopenings = false\n{extra}'
    t, _ = begin(
        parse_spec(text), [*(Entrant(name, "A") for name in names), *(Entrant(b, "", True) for b in bots)], 7, 0
    )
    return t


def play(t, outcome):
    """Plays every fixture; `outcome(fixture)` gives (returns, reason)."""
    for number, fixture in enumerate(t.fixtures):
        returns, reason = outcome(fixture)
        event = Ended(
            fixture.id, f"m{number}", returns, reason, 2 + number, (3, number % 7), (10, 20 + number), 0, (0, 1)
        )
        t, _ = step(t, event)
    return t


def winner(name):
    """Returns by which `name` wins, if it plays; else the first seat."""
    return lambda fixture: (LOSS if fixture.players[1] == name else WIN, "rules")


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_points_and_tie_breaks_of_a_round_robin():
    # bob and eva have as many points, but eva won both matches between them.
    def outcome(fixture):
        if set(fixture.players) == {"bob", "eva"}:
            return winner("eva")(fixture)
        return (DRAW if "eva" not in fixture.players else winner("ana")(fixture)[0]), "rules"

    table = standings(play(cup(), outcome), rated=False)
    assert [(r.rank, r.player, r.points, r.wins, r.draws, r.losses) for r in table] == [
        (1, "ana", 3.0, 2, 2, 0),
        (2, "eva", 2.0, 2, 0, 2),
        (3, "bob", 1.0, 0, 2, 2),
    ]
    assert table[0].tiebreaks == (("head to head", 0.0), ("Sonneborn-Berger", 5.0), ("wins", 2.0))


def test_players_level_in_everything_share_a_rank():
    assert [row.rank for row in standings(play(cup(), lambda _: (DRAW, "rules")), rated=False)] == [1, 1, 1]


def test_head_to_head_goes_before_sonneborn_berger():
    # dan beat bob twice and has as many points, though bob's were won against better players.
    beats = {"ana": {"dan", "eva"}, "bob": {"ana", "eva"}, "dan": {"bob", "eva"}, "eva": set()}

    def outcome(fixture):
        first, second = fixture.players
        return (WIN if second in beats[first] else LOSS), "rules"

    table = standings(play(cup(names=("ana", "bob", "dan", "eva")), outcome), rated=False)
    assert {row.points for row in table[:3]} == {4.0}
    assert [dict(row.tiebreaks)["head to head"] for row in table[:3]] == [2.0, 2.0, 2.0]
    assert [row.rank for row in table] == [1, 1, 1, 4]


def test_a_swiss_is_ranked_by_buchholz():
    t = play(cup("rounds = 1\n", names=("a", "b", "c"), kind="swiss"), winner("b"))
    table = standings(t, rated=False)
    assert [label for label, _ in table[0].tiebreaks] == ["Buchholz", "Sonneborn-Berger", "head to head"]
    bye = next(row for row in table if row.byes)
    assert bye.points == 2.0
    assert bye.played == 0


def test_the_crosstable_counts_both_seats():
    t = play(cup(), winner("ana"))
    table = crosstable(t)
    assert table.players == ("ana", "bob", "eva")
    assert table.cells[0] == (None, (2.0, 2), (2.0, 2))
    assert rows(crosstable_csv(t)) == [
        ["player", "ana", "bob", "eva"],
        ["ana", "", "2/2", "2/2"],
        ["bob", "0/2", "", "1/2"],
        ["eva", "0/2", "1/2", ""],
    ]


def test_the_tables_are_safe_for_spreadsheets():
    names = ("=cmd|' /C calc'!A0", "+1", '@a,"b"', "-a")
    t = play(cup(names=names), lambda _: (WIN, "rules"))
    for text in (standings_csv(t), crosstable_csv(t), schedule_csv(t), grades_csv(t)):
        assert "\r" not in text
        for cells in rows(text):
            # A negative number is one; everything else that begins so would be a formula.
            assert not any(re.match(r"[=+@]|-(?!\d+$)", cell) for cell in cells), cells
    assert {row[3].removeprefix("'") for row in rows(standings_csv(t))[1:]} == set(names)


def test_the_schedule_tells_each_fixture_and_its_result():
    t = play(cup(names=("ana", "bob")), winner("ana"))
    assert rows(schedule_csv(t)) == [
        ["fixture", "round", "table", "game", "first", "second", "opening", "score", "reason", "match"],
        ["1-1-connect4-1-1", "1", "1", "connect4", "ana", "bob", "", "1:0", "rules", "m0"],
        ["1-1-connect4-1-2", "1", "1", "connect4", "bob", "ana", "", "0:1", "rules", "m1"],
    ]


def test_the_last_round_is_hidden_until_it_is_revealed():
    t = play(cup('embargo = "last-round"\n'), winner("ana"))
    hidden = public(t)
    assert len(t.results) - len(hidden.results) == 2
    assert "m5" not in schedule_csv(hidden)
    t, _ = step(t, Revealed(1))
    assert public(t) is t


RUBRIC = """
reference = ["level1"]
[grades]
maximum = 10
base = 1
beats = [{ level = "level1", points = 3 }, { level = "level1", points = 1, game = "connect4" }]
rating = [{ at_least = -2000, points = 1 }, { at_least = 2000, points = 1 }]
reliability = { points = 2 }
participation = { points = 2 }
top = [{ places = 1, points = 0.5 }]
"""


def test_each_grade_comes_with_the_numbers_that_it_is_made_of():
    def outcome(fixture):
        if "eva" in fixture.players and "level1" in fixture.players:
            return (LOSS if fixture.players[0] == "eva" else WIN), "timeout"
        return winner("ana")(fixture)

    t = play(cup(RUBRIC, bots=("level1",)), outcome)
    graded = {grade.player: grade for grade in grades(t)}
    assert set(graded) == set(NAMES)
    best = graded["ana"]
    assert best.points == 10.0  # 1 + 3 + 1 + 1 + 0 + 2 + 2 + 0.5, but 10 is the most
    assert best.parts[:2] == (("base", 1, {}), ("beats level1", 3, {"scored": 2, "matches": 2}))
    assert ("beats level1 connect4", 1, {"scored": 2, "matches": 2}) in best.parts
    assert best.parts[-1] == ("top 1", 0.5, {"place": 1})
    assert ("reliability", pytest.approx(4 / 3), {"good": 4, "matches": 6}) in graded["eva"].parts
    assert ("participation", 2, {"came": 6, "late": 2, "crashed": 0, "absent": 0, "matches": 6}) in graded["eva"].parts
    for grade in graded.values():
        assert grade.points == pytest.approx(min(10, sum(part.points for part in grade.parts)), abs=0.01)
    header, *table = rows(grades_csv(t))
    assert header[:7] == [
        "player",
        "group",
        "grade",
        "base",
        "beats level1",
        "beats level1 scored",
        "beats level1 matches",
    ]
    eva = dict(zip(header, next(row for row in table if row[0] == "eva"), strict=True))
    assert [eva[key] for key in ("reliability", "reliability good", "reliability matches")] == ["1.33", "4", "6"]
    assert len(table) == 3


def test_an_absent_player_gets_no_points_for_participation():
    def outcome(fixture):
        return (LOSS if fixture.players[0] == "eva" else WIN), "not_ready" if "eva" in fixture.players else "rules"

    t = play(cup(RUBRIC, bots=("level1",)), outcome)
    grade = next(grade for grade in grades(t) if grade.player == "eva")
    assert ("participation", 0, {"came": 0, "late": 0, "crashed": 0, "absent": 6, "matches": 6}) in grade.parts
    assert ("rating -2000", 0, {"low": None}) in grade.parts


def test_a_match_that_the_opponent_gave_up_beforehand_says_nothing_about_coming():
    def outcome(fixture):
        if "eva" not in fixture.players:
            return winner("ana")(fixture)
        if "bob" in fixture.players:
            return (WIN if fixture.players[0] == "eva" else LOSS), "walkover"
        return (LOSS if fixture.players[0] == "eva" else WIN), "not_ready"

    t = play(cup(RUBRIC, bots=("level1",)), outcome)
    parts = {grade.player: grade.parts for grade in grades(t)}
    assert ("participation", 0, {"came": 0, "late": 0, "crashed": 0, "absent": 4, "matches": 4}) in parts["eva"]
    assert (
        "participation",
        pytest.approx(4 / 3),
        {"came": 4, "late": 0, "crashed": 0, "absent": 2, "matches": 6},
    ) in parts["bob"]


def test_without_a_rubric_there_are_no_grades():
    t = play(cup(), winner("ana"))
    assert grades(t) == ()
    assert rows(grades_csv(t)) == [["player", "group", "grade"]]


def test_the_warm_up_tells_who_is_ready_and_why_not():
    spec = warm_up(cup('warm_up = true\nabsent = "wait"\n', games='"connect4", "mancala"').spec)
    entrants = [Entrant("ana"), Entrant("bob"), Entrant("random", "", True), Entrant("level1", "", True)]
    t, _ = begin(spec, entrants, 1, 0)
    assert len(t.fixtures) == 2 * 2 * 2 * 2
    assert {row.ready for row in readiness(t)} == {None}

    def outcome(fixture):
        if "bob" in fixture.players and fixture.game == "mancala":
            return (LOSS if fixture.players[0] == "bob" else WIN), "illegal"
        return (LOSS if fixture.players[0] in ("ana", "bob") else WIN), "rules"

    found = {(row.player, row.game): row for row in readiness(play(t, outcome))}
    # To lose is no reason not to be ready.
    assert [found[key].ready for key in sorted(found)] == [True, True, True, False]
    assert (found["bob", "mancala"].played, found["bob", "mancala"].faults) == (4, {"illegal": 4})
    assert (found["ana", "mancala"].played, found["ana", "mancala"].faults) == (4, {})


def test_who_is_ready_is_known_at_the_end_even_if_a_match_was_void():
    entrants = [Entrant("ana"), Entrant("random", "", True), Entrant("level1", "", True)]
    t, _ = begin(warm_up(parse_spec('name = "cup"\ngames = ["connect4"]\nformat = "swiss"')), entrants, 1, 0)
    first = t.fixtures[0].id
    t = play(t, lambda fixture: (DRAW, "void") if fixture.id == first else (WIN, "rules"))
    assert [row.ready for row in readiness(t)] == [None]
    for again in ("a", "b"):  # and so were the matches in its place
        t, _ = step(t, Ended(first, again, DRAW, "void", 0, (), (), 0, (0, 1)))
    assert [(row.ready, row.played) for row in readiness(t)] == [(True, 3)]


def test_the_file_of_a_warm_up_describes_it():
    spec = parse_spec(
        """
        name = "cup"
        title = 'La "copa" de otoño'
        games = ["connect4", "mancala"]
        format = "groups"
        group_size = 8
        start = 2026-12-01T18:00:00
        warm_up = true
        breaks = ["22:00-07:00"]
        who = { groups = ["A"], players = ["eva"] }
        [clock]
        move_ms = 900
        [grades]
        base = 5
        """
    )
    # What is no key of a gauntlet is left out, and so is the start: it is started by hand.
    expected = warm_up(spec).model_copy(update={"group_size": 4, "start": None})
    assert parse_spec(warm_up_file(spec)).model_dump() == expected.model_dump()


def test_ranks_before_the_latest_round_are_those_that_its_results_move():
    t = cup("rounds = 3", names=("ana", "bob", "dan", "eva"), kind="swiss")
    assert earlier_ranks(t) == {}
    before = {}
    for round in (1, 2, 3):
        for fixture in [each for each in t.fixtures if each.round == round]:
            won = (1.0, -1.0) if fixture.players[0] < fixture.players[1] else (-1.0, 1.0)
            event = Ended(fixture.id, f"m{fixture.id}", won, "rules", 7, (3,), (10,), 0, (0, 0))
            t, _ = step(t, event)
            assert earlier_ranks(t) == before
        before = {row.player: row.rank for row in standings(t, rated=False)}
    assert before["ana"] == 1


def test_the_first_loss_of_the_leader_is_told_of_who_led_alone_and_had_lost_none():
    t = cup("rounds = 3", names=("ana", "bob", "dan", "eva"), kind="swiss")
    told, lost = [], set()
    for round in (1, 2, 3):
        points = {row.player: row.points for row in standings(t, rated=False) if not row.reference}
        led = [name for name, each in points.items() if each == max(points.values())] if round > 1 else []
        for fixture in [each for each in t.fixtures if each.round == round]:
            # The first in the alphabet wins, but for ana in the last round.
            first = min(fixture.players) if "ana" not in fixture.players or round < 3 else max(fixture.players)
            returns = WIN if fixture.players[0] == first else LOSS
            t, _ = step(t, Ended(fixture.id, f"m{fixture.id}", returns, "rules", 7, (3,), (10,), len(t.results)))
            loser = fixture.players[returns.index(-1.0)]
            expected = loser if led == [loser] and loser not in lost else None
            assert first_loss_of_leader(t, f"m{fixture.id}") == expected
            told.append((round, expected))
            lost.add(loser)
    assert [each for each in told if each[1]] == [(3, "ana")], "and not of the second match of the two"
    assert first_loss_of_leader(t, "none") is None
