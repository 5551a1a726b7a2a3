"""Which formats are found, and that a broken plug-in costs one warning and no other format."""

import subprocess
import sys

import pytest
from tests.support.plugins import environment_with

from palestra_tournament import Criterion, installed_formats

OURS = ("swiss", "elimination", "gauntlet", "groups", "ladder", "round-robin")
COMPLETE = """
from palestra_tournament import POINTS, Format, Planned

class Plain(Format):
    name, title, about, criteria = "plain", "Plain", "Nothing is played.", (POINTS,)
    def draw(self, t, pair): return None
    def planned(self, t): return Planned(0, 0)
"""


def test_our_formats_are_found_under_their_own_names_and_are_complete():
    assert tuple(installed_formats())[: len(OURS)] == OURS
    for name, kind in installed_formats().items():
        assert kind.name == name
        assert kind.title
        assert kind.about.endswith(".")
        assert all(isinstance(criterion, Criterion) for criterion in kind.criteria)
        assert kind() == kind(), "each of its keys has a default"


@pytest.mark.parametrize(
    ("entry", "source", "why"),
    [
        ("boom", "1 / 0", "it does not load (ZeroDivisionError: division by zero)"),
        ("what", "Plain = 42", "it is not a complete Format (see palestra_tournament.interface)"),
        ("plain", COMPLETE.replace("planned", "plan"), "it is not a complete Format (see palestra_tournament.interf"),
        ("plain", COMPLETE.replace("title, ", "").replace('"Plain", ', ""), "it lacks title"),
        ("plane", COMPLETE, "it calls itself 'plain'"),
        ("plain", COMPLETE.replace("(POINTS,)", "()"), "its 'criteria' are not a tuple of Criterion, such as (POINTS,"),
        ("plain", COMPLETE.replace("(POINTS,)", "('wins',)"), "its 'criteria' are not a tuple of Criterion, such as ("),
        ("plain", COMPLETE + '    views = ("tree",)', "there is no view 'tree': 'views' may have bracket, groups"),
        ("swiss", COMPLETE, "the name is taken by 'palestra_tournament.formats.swiss:Swiss'"),
    ],
)
def test_a_format_that_does_not_fit_is_left_out_with_one_warning(tmp_path, entry, source, why):
    (tmp_path / "student_format.py").write_text(source)
    metadata = tmp_path / "student_format-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: student-format\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[palestra.formats]\n{entry} = student_format:Plain\n")
    answer = subprocess.run(
        [sys.executable, "-c", "import palestra_tournament; print(*palestra_tournament.installed_formats())"],
        env=environment_with(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.split() == list(OURS)
    assert f"The format '{entry}' from 'student_format:Plain' is left out: {why}" in answer.stderr
    assert answer.stderr.count("left out") == 1
    assert "Traceback" not in answer.stderr
