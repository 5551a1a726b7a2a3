"""The tables over the API, of a tournament whose tables another process makes."""

import io
import json
import sqlite3
import zipfile
from contextlib import closing

import pytest
from tests.support.helping import without_time
from tests.support.web import KEY

from palestra_server.runtime import table_cache
from palestra_server.tables import TABLES, Asked, TablesApart, make
from palestra_tournament import Part

CUP = """
name = "cup"
games = ["connect4"]
format = "round-robin"
absent = "wait"
[grades]
participation = { points = 2 }
"""


@pytest.mark.process
async def test_the_tables_of_a_large_tournament(open_web, monkeypatch):
    monkeypatch.setattr(table_cache, "HERE", 2)
    apart = []
    there = TablesApart.__call__
    monkeypatch.setattr(TablesApart, "__call__", lambda self, *asked: apart.append(asked[1]) or there(self, *asked))
    async with open_web("ana", "bob", "eva") as web, web.client(KEY) as teacher:
        assert (await teacher.post("/api/v1/tournaments", json={"toml": CUP})).status_code == 200
        assert (await teacher.get("/api/v1/tournaments/cup/standings")).status_code == 409
        assert (await teacher.post("/api/v1/tournaments/cup/start")).status_code == 200
        await teacher.post("/api/v1/tournaments/cup/withdraw", json={"player": "ana"})
        live = await web.server.catalogue.fetch("cup")
        assert live.tournament.results
        for table in TABLES:
            answer = await teacher.get(f"/api/v1/tournaments/cup/{table}")
            kind = "text/csv" if table.endswith(".csv") else "application/json"
            assert (answer.status_code, answer.headers["content-type"].split(";")[0]) == (200, kind)
            # A page of the schedule, and the first players of the crosstable.
            part = Part(limit={"schedule": 100, "crosstable": 50}.get(table))
            assert answer.content == make(Asked(table, part), live.tournament), table
            assert (await teacher.get(f"/api/v1/tournaments/cup/{table}")).content == answer.content
        assert [asked.table for asked in apart] == [*TABLES], "each once"
        pages, start = [], 0
        while start is not None:
            params = {"player": ["ana", "eva"], "limit": 1, "start": start}
            page = (await teacher.get("/api/v1/tournaments/cup/schedule", params=params)).json()
            pages += page["fixtures"]
            start = page["next"]
        whole = (await teacher.get("/api/v1/tournaments/cup/schedule")).json()
        assert pages == [each for each in whole["fixtures"] if set(each["players"]) == {"ana", "eva"}]
        assert len(pages) == 2
        assert sum(each["fixtures"] for each in whole["rounds"]) == len(whole["fixtures"]) == 6
        assert sum(each["ended"] for each in whole["rounds"]) == len(live.tournament.results)
        cut = (await teacher.get("/api/v1/tournaments/cup/crosstable", params={"limit": 2})).json()
        assert (len(cut["players"]), [len(row) for row in cut["cells"]], cut["total"]) == (2, [2, 2], 3)
        for query in ({"limit": 1001}, {"state": "won"}, {"round": 0}, {"start": -1}, {"player": ["ana"] * 3}):
            answer = await teacher.get("/api/v1/tournaments/cup/schedule", params=query)
            assert answer.status_code == 422, query
        without_time(monkeypatch, web.server.table_cache._helper)
        monkeypatch.setattr(web.server.table_cache, "_every_s", 0)
        await teacher.post("/api/v1/tournaments/cup/withdraw", json={"player": "bob"})
        late = await teacher.get("/api/v1/tournaments/cup/standings")
        assert (late.status_code, late.json()["error"]) == (503, "try_later")
        assert late.json()["message"].startswith("The table could not be made. It took longer than 0 s. Try again")


@pytest.mark.slow
@pytest.mark.process
async def test_what_is_damaged_is_named_in_the_file(open_web, tmp_path):
    async with open_web("ana", "bob", "eva") as web, web.client(KEY) as teacher:
        for text in (CUP, CUP.replace('"cup"', '"other"')):
            await teacher.post("/api/v1/tournaments", json={"toml": text})
        with closing(sqlite3.connect(tmp_path / "palestra.sqlite3")) as db, db:
            db.execute("UPDATE tournaments SET toml = 'name = cup' WHERE name = 'cup'")
        answer = await teacher.get("/api/v1/export.zip", timeout=None)
        with zipfile.ZipFile(io.BytesIO(answer.content)) as file:
            assert json.loads(file.read("manifest.json"))["left_out"] == {"matches": [], "tournaments": ["cup"]}
            assert "tournaments/other/tournament.toml" in file.namelist()
        by_name = await teacher.get("/api/v1/export.zip", params={"tournament": "cup"}, timeout=None)
        assert (by_name.status_code, by_name.json()["error"]) == (422, "export")
