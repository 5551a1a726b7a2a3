"""The samples of client/examples, compiled and played against `random` over the real wire."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from random import Random

import pytest
from tests.support.compiled import QUICK_JAVA, compiled
from tests.support.players import RawPlayer
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.sync.server import ServerConnection, serve
from websockets.typing import Subprotocol

from palestra_client.bridge.lines import position
from palestra_client.loading import load_factory
from palestra_games import game_names, get_game
from palestra_games.desconecta4 import Desconecta4State
from palestra_games.mancala import MancalaState

EXAMPLES = Path(__file__).parents[2] / "client" / "examples"
PAGE = (Path(__file__).parents[2] / "protocol" / "PROTOCOL.md").read_text()
PALESTRA = [sys.executable, "-m", "palestra_client"]


@pytest.fixture(scope="module", autouse=True)
def random(server, tmp_path_factory):
    """The bot `random`, on the server: by its own name it would have to prove that it is ours."""
    join = [*PALESTRA, "join", "palestra_bots:random", "--server", server.url, "--name", "rolf"]
    bot = subprocess.Popen(join, cwd=tmp_path_factory.mktemp("random"), stdout=subprocess.DEVNULL)
    with RawPlayer(server.url, "asking") as asking:
        # Who is there is told to watchers.
        asking.send(type="watch", topic="lobby")
        while "rolf" not in str(asking.receive()):
            pass
    yield
    bot.terminate()
    bot.wait()


def needs(*programs):
    """Skips where none of these programs is there; else the path of the first that is."""
    cargo = Path.home() / ".cargo" / "bin"
    for program in programs:
        if found := shutil.which(program) or shutil.which(program, path=str(cargo)):
            return found
    pytest.skip(f"no {programs[0]}: install it to try this sample")


def plays_two_and_leaves(server, command, name, folder, game):
    """A sample with a connection of its own plays random from both sides, and ends."""
    command = [*command, server.url, name, "rolf", game, "2"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("(rules)") == 2
    assert done.stdout.splitlines()[-1] == "closed: 1000"


def plays_one_and_stays(server, command, name, folder):
    bot = subprocess.Popen([*command, server.url, name, "rolf"], cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        said = [next(bot.stdout) for _ in range(3)]
    finally:
        bot.kill()
        bot.communicate()
    assert "(rules)" in said[1]
    assert "Ctrl-C ends" in said[2]


def plays_by_itself(server, command, name, folder, game="connect4"):
    """A client with a connection of its own challenges random, and says how it ended."""
    bot = subprocess.Popen([*command, server.url, name, "rolf", game], cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        said = ""
        for line in bot.stdout:
            said += line
            if "(" in line:
                break
    finally:
        bot.kill()
        bot.communicate()
    assert f"I am {name}" in said
    assert "(rules)" in said


def plays_by_palestra(server, words, name, folder, game="connect4"):
    place = ["--server", server.url, "--name", name, "--challenge", "rolf", "--game", game, "--games", "1"]
    command, _, program = " ".join(words).partition(" -- ")
    done = subprocess.run(
        [*PALESTRA, *command.split(), *place, *(["--", program] if program else [])],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "1 game of" in done.stdout
    assert "(by the rules)" in done.stdout
    return done.stdout


def test_python(server, tmp_path):
    shutil.copy(EXAMPLES / "two_ply.py", tmp_path)
    assert "depth 2" in plays_by_palestra(server, ["join", "two_ply.py"], "python", tmp_path)


@pytest.mark.parametrize("game", game_names())
def test_python_has_a_move_in_every_game(after, game):
    bot = load_factory(str(EXAMPLES / "two_ply.py"))()
    bot.on_start(None)
    turn = after(game, (), 0)
    assert bot.choose(turn) in turn.legal


@pytest.fixture(scope="module")
def node():
    """The words that start Node with a WebSocket."""
    path = needs("node")
    major = int(subprocess.run([path, "--version"], capture_output=True, text=True).stdout.lstrip("v").split(".")[0])
    if major < 20:
        pytest.skip("node is too old: install Node 20 or newer")
    return [path, "--experimental-websocket"] if major < 22 else [path]


def test_javascript(server, tmp_path, node):
    sample = str(EXAMPLES / "two_ply.mjs")
    tried = subprocess.run([*node, sample, "--test"], capture_output=True, text=True, check=True)
    assert tried.stdout.startswith("ok")
    for game in ("connect4", "mancala", "desconecta4"):
        plays_two_and_leaves(server, [*node, sample], f"javascript-{game}", tmp_path, game)
    plays_one_and_stays(server, [*node, sample], "javascript", tmp_path)


ADDRESSES = """
public class Addresses {
    public static void main(String[] words) {
        for (String word : words) System.out.println(TwoPly.isAddress(word));
    }
}
"""


@pytest.fixture(scope="module")
def java(tmp_path_factory):
    """The words that start the Java sample, behind `-cp` and its classes; with them is `Addresses`."""
    javac, java = needs("javac"), needs("java")
    asking = tmp_path_factory.mktemp("addresses") / "Addresses.java"
    asking.write_text(ADDRESSES)
    classes = compiled(tmp_path_factory, javac, EXAMPLES / "TwoPly.java", asking, out="two_ply_java")
    return [java, *QUICK_JAVA, "-cp", str(classes), "TwoPly"]


def challenges_again(command):
    """The line breaks while a challenge waits, which it does not survive."""
    challenges = []

    def serve_once(socket):
        limits = {"frame_bytes": 4096, "ping_s": 5.0, "hello_s": 5.0}
        assert json.loads(socket.recv())["type"] == "hello"
        told = {"type": "welcome", "session": "s", "player": "ana", "server": "test", "limits": limits, "matches": []}
        socket.send(json.dumps(told))
        challenges.append(json.loads(socket.recv())["type"])
        socket.close(1001 if len(challenges) == 1 else 1000)

    with serve(serve_once, "127.0.0.1", 0, subprotocols=[Subprotocol("palestra.v1.json")], compression=None) as server:
        threading.Thread(target=server.serve_forever).start()
        url = f"ws://127.0.0.1:{server.socket.getsockname()[1]}/play"
        done = subprocess.run([*command, url, "ana", "random", "connect4", "2"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert challenges == ["challenge", "challenge"]


def test_javascript_challenges_again_when_it_comes_back(node):
    challenges_again([*node, str(EXAMPLES / "two_ply.mjs")])


def test_java_challenges_again_when_it_comes_back(java):
    challenges_again(java)


def test_java_asks_where_no_pings_come(tmp_path):
    """A proxy may keep them to itself. It asks once in a silence, and not behind what nothing has come after."""
    source = (EXAMPLES / "TwoPly.java").read_text()
    assert source.count("SILENCE_S = 15;") == 1
    (tmp_path / "TwoPly.java").write_text(source.replace("SILENCE_S = 15;", "SILENCE_S = 5;"))
    asked, lines = threading.Semaphore(0), []

    class Pinged(ServerConnection):
        def process_event(self, event):
            if isinstance(event, Frame) and event.opcode is Opcode.PING:
                asked.release()
            super().process_event(event)

    def serve_once(socket):
        limits = {"frame_bytes": 4096, "ping_s": 5.0, "hello_s": 5.0}
        assert json.loads(socket.recv())["type"] == "hello"
        told = {"type": "welcome", "session": "s", "player": "ana", "server": "test", "limits": limits, "matches": []}
        lines.append(socket)
        if len(lines) == 2:
            socket.close(1000)
            return
        socket.send(json.dumps(told))
        for _ in range(2):
            assert asked.acquire(timeout=60)
        socket.send(json.dumps({"type": "match_start", "match": "m", "at": None}))
        assert json.loads(socket.recv())["type"] == "ready"
        with pytest.raises(ConnectionClosed):
            socket.recv()

    no_pings = {"ping_interval": None, "compression": None, "create_connection": Pinged}
    with serve(serve_once, "127.0.0.1", 0, subprotocols=[Subprotocol("palestra.v1.json")], **no_pings) as server:
        threading.Thread(target=server.serve_forever).start()
        url = f"ws://127.0.0.1:{server.socket.getsockname()[1]}/play"
        command = [needs("java"), *QUICK_JAVA, str(tmp_path / "TwoPly.java"), url, "ana"]
        done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("silent for 5 s") == 1
    assert (len(lines), asked.acquire(blocking=False)) == (2, False)


NO_ADDRESSES = (
    "http://127.0.0.1:8000",
    "192.168.1.20:8765",
    "ws:ana",
    "ws://:8765",
    "ws://10.0.0.1:port",
    "ws://10.0.0.1:99999",
    "ws://10.0.0.1#play",
    "ws://10.0.0.1 ",
    "ws://[::1",
    "ws://HOST:8765",
)


def refused(command, *arguments):
    """What it says, to whoever started it wrongly, in place of a traceback and of trying over and over."""
    done = subprocess.run([*command, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") <= 2, "older Nodes warn that WebSocket is experimental"
    return done.stderr


def test_what_is_no_address_is_said_to_be_none(node, java):
    says = " is not the address of a server: write it like ws://192.168.1.20:8765\n"
    assert refused(java, NO_ADDRESSES[0], "ana").endswith(NO_ADDRESSES[0] + says)
    told = subprocess.run([*java[:-1], "Addresses", *NO_ADDRESSES, "ws://[::1]:1"], capture_output=True, text=True)
    assert told.stdout.split() == ["false"] * len(NO_ADDRESSES) + ["true"]
    for address in NO_ADDRESSES:
        assert refused([*node, str(EXAMPLES / "two_ply.mjs")], address, "ana").endswith(address + says)


def test_what_is_no_number_of_games_is_said_to_be_none(node, java):
    for command, games in (
        ([*node, str(EXAMPLES / "two_ply.mjs")], "many"),
        ([*node, str(EXAMPLES / "two_ply.mjs")], "0"),
        (java, "many"),
        (java, "0"),
    ):
        told = refused(command, "ws://127.0.0.1:1", "ana", "random", "connect4", games)
        assert told.endswith(f"GAMES is a whole number from 1 on, not {games}\n")


def test_javascript_tries_again_while_nothing_listens(node):
    command = [*node, str(EXAMPLES / "two_ply.mjs"), "ws://127.0.0.1:1", "ana"]
    bot = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        tries = (line for line in bot.stderr if "no connection" in line)
        assert next(tries, None)
        assert next(tries, None)
    finally:
        bot.kill()
        bot.communicate()


def test_the_javascript_of_the_protocols_page(server, tmp_path, node):
    (source,) = re.findall(r"```js\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "client.mjs").write_text(source)
    plays_by_itself(server, [*node, "client.mjs"], "page", tmp_path)


def test_the_first_game_of_the_protocols_page(server):
    (source,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert source.count("\n") <= 20
    source = source.replace("ws://127.0.0.1:8765/play", server.url).replace('"random"', '"rolf"')
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert "'type': 'match_end'" in done.stdout.splitlines()[-1]
    assert "'reason': 'rules'" in done.stdout


def test_java(server, java, tmp_path):
    tried = subprocess.run([*java, "--test"], capture_output=True, text=True, check=True)
    assert tried.stdout.startswith("ok")
    for game in ("connect4", "mancala", "desconecta4"):
        plays_two_and_leaves(server, java, f"java-{game}", tmp_path, game)
    plays_one_and_stays(server, java, "java", tmp_path)


NATIVE = {
    "two_ply.c": (("cc", "gcc", "clang"), "-Wall", "-Werror"),
    "two_ply.cpp": (("c++", "g++", "clang++"), "-Wall", "-Werror", "-std=c++17"),
    "two_ply.rs": (("rustc",),),
}


@pytest.fixture
def program(tmp_path_factory):
    """The program of a sample."""

    def made(source):
        compilers, *options = NATIVE[source]
        out = source.replace(".", "_")
        return compiled(tmp_path_factory, needs(*compilers), *options, EXAMPLES / source, out=out)

    return made


@pytest.mark.parametrize(
    ("source", "game"), [("two_ply.c", "connect4"), ("two_ply.cpp", "mancala"), ("two_ply.rs", "connect4-8x8")]
)
def test_lines(server, tmp_path, program, source, game):
    shutil.copy(program(source), tmp_path / "two_ply")
    plays_by_palestra(server, ["bridge", "--", "./two_ply"], source.rpartition(".")[2], tmp_path, game)


def random_positions(game, count, seed):
    dice, found = Random(seed), []
    while len(found) < count:
        state = get_game(game).initial_state()
        for _ in range(dice.randrange(40)):
            if len(state.legal_actions()) > 1:
                found.append(state)
            if not state.legal_actions():
                break
            state = state.apply(dice.choice(state.legal_actions()))
    return dice.sample(found, count)


def worth(state, seat):
    """Of a position to a player who looks no further."""
    if isinstance(state, MancalaState):
        return state.stores[seat] - state.stores[1 - seat]
    return (state.returns() or (0.0, 0.0))[seat]


def worth_after(state, action):
    """Of an action, once the opponent has answered. In desconecta4 the samples do not look at the answer."""
    seat, after = state.to_move, state.apply(action)
    if after.to_move == seat or after.returns() is not None or isinstance(after, Desconecta4State):
        return worth(after, seat)
    return min(worth(after.apply(reply), seat) for reply in after.legal_actions())


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("source", NATIVE)
def test_a_sample_finds_what_two_plies_find(program, source, game):
    positions = random_positions(game, 200, seed=game)
    lines = [f"palestra 1\ngame {game}\nseat 0\nstart"]
    for state in positions:
        legal = " ".join(map(str, state.legal_actions()))
        lines.append(f"seat {state.to_move}\nposition {position(state)}\nlegal {legal}\ngo 1950")
    done = subprocess.run([program(source)], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    chosen = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("move")]
    assert len(chosen) == len(positions)
    for state, action in zip(positions, chosen, strict=True):
        quiet = [a for a in state.legal_actions() if get_game(game).action_name(a) != "BOOM"]
        best = max(worth_after(state, each) for each in quiet)
        assert worth_after(state, action) == best, f"{action} in\n{state}"


def test_every_sample_is_in_the_list():
    listed = (EXAMPLES / "README.md").read_text()
    assert all(f"({path.name})" in listed for path in EXAMPLES.iterdir() if path.is_file() and path.suffix != ".md")
    assert os.listdir(EXAMPLES)
