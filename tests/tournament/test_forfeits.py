"""Walkovers of those who never came, and what a bot of the host's that was withdrawn leaves behind."""

import csv
import io
from dataclasses import replace

from palestra_tournament import (
    Ended,
    Entrant,
    Notify,
    Reinstated,
    Withdrew,
    begin,
    crosstable,
    grades,
    parse_spec,
    readiness,
    schedule_csv,
    standings,
    step,
)
from palestra_tournament.formats.ladder import pairing_ratings

WIN, DRAW, LOSS = (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)
NAMES = ("ana", "bob", "eva")


def cup(extra="", kind="round-robin", swap="false"):
    text = f'name = "cup"\ngames = ["connect4"]\nformat = "{kind}"\nseeding = "roster"\nswap = {swap}\n{extra}'
    return parse_spec(text)


def started(spec=None, names=NAMES, bots=(), **more):
    return begin(spec or cup(), [*map(Entrant, names), *(Entrant(bot, "", True) for bot in bots)], 7, 0, **more)[0]


def without(t, player):
    return step(t, Withdrew(player, 1))[0]


def play(t, *absent):
    """Plays what is drawn; the first seat wins, unless one is absent."""
    while left := [fixture for fixture in t.fixtures if fixture.id not in t.results]:
        for fixture in left:
            if fixture.id not in t.results:
                away = [player in absent for player in fixture.players]
                returns = {(True, False): LOSS, (False, True): WIN, (True, True): DRAW}.get(tuple(away), WIN)
                reason = "not_ready" if any(away) else "rules"
                t, _ = step(t, Ended(fixture.id, f"m-{fixture.id}", returns, reason, 0, (), (), 0))
    return t


def points(t):
    return {row.player: row.points for row in standings(t, rated=False)}


def test_a_walkover_of_somebody_who_never_came_is_worth_nothing_to_either():
    t = play(without(started(), "bob"), "eva")
    assert points(t) == {"ana": 2.0, "bob": 0.0, "eva": 0.0}
    (eva,) = (row for row in standings(t, rated=False) if row.player == "eva")
    assert (eva.wins, eva.losses, eva.played) == (0, 2, 2)
    table = crosstable(t)
    place = {name: number for number, name in enumerate(table.players)}
    assert table.cells[place["eva"]][place["bob"]] == table.cells[place["bob"]][place["eva"]] == (0.0, 1)
    told = csv.DictReader(io.StringIO(schedule_csv(t)))
    assert [line["score"] for line in told if {line["first"], line["second"]} == {"bob", "eva"}] == ["0:0"]


def test_until_somebody_was_asked_and_after_it_came_once_its_walkovers_count():
    t = without(started(cup("cycles = 2\n")), "bob")
    assert points(t) == {"ana": 2.0, "bob": 0.0, "eva": 2.0}, "nobody was asked to come yet"
    missed, came = (fixture for fixture in t.fixtures if "bob" not in fixture.players)
    seat = missed.players.index("eva")
    t, _ = step(t, Ended(missed.id, "m1", (LOSS, WIN)[seat], "not_ready", 0, (), (), 0))
    assert points(t)["eva"] == 0.0
    t, _ = step(t, Ended(came.id, "m2", DRAW, "rules", 0, (), (), 0))
    assert points(t) == {"ana": 3.5, "bob": 0.0, "eva": 2.5}


def test_what_two_who_went_with_the_same_match_had_not_played_is_worth_nothing_to_either():
    t = started(cup("pairs = 3\nwithdraw_after = 1\n"), NAMES[:2])
    came, missed, rest = t.fixtures
    t, _ = step(t, Ended(came.id, "m1", DRAW, "rules", 0, (), (), 0))
    t, effects = step(t, Ended(missed.id, "m2", DRAW, "not_ready", 0, (), (), 0))
    assert t.withdrawn.keys() == {"ana", "bob"}
    assert t.results[rest.id].points == (0.0, 0.0)
    assert [effect.player for effect in effects if isinstance(effect, Notify)] == list(missed.players)


def test_a_void_match_does_not_tell_who_came():
    t = without(started(), "bob")
    (left,) = (fixture for fixture in t.fixtures if fixture.id not in t.results)
    for number in range(3):
        t, _ = step(t, Ended(left.id, f"m{number}", DRAW, "void", 0, (), (), 0))
    assert points(t) == {"ana": 1.0, "bob": 0.0, "eva": 1.0}


def test_a_player_who_never_came_ranks_below_one_who_won_a_match_of_the_group():
    spec = cup("group_size = 4\nqualify = 2\n", "groups")
    t = started(spec, ("ana", "bob", "eva", "dan"))
    (won,) = (fixture for fixture in t.fixtures if {"ana", "eva"} == set(fixture.players))
    t, _ = step(t, Ended(won.id, "m1", (WIN, LOSS)[won.players.index("eva")], "rules", 0, (), (), 0))
    t = without(without(t, "eva"), "dan")
    (left,) = (fixture for fixture in t.fixtures if fixture.id not in t.results)
    t, _ = step(t, Ended(left.id, "m2", (LOSS, WIN)[left.players.index("bob")], "not_ready", 0, (), (), 0))
    assert t.spec.format.groups(t)[0].index("bob") == 3


def test_a_walkover_decides_who_advances_in_a_bracket():
    t = started(cup("tie_breaks = 0\npairs = 2\n", "elimination"), ("ana", "bob"))
    first = t.fixtures[0]
    t, _ = step(t, Ended(first.id, "m", DRAW, "not_ready", 0, (), (), 0))
    t = without(t, "ana")
    assert t.spec.format.bracket(t)[0][0].winner == "bob"
    assert points(t) == {"ana": 0.0, "bob": 0.0}


def test_a_grade_counts_no_walkover_of_somebody_who_never_came():
    spec = cup("[grades]\nmaximum = 10\nbeats = []\ntop = [{ places = 2, points = 5 }]\n")
    t = play(without(started(spec, (*NAMES, "dan")), "bob"), "eva")
    found = {grade.player: grade.points for grade in grades(t)}
    assert found == {"ana": 5.0, "dan": 5.0, "bob": 0.0, "eva": 0.0}


def test_what_a_withdrawn_bot_of_the_hosts_has_not_played_is_void_until_it_is_back():
    t = started(cup('reference = ["level1"]\n', "gauntlet"), NAMES, ("level1",))
    first = t.fixtures[0]
    t, _ = step(t, Ended(first.id, "m", WIN, "rules", 0, (), (), 0))
    out = without(t, "level1")
    assert out.phase == "completed"
    assert [result.reason for result in out.results.values()] == ["rules", "void", "void"]
    winner = first.players[0]
    assert points(out) == {**dict.fromkeys((*NAMES, "level1"), 0.0), winner: 1.0}
    assert {row.player: row.ready for row in readiness(out)} == {
        name: True if name in first.players else None for name in NAMES
    }
    t = without(started(cup('reference = ["level1"]\n'), NAMES, ("level1",)), "level1")
    assert t.phase == "running"
    back, _ = step(t, Reinstated("level1", 2))
    assert not back.results


def test_a_bye_of_somebody_who_never_came_is_worth_nothing_until_it_comes():
    spec = cup("rounds = 2\nwithdraw_after = 0\n", "swiss")
    t = started(spec)
    (idle,) = t.byes
    absent = t.fixtures[0].players[0]
    t = play(t, absent)
    assert t.round == 2
    assert {bye.player for bye in t.byes} == {idle.player, absent}, "the fewest points"
    assert points(t)[absent] == 0.0
    (missed,) = (fixture for fixture in t.fixtures if absent in fixture.players)
    came = t.but(results={**t.results, missed.id: replace(t.results[missed.id], reason="rules")})
    assert points(came)[absent] == 1.0
    assert points(started(spec))[idle.player] == 1.0, "nobody was asked to come yet"


def test_a_match_that_is_worth_nothing_moves_nobody_on_a_ladder():
    t = started(cup("rounds = 3", kind="ladder"), names=("ana", "bob"))
    fixture = t.fixtures[0]
    for match in range(3):  # it is played again until it stays void
        t, _ = step(t, Ended(fixture.id, f"m-{match}", DRAW, "void", 0, (), (), 0))
    ratings, counts = pairing_ratings(t)
    assert (ratings[fixture.players[0]], sum(counts.values())) == (0.0, 0)
