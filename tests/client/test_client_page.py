"""The page of a server, found from whichever of its addresses somebody has."""

import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from tests.support.played import play_tournament
from tests.support.servers import ServerProcess
from typer.testing import CliRunner

from palestra_client.address import play_url
from palestra_client.cli import why
from palestra_client.cli.commands import app
from palestra_client.page import NoAnswer, ask, find_page
from palestra_protocol.analysis import Analysis
from palestra_server.store import Store, open_archive


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ServerProcess(tmp_path_factory.mktemp("data"), "--guests", "--bot", "random") as running:
        yield running


def test_both_ports_lead_to_the_page(server):
    assert find_page(server.url) == server.web
    assert find_page(play_url(server.web)) == server.web


def test_a_passed_check_is_registered_by_the_address_that_bots_have(server):
    server.api("POST", "/roster", {"name": "ana"})
    (issued,) = server.api("POST", "/roster/tokens", {"names": ["ana"]})["tokens"]
    token = issued["token"]
    page = find_page(server.url)
    ask(f"{page}/api/v1/readiness", token, {"games": ["connect4"], "passed": True})
    assert ask(f"{page}/api/v1/session", token)["player"] == "ana"


@pytest.mark.parametrize("address", ["url", "web"])
def test_a_match_is_played_listed_and_replayed_by_either_address(server, address, tmp_path):
    bot = tmp_path / "first.py"
    bot.write_text(
        "from palestra_client import Bot\n\n\nclass First(Bot):\n"
        "    def choose(self, turn):\n        return turn.legal[0]\n"
    )
    at = getattr(server, address)
    match = ["--challenge", "random", "--game", "connect4", "--games", "1"]
    played = CliRunner().invoke(app, ["join", str(bot), "--server", at, "--name", f"by-{address}", *match])
    assert played.exit_code == 0, played.output
    assert "1 game of connect4 against random" in played.output
    assert f"To watch: {server.web}" in played.output
    assert "random" in CliRunner().invoke(app, ["players", "--server", at]).output
    (last, *_) = server.api("GET", "/matches")["matches"]
    for command in ("replay", "why"):
        elsewhere = CliRunner().invoke(app, [command, "0123456789ab", "--server", at])
        assert f"The server asked was {server.web}; --server names another." in elsewhere.stderr
    shown = CliRunner().invoke(app, ["replay", last["match"], "--server", at])
    assert shown.exit_code == 0, shown.output
    assert "connect4" in shown.output
    missing = CliRunner().invoke(app, ["replay", "no-such-match", "--server", at])
    assert (missing.exit_code, len(missing.output.splitlines())) == (1, 1)


def test_a_ruling_is_told_with_the_match_by_a_server_and_from_a_file(tmp_path, monkeypatch):
    data, file = tmp_path / "data", tmp_path / "all.zip"
    with closing(Store(data)) as store:
        t = play_tournament(store, players=3)
    players = next(result.fixture.players for result in t.results.values() if result.match == "m1")
    analysis = {"match": "m1", "game": "connect4", "exact": True, "moves": [], "nodes": 1}
    analysis["accuracy"] = [{"kept": [0, 0, 0], "choices": [0, 0, 0]}] * 2
    monkeypatch.setattr(why, "installed_judge", lambda: lambda *_: Analysis.model_validate(analysis))

    def told(command, *words):
        said = CliRunner().invoke(app, [command, *words])
        assert said.exit_code == 0, said.output
        return said.output

    ruled = {
        "en": f". By the teacher's ruling this match counts as a win of {players[1]}: a stall\n",
        "es": f". Por decisión del docente esta partida cuenta como victoria de {players[1]}: a stall\n",
    }
    with ServerProcess(data) as server:
        server.api("PUT", "/matches/m1/analysis", analysis)
        asked = ("m1", "--server", server.url)
        assert "ruling" not in told("replay", *asked) + told("why", *asked, "--language", "en")
        ruling = {"match": "m1", "verdict": "win", "winner": players[1], "why": "a stall"}
        server.api("POST", "/tournaments/cup/rule", ruling)
        assert ruled["en"] in told("replay", *asked)
        assert all(ruled[language] in told("why", *asked, "--language", language) for language in ruled)
    with open_archive(data, None) as records, file.open("w+b") as target:
        records.export(target, "test")
    held = (str(file), "--match", "m1")
    assert ruled["en"] in told("replay", *held, "--ply", "0")
    assert all(ruled[language] in told("why", *held, "--language", language) for language in ruled)
    assert told("replay", str(file)).count("the teacher's ruling") == 1


def test_where_no_page_is_a_sentence_says_what_to_give():
    with pytest.raises(NoAnswer, match=r"refused.*Is the server running.*--server names another"):
        find_page("ws://127.0.0.1:1/play")


class Other(BaseHTTPRequestHandler):
    def do_GET(self):
        body = {"/json/api/v1/about": b'{"name": "other"}'}.get(self.path, b"<html>")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_a_web_server_of_somebody_else_is_not_taken_for_a_page():
    with HTTPServer(("127.0.0.1", 0), Other) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        with pytest.raises(NoAnswer, match="does not answer in JSON"):
            find_page(f"ws://127.0.0.1:{other.server_port}/play")
        other.shutdown()
