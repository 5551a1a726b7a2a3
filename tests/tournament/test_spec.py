"""Tournament files: what is read, and what a teacher is told about a file that is wrong."""

from datetime import datetime, time

import pytest

from palestra_tournament import FORMATS, SpecError, example_spec, parse_spec
from palestra_tournament.spec import USED_BY, Clock, Rubric, Spec

SMALL = 'name = "cup"\ngames = ["connect4"]\nformat = "round-robin"\n'


def problems(text):
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    assert all(problem.endswith((".", "?")) for problem in caught.value.problems)
    return caught.value.problems


@pytest.mark.parametrize("kind", FORMATS)
def test_the_example_of_each_format_is_a_tournament_and_its_comments_hold(kind):
    text = example_spec(kind)
    spec = parse_spec(text)
    assert spec.format == kind
    # Whoever takes the # from a line gets what the comment promised, and every key is explained.
    lines = [line.removeprefix("# ") if " = " in line.split("  ")[0] else line for line in text.splitlines()]
    lines = [line for line in lines if not line.startswith("#") and (" = " in line or line.startswith("["))]
    full = parse_spec("\n".join(lines))
    assert full.format == kind
    used = [key for key in Spec.model_fields if kind in USED_BY.get(key, FORMATS)]
    assert [key for key in used if f"{key} = " not in text and f"[{key}]" not in text] == []
    assert [key for key in (*Clock.model_fields, *Rubric.model_fields) if f"{key} = " not in text] == []


def test_the_defaults_are_those_that_the_example_shows():
    spec = parse_spec(SMALL)
    assert (spec.cycles, spec.pairs, spec.swap, spec.per_bot, spec.withdraw_after) == (1, 1, True, 1, 3)
    assert spec.clock == Clock(move_ms=2000, grace_ms=100, ready_ms=30000, away_ms=10000, away="clock")
    assert spec.invites("ana", "A")


def test_times_and_who():
    spec = parse_spec(
        SMALL + 'start = 2026-12-01T18:00:00\nbreaks = ["22:00-07:00"]\nwho = { groups = ["A"], players = ["eva"] }\n'
    )
    assert spec.start == datetime(2026, 12, 1, 18)
    assert spec.breaks == ((time(22), time(7)),)
    assert [spec.invites(*who) for who in (("ana", "A"), ("bob", "B"), ("eva", "B"))] == [True, False, True]


def test_all_problems_are_told_at_once_and_each_names_its_key():
    found = problems(
        """
        name = "My Cup"
        games = ["connect4", "chess"]
        format = "swiss"
        cycles = 2
        rouns = 3
        per_bot = "two"
        withdraw_after = -1
        breaks = ["at night"]
        who = 3
        [clock]
        move_ms = 1
        grase_ms = 5
        """
    )
    keys = ("name", "games", "cycles", "rouns", "per_bot", "withdraw_after", "breaks", "who", "clock.move_ms")
    assert len(found) == len(keys) + 1
    for key in (*keys, "clock.grase_ms"):
        assert sum(problem.startswith(f"'{key}'") for problem in found) == 1, key
    assert "'rouns' is not a key of a tournament file; did you mean 'rounds'?" in found
    assert any("grace_ms" in problem for problem in found)


def test_what_is_missing_is_named():
    assert problems("") == ("'name' is missing.", "'games' is missing.", "'format' is missing.")
    assert "'reference'" in problems(SMALL.replace("round-robin", "gauntlet"))[0]
    assert "'games' must not be empty." in problems(SMALL.replace('"connect4"', ""))


def test_a_rubric_that_can_never_apply_is_refused():
    found = problems(SMALL + '[grades]\nbeats = [{ level = "level4", points = 2, game = "mancala" }]\n')
    assert len(found) == 2
    assert "'reference'" in found[0]
    assert "'games'" in found[1]


def test_a_file_that_is_not_toml():
    assert problems("name = cup")[0].startswith("The file is not TOML: ")
