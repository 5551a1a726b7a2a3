"""`palestra verify`: an export and the receipts that a student kept."""

from __future__ import annotations

import json

import pytest
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess
from typer.testing import CliRunner

from palestra_client.cli.commands import app as palestra
from palestra_server.cli.main import app as server


@pytest.fixture(scope="module")
def export(tmp_path_factory):
    """The export of a server that has refereed one match, and what the player was told about it."""
    folder = tmp_path_factory.mktemp("verify")
    with (
        ServerProcess(folder / "data", "--guests") as running,
        RawPlayer(running.url, "ana") as ana,
        RawPlayer(running.url, "ben") as ben,
    ):
        ana.challenge("ben")
        ana.ready()
        match = ben.ready()
        ana.send(type="resign", match=match)
        end = ana.until("match_end")
    written = CliRunner().invoke(server, ["export", "--data", str(folder / "data"), "--out", str(folder / "x.zip")])
    assert written.exit_code == 0, written.output
    return folder / "x.zip", end


def line_of(match, receipt):
    return {"when": "2026-11-23T10:00:00+00:00", "match": match, "tournament": None, "receipt": receipt}


@pytest.mark.parametrize(
    ("spoiled", "code", "says"),
    [
        (None, 0, "verified: 1 match, 0 tournaments, 1 receipt\n"),
        ("0" * 64, 1, "was kept"),
        ("", 1, "line 1 is not a receipt"),
        ("[" * 100_000, 1, "line 1 is not a receipt"),
    ],
)
def test_an_export_is_held_against_the_receipts(export, tmp_path, monkeypatch, spoiled, code, says):
    monkeypatch.chdir(tmp_path)
    path, end = export
    line = json.dumps(line_of(end["match"], spoiled or end["receipt"]))
    if spoiled is not None and len(spoiled) != 64:
        line = spoiled or "x"
    (tmp_path / "palestra-receipts.jsonl").write_text(line + "\n")
    done = CliRunner().invoke(palestra, ["verify", str(path)])
    assert done.exit_code == code
    assert says in done.output


def test_without_receipts_it_is_said_that_none_were_compared(export, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(palestra, ["verify", str(export[0])])
    assert done.exit_code == 0
    assert done.output.splitlines()[1:] == [
        "No receipts were compared: there is no palestra-receipts.jsonl in this folder."
    ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["none.zip"], "There is no none.zip"),
        (["mine.jsonl"], "can't be read as an export"),
        (["."], "it can't be read: Is a directory."),
        (["mine.jsonl", "--receipts", "none.jsonl"], "The receipts in none.jsonl can't be read"),
    ],
)
def test_a_slip_costs_one_sentence(tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.jsonl").write_text("")
    done = CliRunner().invoke(palestra, ["verify", *words])
    assert done.exit_code == 1
    assert says in done.stderr
