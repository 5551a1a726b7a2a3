"""Links that are shared, and the page that others may have in a frame."""

from __future__ import annotations

import asyncio
import random
import re
import struct
import zlib
from collections import Counter

import pytest
from tests.support.played import play_casual
from tests.support.web import KEY, fault

from palestra_games import game_names, get_game
from palestra_server.runtime.catalogue import Damaged
from palestra_server.web.pictures import HEIGHT, WIDTH, board_png


def tags(page):
    return dict(re.findall(r'<meta property="([^"]+)" content="([^"]*)">', page.text))


def pixels(png):
    """The rows of numbers of the palette, and the palette."""
    chunks, at = {}, 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0]
        chunks[kind] = body
        at += length + 12
    assert struct.unpack(">II", chunks[b"IHDR"][:8]) == (WIDTH, HEIGHT)
    data = zlib.decompress(chunks[b"IDAT"])
    wide = WIDTH // 2 + 1
    assert len(data) == HEIGHT * wide
    rows = [bytes(int(digit, 16) for digit in data[row * wide + 1 : (row + 1) * wide].hex()) for row in range(HEIGHT)]
    assert max(map(max, rows)) < len(chunks[b"PLTE"]) // 3
    return rows


def test_a_picture_shows_what_stands_where():
    state = get_game("connect4").initial_state()
    for action in (3, 3, 0):
        state = state.apply(action)
    rows = pixels(board_png(get_game("connect4").view(state)))
    cell = (HEIGHT - 60) // 6 & ~1
    left = (WIDTH - 7 * cell) / 2
    # Between the middle of a piece, where its sign is, and its edge.
    found = [
        rows[round(HEIGHT / 2 + cell * (3 - row - 0.5 + 0.33))][round(left + cell * (col + 0.5))]
        for row in (0, 1)
        for col in range(7)
    ]
    assert found == [3, 2, 2, 3, 2, 2, 2, 2, 2, 2, 4, 2, 2, 2]


@pytest.mark.parametrize("game", game_names())
def test_every_game_has_a_picture(game):
    rows = pixels(board_png(get_game(game).view(get_game(game).initial_state())))
    assert len(Counter(b"".join(rows))) >= 3


def test_all_seeds_fit_into_a_store():
    view = get_game("mancala").view(get_game("mancala").initial_state())
    rows = pixels(board_png(view._replace(stores=(0, 48))))
    assert {len(row.rstrip(b"\0").lstrip(b"\0")) for row in rows} == {0, WIDTH - 60}
    assert all(set(row[30:50]) <= {0, 1} for row in rows), "none lies beside it"


async def test_a_shared_link_says_who_played_and_how_it_ended(open_web):
    async with open_web("eva") as web:
        play = await asyncio.to_thread(play_casual, web.server.store, "m1", random.Random(3))
        client = web.client()
        page = await client.get("/match/m1")
        first, second = {(1, -1): "10", (-1, 1): "01", (0, 0): "½½"}[play.match.outcome.returns]
        said = tags(page)
        assert said["og:title"] == f"guest {first}–{second} eva"
        assert f"<title>guest {first}–{second} eva · Palestra</title>" in page.text
        assert said["og:description"] == f"Desconecta-4 BOOM · {play.match.ply} moves"
        assert said["og:url"] == "http://localhost/match/m1"
        picture = await client.get(said["og:image"])
        assert picture.headers["content-type"] == "image/png"
        assert pixels(picture.content)
        spanish = tags(await client.get("/player/eva/", headers={"accept-language": "es"}))
        assert (spanish["og:title"], spanish["og:image"]) == ("eva", said["og:image"])
        assert spanish["og:description"].startswith("1 jugadas: ")
        # The same page again costs its readers nothing.
        again = await client.get("/match/m1", headers={"if-none-match": page.headers["etag"]})
        assert again.status_code == 304
        for path in ("/", "/match/none", "/player/nobody/", "/tournament/none/", "/match/", "/play"):
            assert tags(await client.get(path)) == {}, path


async def test_a_tournament_is_announced_before_its_first_match(open_web):
    async with open_web() as web:
        toml = 'name = "cup"\ntitle = "<Cup> & \\"Co\\""\nformat = "swiss"\ngames = ["mancala"]\n'
        assert (await web.client(KEY).post("/api/v1/tournaments", json={"toml": toml})).status_code == 200
        client = web.client()
        said = tags(await client.get("/tournament/cup/"))
        assert said["og:title"] == "&lt;Cup&gt; &amp; &quot;Co&quot;"
        assert said["og:description"].endswith(" · not started")
        assert (await client.get(said["og:image"])).headers["content-type"] == "image/png"
        fault(await client.get("/api/v1/games/chess/board.png"), 404, "unknown_game")


async def test_a_damaged_tournament_has_its_page(open_web):
    async with open_web() as web:
        toml = 'name = "cup"\nformat = "swiss"\ngames = ["mancala"]\n'
        assert (await web.client(KEY).post("/api/v1/tournaments", json={"toml": toml})).status_code == 200
        del web.server.catalogue.tournaments["cup"]
        web.server.catalogue.damaged["cup"] = Damaged("cup", "an event is missing", hides=True)
        page = await web.client().get("/tournament/cup/")
        assert (page.status_code, tags(page)) == (200, {})


async def test_only_the_page_to_embed_may_be_in_a_frame(open_web):
    async with open_web() as web:
        client = web.client()
        for path, framed in (
            ("/embed/match/m1", True),
            ("/match/m1", False),
            ("/embed", False),
            ("/embed/match/", False),
            ("/embed/match/m1/more", False),
            ("/embedded/match/m1", False),
        ):
            policy = (await client.get(path)).headers["content-security-policy"]
            assert ("frame-ancestors *" in policy, "frame-ancestors 'none'" in policy) == (framed, not framed), path
            assert "script-src 'self'" in policy
