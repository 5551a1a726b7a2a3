"""The disk fills up in the middle of a match: nothing is announced that is not kept, and nothing kept is lost."""

import json
import resource
import sqlite3
import sys
import urllib.error
import urllib.request
from contextlib import closing

import msgpack
import pytest
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess, journalled
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="prlimit(2), which fills the disk here, is Linux's")


def health(server):
    try:
        with urllib.request.urlopen(f"{server.web}/healthz", timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_a_full_disk(tmp_path):
    with ServerProcess(tmp_path, "--guests") as server:
        ana, bob = RawPlayer(server.url, "ana"), RawPlayer(server.url, "bob")
        ana.challenge("bob")
        match = ana.ready()
        bob.ready()
        ana.act(ana.expect("turn"), 3)
        turn = bob.expect("turn")
        assert health(server)[0] == 200
        journalled(tmp_path, match, 1)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, 1))
        bob.act(turn, 3)
        for player in (ana, bob):
            with pytest.raises(ConnectionClosed) as closed:
                player.until("match_end")  # which would be a result that could not be kept
            assert closed.value.rcvd.code == 1013
        status, body = health(server)
        assert (status, body["ok"]) == (503, False)
        assert body["detail"].endswith(".")
        with connect(server.url) as late:
            late.send(msgpack.packb({"type": "hello", "token": "", "name": "eva"}))
            assert msgpack.unpackb(late.recv(30))["code"] == "try_later"
            with pytest.raises(ConnectionClosed) as closed:
                late.recv(30)
            assert closed.value.rcvd.code == 1013
        assert "Traceback" not in server.log()
    with closing(sqlite3.connect(tmp_path / "palestra.sqlite3")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with ServerProcess(tmp_path, "--guests") as server:
        back = RawPlayer(server.url, resume=ana.session)
        assert back.welcome["matches"] == [match]
        assert back.expect("match_start")["match"] == match
