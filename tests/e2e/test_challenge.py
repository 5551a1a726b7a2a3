"""Casual matches, guests and tokens, watchers: against a real server."""

import json

import msgpack
import pytest
from tests.support.players import PATIENCE_S, RawPlayer
from tests.support.servers import ServerProcess, enrol
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    tokens = enrol(data, "zoe", "yan")
    with ServerProcess(data, "--guests") as running:
        running.tokens = tokens
        yield running


@pytest.mark.parametrize(
    ("game", "opponent", "code"),
    [
        ("chess", "bob", "unknown_game"),
        ("connect4", "nobody", "unknown_player"),
        ("connect4", "ana", "self_challenge"),
        ("connect4", "shy", "challenges_off"),
    ],
)
def test_a_challenge_that_cannot_be(server, game, opponent, code):
    with RawPlayer(server.url, "ana") as ana, RawPlayer(server.url, "bob"), connect(server.url) as shy:
        shy.send(msgpack.packb({"type": "hello", "token": "", "name": "shy", "challenges": False}))
        shy.recv()
        # A name with an unfinished match of an earlier test stays taken: then it is ana-2 who is here.
        ana.challenge(ana.name if opponent == "ana" else opponent, game)
        error = ana.expect("error")
        assert (error["code"], error["fatal"]) == (code, False)
        assert error["message"].endswith(".")


def test_a_busy_player_is_not_disturbed(server):
    with RawPlayer(server.url, "ana") as ana, RawPlayer(server.url, "bob") as bob, RawPlayer(server.url, "eva") as eva:
        ana.challenge(bob.name)
        ana.until("match_start")
        bob.until("match_start")
        eva.challenge(bob.name)
        assert eva.expect("error")["code"] == "player_busy"
        bob.challenge(eva.name)
        assert bob.expect("error")["code"] == "player_busy"


def test_seats_are_as_asked_or_drawn(server):
    seats = set()
    with RawPlayer(server.url, "ana") as ana, RawPlayer(server.url, "bob") as bob:
        for seat in [0, 1] + [None] * 30:
            ana.challenge(bob.name, "mancala", seat)
            start = ana.until("match_start")
            assert seat in (None, start["seat"])
            seats.add((seat, start["seat"]))
            ana.send(type="resign", match=start["match"])
            assert ana.until("match_end")["reason"] == bob.until("match_end")["reason"] == "resign"
    assert {(None, 0), (None, 1)} <= seats


def test_tokens_names_and_guests(server):
    with RawPlayer(server.url, token=server.tokens["zoe"]) as zoe:
        assert zoe.name == "zoe"
        with RawPlayer(server.url, "zoe") as guest, RawPlayer(server.url, "zoe") as another:
            assert {guest.name, another.name} == {"zoe-2", "zoe-3"}
    with connect(server.url) as stranger:
        stranger.send(msgpack.packb({"type": "hello", "token": "not-a-token"}))
        error = msgpack.unpackb(stranger.recv())
        assert (error["code"], error["fatal"]) == ("bad_token", True)
        with pytest.raises(ConnectionClosed, match="4004"):
            stranger.recv()


def test_a_student_added_during_the_lesson_can_connect(server):
    server.api("POST", "/roster", {"name": "late-comer"})
    token = server.api("POST", "/roster/late-comer/token")["token"]
    with RawPlayer(server.url, token=token) as player:
        assert player.name == "late-comer"


def test_json_and_watchers(server):
    watch = server.url.replace("/play", "/watch")
    with (
        RawPlayer(server.url, "ana") as ana,
        RawPlayer(server.url, "bob") as bob,
        connect(watch, subprotocols=["palestra.v1.json"]) as eva,
    ):

        def watched():
            return json.loads(eva.recv(PATIENCE_S))

        eva.send(json.dumps({"type": "watch", "topic": "lobby"}))
        lobby = watched()["event"]
        assert {ana.name, bob.name} <= {player["name"] for player in lobby["players"]}
        ana.challenge(bob.name, "desconecta4")
        match = ana.ready()
        bob.ready()
        while (event := watched()["event"])["type"] != "match_start":
            pass
        assert (event["match"], event["players"]) == (match, [ana.name, bob.name])
        eva.send(json.dumps({"type": "unwatch", "topic": "lobby"}))
        eva.send(json.dumps({"type": "watch", "topic": f"match:{match}"}))
        ana.act(ana.expect("turn"), 3)
        bob.until("turn")
        seen = []
        while not seen or seen[-1]["event"]["type"] not in ("played", "snapshot"):
            seen = [m for m in [watched()] if m["topic"] == f"match:{match}"] or seen
        bob.send(type="resign", match=match)
        while (event := watched())["event"]["type"] != "match_end":
            pass
        assert event["event"]["reason"] == "resign"
    with connect(watch, subprotocols=["palestra.v1.json"]) as later:
        later.send(json.dumps({"type": "watch", "topic": f"match:{match}"}))
        past = json.loads(later.recv(PATIENCE_S))["event"]
        assert (past["type"], past["actions"], past["names"]) == ("snapshot", [3], ["PUT 4"])
        assert past["result"]["reason"] == "resign"
        later.send(json.dumps({"type": "watch", "topic": "match:none-such"}))
        assert json.loads(later.recv(PATIENCE_S))["code"] == "unknown_topic"


def test_actions_for_strange_matches(server):
    with RawPlayer(server.url, "ana") as ana, RawPlayer(server.url, "bob") as bob, RawPlayer(server.url, "eva") as eva:
        ana.challenge(bob.name)
        match = ana.until("match_start")["match"]
        eva.send(type="action", match=match, ply=0, action=0)
        assert eva.expect("error")["code"] == "not_in_match"
        eva.send(type="action", match="m-unknown", ply=0, action=0)
        assert eva.expect("error")["code"] == "unknown_match"
        ana.send(type="action", match=match, ply=0, action=0)
        assert ana.expect("error")["code"] == "not_your_turn"


def test_not_ready_in_time(tmp_path):
    with (
        ServerProcess(tmp_path, "--guests", "--ready-ms", "500") as server,
        RawPlayer(server.url, "ana") as ana,
        RawPlayer(server.url, "bob") as bob,
    ):
        ana.challenge(bob.name)
        end = ana.until("match_end")
        assert (end["reason"], end["returns"]) == ("not_ready", [0.0, 0.0])


def test_ply_limit(tmp_path):
    with (
        ServerProcess(tmp_path, "--guests", "--ply-limit", "4") as server,
        RawPlayer(server.url, "ana") as ana,
        RawPlayer(server.url, "bob") as bob,
    ):
        ana.challenge(bob.name)
        ana.ready()
        bob.ready()
        for mover in (ana, bob, ana, bob):
            mover.act(mover.until("turn"))
        assert (end := ana.until("match_end"))["reason"] == "ply_limit"
        assert end["returns"] == [0.0, 0.0]
        assert end["ply"] == 4
