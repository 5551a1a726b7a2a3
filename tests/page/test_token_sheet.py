"""The sheet of tokens as it is printed: everything fits on its card, whatever people and machines are called."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from palestra_server.languages import LANGUAGES
from palestra_server.web.token_sheet import token_sheet

NAMES = ("Ana", "Maximiliana-Alejandra von und zu Hohenlohe-Langenburg de la Torre", "Wolfeschlegel" * 5, *"abcdefghi")
BEYOND = """cards => cards.flatMap(card => {
  const edge = card.getBoundingClientRect();
  return [...card.querySelectorAll("*")].map(one => one.getBoundingClientRect())
    .filter(one => one.right > edge.right || one.bottom > edge.bottom).map(one => one.right);
})"""


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("host", ["10.0.0.7:8000", "palestra.informatik.hochschule-beispielstadt.example"])
async def test_every_card_holds_what_stands_on_it(page: Page, host: str, language: str) -> None:
    issued = [
        {"name": name, "email": f"{name}@school.example", "token": f"{number:02}" + "Wm-_" * 6}
        for number, name in enumerate(NAMES)
    ]
    await page.emulate_media(media="print")
    await page.set_viewport_size({"width": 718, "height": 1047})  # A4 without its margins
    await page.set_content(token_sheet(issued, f"http://{host}", f"ws://{host}", LANGUAGES[language]))
    assert await page.locator("article").count() == len(NAMES)
    assert await page.locator("article").evaluate_all(BEYOND) == []
