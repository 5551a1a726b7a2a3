"""A tournament's page before it begins: when, who is in, and the rules in words."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Page
from tests.support.page import seen
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess, enrol

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_who_is_in_when_it_begins_and_how_it_is_played(page: Page, tmp_path: Path) -> None:
    tokens = enrol(tmp_path / "data", "ana", "ben", "cid")
    starts = (datetime.now(UTC) + timedelta(minutes=50)).strftime("%Y-%m-%dT%H:%M:%SZ")
    cup = f'name = "cup"\ngames = ["connect4"]\nformat = "swiss"\nstart = {starts}\nclock = {{ move_ms = 1500 }}\n'
    cup += "grades = { maximum = 5, top = [{ places = 1, points = 2 }] }\n"
    with ServerProcess(tmp_path / "data") as server:
        await asyncio.to_thread(server.api, "POST", "/tournaments", {"toml": cup})
        await page.goto(f"{server.web}/tournament/cup")
        await seen(page, ".countdown").to_have_text(re.compile(r"^(50:00|4\d:\d\d)$"))
        await seen(page, ".before").to_contain_text("1.5 s for a move")
        await seen(page, ".before").to_contain_text("2 matches of each, half of them with the seats swapped")
        await seen(page, ".before").to_contain_text(
            "Ranked by points; then by Buchholz, Sonneborn-Berger, head to head."
        )
        await seen(page, ".before").to_contain_text("Grades, up to 5: 2 for the first.")
        await seen(page, ".before").to_contain_text("Over by")
        await seen(page, ".before").to_contain_text("0 of 3 connected, 0 ready")
        checked = {
            "json": {"games": ["connect4"], "passed": True},
            "headers": {"authorization": f"Bearer {tokens['ben']}"},
            "verify": False,
        }
        await asyncio.to_thread(httpx.post, f"{server.web}/api/v1/readiness", **checked)
        player = await asyncio.to_thread(RawPlayer, server.url, None, token=tokens["ben"])
        await seen(page, ".before").to_contain_text("1 of 3 connected, 1 ready")
        await seen(page, ".field .here a").to_have_text("ben")
        player.close()
