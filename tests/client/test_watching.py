"""Looking on in the terminal: the picture that events make, the drawing of it, and the real thing."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess
from typer.testing import CliRunner

from palestra_client.address import play_url, watch_url
from palestra_client.cli.commands import app as palestra
from palestra_client.watching import drawing
from palestra_client.watching.app import WatchApp
from palestra_client.watching.feed import CannotWatch, Feed, Lost, News
from palestra_client.watching.model import Lobby, Watched
from palestra_games import get_game


def view(game, *actions):
    rules = get_game(game)
    state = rules.initial_state()
    for action in actions:
        state = state.apply(action)
    return rules.view(state).to_wire()


def test_the_lobby_follows_its_events():
    lobby = Lobby()
    lobby.happened(
        {
            "type": "snapshot",
            "players": [{"name": "ana", "busy": False}, {"name": "ben", "busy": False}],
            "matches": [],
        }
    )
    lobby.happened({"type": "player_joined", "player": "eva"})
    lobby.happened({"type": "match_start", "match": "M1", "game": "mancala", "players": ["ana", "ben"]})
    assert (lobby.busy("ana"), lobby.busy("eva")) == (True, False)
    lobby.happened({"type": "played", "match": "M1", "ply": 3, "view": {"kind": "pits"}})
    lobby.happened({"type": "played", "match": "M9", "ply": 3, "view": {}})
    lobby.happened({"type": "something new"})
    assert lobby.boards["M1"].ply == 3
    lobby.happened({"type": "match_end", "match": "M1", "returns": [1, -1], "reason": "rules"})
    lobby.happened({"type": "player_left", "player": "eva"})
    assert (lobby.boards, lobby.players) == ({}, {"ana", "ben"})


def snapshot(actions=(3,)):
    return {
        "type": "snapshot",
        "match": "M1",
        "game": "connect4",
        "players": ["ana", "ben"],
        "names": [f"PUT {action + 1}" for action in actions],
        "charged_ms": [None] * len(actions),
        "infos": [None] * len(actions),
        "views": [view("connect4", *actions[:n]) for n in range(len(actions) + 1)],
        "result": None,
    }


def played(ply=1):
    fields = {"match": "M1", "ply": ply, "seat": 1, "name": "PUT 1", "charged_ms": 1250.0}
    return {"type": "played", **fields, "info": {"depth": 8, "value": 0.5}, "view": view("connect4", 3, 0)}


def test_a_match_is_put_together_and_listed():
    watched = Watched("M1")
    watched.happened(snapshot())
    watched.happened(played())
    watched.happened(played())  # twice is once
    watched.happened({"type": "match_end", "detail": "ben won."})
    assert (len(watched.views), watched.result) == (3, "ben won.")
    assert drawing.moves(watched, 9).plain == (
        "  0 ana          PUT 4    opening\n  1 ben          PUT 1     1.250 s  depth 8, value 0.5\n"
    )


def test_boards_are_drawn_without_knowing_the_game():
    lines = drawing.board(view("connect4", 3, 3, 0)).plain.splitlines()
    assert lines[-3:] == [" · · · ● · · ·", " ● · · ● · · ·", " 1 2 3 4 5 6 7"]
    assert drawing.board(view("mancala", 3)).plain == (
        "   0    4   4   4   4   4   4\n        4   4   0   5   5   5    1"
    )


@pytest.mark.parametrize(
    ("server", "url"),
    [("host", "ws://host:8765/watch"), ("wss://x.edu/play", "wss://x.edu:443/watch"), ("h:1/a", "ws://h:1/a/watch")],
)
def test_spectators_have_an_address_of_their_own(server, url):
    assert watch_url(play_url(server)) == url


class Told:
    """A feed that says what a test wrote, and keeps what is asked for."""

    def __init__(self, *news):
        self._news = news
        self.topics = []

    async def news(self):
        for one in self._news:
            yield one

    async def follow(self, topic):
        self.topics.append(topic)

    async def leave(self, topic):
        self.topics = [other for other in self.topics if other != topic]


async def test_the_screen_shows_the_match_and_steps_through_it():
    lobby = {"type": "snapshot", "players": [{"name": "eva"}], "matches": []}
    start = {"type": "match_start", "match": "M2", "game": "mancala", "players": ["eva", "bob"]}
    told = Told(
        Lost("the connection broke"),
        *(News("lobby", event) for event in (lobby, start)),
        *(News("match:M1", event) for event in (snapshot(), played())),
    )
    app = WatchApp(told, "M1")
    async with app.run_test() as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "ana against ben" in str(app.query_one("#title").render())
        assert "PUT 1" in str(app.query_one("#moves").render())
        await pilot.press("left")
        assert "after 1 moves" in str(app.query_one("#board").render())
        await pilot.press("end")
        assert "after" not in str(app.query_one("#board").render())
        await pilot.press("enter")
        await pilot.pause()
        assert told.topics == ["match:M2"]
        assert "match M2" in str(app.query_one("#title").render())
        await pilot.press("q")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ServerProcess(tmp_path_factory.mktemp("data"), "--guests") as running:
        yield running


async def test_a_feed_tells_a_real_match(server):
    with RawPlayer(server.url, "ana") as ana, RawPlayer(server.url, "ben") as ben:
        ana.challenge("ben")
        match = ana.ready()
        ben.ready()
        ana.act(ana.until("turn"), 3)
        ben.until("turn")
        watched, lobby = Watched(match), Lobby()
        feed = Feed(watch_url(server.url), ("lobby", f"match:{match}"))
        async for one in feed.news():
            (lobby if one.topic == "lobby" else watched).happened(one.event)
            if lobby.players and watched.views:
                break
        assert lobby.busy("ana")
        assert [move.name for move in watched.moves] == ["PUT 4"]
        words = ["players", "--server", server.url]
        listed = await asyncio.to_thread(CliRunner().invoke, palestra, words)
        assert "connect4: ana - ben" in listed.stdout


async def test_a_match_that_is_nowhere_is_said(server):
    with pytest.raises(CannotWatch, match="has no such match"):
        async for _ in Feed(watch_url(server.url), ("match:none",)).news():
            pass


def test_players_of_a_server_that_is_not_there():
    listed = CliRunner().invoke(palestra, ["players", "--server", "ws://127.0.0.1:1"])
    assert listed.exit_code == 1
    assert "nothing listens there" in listed.stderr
