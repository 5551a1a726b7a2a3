"""Tournament files: what is read, and what a teacher is told about a file that is wrong."""

import tomllib
from datetime import datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_tournament import SpecError, example_spec, faults_of, installed_formats, parse_spec
from palestra_tournament.spec import Clock, Rubric, Spec
from palestra_tournament.toml_places import layout

SMALL = 'name = "cup"\ngames = ["connect4"]\nformat = "round-robin"\n'


def problems(text):
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    assert all(problem.endswith((".", "?")) for problem in caught.value.problems)
    return caught.value.problems


@pytest.mark.parametrize("kind", installed_formats().values())
def test_the_example_of_each_format_is_a_tournament_and_its_comments_hold(kind):
    text = example_spec(kind)
    spec = parse_spec(text)
    assert isinstance(spec.format, kind)
    # Whoever takes the # from a line gets what the comment promised, and every key is explained.
    lines = [line.removeprefix("# ") if " = " in line.split("  ")[0] else line for line in text.splitlines()]
    lines = [line for line in lines if not line.startswith("#") and (" = " in line or line.startswith("["))]
    full = parse_spec("\n".join(lines))
    assert isinstance(full.format, kind)
    used = [*Spec.model_fields, *kind.model_fields]
    assert [key for key in used if f"{key} = " not in text and f"[{key}]" not in text] == []
    assert [key for key in (*Clock.model_fields, *Rubric.model_fields) if f"{key} = " not in text] == []


def test_the_defaults_are_those_that_the_example_shows():
    spec = parse_spec(SMALL)
    assert (spec.format.cycles, spec.pairs, spec.swap, spec.per_bot, spec.withdraw_after) == (1, 1, True, 1, 3)
    assert spec.clock == Clock(move_ms=2000, grace_ms=100, ready_ms=30000, away_ms=10000, away="bank")
    assert spec.invites("ana", "A")


def test_times_and_who():
    spec = parse_spec(
        SMALL + 'start = 2026-12-01T18:00:00\nbreaks = ["22:00-07:00"]\nwho = { groups = ["A"], players = ["eva"] }\n'
    )
    assert spec.start == datetime(2026, 12, 1, 18)
    assert spec.breaks == ((time(22), time(7)),)
    who = ("ana", "A"), ("bob", "B"), ("eva", "B"), ("ida", "")
    assert [spec.invites(*one) for one in who] == [True, False, True, False]


def test_a_group_is_the_same_in_every_spelling():
    spec = parse_spec(SMALL + 'who = { groups = ["2º  b", " "] }\n')
    who = ("ana", "2º B"), ("bob", "2o\u00a0b"), ("eva", "2"), ("ida", "")
    assert [spec.invites(*one) for one in who] == [True, True, False, False]


def test_all_problems_are_told_at_once_and_each_names_its_key():
    text = """
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
    found = problems(text)
    keys = ("name", "games", "cycles", "rouns", "per_bot", "withdraw_after", "breaks", "who", "clock.move_ms")
    assert len(found) == len(keys) + 1
    for key in (*keys, "clock.grase_ms"):
        (problem,) = [problem for problem in found if problem.sentence.startswith(f"'{key}'")]
        (line,) = [at for at, each in enumerate(text.split("\n"), 1) if f" {key.rpartition('.')[2]} =" in each]
        assert problem.startswith(f"line {line}, column {19 if key == 'breaks' else 9}: ")
    assert "'rouns' is not a key of this file; did you mean 'rounds'?" in [each.sentence for each in found]
    assert any("grace_ms" in problem for problem in found)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("KNOCKOUT", "elimination"),
        ("knockout", "elimination"),
        ("Round robin", "round-robin"),
        ("swis", "swiss"),
        ("poker", None),
    ],
)
def test_a_format_may_be_meant_by_its_title_or_with_a_typing_error(written, meant):
    (problem,) = problems(SMALL.replace("round-robin", written))
    assert "'format' must be one of 'swiss', 'elimination'," in problem
    assert problem.endswith(f"not '{written}'" + (f"; did you mean '{meant}'?" if meant else "."))


def test_a_final_of_the_best_four_is_written_with_their_names():
    (problem,) = problems(SMALL + 'who = { top = 4, tournament = "friday" }\n')
    written = 'who = { players = ["Ana", "Bea", "Cid", "Eva"] }'
    assert "'palestra-server tournament standings NAME'" in problem.sentence
    assert problem.sentence.endswith(f"{written}.")
    assert parse_spec(SMALL + written).invites("Eva", "")
    (problem,) = problems(SMALL + 'who = { player = ["Ana"] }\n')
    assert problem.sentence.endswith("did you mean 'players'?")
    (problem,) = problems(SMALL + 'who = { players = ["Ana"], top = 4 }\n')
    assert problem.sentence == "'who.top' is not a key of this file."


def test_what_is_missing_is_named():
    assert problems("") == ("'name' is missing.", "'games' is missing.", "'format' is missing.")
    assert "'reference'" in problems(SMALL.replace("round-robin", "gauntlet"))[0]
    assert problems(SMALL.replace('"connect4"', "")) == ("line 2, column 1: 'games' must not be empty.",)


def test_a_rubric_that_can_never_apply_is_refused():
    found = problems(SMALL + '[grades]\nbeats = [{ level = "level4", points = 2, game = "mancala" }]\n')
    assert len(found) == 2
    assert "'reference'" in found[0]
    assert "'games'" in found[1]


def test_every_fault_of_a_list_is_told_and_every_clash_beside_them():
    found = problems(
        """
        name = "cup"
        games = ["chess", "go", "mancala"]
        format = "gauntlet"
        breaks = ["at night", "22:00-07:00", "10:00-10:00", 5]
        rounds = 3
        [grades]
        beats = [{ level = "level4", points = 2, game = "connect4" }]
        top = [{ places = 0, points = 1 }, { places = 1, points = "x" }]
        """
    )
    keys = ["games", "reference", "breaks", "breaks", "breaks", "rounds", "grades.top.places", "grades.top.points"]
    assert [problem.split("'")[1] for problem in found] == keys
    assert [(problem.line, problem.column) for problem in found[2:5]] == [(5, 19), (5, 46), (5, 61)], (
        "each its own place"
    )
    assert [(problem.line, problem.column) for problem in found[-2:]] == [(9, 18), (9, 58)]
    assert "'chess', 'go'" in found[0]


def test_the_check_of_bot_names_is_reported_with_all_other_problems():
    with pytest.raises(SpecError) as caught:
        parse_spec(SMALL + 'pairs = 0\nreference = ["levl1", "level1"]\n', ["level1", "level2"])
    assert [problem.sentence[:11] for problem in caught.value.problems] == ["'pairs' is ", "'reference'"]
    assert [(problem.line, problem.column) for problem in caught.value.problems] == [(4, 1), (5, 14)]
    assert "no reference bot levl1: choose among level1, level2." in caught.value.problems[1]


FAULTS = {
    "name = cup": 'line 1: name: a text needs quotes; write name = "cup".',
    "name = \u201ccup\u201d": "line 1: these quotes are a word processor's",
    'name = "cup': "line 1: name: a text needs quotes at both ends",
    "\nwarm_up = True": "line 2: warm_up: True is not a value; write true or false",
    "rounds =  # many": "line 1: rounds: there is nothing after the =",
    'games = [\n  "connect4",\n  "mancala"\npairs = 1': "line 1: games: the [ is never closed; write ]",
    "who = { groups = ['A', 'B'\n[clock]\nmove_ms = 9": "line 1: who: the [ is never closed",
    'breaks = ["22:00-07:00" "12:00-13:00"]': "line 1: breaks: [",
    "move_ms = 1,5": "line 1: move_ms: a decimal number needs a point",
    "start = tomorrow, at 9": "line 1: start: a decimal number needs a point, and a list needs brackets",
    "start = 2026-13-01": "line 1: start: 2026-13-01 is not a value",
    "[clock": "line 1: a heading is a word in brackets",
    "a tournament": "line 1: a tournament is not a setting",
    "pairs = 1\npairs = 2": "line 2: pairs appears a second time",
    "[clock]\n[clock]": "line 2: [clock] appears a second time",
    'title = """\nOur cup': "line 1: title: a text needs quotes at both ends",
}


@pytest.mark.parametrize(("text", "words"), FAULTS.items())
def test_a_file_that_is_not_toml_is_explained_with_its_line(text, words):
    first = problems(text)[0]
    place, _, sentence = words.partition(": ")
    assert f"line {first.line}" == place
    assert first.sentence.startswith(sentence)


def test_all_faults_of_a_file_that_is_not_toml():
    found = problems(
        'name = cup\ngames = ["connect4"\nformat = "swiss"\nrounds = "many"\nbreaks = ["x", "y"]\npairs =\n'
    )
    assert [problem.line for problem in found] == [1, 2, 4, 5, 5, 6]
    assert [problem.split("'")[1] for problem in found[2:5]] == ["rounds", "breaks", "breaks"]


def test_what_lacks_in_a_file_that_is_not_toml_keeps_nothing_else_from_being_told():
    found = problems("name = cup\n[[grades.beats]]\nlevel = level1\npoints = 5\n")
    assert [(problem.line, problem.column) for problem in found] == [(1, 8), (3, 9)]
    assert not any("gauntlet" in problem for problem in problems('format = "gauntlet"\nreference = ["level1", 5]\n'))


@given(st.text(alphabet=st.sampled_from("ab=[]{}\"'#,.\n 1tru"), max_size=60))
def test_whatever_stands_in_a_file_it_is_read_or_explained(text):
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    assert caught.value.problems


def test_a_fault_has_its_parts_for_other_languages():
    fault = problems(SMALL + "\nwarm_up = True")[0]
    assert (fault.code, fault.line, fault.values) == ("bool_word", 5, {"key": "warm_up", "text": "True"})
    fault = problems(SMALL + "pairs = 0")[0]
    assert (fault.code, fault.line, fault.column) == ("least", 4, 1)
    assert fault == "line 4, column 1: 'pairs' is 0: it should be 1 or more."


def test_what_a_group_or_so_many_players_cannot_give():
    text = SMALL.replace("round-robin", "groups") + "group_size = 4\nqualify = 5\n"
    assert problems(text) == (
        "line 5, column 1: 'qualify' is 5, but a group has only 4: let fewer advance, or make groups larger.",
    )
    spec = parse_spec(sound := text.replace("qualify = 5", "qualify = 4"))
    assert [fault.values["most"] for fault in faults_of(spec, sound, 10)] == [3], "10 players in three groups"
    assert faults_of(spec, sound, 8) == []
    text = SMALL.replace("round-robin", "swiss") + "rounds = 6\n"
    (fault,) = faults_of(parse_spec(text), text, 6)
    assert fault == (
        "line 4, column 1: 'rounds' is 6, but these 6 players have opponents for 5: ask for fewer, or leave "
        "'rounds' out."
    )
    assert faults_of(parse_spec(text), text, 7) == []


def test_negative_points_are_refused_where_they_stand():
    text = SMALL + "[grades]\nparticipation = { points = -6 }\n[[grades.top]]\nplaces = 3\npoints = -0.5\n"
    assert [(fault.code, fault.line, fault.column) for fault in problems(text)] == [("least", 5, 19), ("least", 8, 1)]


def test_every_key_and_entry_of_a_text_has_its_place():
    text = """
# [not.a.heading]
a = [1, { b = "x,]}" , c=2 }, '#', [ # a comment, with a comma
  3,
]]
d.e = 2026-12-01 18:00:00 # a date with a blank
[c]
"quoted" = \'\'\'
= [no, key]
\'\'\'
[[f]]
g = true
[[f]]
g = "\\"=" """
    found = layout(text).places
    lines = text.split("\n")

    def look(value, path):
        line, column = found[path]
        key = next(part for part in reversed(path) if isinstance(part, str))
        if isinstance(path[-1], str) or path[0] == "f":
            assert lines[line - 1][column - 1 :].lstrip('["').startswith(key), path
        inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for each, under in inside:
            look(under, (*path, each))

    values = tomllib.loads(text)
    assert found["d", "e"] == (6, 1)
    look(values["a"], ("a",))
    look(values["c"], ("c",))
    for number, table in enumerate(values["f"]):
        look(table, ("f", number))
    assert found["a", 1, "c"] == (3, 24)
    assert found["a", 3, 0] == (4, 3)
