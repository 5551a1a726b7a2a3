"""What a board says: to who sees it, to who cannot, and on paper."""

from __future__ import annotations

import asyncio
import random
import re
from typing import Any

import pytest
from playwright.async_api import Page, expect
from tests.support.page import FOUR_IN_A_COLUMN, House, begin, play, seen

from palestra_games import get_game

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_board_is_read_column_by_column(page: Page, house: House) -> None:
    await page.goto(f"{house.web}/practice?game=connect4")
    await page.locator(".place").first.wait_for()
    for column, reads in (
        ("4", "Column 4: terracotta."),
        ("4", "Column 4: terracotta, sea blue."),
        ("1", "Column 1: terracotta."),
    ):
        await page.keyboard.press(column)
        await expect(page.locator("pal-board svg")).to_have_attribute("aria-label", re.compile(re.escape(reads)))
    await expect(page.locator("pal-board svg")).to_have_attribute("aria-label", re.compile("Column 7: empty[.]$"))
    await page.get_by_role("button", name="Drop a piece in column 2").wait_for()
    await expect(page.locator(".numbers text")).to_have_text([str(n) for n in range(1, 8)])
    await page.goto(f"{house.web}/practice?game=mancala")
    await page.get_by_role("button", name="Sow pit 6").click()
    reads = "terracotta: pit 1: 4, pit 2: 5, pit 3: 5, pit 4: 5, pit 5: 5, pit 6: 0, store: 0."
    await expect(page.locator("pal-board svg")).to_have_attribute("aria-label", re.compile(re.escape(reads)))


COLOURS = {1: "terracotta", 2: "sea blue", 4: "bomb of terracotta", 5: "bomb of sea blue"}


def in_words(wire: dict[str, Any]) -> list[str]:
    """A position as a board should read it."""
    if "pits" in wire:
        pits = [", ".join(f"pit {n}: {count}" for n, count in enumerate(row, 1)) for row in wire["pits"]]
        return [f"{COLOURS[seat + 1]}: {pits[seat]}, store: {wire['stores'][seat]}" for seat in (0, 1)]
    stacks = [[COLOURS[cell] for cell in wire["cells"][col :: wire["cols"]] if cell] for col in range(wire["cols"])]
    return [f"Column {n}: {', '.join(stack) or 'empty'}" for n, stack in enumerate(stacks, 1)]


async def test_what_a_board_reads_is_the_position_after_every_move(workshop: Page) -> None:
    chance = random.Random(5)
    for name in ("connect4", "connect4-8x8", "desconecta4", "mancala"):
        game = get_game(name)
        states = [game.initial_state()]
        while states[-1].returns() is None and len(states) < 80:
            states.append(states[-1].apply(chance.choice(states[-1].legal_actions())))
        said = await workshop.evaluate(
            "async (views) => views.map((await import('/js/board/words.js')).described)",
            [game.view(state).to_wire() for state in states],
        )
        for text, state in zip(said, states, strict=True):
            assert text.removesuffix(".").split(". ")[1:] == in_words(state.to_wire())


async def test_four_that_lose_are_drawn_as_such(page: Page, house: House) -> None:
    def lose() -> str:
        with house.join("four loses") as first, house.join("three stay") as second:
            first.send(type="challenge", game="desconecta4", opponent="three stay", seat=0)
            match = first.ready()
            second.ready()
            play((first, second), FOUR_IN_A_COLUMN)
            first.until("match_end")
            return match

    match = await asyncio.to_thread(lose)
    await page.goto(f"{house.web}/match/{match}")
    await seen(page, ".result b").to_have_text("four loses 0–1 three stay")
    await seen(page, ".ring.lost").to_have_count(4)
    await seen(page, ".deciding.lost").to_have_count(1)
    await seen(page, ".ring.won").to_have_count(0)


async def test_a_move_has_a_line_and_the_match_a_notation(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("notes", "reads notes"))
    await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN)
    await asyncio.to_thread(first.until, "match_end")
    await page.goto(f"{house.web}/match/{match}?ply=5")
    await seen(page, ".commentary").to_have_text("PUT 4: threatens four in column 4.")
    # Before the end nobody has won.
    await seen(page, ".seat.winner").to_have_count(0)
    await page.get_by_role("button", name="Show threats").click()
    await seen(page, ".threat.s0").to_have_count(1)
    await page.get_by_role("button", name="One move on").click()
    await seen(page, ".commentary").to_have_text(
        "PUT 1: lets the other have four in column 4; threatens four in column 1."
    )
    await expect(page.get_by_role("slider")).to_have_attribute(
        "aria-valuetext", re.compile("^After 6 of 7 moves: reads notes")
    )
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="Moves as .txt").click()
    text = (await (await saved.value).path()).read_text()
    assert text.startswith(
        "notes – reads notes, Connect 4\n1–0  notes got four in a row after 7 moves.\n\n  0  notes  PUT 4\n"
    )
    assert text.endswith("  6  notes  PUT 4: four in a row.\n")
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="Position as SVG").click()
    drawn = (await (await saved.value).path()).read_text()
    assert drawn.count("<circle") > 42
    assert "rgb(" in drawn
    assert "class=" not in drawn
    await page.get_by_role("button", name="Turn the board").click()
    await expect(page.locator(".seat").first).to_contain_text("notes")
    await page.emulate_media(media="print")
    await expect(page.locator(".scrubber")).to_be_hidden()
    await expect(page.locator(".top")).to_be_hidden()
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_the_graph_is_in_sight_on_a_laptop(page: Page, house: House) -> None:
    first, second, match = await asyncio.to_thread(begin, house, ("graph one", "graph two"))
    await asyncio.to_thread(play, (first, second), FOUR_IN_A_COLUMN)
    await asyncio.to_thread(first.until, "match_end")
    await page.set_viewport_size({"width": 1366, "height": 768})
    await page.goto(f"{house.web}/match/{match}")
    box = await page.locator(".graph").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 768
    await asyncio.to_thread(lambda: (first.close(), second.close()))


async def test_a_crosstable_of_three_hundred_stays_small(workshop: Page) -> None:
    count = await workshop.evaluate(
        """async () => {
            const { crossTable } = await import("/js/parts/standings.js");
            const { render } = await import("/js/view.js");
            const players = Array.from({ length: 300 }, (_, at) => `p${at}`);
            const met = (a, b) => [1, 5, 20, 33, 60, 77, 100, 120, 149].includes((b - a + 300) % 300);
            const cells = players.map((_, a) => players.map((_, b) => (a === b ? null : met(a, b) ? [1, 2] : [0, 0])));
            const box = document.createElement("div");
            render(crossTable({ players, cells }, "cup"), box);
            const places = [...box.querySelectorAll("tbody tr:first-child td a")].map((met) => met.dataset.place);
            return [box.querySelectorAll("*").length, box.querySelectorAll("td a").length, places.map(Number)];
        }"""
    )
    elements, links, places = count
    assert elements < 7_500
    assert links == 9 * 300
    assert places == [2, 6, 21, 34, 61, 78, 101, 121, 150]


async def test_where_nothing_falls_the_place_of_the_move_is_marked_and_columns_have_no_numbers(
    page: Page, house: House
) -> None:
    await page.goto(f"{house.web}/practice?game=nim")
    await page.get_by_role("button", name="TAKE 3").click()
    await expect(page.locator(".piece")).to_have_count(18)
    await expect(page.locator(".ring")).to_have_count(1)
    await expect(page.locator(".numbers")).to_have_count(0)


async def test_only_pieces_of_games_that_are_played_by_columns_fall_or_blow_up(workshop: Page) -> None:
    def pawns(board: str, *moves: tuple[int, int]) -> dict[str, Any]:
        """3 x 3, the bottom row first: x and o are pieces, each move from one cell to another."""
        cells = [{"kind": "empty" if c == "." else "piece", "seat": {"x": 0, "o": 1}.get(c)} for c in board]
        actions = [{"action": at, "cells": list(cells)} for at, cells in enumerate(moves)]
        return {"kind": "grid", "rows": 3, "cols": 3, "cells": cells, "actions": actions, "to_move": 0}

    connect4 = get_game("connect4")
    start = connect4.initial_state()
    drop = [connect4.view(state).to_wire() for state in (start, start.apply(3))]
    step = [pawns("xxx...ooo", (0, 3), (1, 4), (2, 5)), pawns(".xxx..ooo", (8, 5))]
    turned = [pawns("x..o.....", (6, 6)), pawns("x..x..x..", (1, 1))]
    found = await workshop.evaluate(
        "async (pairs) => { const {gridMotion} = await import('/js/board/motion.js');"
        " return pairs.map(([before, after]) => gridMotion(before, after) !== null); }",
        [drop, step, turned],
    )
    assert found == [True, False, False]


async def test_an_action_has_a_name_if_any_position_of_the_match_lists_it(workshop: Page) -> None:
    views = [{"actions": [{"action": at, "name": f"a{at}"}]} for at in range(3)]
    named = await workshop.evaluate(
        "async (views) => { const {MatchModel} = await import('/js/match_model.js');"
        " const match = {view: views[2], views};"
        " return [2, 1, 7].map((action) => MatchModel.prototype.nameOf.call(match, action)); }",
        views,
    )
    assert named == ["a2", "a1", "7"]
