"""The disk fills up in the middle of a match: nothing is announced that is not kept, and nothing kept is lost."""

import json
import resource
import sys
import urllib.error
import urllib.request
from contextlib import closing

import pytest
from tests.support.players import PATIENCE_S, RawPlayer
from tests.support.servers import ServerProcess, journalled

from palestra_referee import receipt
from palestra_server.store import NOTHING, Store

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="prlimit(2), which fills the disk here, is Linux's")


def health(server):
    try:
        with urllib.request.urlopen(f"{server.web}/healthz", timeout=PATIENCE_S) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_a_full_disk(tmp_path):
    """Clients are told, nothing is announced and no match begins; as soon as there is room, all goes on by itself."""
    with ServerProcess(tmp_path, "--guests") as server:
        ana, bob = RawPlayer(server.url, "ana"), RawPlayer(server.url, "bob")
        ana.challenge("bob")
        match = ana.ready()
        bob.ready()
        ana.act(ana.expect("turn"), 3)
        turn = bob.expect("turn")
        assert health(server)[0] == 200
        journalled(tmp_path, match, 1)
        _, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, hard))
        bob.act(turn, 3)
        bob.send(type="resign", match=match)
        heard = []
        for player in (ana, bob):
            while (message := player.receive())["type"] != "error":
                heard.append(message["type"])
            assert message["code"] == "try_later"
        status, body = health(server)
        assert (status, body["ok"]) == (503, False)
        assert body["detail"].endswith("the server goes on by itself.")
        eva = RawPlayer(server.url, "eva")
        assert eva.expect("error")["code"] == "try_later"
        eva.challenge("bob")
        assert eva.expect("error")["message"].startswith("The server cannot save results right now")
        assert "match_end" not in heard  # which would be a result that is not kept
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        ends = [player.until("match_end") for player in (ana, bob)]
        assert ends[0] == ends[1]
        assert ends[0]["reason"] == "resign"
        assert health(server)[0] == 200
        bob.challenge("eva")
        assert eva.expect("match_start")["match"] == bob.until("match_start")["match"]
        assert "Traceback" not in server.log()
    with closing(Store(tmp_path)) as store:
        over = store.journal.matches(50, NOTHING)[-1]
        assert (over.match, over.receipt) == (match, ends[0]["receipt"])
        assert receipt(store.journal.read_lines(match)) == over.receipt
