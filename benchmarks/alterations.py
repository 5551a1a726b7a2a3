"""How many of 400 systematic and 300 random alterations of an export `verify` finds, with the players' receipts and
without."""

from __future__ import annotations

import io
import json
import random
import tempfile
from contextlib import closing
from pathlib import Path

from tests.support.alterations import is_informative, sample
from tests.support.forging import files_of, lines_of, zipped
from tests.support.played import play_casual, play_tournament

from palestra_referee.receipts import Kept
from palestra_server.store import Store
from palestra_tournament.verify import verify_export

SYSTEMATIC, RANDOM = 400, 300


def run() -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as folder, closing(Store(Path(folder))) as store:
        play_casual(store, "casual", random.Random(1))
        play_tournament(store, players=3)
        file = io.BytesIO()
        store.archive.export(file, "test/1")
    files = files_of(file.getvalue())
    kept = [
        Kept(entry["match"], entry["tournament"], entry["receipt"], entry["ended"])
        for entry in lines_of(files, "matches.jsonl")
    ]
    found = {True: 0, False: 0}
    missed = []
    altered = 0
    for what, alter in sample(files, SYSTEMATIC, RANDOM):
        copy = dict(files)
        alter(copy)
        if copy == files:
            continue
        altered += 1
        forged = zipped(copy).getvalue()
        for receipts in (True, False):
            report = verify_export(io.BytesIO(forged), kept if receipts else None)
            told = report.wrong is not None or report.incomplete
            found[receipts] += told
            if receipts and not told:
                missed.append(what)
    values = [what for what in missed if not is_informative(what)]
    return [
        ("alterations", str(altered)),
        ("found with the receipts", str(found[True])),
        ("found without", str(found[False])),
        ("missed, of which nothing follows (times of day, the server's name)", str(len(missed) - len(values))),
        ("missed otherwise", json.dumps(values)),
    ]
