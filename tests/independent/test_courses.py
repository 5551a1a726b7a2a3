"""Tournaments in which anything is done at any time: two programs must see the same course of them."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from palestra_referee import canonical_json
from palestra_tournament import (
    Closed,
    Ended,
    Entrant,
    Joined,
    MatchStarted,
    Paused,
    Record,
    Reinstated,
    Resumed,
    Revealed,
    Ruled,
    Withdrew,
    begin,
    create,
    event_from_record,
    event_to_record,
    parse_spec,
    playable,
    replay,
    step,
)
from palestra_tournament.export import TABLES
from palestra_tournament.openings import opening_lists

COURSES = 120
LEVELS = {"level1", "level2"}
FORMATS = (
    'format = "elimination"\nswap = false\ntie_breaks = 1\n',
    'format = "elimination"\ntie_breaks = 1\n',
    'format = "elimination"\nreference = ["level1"]\nswap = false\ntie_breaks = 1\n',
    'format = "groups"\nqualify = 2\nswap = false\ntie_breaks = 0\n',
    'format = "swiss"\nrounds = 3\nswap = false\n',
    'format = "swiss"\nreference = ["level1"]\nswap = false\n',
    'format = "round-robin"\nswap = false\n',
    'format = "gauntlet"\nreference = ["level1", "level2"]\nswap = false\n',
)
ENDS = (((1.0, -1.0), "rules"), ((-1.0, 1.0), "rules"), ((0.0, 0.0), "rules"), ((0.0, 0.0), "void"))
ENDS += (((-1.0, 1.0), "not_ready"), ((0.0, 0.0), "not_ready"))


def an_event(t, chance, at):
    """What a server or a teacher might write next; it need not fit."""
    ended = sorted({result.match for result in t.results.values() if result.match} | t.judged.keys())
    kind = chance.choices(
        ("play", "rule", "out", "in", "join", "pause", "go on", "close", "reveal"), (72, 15, 3, 3, 3, 1, 2, 1, 1)
    )[0]
    match kind:
        case "rule" if ended:
            match, verdict = chance.choice(ended), chance.choice(("void", "win", "draw", "replay", "stands"))
            own = t.judged.get(match) or next(each for each in t.results.values() if each.match == match)
            return Ruled(match, verdict, chance.choice(own.fixture.players) if verdict == "win" else "", "a stall", at)
        case "out":
            return Withdrew(chance.choice(t.seeds), at)
        case "in":
            return Reinstated(chance.choice(sorted(t.withdrawn) or t.seeds), at)
        case "join":
            return Joined(f"late{at}", "a", at)
        case "pause":
            return Paused({"code": "host"}, at)
        case "go on":
            return Resumed(at)
        case "close":
            return Closed(at, counts_all=chance.random() < 0.5)
        case "reveal":
            return Revealed(at)
    if t.playing and chance.random() < 0.6:
        fixture, match = chance.choice(sorted(t.playing.items()))
        returns, reason = chance.choices(ENDS, (40, 30, 10, 7, 7, 6))[0]
        return Ended(fixture, match, returns, reason, 3, (3, 3, 3), (5, 6, 7), at)
    fixtures = list(playable(t))
    return MatchStarted(chance.choice(fixtures).id, f"m{at}", at) if fixtures else Resumed(at)


def write_course(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    embargo = 'embargo = "last-round"\n' if chance.random() < 0.25 else ""
    toml = (
        f'name = "cup"\ngames = ["connect4"]\nseeding = "roster"\nwithdraw_after = 2\n{chance.choice(FORMATS)}{embargo}'
    )
    spec = parse_spec(toml, LEVELS)
    entrants = [Entrant(f"p{number}", "ab"[number % 2]) for number in range(chance.randint(3, 9))]
    entrants += [Entrant(name, "", reference=True) for name in spec.reference]
    t, effects = begin(spec, entrants, 7, 0)
    events = [create(spec, 7, "", 0), *(effect.event for effect in effects if isinstance(effect, Record))]
    for at in range(1, chance.randint(20, 150)):
        t, effects = step(t, an_event(t, chance, at))
        events += [effect.event for effect in effects if isinstance(effect, Record)]
        assert t.playing.keys().isdisjoint(t.results.keys()), "what is being played has no result"
        assert t.struck.keys() == set(spec.format.misplaced(t)) or not t.struck, "struck is what others play now"
    lines = [canonical_json(event_to_record(event)) for event in events]
    again = replay(spec, [event_from_record(json.loads(line)) for line in lines])
    assert (again.fixtures, list(again.results.items())) == (t.fixtures, list(t.results.items()))
    folder.mkdir()
    (folder / "tournament.toml").write_text(toml)
    (folder / "events.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    for name, table in TABLES.items():
        (folder / name).write_text(table(t), newline="")


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_whatever_is_done_two_programs_see_the_same_course(tmp_path):
    (tmp_path / "openings.json").write_bytes(opening_lists())
    for seed in range(COURSES):
        write_course(tmp_path / str(seed), seed)
    command = ["node", Path(__file__).parent / "courses.mjs", tmp_path]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == ""
