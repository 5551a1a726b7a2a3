"""Every move, record and table of every format, checked by a verifier in another language.

Those who wrote it had RECORDS.md, RULES.md and PROTOCOL.md, and had not seen the code. Where it differs from
ours, either may be wrong, or the page unclear.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import zipfile
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from tests.support.played import play_out, settle

from palestra_referee import MS
from palestra_server.store import Store
from palestra_tournament import Closed, Entrant, Reinstated, Ruled, Withdrew, standings
from palestra_tournament.verify import verify_export

HERE = Path(__file__).parent
GRADES = """
[grades]
maximum = 8
base = 1.25
reliability = { points = 1.5 }
participation = { points = 2 }
[[grades.beats]]
level = "level1"
points = 1
[[grades.beats]]
level = "level1"
game = "mancala"
points = 0.5
[[grades.rating]]
at_least = -100
points = 1.5
[[grades.top]]
places = 2
points = 0.33
"""
NAMES = ("ada", "böb", "=eva", "mia", "zoe", "kim", "leo")
FORMATS = {
    "round-robin": "cycles = 2",
    "swiss": "rounds = 4\nswap = false",
    "elimination": "tie_breaks = 1",
    "gauntlet": "cycles = 2\npairs = 2",
    "ladder": "rounds = 4",
    "groups": "group_size = 3\nqualify = 2",
}


def how(number):
    if number % 7 == 3:
        return {"absent": number % 2}
    return {"slow_ns": 2000 * MS if number % 5 == 0 else 5 * MS, "drops": number % 3 == 0, "void": number % 11 == 4}


def also(number, at_ms):
    """Somebody goes and comes back, and later a bot of the host goes."""
    happens = {5: Withdrew("zoe", at_ms), 9: Reinstated("zoe", at_ms), 14: Withdrew("kim", at_ms)}
    rulings = {3: "void", 7: "draw", 8: "replay", 12: "stands", 16: "replay"}
    found = [happens[number]] if number in happens else []
    if number in rulings:
        found += [Ruled(f"m{match}", rulings[number], "", "!", at_ms) for match in (1, number - 1)]
    if number % 6 == 4:  # of two of these names
        found += [Ruled(f"m{number - 2}", "win", name, "!", at_ms) for name in (*NAMES, "level1")]
    return found


def play(folder, format, ends_after=None):
    """The export of a tournament of seven players and a reference bot; ended early after so many matches."""

    def happens(number, at_ms):
        return [*also(number, at_ms), *([Closed(at_ms)] if number == ends_after else [])]

    toml = f'name = "cup"\ngames = ["connect4", "mancala"]\nformat = "{format}"\nseed = 7\n{FORMATS[format]}\n'
    toml += 'reference = ["level1"]\n' + GRADES + "[clock]\nmove_ms = 1000\n"
    players = [*(Entrant(name, "A") for name in NAMES), Entrant("level1", "", True)]
    with closing(Store(folder / "data")) as store, (folder / "cup.zip").open("w+b") as file:
        t = play_out(store, toml, players, random.Random(3), count(1_000_000, 1000), count(1), how, happens)
        settle(store)
        store.archive.export(file, "test/1")
    assert t.phase == "completed"
    return folder / "cup.zip", t


def verified(path):
    command = ["node", HERE / "verify.mjs", path]
    return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize("format", FORMATS)
def test_the_records_follow_from_the_pages(tmp_path, format):
    path, t = play(tmp_path, format)
    assert {result.reason for result in t.results.values()} >= {"rules", "timeout", "not_ready"}
    assert format == "swiss" or any(result.reason == "walkover" for result in t.results.values())
    report = verify_export(path)
    assert report.wrong is None
    assert "Ruling: match m" in str(report)
    *notes, summary = verified(path)
    assert re.fullmatch(rf"verified: {report.matches} matches, \d+ records, 4 tables", summary), summary
    assert any("was ruled" in note for note in notes)
    with zipfile.ZipFile(path) as files, zipfile.ZipFile(tmp_path / "forged.zip", "w") as forged:
        for name in files.namelist():
            data = files.read(name)
            forged.writestr(name, data.replace(b",A,", b",B,", 1) if name.endswith("standings.csv") else data)
    assert any("standings.csv" in fault for fault in verified(tmp_path / "forged.zip") if "ruled" not in fault)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize(("format", "matches"), [("swiss", 40), ("round-robin", 60), ("groups", 50), ("ladder", 30)])
def test_of_a_tournament_that_was_ended_early_complete_rounds_count(tmp_path, format, matches):
    path, t = play(tmp_path, format, matches)
    assert t.settled < len(t.fixtures)
    counted = sum(row.played for row in standings(t, rated=False)) // 2
    played = sum(result.reason != "void" for result in t.results.values())
    assert counted < played if format != "ladder" else counted == played
    assert verify_export(path).wrong is None
    assert verified(path)[-1].startswith("verified: "), verified(path)
