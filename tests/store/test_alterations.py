"""A sample of `benchmarks alterations`: whatever is changed in an export is found by those who kept their receipts."""

from __future__ import annotations

import io
import random
from contextlib import closing

import pytest
from tests.support.alterations import is_informative, sample
from tests.support.forging import files_of, lines_of, zipped
from tests.support.played import play_casual, play_tournament

from palestra_referee.receipts import Kept
from palestra_server.store import Store
from palestra_tournament.verify import verify_export


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    with closing(Store(tmp_path_factory.mktemp("data"))) as store:
        play_casual(store, "casual", random.Random(1))
        play_tournament(store, players=2)
        file = io.BytesIO()
        store.archive.export(file, "test/1")
    return files_of(file.getvalue())


@pytest.mark.slow
def test_alterations_are_found(files):
    entries = lines_of(files, "matches.jsonl")
    kept = [Kept(entry["match"], entry["tournament"], entry["receipt"], entry["ended"]) for entry in entries]
    missed = []
    for what, alter in sample(files, 60, 40, seed=2):
        copy = dict(files)
        alter(copy)
        if copy == files or is_informative(what):
            continue
        report = verify_export(zipped(copy), kept)
        if report.wrong is None and not report.incomplete:
            missed.append(what)
    assert not missed
