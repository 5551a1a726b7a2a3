"""A dress rehearsal in small: it ends by itself, verified."""

import os

from tests.support.forked import run_server


def rehearse(data, errors):
    command = ["rehearse", "--bots", "4", "--move-ms", "2000", "--data", str(data)]
    return run_server(command, dict(os.environ), errors)


def test_a_small_rehearsal(tmp_path):
    result = rehearse(tmp_path / "data", tmp_path / "errors")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Elimination: completed" in result.stdout
    assert "matches a minute" in result.stdout
    assert "verified: " in result.stdout
    again = rehearse(tmp_path / "data", tmp_path / "again")
    assert again.returncode == 1
    assert "of its own" in again.stderr
