"""A command whose work fails in the code of a plug-in ends with a sentence that says where."""

import pytest
import typer
from typer.testing import CliRunner

from palestra_protocol.command_groups import group

PLUGIN = """
def rules():
    raise KeyError("cell 7")
"""


@pytest.fixture
def app(tmp_path, monkeypatch):
    (tmp_path / "faulty_game.py").write_text(PLUGIN)
    (tmp_path / "our_command.py").write_text(
        "def play():\n    from faulty_game import rules\n    rules()\ndef fail():\n    1 / 0\n"
    )
    metadata = tmp_path / "faulty_game-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty-game\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[palestra.games]\nfaulty = faulty_game:rules\n")
    monkeypatch.syspath_prepend(tmp_path)
    return group({name: f"our_command:{name}" for name in ("play", "fail")}, name="test")


def test_an_exception_in_a_plug_in_is_a_sentence(app: typer.Typer):
    ran = CliRunner().invoke(app, ["play"])
    assert ran.exit_code == 1
    assert ran.stderr.startswith("The plug-in at ")
    assert ran.stderr.endswith("faulty_game.py, line 3, failed (KeyError: 'cell 7'): mend it, or uninstall it.\n")


def test_an_exception_of_ours_is_not_blamed_on_a_plug_in(app: typer.Typer):
    assert isinstance(CliRunner().invoke(app, ["fail"]).exception, ZeroDivisionError)
