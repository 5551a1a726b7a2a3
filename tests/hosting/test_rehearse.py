"""A dress rehearsal in small: it ends by itself, verified."""

import subprocess
import sys


def rehearse(data):
    command = [sys.executable, "-m", "palestra_server", "rehearse", "--bots", "4", "--move-ms", "2000"]
    return subprocess.run([*command, "--data", str(data)], capture_output=True, text=True, check=False)


def test_a_small_rehearsal(tmp_path):
    result = rehearse(tmp_path / "data")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Elimination: completed" in result.stdout
    assert "matches a minute" in result.stdout
    assert "verified: " in result.stdout
    again = rehearse(tmp_path / "data")
    assert again.returncode == 1
    assert "of its own" in again.stderr
