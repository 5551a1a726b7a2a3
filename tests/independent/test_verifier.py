"""Every move, record and table of every format, checked by a verifier in another language.

Those who wrote it had RECORDS.md, RULES.md and PROTOCOL.md, and had not seen the code. Where it differs from
ours, either may be wrong, or the page unclear.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.support.played import play_casual, play_out, settle

from palestra_referee import MS
from palestra_server.store import Store
from palestra_tournament import Closed, Entrant, Joined, Paused, Reinstated, Resumed, Ruled, Withdrew
from palestra_tournament.hiding import hides
from palestra_tournament.season_tables import carry_over
from palestra_tournament.verify import verify_export

HERE = Path(__file__).parent
GRADES = """
[grades]
maximum = 4
base = 0.25
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
EXTRA = 'name = "extra"\nformat = "swiss"\ngames = ["connect4-8x8", "connect4"]\nseed = 7\n[clock]\nmove_ms = 1000\n'
SEASON = """
name = "year"
seeding = "ratings"
tournaments = [
    "cup",  # and these:
    { name = "extra", weight = 1.5 }, "never",
]
best = 1
[grades]
base = 0.5
participation = { points = 2 }
rating = [{ at_least = -50, points = 1 }, { at_least = 10, points = 0.25 }]
top = [{ places = 2, points = 1.5 }]
"""
NAMES = ("ada", "böb", "=eva", "mia", "zoe", "kim", "leo")
LEFT = {"drops": True, "ends": "away", "by": 1}
ENDS = ("resign", "illegal", "no_action", "silent", "away")


class Sample(NamedTuple):
    """A tournament: its file but for name and seed; `never`: who comes to no match; `leaves`: who hangs up in each;
    `void`: between these two every match is; `how`: how matches go, by number; `dull`: all play alike; `also`: what
    happens before a match, by its number (-1: at the end).
    """

    format: str
    more: str
    players: tuple[str, ...] = NAMES
    reference: bool = False
    games: tuple[str, ...] = ("connect4", "mancala")
    never: str = ""
    leaves: str = ""
    void: frozenset[str] = frozenset()
    how: Mapping[int, Mapping[str, object]] = {}
    dull: bool = False
    also: Mapping[int, Sequence[Callable[[int], object]]] | None = None


def out(player):
    return partial(Withdrew, player)


def back(player):
    return partial(Reinstated, player)


def late(*players):
    return [lambda at_ms, name=name: Joined(name, "C", at_ms) for name in players]


def paused(code, **values):
    return lambda at_ms: Paused({"code": code, **values}, at_ms)


def ruled(match, verdict, winner=""):
    return lambda at_ms: Ruled(match, verdict, winner, "!", at_ms)


FOUR = NAMES[:4]
ONE = ("connect4",)
SAMPLES = {
    "round-robin": Sample("round-robin", "cycles = 2", reference=True),
    "repeats": Sample(
        "round-robin",
        "cycles = 2\nopenings = false\npairs = 2",
        NAMES[:3],
        dull=True,
        also={},
        how={1: {"ends": "resign"}, 3: {"ends": "resign"}},
    ),
    "voids": Sample(
        "round-robin", "withdraw_after = 2", FOUR, True, never="=eva", void=frozenset({"ada", "böb"}), also={}
    ),
    "late-round-robin": Sample(
        "round-robin",
        "cycles = 2\nswap = false",
        FOUR,
        True,
        also={3: late("neo"), 9: [out("mia"), *late("mia", "ida")], 40: late("eli"), 99: late("eva")},
    ),
    "late-gauntlet": Sample("gauntlet", "cycles = 2", FOUR, True, also={5: late("neo", "ida")}),
    "late-swiss": Sample(
        "swiss", "swap = false", FOUR, True, also={2: late("neo"), 6: late("ida", "eli"), 30: late("eva")}
    ),
    "late-ladder": Sample("ladder", "rounds = 4", FOUR, also={9: late("neo"), 20: late("ida")}),
    "late-bracket": Sample("groups", "group_size = 3", also={9: late("neo")}),
    "struck": Sample(
        "elimination",
        'seeding = "roster"\ntie_breaks = 1',
        NAMES,
        how={},
        also={
            number: [ruled(f"m{match}", verdict, winner) for match in (1, 2, 3, number // 2) for winner in names]
            for number, verdict, names in [
                (17, "win", NAMES),
                (19, "replay", [""]),
                (24, "stands", [""]),
                (28, "win", NAMES[::-1]),
                (-1, "win", NAMES[1:]),
            ]
        },
    ),
    "replayed": Sample(
        "round-robin",
        "",
        NAMES[:2],
        how={1: {"void": True}, 2: {}, 3: {"void": True}, 4: {"void": True}},
        also={3: [ruled("m2", "replay")], 6: [ruled("m5", "void")]},
    ),
    "alone": Sample("round-robin", "", NAMES[:3], True, also={1: [out("böb"), out("=eva"), out("level1")]}),
    "swiss": Sample("swiss", "rounds = 4\nswap = false", games=ONE),
    "byes": Sample("swiss", "withdraw_after = 0", NAMES[:5], True, never="zoe", also={}),
    "gone": Sample(
        "swiss", "swap = false", games=ONE, leaves="ada", also={2: [out("zoe")], 6: [back("zoe")], 8: [out("mia")]}
    ),
    "balanced": Sample(
        "swiss",
        'seeding = "roster"',
        NAMES[:5],
        also={5: [paused("host"), Resumed], 9: [paused("break", begin="10:30", end="11:00"), Resumed]},
    ),
    "elimination": Sample("elimination", "tie_breaks = 1", reference=True),
    "level": Sample("elimination", "tie_breaks = 3", FOUR, dull=True, also={}),
    "seeds": Sample("elimination", "tie_breaks = 0", also={}),
    "walked": Sample(
        "elimination", 'seeding = "roster"\nwithdraw_after = 0', FOUR, never="mia", also={2: [out("ada")]}
    ),
    "cut-short": Sample("elimination", "", FOUR, also={4: [Closed], -1: [ruled("m3", "draw"), ruled("m2", "draw")]}),
    "gauntlet": Sample("gauntlet", "cycles = 2\npairs = 2", reference=True),
    "ladder": Sample("ladder", "rounds = 4", reference=True),
    "early": Sample("swiss", "rounds = 4\npairs = 2", NAMES[:5], also={26: [Closed]}),
    "early-round-robin": Sample("round-robin", "", reference=True, also={35: [Closed]}),
    "early-groups": Sample("groups", "group_size = 3\nqualify = 2", reference=True, also={38: [Closed]}),
    "early-counted": Sample("swiss", "rounds = 4", NAMES[:5], also={12: [partial(Closed, counts_all=True)]}),
    "endless": Sample(
        "ladder",
        "withdraw_after = 2",
        NAMES[:5],
        never="mia",
        how={n: {"absent": 2} for n in range(3, 40, 4)},
        also={30: [back("mia")], 60: [Closed]},
    ),
    "groups": Sample("groups", "group_size = 3\nqualify = 2", reference=True),
    "uneven": Sample(
        "groups", "group_size = 3\nqualify = 1\ncycles = 2\nwithdraw_after = 1", reference=True, never="leo", also={}
    ),
    "ties": Sample("groups", "group_size = 4\nqualify = 1\nswap = false", games=ONE, dull=True, also={}),
    "hidden": Sample("round-robin", 'embargo = "last-round"\nwho = { groups = ["a"], players = ["leo"] }', FOUR),
}


# Of each format one that is not alone in its export, and is forged, too.
WHOLE = (*("round-robin", "swiss", "elimination", "gauntlet", "ladder", "groups"), "hidden", "replayed", "alone")
PLAIN = Sample("swiss", "", NAMES)
OTHERS = [Entrant(name, "B") for name in NAMES[2:5]]


def how(number, players, sample):
    if number in sample.how or sample.dull:
        return {"dull": sample.dull, **sample.how.get(number, {})}
    if sample.void == {*players}:
        return {"void": True}
    if sample.never in players:
        return {"absent": players.index(sample.never)}
    if sample.leaves in players:
        return {"ends": "away", "by": players.index(sample.leaves)}
    if number % 7 == 3:
        return {"absent": number % 3}
    if number % 8 == 6:
        return {"ends": ENDS[number // 8 % len(ENDS)], "restarts": number % 3 == 0}
    return {
        "slow_ns": {0: 2000 * MS + 1, 1: 1050 * MS}.get(number % 5, 5 * MS),
        "drops": number % 3 == 0,
        "void": number % 11 == 4,
        "restarts": number % 4 == 1,
    }


def also(number, at_ms, sample):
    """Somebody goes and comes back, and later another; and many rulings, few of which fit."""
    if sample.also is not None:
        return [event(at_ms) for event in sample.also.get(number, ())]
    happens = {5: Withdrew("zoe", at_ms), 9: Reinstated("zoe", at_ms), 14: Withdrew("kim", at_ms)}
    rulings = {3: "void", 7: "draw", 8: "replay", 12: "stands", 16: "replay"}
    found = [happens[number]] if number in happens else []
    if number in rulings:
        found += [Ruled(f"m{match}", rulings[number], "", "!", at_ms) for match in (1, number - 1)]
    if number % 6 == 4:  # of two of these names
        found += [Ruled(f"m{number - 2}", "win", name, "!", at_ms) for name in (*NAMES, "level1")]
    return found


def play(folder, name):
    """The export of this sample; of the whole ones also of a small one, two seasons with both, and casual matches."""
    sample, is_whole = SAMPLES[name], name in WHOLE
    games = ", ".join(f'"{game}"' for game in sample.games)
    toml = f'name = "cup"\ngames = [{games}]\nformat = "{sample.format}"\nseed = 7\n{sample.more}\n'
    toml += ('reference = ["level1"]\n' + GRADES if sample.reference else "") + "[clock]\nmove_ms = 1000\n"
    players = [Entrant(name, "A") for name in sample.players]
    players += [Entrant("level1", "", True)] if sample.reference else []
    chance = random.Random(3)
    with closing(Store(folder / "data")) as store, (folder / "cup.zip").open("w+b") as file:
        ways = {"c1": {}, "c2": {"move_ms": 3_600_000, **LEFT}, "c3": {"restarts": True, **LEFT}} if is_whole else {}
        for casual, way in ways.items():
            play_casual(store, casual, chance, **way)
        t = play_out(
            store,
            toml,
            players,
            chance,
            count(1_000_000, 1000),
            count(1),
            partial(how, sample=sample),
            partial(also, sample=sample),
        )
        settle(store)
        if is_whole:
            and_more(store, t, chance)
        store.archive.export(file, "test/1")
    assert t.phase == "completed"
    return folder / "cup.zip"


def and_more(store, t, chance):
    _, records = store.tournaments.read("cup")
    names = [entrant.name for entrant in OTHERS]
    carried = None if hides(t) else carry_over("year", [(t, len(records))], names)
    times, numbers = count(2_000_000, 1000), count(1000)
    play_out(store, EXTRA, OTHERS, chance, times, numbers, partial(how, sample=PLAIN), carried=carried)
    store.seasons.create("year", SEASON)
    names = 'renamed = { "=eva" = "Eva", mia = "zoe", "b\u00f6b" = "Bob", leo = "Bob", random = "Kim" }'
    rest = SEASON.replace("year", "rest").replace("best = 1", f"scoring = 'points'\n{names}")
    store.seasons.create("rest", rest)
    settle(store)


# Loads the verifier of each folder and has it read an export, as often as asked: a start of node, and the first reading
# before its compiler has seen the code run, take longer than most exports.
SEVERAL = """
const { readFileSync } = await import("node:fs"), { pathToFileURL } = await import("node:url");
const { createInterface } = await import("node:readline");
for await (const line of createInterface({ input: process.stdin })) {
  const answers = [];
  for (const [folder, file] of JSON.parse(line)) {
    const { check } = await import(pathToFileURL(folder + "/check.mjs"));
    try {
      answers.push(check(readFileSync(file), null));
    } catch (error) {
      answers.push({ threw: error.stack });
    }
  }
  console.log(JSON.stringify(answers));
}
"""


@pytest.fixture(scope="module")
def verified():
    """What the verifier in the folder says of the export, of each (folder, export): notes, faults and summary."""
    command = ["node", "--input-type=module", "-e", SEVERAL]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:

        def ask(*asked):
            node.stdin.write(json.dumps([[str(each) for each in pair] for pair in asked]) + "\n")
            node.stdin.flush()
            answers = json.loads(node.stdout.readline())
            assert not [each["threw"] for each in answers if "threw" in each]
            return answers

        yield ask


# How the page could be misread, and a sample that shows it: file, what it says, what it would say.
MISREADINGS = {
    "byes": [("score.mjs", "if (!absent.has(s.name)) s.points = s.byes * byeWorth;", "s.points = s.byes * byeWorth;")],
    "repeats": [
        ("ratings.mjs", '!["rules", "ply_limit"].includes(r.reason) || !r.actions.length', "!r.actions.length"),
        ("ratings.mjs", "&& !repeated.has(r)", ""),
    ],
    "voids": [
        ("tournament.mjs", 'if (e.reason === "void" && ++f.voids < 3) return;', 'if (e.reason === "void") return;'),
        ("grades.mjs", '.filter((r) => r.reason !== "void" &&', ".filter((r) =>"),
    ],
    "replayed": [
        ("rulings.mjs", "else f.voids = 0;", ""),
        ("rulings.mjs", 'case "void": return { ...own, reason: "void", winner: null };', 'case "void": return null;'),
        ("replay.mjs", "for (const s of this.seats) s.bank = this.config.away_ms * MS;", ""),
        ("replay.mjs", "this.gone += g;", ""),
    ],
    "alone": [
        ("grades.mjs", "any.length ? 1 : 0", "0"),
        ("replay.mjs", "this.away ? Math.min(left, GONE) : left", "left"),
        ("tournament.mjs", "gone[k] && this.isReference(n)", "false"),
        ("replay.mjs", "this.me.bank -= Math.min(this.me.bank, g);", ""),
        ("replay.mjs", "s.attached = false; s.owed = true;", "s.attached = false;"),
    ],
    "endless": [
        ("tournament.mjs", "gone[0] && gone[1] ? null : gone[0] ? 1 : 0", "gone[0] ? 1 : 0"),
        ("tournament.mjs", "this.streaks.set(player, 0);", ""),
    ],
    "gone": [("tournament.mjs", "r.order >= this.drawnAt", "true")],
}


def misreading(folder, file, says, would_say):
    """A verifier whose author misread the page."""
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    text = (HERE / file).read_text(encoding="utf-8")
    assert text.count(says) == 1, says
    (folder / file).write_text(text.replace(says, would_say), encoding="utf-8")
    return folder


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize("name", SAMPLES)
def test_the_records_follow_from_the_pages_and_a_misreading_shows(tmp_path, verified, name):
    sample = play(tmp_path, name)
    forged = [(HERE, forgery_of(sample))] if name in WHOLE else []
    misreadings = MISREADINGS.get(name, ())
    misread = [misreading(tmp_path / str(number), *each) for number, each in enumerate(misreadings)]
    right, *others = verified((HERE, sample), *forged, *((folder, sample) for folder in misread))
    report = verify_export(sample)
    assert (report.wrong, right["faults"]) == (None, [])
    tables = 12 if name in WHOLE else 4
    assert re.fullmatch(rf"verified: {report.matches} matches, \d+ records, {tables} tables", right["summary"])
    rulings = [remark for remark in report.remarks if remark.startswith("Ruling: match m")]
    assert len([note for note in right["notes"] if "was ruled" in note]) == len(rulings)
    assert all("standings.csv" in str(wrong["faults"]) for wrong in others[: len(forged)])
    assert all(other["faults"] for other in others), list(zip((*forged, *misreadings), others, strict=True))


def forgery_of(sample):
    forged = sample.with_name("forged.zip")
    with zipfile.ZipFile(sample) as files, zipfile.ZipFile(forged, "w") as into:
        for file in files.namelist():
            data = files.read(file)
            into.writestr(file, data.replace(b",A,", b",B,", 1) if file.endswith("standings.csv") else data)
    return forged


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_its_command_says_the_same(tmp_path, verified):
    export = play(tmp_path, "alone")
    said = subprocess.run(["node", HERE / "verify.mjs", export], capture_output=True, text=True, check=True).stdout
    (right,) = verified((HERE, export))
    assert said.splitlines() == [*(f"note: {note}" for note in right["notes"]), right["summary"]]
