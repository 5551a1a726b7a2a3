"""Saves the arena's matches as an export (RECORDS.md), in the same format as a server's."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from palestra_client.arena.house import SERVER
from palestra_client.arena.matches import Finished
from palestra_referee import canonical_json, event_to_record, receipt
from palestra_referee.layout import FORMAT, JOURNAL, MANIFEST, MATCHES, NOWHERE, journal_line, match_entry


def save(file: Path, played: Sequence[Finished], now_ms: int) -> None:
    """Write the export. `now_ms` is the Unix time in milliseconds. Raises OSError."""
    entries, journal = [], []
    for finished in played:
        records = [canonical_json(event_to_record(event)) for event in finished.events]
        match = finished.match
        entries.append(match_entry(match, receipt(records), NOWHERE, finished.started_ms, finished.ended_ms))
        journal += [journal_line(match.config.match, seq, record) for seq, record in enumerate(records)]
    files = {MATCHES: _lines(map(canonical_json, entries)), JOURNAL: _lines(journal)}
    manifest: Mapping[str, Any] = {
        "format": FORMAT,
        "server": SERVER,
        "exported": now_ms,
        "matches": len(entries),
        "tournaments": [],
        "files": {name: sha256(text).hexdigest() for name, text in files.items()},
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(MANIFEST, canonical_json(manifest) + b"\n")


def _lines(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
