"""The form of a tournament file: single settings change, and the rest of the file stays as it was."""

import tomllib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_tournament import example_spec, filled, installed_formats, parse_spec
from palestra_tournament.toml_edit import changed

EXAMPLE = example_spec(installed_formats()["swiss"])
SMALL = 'name = "cup"\ngames = ["connect4"]\nformat = "round-robin"\n'


@pytest.mark.parametrize(
    ("text", "key", "value", "then"),
    [
        ("pairs = 1  # per game\n", "pairs", 12, "pairs = 12 # per game\n"),
        ("pairs = 1      # per game\n", "pairs", 12, "pairs = 12     # per game\n"),
        ("# pairs = 1    # per game\nswap = true\n", "pairs", 3, "pairs = 3      # per game\nswap = true\n"),
        ("pairs = 1\n", "pairs", None, "# pairs = 1\n"),
        ("a = 1\n[clock]\nb = 2\n", "pairs", 3, "a = 1\npairs = 3\n[clock]\nb = 2\n"),
        ("a = 1\n[clock]\nb = 2\n", "clock.move_ms", 3, "a = 1\n[clock]\nb = 2\nmove_ms = 3\n"),
        ("a = 1\n", "clock.move_ms", 3, "a = 1\n\n[clock]\nmove_ms = 3\n"),
        ("clock = { b = 2 } # ms\n", "clock.move_ms", 3, "clock = { b = 2, move_ms = 3 } # ms\n"),
        ("clock = {}\n", "clock.move_ms", 3, "clock = { move_ms = 3 }\n"),
        ("clock = { a = 1, b = 2, c = 3 }\n", "clock.b", None, "clock = { a = 1, c = 3 }\n"),
        ("clock = { a = 1, b = 2 }\n", "clock.a", None, "clock = { b = 2 }\n"),
        ("clock.b = 2\n", "clock.move_ms", 3, "clock.b = 2\nclock.move_ms = 3\n"),
        ('games = [\n  "a", # one\n  "b",\n]\nc = 1\n', "games", ["b"], 'games = ["b"]\nc = 1\n'),
        ("pairs = one\n", "pairs", 3, "pairs = 3\n"),
        ("[[grades.top]]\nplaces = 1\npoints = 2\n[clock]\n", "grades.top", None, "[clock]\n"),
        (
            "start = 2026-12-01T18:00:00\n",
            "start",
            datetime(2027, 1, 1, tzinfo=UTC),
            "start = 2027-01-01T00:00:00Z\n",
        ),
        ("a = 1\r\nb = 2\r\n", "b", 3, "a = 1\nb = 3\n"),
    ],
)
def test_one_setting_changes_and_the_rest_stays(text, key, value, then):
    assert changed(text, key, value) == then


def test_tables_under_headings_become_one_line():
    text = "[[grades.top]]\nplaces = 1\npoints = 2\n[[grades.top]]\nplaces = 3\npoints = 1\n[clock]\nmove_ms = 900\n"
    rules = [{"places": 2, "points": 1.5}]
    values = tomllib.loads(changed(text, "grades.top", rules))
    assert values == {"clock": {"move_ms": 900}, "grades": {"top": rules}}


@pytest.mark.parametrize("text", ['clock = "fast"\n', "clock = [ { move_ms = 1 } ]\n", "[[clock]]\nmove_ms = 1\n"])
def test_what_cannot_be_changed_is_told(text):
    after = filled(text, [("clock.move_ms", 3), ("pairs", 2)])
    assert after.faults == ["'clock.move_ms' is written in a way that the form cannot change: change it in the file."]
    assert (tomllib.loads(after.toml)["clock"], after.values["pairs"]) == (tomllib.loads(text)["clock"], 2)


VALUES = {
    "title": st.text(max_size=20),
    "pairs": st.integers(1, 50),
    "openings": st.booleans(),
    "rounds": st.none() | st.integers(1, 1000),
    "who": st.just("all") | st.fixed_dictionaries({"groups": st.just(["A"]), "players": st.lists(st.just("ana"))}),
    "clock.move_ms": st.integers(100, 1000),
    "grades.beats": st.none() | st.just([{"level": "level1", "points": 2}]),
    "grades.participation": st.none() | st.just({"points": 2.5}),
}
CHANGES = st.lists(st.sampled_from([*VALUES]).flatmap(lambda key: st.tuples(st.just(key), VALUES[key])), max_size=8)


@given(st.sampled_from([EXAMPLE, SMALL, SMALL + "clock = { away_ms = 5 }\n"]), CHANGES)
def test_after_any_changes_the_file_has_the_values_and_all_its_comments(text, changes):
    after = filled(text, changes)
    assert after.faults == []
    values = tomllib.loads(after.toml)
    for key, value in dict(changes).items():
        found = values
        for part in key.split("."):
            found = found.get(part) if found is not None else None
        assert found == value
    assert [line.split("#")[-1] for line in text.splitlines() if " # " in line] == [
        line.split("#")[-1] for line in after.toml.splitlines() if " # " in line
    ] or any("#" in str(value) for _, value in changes)


def test_a_form_shows_what_can_be_read_of_a_broken_file_and_where_it_stands():
    after = filled(SMALL + "pairs = one\nstart = 2026-12-01T18:00:00Z\nodd = nan\n[[grades.top]]\nplaces = 3\n", [])
    assert after.values["games"] == ["connect4"]
    assert after.values["start"].endswith("+00:00") or "T" in after.values["start"]
    assert (after.values["odd"], "pairs" in after.values) == ("nan", False)
    assert (after.lines["games"], after.lines["start"], after.lines["grades.top.places"]) == ((2, 2), (5, 5), (8, 8))


@pytest.mark.parametrize("kind", installed_formats().values())
def test_every_setting_of_an_example_can_be_taken_up_and_put_back(kind):
    text = example_spec(kind)
    lines = [line.removeprefix("# ") if " = " in line.split("  ")[0] else line for line in text.splitlines()]
    full = tomllib.loads(
        "\n".join(line for line in lines if not line.startswith("#") and (" = " in line or line.startswith("[")))
    )
    keys = {key: value for key, value in full.items() if key not in ("clock", "grades")}
    keys |= {f"{table}.{key}": value for table in ("clock", "grades") for key, value in full[table].items()}
    taken = filled(text, keys.items())
    assert taken.faults == []
    assert tomllib.loads(taken.toml) == full
    assert parse_spec(filled(taken.toml, [(key, None) for key in keys if key.count(".")]).toml)
    assert len(taken.toml.splitlines()) == len(text.splitlines())
