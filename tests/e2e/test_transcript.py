"""The game told in PROTOCOL.md, played against the real server frame by frame."""

import contextlib
import json

import pytest
from tests.support.players import PATIENCE_S
from tests.support.servers import AWAY_MS, MOVE_MS, READY_MS, ServerProcess
from tests.support.transcript import steady, transcript
from websockets.sync.client import connect


class Connection:
    def __init__(self, url, opened):
        self.socket = opened.enter_context(connect(url, subprotocols=["palestra.v1.json"]))

    def send(self, message):
        self.socket.send(json.dumps(message))

    def receive(self):
        return json.loads(self.socket.recv(PATIENCE_S))


def patient(message):
    """As a server that waits for a busy machine says it."""
    text = json.dumps(message)
    for name, told, real in (("move", 2000, MOVE_MS), ("away", 10000, AWAY_MS), ("ready", 30000, READY_MS)):
        text = text.replace(f'"{name}_ms": {told}', f'"{name}_ms": {real}')
    return json.loads(text.replace('"bank_ms": 10000', f'"bank_ms": {AWAY_MS}'))


@pytest.fixture
def opened():
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def server(tmp_path):
    with ServerProcess(tmp_path, "--guests") as running:
        yield running


def test_the_page_tells_what_the_server_does(server, opened):
    game, watch = transcript("game"), transcript("watch")
    people = {who: Connection(server.url, opened) for who in dict.fromkeys(line.who for line in game)}
    people |= {line.who: Connection(server.url.replace("/play", "/watch"), opened) for line in watch}
    told, real = game[6].message["match"], None
    watched = iter(watch)

    def replay(line):
        nonlocal real
        if line.from_client:
            people[line.who].send(json.loads(json.dumps(line.message).replace(told, real or told)))
            return
        answer = people[line.who].receive()
        if answer["type"] == "match_start":
            real = answer["match"]
        assert steady(answer) == steady(patient(line.message))

    for line in game:
        if line.from_client and line.message["type"] == "action" and line.message["ply"] == 5:
            replay(next(watched))  # she begins to watch when five moves are played
            replay(next(watched))
        replay(line)
    for line in watched:
        replay(line)
