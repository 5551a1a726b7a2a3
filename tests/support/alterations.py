"""Alterations of an export, systematic and random, each as a forger would make it: all sums, chains and counts fit."""

from __future__ import annotations

import json
import random

from tests.support.forging import JOURNAL, MANIFEST, MATCHES, fit, lines_of

from palestra_referee import canonical_json, receipt

# Nothing follows from these, nor are they bound by anything but their order.
INFORMATIVE = {"started", "ended", "at_ms", "exported", "server"}


def systematic(files):
    """(what is altered, alteration) for each kind of line and each of its values, and for each file as a whole."""
    seen = set()
    for name in files:
        if name.endswith(".jsonl"):
            for number, line in enumerate(lines_of(files, name)):
                kind = line.get("type") or line.get("record", {}).get("type") or ""
                for path in paths(line):
                    key = name, kind, tuple("*" if isinstance(part, int) else part for part in path)
                    for how in (other, without, with_more) if (key, number % 3) not in seen else ():
                        yield f"{name}, line {number + 1}, {path}: {how.__name__}", in_line(name, number, path, how)
                    seen.add((key, number % 3))
        for how in (last_line_twice, without_last_line, lines_swapped):
            if name != MANIFEST:
                yield f"{name}: {how.__name__}", in_text(name, how)
        if name != MANIFEST:
            yield f"{name}: is gone", gone(name)
    for path in paths(json.loads(files[MANIFEST])):
        if path[0] != "files":
            yield f"{MANIFEST}, {path}", in_manifest(path)


def at_random(files, chance):
    """One alteration of a byte somewhere, in a file chosen by its size."""
    names = [name for name in files if name != MANIFEST]
    name = chance.choices(names, [len(files[name]) ** 0.5 for name in names])[0]
    at, byte = chance.randrange(len(files[name])), chance.randrange(256)

    def alter(data):
        return data[:at] + bytes([byte if data[at] != byte else byte ^ 1]) + data[at + 1 :]

    return f"{name}, byte {at}", in_text(name, alter)


def paths(value, before=()):
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], (*before, key))
    elif isinstance(value, list) and value:
        yield from paths(value[0], (*before, 0))
    else:
        yield before


def other(holder, key):
    value = holder[key]
    if isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int | float):
        holder[key] = value + 1
    elif isinstance(value, str):
        holder[key] = value + "x"
    else:
        holder[key] = 0


def without(holder, key):
    del holder[key]


def with_more(holder, key):
    if isinstance(holder, list):
        holder.append(holder[key])
    else:
        holder["more"] = holder[key]


def last_line_twice(data):
    *lines, last = data.splitlines(keepends=True)
    return b"".join([*lines, last, last])


def without_last_line(data):
    return b"".join(data.splitlines(keepends=True)[:-1])


def lines_swapped(data):
    lines = data.splitlines(keepends=True)
    if len(lines) < 3:
        return data + b"\n"
    lines[1], lines[2] = lines[2], lines[1]
    return b"".join(lines)


def in_line(name, number, path, how):
    def alter(files):
        lines = lines_of(files, name)
        holder = lines[number]
        for part in path[:-1]:
            holder = holder[part]
        how(holder, path[-1])
        files[name] = b"".join(canonical_json(line) + b"\n" for line in lines)
        if name == JOURNAL:
            chained(files)
        fit(files)

    return alter


def in_text(name, how):
    def alter(files):
        files[name] = how(files[name])
        fit(files)

    return alter


def gone(name):
    def alter(files):
        del files[name]
        fit(files)

    return alter


def in_manifest(path):
    def alter(files):
        manifest = json.loads(files[MANIFEST])
        holder = manifest
        for part in path[:-1]:
            holder = holder[part]
        if isinstance(holder.get(path[-1]) if isinstance(holder, dict) else holder[path[-1]], list):
            holder[path[-1]] = ["more"]
        else:
            other(holder, path[-1])
        files[MANIFEST] = canonical_json(manifest) + b"\n"

    return alter


def chained(files):
    """The receipts of all matches made to fit their records."""
    rows = {}
    for row in lines_of(files, JOURNAL):
        if isinstance(row.get("record"), dict):
            rows.setdefault(row.get("match"), []).append(canonical_json(row["record"]))
    entries = lines_of(files, MATCHES)
    for entry in entries:
        entry["receipt"] = receipt(rows.get(entry["match"], []))
    files[MATCHES] = b"".join(canonical_json(entry) + b"\n" for entry in entries)


def is_informative(what):
    return any(f"'{field}'" in what for field in INFORMATIVE)


def sample(files, systematically, randomly, seed=1):
    chance = random.Random(seed)
    all_of_them = list(systematic(files))
    chosen = chance.sample(all_of_them, min(systematically, len(all_of_them)))
    return [*chosen, *(at_random(files, chance) for _ in range(randomly))]
