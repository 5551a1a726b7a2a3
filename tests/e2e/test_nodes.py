"""Several nodes, one PostgreSQL: one referees, another goes on where it stopped."""

from __future__ import annotations

import getpass
import json
import os
import signal
import threading
from functools import partial
from urllib.parse import urlsplit, urlunsplit

import httpx
import psutil
import psycopg
import pytest
from tests.support.databases import postgresql_schema
from tests.support.forked import run_server
from tests.support.nodes import KEY, NodeProcess
from tests.support.players import PATIENCE_S, RawPlayer
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import connect

from palestra_server.store import open_archive


@pytest.fixture
def database():
    with postgresql_schema() as url:
        yield url


@pytest.fixture
def one_node(tmp_path, database):
    with NodeProcess(tmp_path, database, "one") as one:
        stands_by(one, "nobody referees yet")
        one.until("is open")
        yield one


@pytest.fixture
def nodes(tmp_path, database, one_node):
    """Two nodes, of which the first referees."""
    with NodeProcess(tmp_path, database, "two") as two:
        stands_by(two, "one referees")
        while any(states(node).keys() != {"one", "two"} for node in (one_node, two)):
            pass  # its first beat is on its way
        while any(each["trouble"] for each in one_node.api("GET", "/nodes")["nodes"]):
            pass  # it tries its own addresses again
        yield one_node, two


def stands_by(node, what):
    """On a machine so busy that the node does not find itself in five seconds, it says that first, and tries again."""
    line = node.until(f"{node.name} stands by; ")
    assert what in line or "can't be reached" in line, line


def states(node):
    return {each["name"]: each["state"] for each in node.api("GET", "/nodes")["nodes"]}


def play_a_ply(one):
    """Two guests at this node, whose match has one ply, on disk."""
    ana, bob = RawPlayer(one.url, "ana"), RawPlayer(one.url, "bob")
    ana.challenge("bob")
    match = ana.ready()
    bob.ready()
    ana.act(ana.until("turn"), 3)
    bob.until("turn")
    return ana, bob, match


def until_durable(database, sessions=2):
    with psycopg.connect(database, autocommit=True) as db:
        asked = "SELECT (SELECT count(*) FROM sessions) = %s AND EXISTS (SELECT 1 FROM journal WHERE records LIKE %s)"
        while db.execute(asked, (sessions, b'%"acted"%')).fetchone() != (True,):
            pass


def ended_on(node, ana, bob, match, database, folder):
    """Both come back to this node and one of them resigns; what they are told is what the records say."""
    back = [RawPlayer(node.url, resume=player.session) for player in (ana, bob)]
    assert [player.welcome["matches"] for player in back] == [[match]] * 2
    back[1].send(type="resign", match=match)
    ends = [player.until("match_end") for player in back]
    with open_archive(folder, database) as archive:
        (over,) = archive.matches(10)
    assert (over.match, over.receipt, over.reason) == (match, ends[0]["receipt"], "resign")
    for player in back:
        player.close()


def test_a_match_outlives_a_node_that_hands_over_and_one_that_is_killed(tmp_path, database, nodes):
    one, two = nodes
    assert states(one) == states(two) == {"one": "referee", "two": "standby"}
    ana, bob, match = play_a_ply(one)
    one.api("POST", "/nodes/one/drain")
    for player in (ana, bob):  # they stay until the next node is open, and are told where it is
        assert player.until("error")["address"] == two.url.removesuffix("/play")
        with pytest.raises(ConnectionClosed) as closed:
            player.receive()
        assert closed.value.rcvd.code == 1013
    one.until("Handed over")
    two.until("is open")
    ana, bob = (RawPlayer(two.url, resume=player.session) for player in (ana, bob))
    assert ana.welcome["matches"] == [match]
    assert ana.welcome["nodes"] == [node.url.removesuffix("/play") for node in (two, one)]
    assert states(two) == {"one": "drained", "two": "referee"}
    assert two.api("POST", "/nodes/two/drain")["error"] == "nobody_else"
    assert two.api("POST", "/nodes/three/drain")["error"] == "unknown_node"
    two.api("POST", "/nodes/one/resume")
    until_durable(database, sessions=4)
    two.stop(signal.SIGKILL)
    one.until("is open")
    two.start()
    stands_by(two, "one referees")
    ended_on(one, ana, bob, match, database, tmp_path)


def test_a_node_that_is_stopped_hands_over_and_nobody_finds_its_successor_closed(database, nodes):
    one, two = nodes
    ana, bob, match = play_a_ply(one)
    until_durable(database)
    coming, refused = threading.Event(), []

    def come():
        while not coming.is_set():
            try:
                with connect(two.url, proxy=None):
                    pass
            except ConnectionRefusedError as error:
                refused.append(error)
            except (OSError, WebSocketException):
                pass  # sent on, or on a busy machine it takes too long

    visitor = threading.Thread(target=come)
    visitor.start()
    one.process.send_signal(signal.SIGTERM)
    assert ana.until("error")["address"] == two.url.removesuffix("/play")
    back = RawPlayer(two.url, resume=ana.session)  # at once
    coming.set()
    visitor.join()
    assert (back.welcome["matches"], refused) == ([match], [])
    assert one.process.wait(PATIENCE_S) == 0
    for player in (ana, bob, back):
        player.close()


def test_a_node_that_stood_still_writes_nothing_and_lets_its_players_go(tmp_path, database, nodes):
    one, two = nodes
    ana, bob, match = play_a_ply(one)
    until_durable(database)
    one.process.send_signal(signal.SIGSTOP)
    two.until("is open")
    bob.send(type="resign", match=match)
    one.process.send_signal(signal.SIGCONT)
    one.until("Another server (two) referees now")
    for player in (ana, bob):
        with pytest.raises(ConnectionClosed):
            player.until("match_end")
    stands_by(one, "two referees")
    ended_on(two, ana, bob, match, database, tmp_path)


def test_whoever_comes_to_a_node_that_stands_by_is_sent_on(nodes):
    one, two = nodes
    with pytest.raises(AssertionError, match=f"'code': 'elsewhere'.*'address': '{one.url.removesuffix('/play')}'"):
        RawPlayer(two.url, "ana")
    with httpx.Client(base_url=two.web, trust_env=False, verify=False) as visitor:
        assert visitor.get("/healthz").status_code == 200
        assert visitor.get("/healthz?referee").status_code == 503
        assert visitor.get("/play?game=connect4").headers["location"] == f"{one.web}/play?game=connect4"
        page = visitor.get("/players")
        assert (page.status_code, "default-src 'none'" in page.headers["content-security-policy"]) == (200, True)
        assert page.text == httpx.get(f"{one.web}/players", trust_env=False, verify=False).text
        assert (
            visitor.get("/docs/PROTOCOL").text
            == httpx.get(f"{one.web}/docs/PROTOCOL", trust_env=False, verify=False).text
        )
        assert visitor.get("/api/v1/about").json()["name"] == "Palestra"
        assert visitor.get("/api/v1/nodes").status_code == 401
        for origin, status in ((two.web, 200), ("http://elsewhere.example", 403)):
            sign_in = {"headers": {"origin": origin, "x-palestra": "1"}, "json": {"key": KEY}}
            assert visitor.post("/api/v1/session", **sign_in).status_code == status
            assert visitor.get("/api/v1/nodes").status_code == 200  # the cookie is this machine's
        assert httpx.get(f"{one.web}/healthz?referee", trust_env=False, verify=False).status_code == 200
    with connect(f"{two.web.replace('http', 'ws')}/watch", subprotocols=["palestra.v1.json"], proxy=None) as watcher:
        watcher.send('{"type": "watch", "topic": "lobby"}')
        assert json.loads(watcher.recv(PATIENCE_S))["event"]["type"] == "snapshot"
    added = two.api("POST", "/roster", {"name": "Zoe"})
    assert "error" not in added
    assert [each["name"] for each in one.api("GET", "/roster")["players"]] == ["Zoe"]


@pytest.mark.usefixtures("one_node")
def test_a_node_that_stands_by_has_room_for_as_many_watchers_as_it_is_told(tmp_path, database):
    with NodeProcess(tmp_path, database, "two", PALESTRA_MAX_WATCHERS="1") as two:
        stands_by(two, "one referees")
        address = f"{two.web.replace('http', 'ws')}/watch"
        watch = partial(connect, address, subprotocols=["palestra.v1.json"], proxy=None)
        with watch() as first:
            first.send('{"type": "watch", "topic": "lobby"}')
            assert json.loads(first.recv(PATIENCE_S))["event"]["type"] == "snapshot"
            with watch() as second:
                assert json.loads(second.recv(PATIENCE_S))["code"] == "try_later"


@pytest.mark.parametrize(
    ("options", "key", "said"),
    [
        (["--node", "two"], None, "All nodes need the same teacher's key: give --admin-key KEY"),
        (["--node", "two", "--web-port", "0"], KEY, "A node needs ports that stay"),
        (["--node", "two", "--database", "postgresql://127.0.0.1:1/x"], KEY, "can't be opened"),
        (["--node", "t w o"], KEY, "--node takes a name of letters, digits, dots, dashes and underscores, 64 at most"),
        (["--node", "two", "--advertise", "http://x"], KEY, "--advertise takes an address such as wss://"),
        (["--node", "two", "--database", "mysql://x/y"], KEY, "The database is given as postgresql://USER:PASSWORD@"),
        (["--node", "two", "--database", "@/nowhere/at/all"], KEY, "@FILE with the name of a file that holds it, not"),
    ],
)
def test_what_is_wrong_with_a_node_is_said_at_its_start(tmp_path, database, options, key, said):
    refused(tmp_path, database, options, key, said)


@pytest.mark.usefixtures("one_node")
def test_two_nodes_have_two_names(tmp_path, database):
    said = "A node called one is running already: give this one another --node NAME."
    refused(tmp_path, database, ["--node", "one"], KEY, said)


def refused(tmp_path, database, options, key, said):
    env = os.environ | {"PALESTRA_DATABASE": database} | ({} if key is None else {"PALESTRA_ADMIN_KEY": key})
    ended = run_server(["serve", "--data", str(tmp_path / "two"), *options], env, tmp_path / "errors")
    assert (ended.returncode, said in ended.stderr, "Traceback" in ended.stderr) == (1, True, False), ended.stderr
    return ended.stdout + ended.stderr


def test_a_node_that_could_not_go_on_says_why_and_does_not_take_over(tmp_path, one_node, database):
    with NodeProcess(tmp_path, database, "two", key="another-key-than-all-the-others") as two:
        why = "It has another teacher's key than one: give both the same PALESTRA_ADMIN_KEY"
        stands_by(two, why)
        while why not in (seen := one_node.api("GET", "/nodes")["nodes"])[-1]["trouble"]:
            pass
        assert [each["state"] for each in seen] == ["referee", "standby"]
        assert one_node.api("POST", "/nodes/one/drain")["error"] == "nobody_else"


def test_a_node_whose_address_leads_elsewhere_says_so_and_does_not_take_over(tmp_path, one_node, database):
    with NodeProcess(tmp_path, database, "two", "--advertise", one_node.url.removesuffix("/play")) as two:
        why = "does not lead to two, but elsewhere: say with --advertise where the other machines and bots find"
        stands_by(two, why)
        while why not in (seen := one_node.api("GET", "/nodes")["nodes"][-1])["trouble"]:
            pass
        assert (seen["name"], seen["state"]) == ("two", "standby")
    with NodeProcess(tmp_path, database, "three", "--advertise", "ws://127.0.0.1:1") as three:
        three.until("ws://127.0.0.1:1 can't be reached from three itself")


def test_a_node_that_stood_still_while_another_took_its_name_lets_go(tmp_path, one_node, database):
    one_node.process.send_signal(signal.SIGSTOP)
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("UPDATE nodes SET seen = 0")
        db.execute("UPDATE referee SET until = 0")
        again = NodeProcess(tmp_path / "again", database, "one")
        with again:
            again.until("is open")
            one_node.process.send_signal(signal.SIGCONT)
            one_node.until("Another server (one) referees now")
            one_node.until("A node called one is running already")


def test_no_secret_is_told(tmp_path, database):
    """The password of the database and the teacher's key: in no list of processes, log, metric or answer."""
    parts, password = urlsplit(database), "a-password-of-nobody"
    user = parts.username or getpass.getuser()
    place = f"{user}:{password}@{parts.hostname}"
    secret = urlunsplit(parts._replace(netloc=f"{place}:{parts.port or 5432}")) + "&application_name=secret"
    with NodeProcess(tmp_path, secret, "one", "--judge") as one:
        one.until("is open")
        with httpx.Client(base_url=one.web, trust_env=False, verify=False) as visitor:
            told = [visitor.get(path).text for path in ("/healthz", "/metrics", "/api/v1/about")]
        told.append(json.dumps(one.api("GET", "/nodes")))
        with psycopg.connect(database, autocommit=True) as db:  # whatever is said of a lost connection
            db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'secret'")
        one.api("POST", "/roster", {"name": "Zoe"})
        node = psutil.Process(one.process.pid)
        told += [" ".join(process.cmdline()) for process in (node, *node.children(recursive=True))]
        assert one.stop() == 0
        while not one.said.empty():
            told.append(one.said.get())
        told.append((one.data / "log.json").read_text())
    assert len(told) > 8
    assert [text for text in told if password in text or KEY in text] == []
    away = urlunsplit(parts._replace(netloc=f"{place}:1"))
    assert password not in refused(tmp_path, away, ["--node", "two"], KEY, "can't be opened")
