"""Everybody can use the page: axe-core finds no serious fault, in light and in dark; both languages say everything."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import get_args

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Page
from tests.support.page import PAGES, House, come_in, go, resign

import palestra_server.web
import palestra_tournament
from palestra_games import game_names
from palestra_protocol import spanish
from palestra_protocol.english import SENTENCES
from palestra_protocol.messages import ErrorCode
from palestra_server.web.assets import read_assets
from palestra_tournament import example_spec, installed_formats
from palestra_tournament.season import example_season

STATIC = Path(palestra_server.web.__file__).parent / "static"


async def serious_faults(page: Page, **options: object) -> list[str]:
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    found = await page.evaluate(
        "(options) => axe.run(options).then(({ violations }) => violations)", {"resultTypes": ["violations"], **options}
    )
    return [
        f"{page.url}: {fault['id']} ({fault['help']}): {[node['html'][:120] for node in fault['nodes'][:3]]}"
        for fault in found
        if fault["impact"] in ("serious", "critical") or fault["id"] == "heading-order"
    ]


async def in_both_themes(page: Page) -> list[str]:
    await page.emulate_media(color_scheme="light")
    faults = await serious_faults(page)
    # In the dark nothing differs but the colours.
    await page.emulate_media(color_scheme="dark")
    return faults + await serious_faults(page, runOnly=["color-contrast"])


@pytest.mark.asyncio(loop_scope="session")
async def test_axe_finds_no_serious_fault_on_any_page(page: Page, house: House, random_bot: str) -> None:
    faults = []
    await page.goto(house.web)
    for path, shown in PAGES.items():
        await go(page, path, shown)
        await page.locator(shown).first.wait_for()
        faults += await in_both_themes(page)
    await come_in(page, house, "axe")
    faults += await in_both_themes(page)
    await page.get_by_label("Your seat").select_option("0")
    await page.locator(f"[data-opponent='{random_bot}']").click()
    await page.get_by_text("Your turn").wait_for()
    faults += await in_both_themes(page)
    await page.locator("nav a[href='/']").click()
    await page.locator(".match-card.pinned").wait_for()
    faults += await in_both_themes(page)
    await page.get_by_role("link", name="Back to your match").click()
    await resign(page)
    await page.get_by_role("link", name="Look at it again").click()
    await page.locator(".ending").wait_for()
    await page.get_by_text("Show this match in another page").click()
    faults += await in_both_themes(page)
    await page.goto(page.url.replace("/match/", "/embed/match/"))
    await page.locator("page-embed .seat.winner").wait_for()
    faults += await in_both_themes(page)
    await page.goto(f"{house.web}/teacher")
    await page.get_by_label("Admin key").fill((house.data / "teacher.key").read_text().strip())
    await page.get_by_role("button", name="Sign in").click()
    await page.locator(".new-tournament summary").click()
    await page.locator(".form-field").first.wait_for()
    for folded in await page.locator(".form summary").all():
        await folded.click()
    await page.locator("[data-field='clock.move_ms'] input").fill("1")
    await page.locator(".form-field.faulty").wait_for()
    faults += await in_both_themes(page)
    assert faults == []


def words(path: Path) -> dict[str, str]:
    entries = re.findall(r'^  ("(?:[^"\\]|\\.)+": "(?:[^"\\]|\\.)*"),$', path.read_text(), re.MULTILINE)
    return json.loads(f"{{{','.join(entries)}}}")


BRACES = re.compile(r"\{(\w+)\}")


def test_both_languages_say_everything_with_the_same_names_in_braces() -> None:
    english, spanish = words(STATIC / "js/lang/en.js"), words(STATIC / "js/lang/es.js")
    # What the server says is English already.
    said_by_server = ("server.", "list.", "file.", "marking.", "notice.", "example.", "format.")
    assert {key for key in english if not key.startswith(said_by_server)} == {
        key for key in spanish if not key.startswith(said_by_server)
    }
    assert [key for key in english if set(BRACES.findall(english[key])) != set(BRACES.findall(spanish[key]))] == []


COMMENT = re.compile(r"^(?:(?:# )?\w+ = .*? # |\[\w+\] +# | *# )(.*)$", re.MULTILINE)  # as i18n.js has it


def test_each_comment_of_an_example_file_is_said_in_spanish_and_nothing_else_is() -> None:
    """That what comes out means the same: test_teaching.py, in a browser."""
    files = [example_season(), *(example_spec(kind) for kind in installed_formats().values())]
    comments = {text for file in files for text in COMMENT.findall(file) if not re.fullmatch(r"\w+ = [^#]*", text)}
    spanish = {key.removeprefix("example.") for key in said_by(words(STATIC / "js/lang/es.js"), "example")}
    # The names of the games, after the colon, stay.
    said = {text: text if text in spanish else text.split(": ")[0] for text in comments}
    assert {text for text, head in said.items() if head not in spanish} == set()
    assert spanish - {*said.values()} == set()


def said_by(catalogue: dict[str, str], kind: str) -> dict[str, str]:
    return {key: text for key, text in catalogue.items() if key.startswith(f"{kind}.")}


# The page shows what is wrong with a file or a list in English as the server says it.
@pytest.mark.parametrize(
    ("language", "kind"),
    [
        ("en", "remark"),
        *(("es", kind) for kind in ("remark", "notice", "list", "file", "marking")),
    ],
)
def test_whatever_the_server_says_by_a_code_is_said_with_its_values(language: str, kind: str) -> None:
    said, english = said_by(words(STATIC / f"js/lang/{language}.js"), kind), said_by(SENTENCES, kind)
    # A sentence by pydantic has no other words.
    assert said.keys() == english.keys() - {"file.other"}
    assert [code for code in said if not set(BRACES.findall(said[code])) <= set(BRACES.findall(english[code]))] == []


@pytest.mark.asyncio(loop_scope="session")
async def test_by_how_much_an_answer_was_too_late_is_said(workshop: Page) -> None:
    why = '{code: "late", player: "ana", ply: 4, took_ms: 2312, move_ms: 2000, grace_ms: 100}'
    match = f'{{players: ["ana", "bob"], game: "connect4", returns: [-1, 1], reason: "timeout", why: {why}}}'
    said = await workshop.evaluate(f"import('/js/format.js').then(({{ ending }}) => ending({match}))")
    assert said.endswith("it had 2.000 s and 0.100 s grace, so its answer came 0.212 s too late.")
    # Moves are counted from 0, as bots do.
    match = match.replace(why, '{code: "resigned", player: "ana", ply: 0}')
    said = await workshop.evaluate(f"import('/js/format.js').then(({{ ending }}) => ending({match}))")
    assert said == "ana resigned before the first move."


@pytest.mark.asyncio(loop_scope="session")
async def test_how_long_a_bot_takes_is_said_in_seconds_when_it_is_long(workshop: Page) -> None:
    said = await workshop.evaluate(
        "import('/js/format.js').then(({ answerTime }) => [3.04, 320.4, 999.7, 2075.2].map(answerTime))"
    )
    assert said == ["3.0 ms", "320 ms", "1.0 s", "2.1 s"]


RAISED = {"ApiError": 1, "Refusal": 0, "DirectorError": 0, "Refused": 0}
"""What refuses with a code, and which of its arguments that is."""
FOR_PROGRAMS = {
    "no_wheels",
    "wrong_host",
    "not_judged",
    "not_over",
    "other_match",
    "nobody_else",
    "unknown_node",
    "code",
}
"""Codes that no script of the page can meet."""


def test_every_refusal_of_the_server_is_said_in_spanish() -> None:
    codes = set(get_args(ErrorCode))
    server, tournament = Path(palestra_server.web.__file__).parents[1], Path(palestra_tournament.__file__).parent
    for path in (*server.rglob("*.py"), *tournament.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if name in RAISED and len(node.args) > RAISED[name]:
                code = node.args[RAISED[name]]
                codes |= {
                    each.value for each in ast.walk(code) if isinstance(each, ast.Constant) and type(each.value) is str
                }
    assert {"foreign", "cannot_begin", "unknown_player", "roster", "rule_winner"} <= codes
    said = {key.removeprefix("server.") for key in words(STATIC / "js/lang/es.js") if key.startswith("server.")}
    assert {code for code in codes - FOR_PROGRAMS if code not in said} == set()


def test_every_reason_why_a_bot_is_not_ready_is_said() -> None:
    assert said_by(SENTENCES, "ready").keys() - {"ready.yes"} <= words(STATIC / "js/lang/en.js").keys()


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_end_of_a_match_is_said_with_its_values(language: str) -> None:
    said, english = said_by(words(STATIC / f"js/lang/{language}.js"), "why"), said_by(SENTENCES, "why")
    for code, sentence in english.items():
        # The page counts the moves from 1, and says by how much an answer was too late.
        values = {"ply" if name == "move" else name for name in BRACES.findall(said[code])} - {"late_ms"}
        assert values == set(BRACES.findall(sentence)), code
    more = {f"why.won.{game}" for game in game_names()} | {"why.resigned.first", "why.stayed_away.first"}
    assert said.keys() - english.keys() == more & said.keys()


@pytest.mark.parametrize(("language", "catalogue"), [("en", SENTENCES), ("es", spanish.SENTENCES)])
def test_the_judge_says_the_same_on_the_page_and_in_a_terminal(language: str, catalogue: dict[str, str]) -> None:
    page = words(STATIC / f"js/lang/{language}.js")
    kinds = ("diagnosis.", "mend.", "cause.", "worth.", "ruling.")
    making = {key for key in page if key.startswith("ruling.") and key not in SENTENCES}  # how the page has one made
    shared = [key for key in page if key.startswith(("judge.", *kinds)) and key not in making]
    assert {key: page[key] for key in shared} == {key: catalogue[key] for key in shared}
    assert {key for key in catalogue if key.startswith(kinds)} <= set(shared)
    kinds += ("agreement.", "over.", "why.", "judge.")
    told = {key: set(BRACES.findall(text)) for key, text in SENTENCES.items() if key.startswith(kinds)}
    in_terminal = {key: set(BRACES.findall(text)) for key, text in spanish.SENTENCES.items()}
    asked_again = {"judge.steady", "judge.unsteady"}  # by `palestra replay`, which speaks English
    assert in_terminal.keys() == told.keys() - asked_again
    assert [key for key, names in in_terminal.items() if not names <= told[key]] == []


def test_every_word_that_a_script_asks_for_is_in_the_catalogue() -> None:
    english = words(STATIC / "js/lang/en.js")
    asked = {
        key
        for path in STATIC.rglob("js/**/*.js")
        if path.parent.name != "lang"
        for key in re.findall(r'\bt\("([^"]+)"', path.read_text())
    }
    assert asked - english.keys() == set()
    assert len(asked) > 150


def test_the_whole_page_weighs_at_most_200_kb_as_it_is_sent() -> None:
    # No browser loads licences.
    files = [asset for path, asset in read_assets().files.items() if not path.endswith(".txt")]
    assert sum(len(asset.zipped or asset.plain) for asset in files) <= 200_000


def test_the_page_has_no_inline_script_or_style_and_no_way_to_write_markup() -> None:
    index = (STATIC / "index.html").read_text()
    assert re.findall(r"<style|style=|<script(?![^>]*\bsrc=)|\bon\w+=", index) == []
    forbidden = re.compile(
        r"(?i)innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\(\"style"
    )
    assert [path.name for path in STATIC.rglob("js/**/*.js") if forbidden.search(path.read_text())] == []
