"""Exports that somebody forged, and the receipts that show it: each is named, in one sentence, and at little cost."""

from __future__ import annotations

import io
import json
import random
import re
import struct
import zipfile

import pytest
from tests.support.forging import (
    JOURNAL,
    MANIFEST,
    MATCHES,
    changed,
    files_of,
    fit,
    in_manifest,
    lines_of,
    renamed,
    rewritten,
    without_matches,
    write,
    zipped,
)
from tests.support.played import play_casual, play_tournament

from palestra_referee import canonical_json
from palestra_referee.layout import DIRECTORY_BYTES, FREE_BYTES, LINE_BYTES
from palestra_referee.receipts import Kept
from palestra_server.store import Store, open_archive
from palestra_tournament import event_from_record, parse_spec, replay
from palestra_tournament.export import TABLES
from palestra_tournament.verify import verify_export

pytestmark = pytest.mark.slow

CUP = "tournaments/cup/"
EVENTS = CUP + "events.jsonl"
NOW = 2_000_000_000_000


@pytest.fixture(scope="module")
def export(tmp_path_factory):
    """A Swiss of three rounds, and a casual match, as bytes."""
    data = tmp_path_factory.mktemp("data")
    store = Store(data)
    play_casual(store, "casual", random.Random(1))
    play_tournament(store, format="swiss", more="rounds = 3")
    store.close()
    file = io.BytesIO()
    with open_archive(data, None) as archive:
        archive.export(file, "test/1")
    return file.getvalue()


@pytest.fixture(scope="module")
def receipts(export):
    """What the players kept."""
    entries = lines_of(files_of(export), "matches.jsonl")
    return [Kept(entry["match"], entry["tournament"], entry["receipt"], entry["ended"]) for entry in entries]


def with_tables(files):
    """The tables that follow from the events, as a forger would make them."""
    spec = parse_spec(files[CUP + "tournament.toml"].decode())
    t = replay(spec, map(event_from_record, lines_of(files, EVENTS)))
    files.update({CUP + name: table(t).encode() for name, table in TABLES.items()})


def under_a_new_id(files):
    renamed(files, "m5", "m500", EVENTS)


def without_the_last_round(files):
    events = lines_of(files, EVENTS)
    last = {event["match"] for event in events if event.get("fixture", "").startswith("3-")}
    kept = [event for event in events if event.get("match") not in last]
    write(files, EVENTS, [*kept, {"type": "closed", "at_ms": kept[-1]["at_ms"], "counts_all": False}])
    without_matches(files, *last)
    with_tables(files)


@pytest.mark.parametrize("forgery", [under_a_new_id, without_the_last_round])
def test_a_match_that_is_gone_is_missed_by_its_receipt(export, receipts, forgery):
    forged = changed(export, forgery)
    assert verify_export(forged).ok, "it can be told by the receipts alone"
    assert str(verify_export(io.BytesIO(export), receipts)) == "verified: 25 matches, 1 tournament, 25 receipts"
    assert "is missing: its receipt" in str(verify_export(forged, receipts))


def test_a_phantom_is_missed(export, receipts):
    """The player was told of a match that the server never wrote down."""
    report = verify_export(io.BytesIO(export), [*receipts, Kept("phantom", "cup", "00" * 32, 1)])
    assert report.wrong == f"match phantom, of the tournament cup, is missing: its receipt {'00' * 32} was kept."


def test_a_receipt_of_another_server_with_the_same_tournament_is_no_accusation(export, receipts):
    """Two classes, each with its own server and its own tournament 'cup'."""
    other = Kept("theirs", "cup", "00" * 32, 1, "5e2a")
    report = verify_export(io.BytesIO(export), [*receipts, other])
    assert (report.wrong, report.receipts) == (None, 25)
    assert report.remarks == ("Not compared: 1 receipt of the server 5e2a, another one, which the file does not hold.",)
    mine = json.loads(files_of(export)[MANIFEST])["server_id"]
    assert "match theirs, of the tournament cup, is missing" in str(
        verify_export(io.BytesIO(export), [other._replace(server_id=mine)])
    )
    spoiled = receipts[0]._replace(receipt="00" * 32, server_id="5e2a")
    assert "but 0000" in str(verify_export(io.BytesIO(export), [spoiled])), "a match that is there is compared anyway"


def test_a_server_that_gives_itself_another_id_is_told_by_the_receipts_it_has(export, receipts):
    """Else a lost match could be left out as one of another server."""
    mine = json.loads(files_of(export)[MANIFEST])["server_id"]
    own = [one._replace(server_id=mine) for one in receipts]
    assert verify_export(io.BytesIO(export), own).ok
    forged = changed(export, in_manifest(lambda manifest: manifest.update(server_id="5e2a")))
    assert verify_export(forged).ok, "it can be told by the receipts alone"
    assert verify_export(forged, own).wrong == (
        f"match {own[0].match}: its receipt was given by the server {mine}, but manifest.json says that it is of 5e2a."
    )


def test_matches_that_ended_after_the_export_are_said_one_by_one(export, receipts):
    def goes_on(files):
        events = lines_of(files, EVENTS)
        last = {event["match"] for event in events if event.get("fixture", "").startswith("3-")}
        write(files, EVENTS, [event for event in events if event.get("match") not in last])
        without_matches(files, *last)
        with_tables(files)
        in_manifest(lambda manifest: manifest.update(exported=NOW))(files)

    before = changed(export, goes_on)
    late = [one._replace(when_ms=NOW + 1) for one in receipts]
    report = verify_export(before, late)
    assert (report.wrong, report.receipts) == (None, 17)
    assert len(report.remarks) == 8
    assert all("which ended after the export" in remark for remark in report.remarks)
    assert "is missing" in str(verify_export(before, receipts))


def test_two_receipts_of_a_match_are_one_too_many(export, receipts):
    report = verify_export(io.BytesIO(export), [*receipts, receipts[3]._replace(receipt="ab" * 32)])
    assert "two different receipts were kept" in str(report)


# what is in the file


def ghost(name, data=b""):
    def plant(files):
        files[name] = data

    return plant


def another_tournament(files):
    for name in [name for name in files if name.startswith(CUP)]:
        files[name.replace("cup", "top")] = files[name].replace(b'"cup"', b'"top"')


def listed(*names):
    return in_manifest(lambda manifest: manifest.update(tournaments=[*manifest["tournaments"], *names]))


def removed(files):
    for name in [name for name in files if name.startswith(CUP)]:
        del files[name]
    in_manifest(lambda manifest: manifest.update(tournaments=[], left_out={"matches": [], "tournaments": ["cup"]}))(
        files
    )
    entries = lines_of(files, "matches.jsonl")
    for entry in entries:
        entry.update(fixture=None, round=None, pair=None)
    write(files, "matches.jsonl", entries)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (ghost("tournaments/ghost/"), "tournaments/ghost/ is no file of this export"),
        (ghost("final-grades.csv", b"ana,10\n"), "final-grades.csv is no file of this export"),
        (ghost(CUP + "final-grades.csv"), "final-grades.csv is no file of this export"),
        (ghost("left-out.txt"), "left-out.txt is no file of this export"),
        (ghost("../../x"), r"\.\./\.\./x is no file of this export"),
        (another_tournament, "tournaments/top/crosstable.csv is no file of this export"),
        (listed("cup"), "lists a name twice"),
        (listed("../../x"), r"manifest.json: 'tournaments.1' is wrong"),
        (listed("top"), "tournaments/top/events.jsonl is missing"),
        (lambda files: files.pop(CUP + "grades.csv"), "grades.csv is missing"),
        (lambda files: [files.pop(CUP + name) for name in TABLES], "tournament cup has no tables, against its events"),
        (
            in_manifest(lambda manifest: manifest["left_out"].update(tournaments=["cup"])),
            "the tournament cup can't be both in the file and left out",
        ),
        (
            in_manifest(lambda manifest: manifest["left_out"].update(matches=["m3"])),
            "the match m3 can't be both in the file and left out",
        ),
    ],
)
def test_what_is_in_the_file_is_what_the_manifest_says(export, change, why):
    wrong = verify_export(changed(export, change)).wrong
    assert wrong is not None
    assert re.search(why, wrong), wrong


def test_a_tournament_said_to_be_left_out_is_said_again(export, receipts):
    report = verify_export(changed(export, removed), receipts)
    assert (report.wrong, report.incomplete, report.receipts) == (None, True, 25)
    assert report.remarks == ("Left out: the tournament cup, because it is damaged.",)
    silent = changed(
        export, lambda files: (removed(files), in_manifest(lambda m: m["left_out"].update(tournaments=[]))(files))
    )
    report = verify_export(silent, receipts)
    assert report.remarks == ("Not in the file: the tournament cup, of which it has 24 matches.",)


def rewrite_manifest(change):
    def apply(export):
        files = files_of(export)
        files[MANIFEST] = change(files[MANIFEST])
        return zipped(files)

    return apply


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: text + b" ", "manifest.json is not canonical JSON"),
        (lambda text: text[:-1] + b"{}\n", "manifest.json is not JSON"),
        (lambda text: text.replace(b'"exported":', b'"exported":NaN,"other":', 1), "manifest.json is not JSON"),
        (lambda text: text.replace(b"{", b'{"matches":99,', 1), "manifest.json is not canonical JSON"),
        (lambda text: text.decode().encode("utf-16"), "manifest.json is not JSON"),
        (lambda text: text.replace(b'"format":2', b'"format":true', 1), "'format' is wrong"),
        (lambda text: text.replace(b'"format":2', b'"format":99', 1), "this is format 99, and this program knows"),
        (lambda text: text.replace(b'"format":2', b'"format":2,"more":1', 1), "'more' is wrong"),
        (lambda text: text.replace(b'"exported":', b'"exported":-', 1), "'exported' is wrong"),
        (lambda _: b"[" * 100_000, "manifest.json is not JSON"),
        (lambda _: random.Random(1).randbytes(3 << 20).hex().encode(), "manifest.json is too long"),
    ],
)
def test_a_manifest_that_is_none(export, change, why):
    assert why in str(verify_export(rewrite_manifest(change)(export)))


# what costs too much, or can't be read


def patched(export, name, at, value, width=2):
    """The zip file with a number in the directory's entry of a file replaced; `at`: where, in APPNOTE 4.3.12."""
    data = bytearray(export)
    place = data.rindex(name.encode()) - 46
    assert data[place : place + 4] == b"PK\x01\x02"
    data[place + at : place + at + width] = value.to_bytes(width, "little")
    return io.BytesIO(bytes(data))


def bomb(name):
    def apply(export):
        files = files_of(export)
        files[name] = b" " * (50 * FREE_BYTES)
        fit(files)
        return zipped(files)

    return apply


def many_entries(export):
    out = io.BytesIO(export)
    with zipfile.ZipFile(out, "a") as target:
        for number in range(DIRECTORY_BYTES // 300):
            target.writestr(zipfile.ZipInfo(f"{number:0300}"), b"")
    return out


def long_line(export):
    files = files_of(export)
    noise = random.Random(1).randbytes(LINE_BYTES // 2 + 8).hex().encode()
    files["journal.jsonl"] = b'{"' + noise + b'":1}\n'
    fit(files)
    return zipped(files)


def with_toml(text):
    def apply(export):
        return changed(export, lambda files: files.update({CUP + "tournament.toml": text}))

    return apply


def in_first_record(find, put):
    def apply(export):
        def change(files):
            files["journal.jsonl"] = files["journal.jsonl"].replace(find, put, 1)

        return changed(export, change)

    return apply


def with_comment(export):
    files = files_of(export)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.comment = b"ana has 10"
            target.writestr(info, data)
    return out


@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (lambda export: io.BytesIO(b"ana has 10" + export), "something stands before or after its files"),
        (lambda export: io.BytesIO(export + b"ana has 10"), "something stands before or after its files"),
        (with_comment, "has a comment"),
        (lambda export: patched(export, "matches.jsonl", 8, 1), "matches.jsonl is encrypted"),
        (
            lambda export: patched(export, "matches.jsonl", 10, 12),
            "packed in a way that exports do not use (method 12)",
        ),
        (
            lambda export: patched(export, "matches.jsonl", 10, 99),
            "packed in a way that exports do not use (method 99)",
        ),
        (lambda export: patched(export, "matches.jsonl", 42, len(export) - 9, 4), "matches.jsonl is damaged"),
        (lambda export: patched(export, "matches.jsonl", 42, len(export) + 9, 4), "matches.jsonl is damaged"),
        (lambda export: patched(export, "matches.jsonl", 20, len(export), 4), "overlap, or lie beyond its end"),
        (bomb("journal.jsonl"), "journal.jsonl would unpack to 100 times its size"),
        (bomb(CUP + "standings.csv"), "standings.csv, line 1 has"),
        (many_entries, "it lists far more files than an export has"),
        (long_line, "journal.jsonl, line 1 is too long"),
        (with_toml(b"a = " + b"[" * 500 + b"]" * 500), "tournament.toml: "),
        (with_toml(b"a." * 5000 + b"b = 1"), "tournament.toml: "),
        (with_toml(b"# " + b"x" * 300_000), "tournament.toml: "),
        (with_toml(b"\xff"), "tournament.toml: "),
        (in_first_record(b'"info":null', b'"info":' + b"[" * 100_000 + b"]" * 100_000), "is not JSON"),
        (in_first_record(b'"at":0', b'"at":' + b"9" * 5000), "is not JSON"),
        (lambda export: io.BytesIO(export[: len(export) // 2]), "can't be read as an export"),
        (lambda _: io.BytesIO(b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 9, 9, 2**31, 0, 0)), "as an export"),
    ],
)
def test_what_cannot_be_read_costs_one_sentence(export, forge, why):
    report = verify_export(forge(export))
    assert report.wrong is not None
    assert why in report.wrong
    assert "\n" not in str(report)
    assert len(str(report)) < 400


def test_a_forged_id_does_not_reach_the_terminal(export):
    def an_id(files):
        renamed(files, "m5", "\x1b[2J\x9bm5", EVENTS)
        rewritten(files, "\x1b[2J\x9bm5", lambda records: records[3].update(at="noon"))

    def a_type(files):
        rewritten(files, "casual", lambda records: records[3].update(type="\x1b[2J"))

    for change in (an_id, a_type):
        report = verify_export(changed(export, change))
        assert "[2J" in str(report)
        assert not {"\x1b", "\x9b"} & set(str(report))


def test_a_forged_name_adds_no_line_to_the_report(export):
    gone = "m99, because it is damaged.\nverified: 99 matches\u2028in m99"

    def left_out(manifest):
        manifest["left_out"]["matches"] = [gone]

    def an_id(files):
        renamed(files, "m5", "m5\nverified: 99 matches", EVENTS)
        rewritten(files, "m5\nverified: 99 matches", lambda records: records[3].update(at="noon"))

    for change, lines in ((in_manifest(left_out), 2), (an_id, 1)):
        said = str(verify_export(changed(export, change)))
        assert "99 matches" in said
        assert len(said.splitlines()) == lines, said


# faults in the records and events


def in_events(change):
    """Changes the events from 'began', and those alone."""

    def apply(files):
        created, *events = lines_of(files, EVENTS)
        files[EVENTS] = b"".join(canonical_json(event) + b"\n" for event in [created, *(change(events) or events)])

    return apply


def first(kind, **values):
    """The first event of this kind with other values; None takes one away."""

    def change(events):
        event = next(event for event in events if event["type"] == kind)
        event.update(values)
        for key, value in values.items():
            if value is None:
                del event[key]

    return in_events(change)


def swapped(events):
    events[1], events[2] = events[2], events[1]


def another_start(events):
    return [*events[:1], {**events[1], "match": "discarded"}, *events[1:]]


def in_record(match, kind, **values):
    def change(records):
        next(record for record in records if record["type"] == kind).update(values)

    return lambda files: rewritten(files, match, change)


def voided(match, **why):
    """The match ended by this instead of its last record."""

    def change(files):
        last = lines_of(files, MATCHES)
        rows = [row for row in lines_of(files, JOURNAL) if row["match"] == match]
        end = {"type": "voided", "why": why, "at": rows[-1]["record"]["at"]}
        rewritten(files, match, lambda records: (records[-1].clear(), records[-1].update(end)))
        entry = next(entry for entry in last if entry["match"] == match)
        if rows[-1]["record"]["type"] == "acted":
            plies = {"moves": entry["moves"][:-1], "plies": entry["plies"] - 1}
        entry |= {**plies, "returns": [0, 0], "reason": "void", "why": why}
        receipts = {each["match"]: each["receipt"] for each in lines_of(files, MATCHES)}
        write(files, MATCHES, [{**each, "receipt": receipts[each["match"]]} for each in last])
        events = lines_of(files, EVENTS)
        for event in events:
            if event["type"] == "ended" and event["match"] == match:
                event |= {"returns": [0, 0], "reason": "void", "plies": entry["plies"]}
                event |= {key: event[key][: len(entry["moves"])] for key in ("actions", "charged_ms")}
        write(files, EVENTS, events)

    return change


def two_swapped(first, second):
    """Two matches in the other order, entries and records."""

    def change(files):
        for name in (MATCHES, JOURNAL):
            rows = lines_of(files, name)
            place = {first: 1, second: 0}
            there = sorted((row for row in rows if row["match"] in place), key=lambda row: place[row["match"]])
            at = next(number for number, row in enumerate(rows) if row["match"] == first)
            rest = [row for row in rows if row["match"] not in place]
            write(files, name, [*rest[:at], *there, *rest[at:]])

    return change


def last_event_after_the_export(files):
    *events, last = lines_of(files, EVENTS)
    write(files, EVENTS, [*events, {**last, "at_ms": 10**15}])


def with_guest(files):
    def change(records):
        records[0]["config"]["guests"] = [True, False]

    rewritten(files, "m3", change)


def in_created(**values):
    return lambda files: write(files, EVENTS, [{**(lines := lines_of(files, EVENTS))[0], **values}, *lines[1:]])


def in_openings(files):
    files["openings.json"] = files["openings.json"].replace(b"[[", b"[[0,", 1)


def in_toml(find, put):
    def change(files):
        name = CUP + "tournament.toml"
        assert find in files[name]
        files[name] = files[name].replace(find, put)

    return change


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (in_events(another_start), "event 3: match discarded was started before, and did not end"),
        (in_events(lambda events: [*events[:2], *events[1:]]), "event 3: match m1 was started before"),
        (in_events(lambda events: [*events[:3], *events[2:]]), "event 4: match m1 ended without having started"),
        (in_events(lambda events: [events[0], *events[2:]]), "event 2: match m1 ended without having started"),
        (in_events(swapped), "event 2: match m1 ended without having started"),
        (first("started", at_ms=5), "event 2: at_ms is 5, before that of the event before"),
        (first("started", more=1), 'event 2: "more" is no field of'),
        (first("started", at_ms=None), "event 2: 'at_ms' is missing"),
        (first("started", fixture=1), "event 2: 'fixture' is wrong"),
        (first("ended", drops=[True, 0]), "'drops.0' is wrong"),
        (in_created(file="00" * 32), "event 0: the tournament was created with another tournament.toml"),
        (in_created(commitment="00" * 32), "event 1: seed 7 is not the one that the server had committed to"),
        (in_created(at_ms=10**15), r"event 1: at_ms is \d+, before that of the event before, 10{15}"),
        (first("began", seed=8), "event 1: seed 8 is not the one that the server had committed to"),
        (first("began", salt="another"), "event 1: seed 7 is not the one that the server had committed to"),
        (lambda files: write(files, EVENTS, []), "events.jsonl is empty"),
        (lambda files: write(files, EVENTS, lines_of(files, EVENTS)[1:]), "first event of a tournament is 'created'"),
        (in_events(lambda events: events[1:]), "event 1: the second event of a tournament is 'began'"),
        (in_openings, "openings.json does not hold the lists of openings that this program knows"),
        (in_toml(b"move_ms = 1000", b"move_ms = 1000\nready_ms = 30000"), "created with another tournament.toml"),
        (in_toml("Übungspokal".encode(), b"Another title"), "created with another tournament.toml"),
        (with_guest, r"the guests of match m3 is \[true,false\] in its records"),
        (in_record("casual", "ready", seat=True), "'ready' is not as a server writes it"),
        (in_record("casual", "acted", arrived_at=-1), "can't have arrived at -1"),
        (in_record("casual", "acted", arrived_at=10**12), "can't have arrived at 1000000000000"),
        (in_record("casual", "created", at=7), "a match is created at 0, not at 7"),
        (in_record("casual", "turn", at=10**12), "is before 1000000000000, that of an earlier one"),
        (in_record("casual", "ready", more=1), '"more" is no field of'),
        (in_record("casual", "acted", at=10**12), "is before 1000000000000, that of an earlier one"),
        (in_record("casual", "attached", at=10**12), "is before 1000000000000, that of an earlier one"),
        (voided("casual", code="rain"), """There is no such 'why': {"code": "rain"}."""),
        (voided("casual", code="refused", player="eva"), "'refused' is the end of a challenge that has not begun"),
        (
            voided("casual", code="name_taken", player="guest"),
            "'name_taken' names guest, who is no guest of this match",
        ),
        (voided("casual", code="house_late", player="zoe"), "'house_late' names zoe, who does not play"),
        (voided("casual", code="failed", game="mancala", error="E"), "'failed' names mancala, not the game"),
        (voided("m3", code="house_late", player="mia"), "was void for mia, who is no reference bot"),
        (two_swapped("m1", "m2"), "matches.jsonl has match m2 before m1, against the events of tournament cup"),
        (in_manifest(lambda manifest: manifest.update(exported=5)), "exported at 5, before match casual ended"),
        (last_event_after_the_export, "exported at .*, before its last event"),
    ],
)
def test_what_a_server_would_not_have_written(export, change, why):
    wrong = verify_export(changed(export, change)).wrong
    assert wrong is not None
    assert re.search(why, wrong), wrong


def test_a_match_does_not_end_before_it_starts(export):
    def change(files):
        entries = lines_of(files, "matches.jsonl")
        entries[1]["ended"] = entries[1]["started"] - 1
        write(files, "matches.jsonl", entries)

    assert re.search(r"match m1 ended at \d+, before it started", verify_export(changed(export, change)).wrong)


def test_a_match_that_could_not_go_on_is_said_and_a_receipt_of_it_is_missed(export):
    """The records void it: the server lost it, or it never began. Nobody can have a receipt of such a match."""

    def void(events):
        at_ms, fixture = events[1]["at_ms"], events[1]["fixture"]
        rest = {"returns": [0, 0], "reason": "void", "plies": 0, "actions": [], "charged_ms": [], "drops": [0, 0]}
        lost = {"type": "ended", "fixture": fixture, "match": "lost", "at_ms": at_ms, **rest}
        return [events[0], {**events[1], "match": "lost"}, lost, *events[1:]]

    forged = changed(export, in_events(void))
    report = verify_export(forged)
    assert (report.wrong, len(report.remarks)) == (None, 1)
    assert report.remarks[0].startswith("Void without records: match lost of the tournament cup")
    assert "match lost, of the tournament cup, is missing" in str(verify_export(forged, [Kept("lost", "cup", "00", 1)]))
