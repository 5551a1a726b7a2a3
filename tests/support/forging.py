"""Changes exports as a forger would, who makes everything fit that can be computed."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

from palestra_referee import canonical_json, receipt

MATCHES, JOURNAL, MANIFEST = "matches.jsonl", "journal.jsonl", "manifest.json"


def files_of(export):
    """All files of an export, as bytes by name."""
    with zipfile.ZipFile(io.BytesIO(export)) as source:
        return {name: source.read(name) for name in source.namelist()}


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in files.items():
            target.writestr(name, data)
    return io.BytesIO(out.getvalue())


def changed(export, change, *, sums=True):
    """The export after `change(files)`; with the manifest's sums and its number of matches made to fit."""
    files = files_of(export)
    change(files)
    if sums:
        fit(files)
    return zipped(files)


def fit(files):
    def these(manifest):
        manifest["files"] = {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name != MANIFEST}
        manifest["matches"] = files.get(MATCHES, b"").count(b"\n")

    in_manifest(these)(files)


def in_manifest(change):
    def apply(files):
        manifest = json.loads(files[MANIFEST])
        change(manifest)
        files[MANIFEST] = canonical_json(manifest) + b"\n"

    return apply


def lines_of(files, name):
    return [json.loads(line) for line in files[name].splitlines()]


def write(files, name, values):
    files[name] = b"".join(canonical_json(value) + b"\n" for value in values)


def rewritten(files, match, change):
    """Changes the records of a match (all its rows), and makes its chain and its receipt fit."""
    rows = lines_of(files, JOURNAL)
    change([row["record"] for row in rows if row["match"] == match])
    write(files, JOURNAL, rows)
    entries = lines_of(files, MATCHES)
    for entry in entries:
        if entry["match"] == match:
            entry["receipt"] = receipt(canonical_json(row["record"]) for row in rows if row["match"] == match)
    write(files, MATCHES, entries)


def without_matches(files, *names):
    for name in (MATCHES, JOURNAL):
        write(files, name, [row for row in lines_of(files, name) if row["match"] not in names])


def renamed(files, match, name, events):
    """A match under a new id, in its records, its entry and the events of its tournament."""
    rows = lines_of(files, JOURNAL)
    entries = lines_of(files, MATCHES)
    for row in (*rows, *entries):
        if row["match"] == match:
            row["match"] = name
            if row.get("seq") == 0:
                row["record"]["config"]["match"] = name
    write(files, JOURNAL, rows)
    write(files, MATCHES, entries)
    rewritten(files, name, lambda _: None)
    told = lines_of(files, events)
    for event in told:
        if event.get("match") == match:
            event["match"] = name
    write(files, events, told)
    table = events.replace("events.jsonl", "schedule.csv")
    files[table] = files[table].replace(f",{match}\n".encode(), f",{name}\n".encode())
