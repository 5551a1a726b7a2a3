"""`palestra-server roster`: on a folder that no server uses, and beside a server that runs on it."""

import asyncio
import csv
import io
import json
import random
import re
import stat
import sys
from contextlib import closing

import httpx
import pytest
from tests.support.played import play_casual
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess
from typer.testing import CliRunner
from websockets.exceptions import ConnectionClosed

from palestra_server.cli.admin import Admin, AdminError
from palestra_server.cli.main import app
from palestra_server.store import Store

pytestmark = pytest.mark.slow

LIST = "Nombre;Apellido(s);Correo;Grupo\nAna;López;ana@school.edu;A\nBea;Ruiz;bea@school.edu;B\n"


class House:
    """The commands, on one data folder."""

    def __init__(self, data):
        self.data = data

    def __call__(self, *arguments, code=0):
        result = CliRunner().invoke(app, ["roster", *map(str, arguments), "--data", str(self.data)])
        assert result.exit_code == code, result.output
        return result

    def names(self):
        return [player["name"] for player in json.loads(self("list", "--json").stdout)["players"]]

    def token(self, name):
        return json.loads(self("reset", name, "--json").stdout)["tokens"][0]["token"]


def test_a_class_from_the_list_to_the_tokens(tmp_path):
    house = House(tmp_path / "data")
    (tmp_path / "class.csv").write_text(LIST, encoding="utf-8")
    assert "2 added" in house("import", tmp_path / "class.csv", "--dry-run").stdout
    assert not house.data.exists()
    house("import", tmp_path / "class.csv")
    assert "2 unchanged" in house("import", tmp_path / "class.csv", "--dry-run").stdout
    file, sheet = tmp_path / "tokens.csv", tmp_path / "tokens.html"
    house("tokens", "--out", file, "--sheet", sheet)
    assert b"\r" not in file.read_bytes()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file, sheet)] == [0o600, 0o600]
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert [(row["name"], row["email"]) for row in rows] == [
        ("Ana López", "ana@school.edu"),
        ("Bea Ruiz", "bea@school.edu"),
    ]
    html = sheet.read_text(encoding="utf-8")
    assert html.count("<svg") == 2
    for row in rows:
        assert len(row["token"]) >= 26
        assert f"<p>{row['email']}</p>" in html, "two of one name are told apart"
        assert f"<span>--token</span> <span>{row['token']}</span>" in html
    assert html.count("<span>palestra</span> <span>new</span> <span>mybot</span>") == 2
    assert "http-equiv" not in html
    assert "src=" not in html
    assert house("tokens").stdout == "", "everybody has one"
    assert [path.name for path in (tmp_path / "data").iterdir() if path.suffix == ".csv"] == []


@pytest.mark.parametrize(
    ("page", "bots"),
    [
        ("https://bots.school.edu", "wss://bots.school.edu"),
        ("http://lab:8000/", "ws://lab:8765"),
    ],
)
def test_cards_in_the_language_of_the_class(tmp_path, page, bots):
    house = House(tmp_path / "data")
    (tmp_path / "class.csv").write_text("name,email\nAna Muñoz,ana@x.org\n", encoding="utf-8")
    house("import", tmp_path / "class.csv")
    file, sheet = tmp_path / "tokens.csv", tmp_path / "tokens.html"
    house("tokens", "--out", file, "--sheet", sheet, "--page", page, "--language", "es")
    html = sheet.read_text(encoding="utf-8")
    assert '<html lang="es">' in html
    assert "Tu clave, que es solo tuya" in html
    assert f"<span>--server</span> <span>{bots}</span>" in html
    # Over TLS both are on one port; else the card says that the page's serves bots, too.
    assert ("--server http://lab:8000</code>" in html) == (bots == "ws://lab:8765")
    assert file.read_bytes().startswith("\ufeffname;email;token\r\nAna Muñoz;".encode())
    assert "--page takes" in house("tokens", "--all", "--page", "bots.school.edu", code=1).output


def test_only_who_is_connected_can_be_disconnected(tmp_path):
    house = House(tmp_path / "data")
    house("add", "Ana")
    assert "Nobody called Ana is connected." in house("kick", "Ana", code=1).output


def test_a_list_with_faults(tmp_path):
    house = House(tmp_path / "data")
    (tmp_path / "class.csv").write_text("name,email\nAna,ana@school.edu\nANA,ana@school.edu\n,y@z.org\n")
    result = house("import", tmp_path / "class.csv", code=1)
    lines = [int(number) for number in re.findall(r"^  line (\d+):", result.output, re.MULTILINE)]
    assert lines == [3, 3, 4]
    assert house.names() == []
    tried = house("import", tmp_path / "class.csv", "--dry-run", code=1)
    assert "1 added, 0 changed, 0 unchanged (nothing would be written before the faults are mended)." in tried.stdout


def test_a_changed_name_is_told_with_the_commands_that_take_it_or_add_another(tmp_path):
    house, file = House(tmp_path / "data"), tmp_path / "class.csv"
    file.write_text("name,email\nJose Gil,jose@x.org\nAna,ana@x.org\n")
    house("import", file)
    file.write_text("name,email\nJosé Gil,jose@x.org\nAnita,ana@x.org\n")
    told = house("import", file)
    listed = "Called otherwise in the list (they keep their names): Jose Gil (José Gil); Ana (Anita)"
    rename = "To take a name from the list: palestra-server roster rename NAME NEW"
    assert [line for line in told.stdout.splitlines() if line in (listed, rename)] == [listed, rename]
    assert ("roster add" in told.stdout, told.stderr) == (False, ""), "the address says who they are"
    file.write_text("José Gil\nAna\n")
    told = house("import", file)
    assert "note: line 1: José Gil looks like Jose Gil, who is on the roster" in told.stderr
    assert rename in told.stdout
    assert "palestra-server roster add NAME" in told.stdout
    assert house.names() == ["Jose Gil", "Ana"]
    house("add", "José Gil")
    assert house("import", file).stderr == ""
    assert house.names() == ["Jose Gil", "Ana", "José Gil"]


def test_an_odd_address_is_told_and_the_class_is_taken_in(tmp_path):
    house = House(tmp_path / "data")
    (tmp_path / "class.csv").write_text("name,email\nAna,ana@school\nBea,none\n")
    for counts in ("2 added", "2 unchanged"):
        result = house("import", tmp_path / "class.csv")
        assert counts in result.stdout
        assert re.findall(r"^note: line (\d)", result.stderr, re.MULTILINE) == ["2", "3"]
    assert [player["email"] for player in json.loads(house("list", "--json").stdout)["players"]] == ["ana@school", ""]


def test_tokens_that_were_written_down_are_not_written_over(tmp_path):
    house, file = House(tmp_path / "data"), tmp_path / "tokens.csv"
    (tmp_path / "class.csv").write_text("Ana\n")
    house("import", tmp_path / "class.csv")
    house("tokens", "--out", file)
    kept = file.read_bytes()
    assert "exists already" in house("tokens", "--out", file, code=1).output
    assert house("add", "Ana").stdout == "", "she has one"
    assert "Everybody has a token" in house("tokens", "--out", tmp_path / "more.csv").output
    assert file.read_bytes() == kept
    assert not (tmp_path / "more.csv").exists()


def test_what_a_name_holds_is_printed_as_it_is(tmp_path):
    house = House(tmp_path / "data")
    assert ":smile: [b]," in house("add", ":smile: [b]").stdout


def test_at_a_terminal_tokens_come_with_a_word_and_in_a_pipe_they_are_csv(tmp_path, monkeypatch):
    house, csv_alone = House(tmp_path / "data"), r"name,token\nAna,\w{26}\n"
    assert re.fullmatch(csv_alone, house("add", "Ana").stdout)

    def at_a_terminal(*arguments):
        terminal = io.StringIO()
        terminal.isatty = lambda: True
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", terminal)
            app(["roster", *arguments, "--data", str(house.data)], standalone_mode=False)
        return terminal.getvalue()

    said, shown = at_a_terminal("reset", "Ana").split("\n", 1)
    assert said.startswith("Names and tokens, which are shown only now")
    assert re.fullmatch(csv_alone, shown)
    assert set(json.loads(at_a_terminal("reset", "Ana", "--json"))) == {"tokens"}
    assert at_a_terminal("add", "Ana") == "", "she has one, and none is shown"


CUP = """
name = "cup"
games = ["connect4"]
format = "round-robin"
"""


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("", "after 3 in a row Ana is withdrawn"),
        ("withdraw_after = 0\n", "loses its remaining matches one by one. "),
        ('absent = "wait"\n', "waits for Ana"),
    ],
)
def test_removing_a_player_in_the_middle_of_a_tournament(tmp_path, more, words):
    house = House(tmp_path / "data")
    house("add", "Ana", "Bea", "Cid", "Dan")
    (tmp_path / "cup.toml").write_text(CUP + more)

    def tournament(*arguments):
        return CliRunner().invoke(app, ["tournament", *arguments, "--data", str(house.data)])

    assert house("ban", "Ana").stdout.count("\n") == 1
    house("unban", "Ana")
    assert tournament("create", str(tmp_path / "cup.toml"), "--start").exit_code == 0
    for command in ("ban", "remove"):
        text = house(command, "Ana").stdout
        assert words in text
        assert 'palestra-server tournament withdraw cup "Ana"' in text
    assert house("remove", "Bea", "--json").stdout.count("Bea") >= 2
    assert tournament("withdraw", "cup", "Cid").exit_code == 0
    assert house("remove", "Cid").stdout == "Cid is off the roster.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("import", "nowhere.csv"), "There is no file nowhere.csv"),
        (("add", "class.xlsx"), "roster import class.xlsx"),
        (("remove", "Nobody"), "Nobody on the roster is called Nobody"),
        (("ban", "ana"), "did you mean Ana?"),
        (("ban", "Anna"), "did you mean Ana?"),
        (("add", ".."), "can't be a name"),
        (("rename", "Ana", "BEA"), "cannot be told from Bea"),
        (("list", "--server", "http://127.0.0.1:1"), "--key"),
        (("list", "--server", "http://127.0.0.1:1", "--key", "k"), "cannot be reached"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(tmp_path, arguments, words):
    house = House(tmp_path / "data")
    house("add", "Ana", "Bea")
    text = house(*arguments, code=1).output
    assert words in text
    assert "Traceback" not in text
    assert house.names() == ["Ana", "Bea"]


def test_who_has_played_is_told_what_a_new_name_leaves_behind(tmp_path):
    house = House(tmp_path / "data")
    house("add", "eva", "Bea")
    with closing(Store(house.data)) as store:
        play_casual(store, "casual", random.Random(1))
    assert house("rename", "Bea", "Bia").stdout == "Bea is Bia now.\n"
    said = house("rename", "eva", "Eva Ruiz").stdout
    assert "What was played stays with the name eva" in said
    assert 'unless its file says renamed = { "eva" = "Eva Ruiz" }.' in said
    assert "palestra-server roster rename 'Eva Ruiz' eva" in said


def test_a_key_that_the_server_does_not_know_is_called_so():
    refusal = {"error": "bad_key", "message": "Nobody has this token: check it for typing errors, or ask your teacher."}
    with asyncio.Runner() as runner:
        transport = httpx.MockTransport(lambda _: httpx.Response(401, json=refusal))
        client = httpx.AsyncClient(base_url="http://lab:8000", transport=transport)
        admin = Admin(runner, client, "The server at http://lab:8000", live=True)
        with pytest.raises(AdminError, match=r"has no such key: .* in the server's teacher\.key"):
            admin.get("/roster")
        admin.close()


def test_a_folder_that_does_not_exist_is_not_made(tmp_path):
    house = House(tmp_path / "typo")
    assert "no data folder" in house("list", code=1).output
    assert not house.data.exists()


def test_a_folder_of_something_else_is_left_as_it_is(tmp_path):
    house = House(tmp_path / "photos")
    house.data.mkdir()
    (house.data / "photo.jpg").write_bytes(b"")
    (tmp_path / "class.csv").write_text(LIST, encoding="utf-8")
    assert "holds no records" in house("list", code=1).output
    assert "2 added" in house("import", tmp_path / "class.csv", "--dry-run").stdout
    assert [each.name for each in house.data.iterdir()] == ["photo.jpg"]


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    data = tmp_path_factory.mktemp("running")
    with ServerProcess(data) as server:
        house = House(data)
        house("add", "ana", "bob", "cid", "dan")
        yield server, house


@pytest.mark.parametrize(
    ("name", "command", "words"),
    [
        ("ana", ("remove", "ana"), "no longer on the roster"),
        ("bob", ("ban", "bob"), "have been banned"),
        ("cid", ("reset", "cid"), "has been replaced"),
        ("dan", ("rename", "dan", "Daniela"), "name is Daniela"),
    ],
)
def test_what_ends_a_connection_in_a_running_server(running, name, command, words):
    server, house = running
    token = house.token(name)
    with RawPlayer(server.url, token=token) as player:
        house(*command)
        error = player.until("error")
        assert (error["code"], error["fatal"]) == ("bad_token", True)
        assert words in error["message"]
        with pytest.raises(ConnectionClosed, match="4004"):
            player.receive()
        session = player.session
    if name == "dan":
        with RawPlayer(server.url, token=token) as again:
            assert again.name == "Daniela"
        return
    for proof, why in ({"token": token}, "taken back"), ({"resume": session}, "bad_token"):
        with pytest.raises(AssertionError, match=why):
            RawPlayer(server.url, **proof)


def test_back_after_a_ban(running):
    server, house = running
    house("add", "eva")
    token = house.token("eva")
    house("ban", "eva")
    house("unban", "eva")
    with RawPlayer(server.url, token=token) as eva:
        assert eva.name == "eva"
        kicked = server.api("POST", "/roster/eva/kick")
        assert kicked == {"name": "eva"}
        assert "teacher" in eva.until("error")["message"]


def test_a_token_is_in_no_log_and_no_file(running):
    server, house = running
    house("add", "fay")
    token = house.token("fay")
    with RawPlayer(server.url, token=token):
        pass
    for path in server.data.rglob("*"):
        if path.is_file():
            assert token.encode() not in path.read_bytes(), path
    assert stat.S_IMODE((server.data / "server.json").stat().st_mode) == 0o600


def test_only_the_teacher_has_the_roster(running):
    server, house = running
    house("add", "gil")
    token = house.token("gil")
    for method, path in (("GET", "/roster"), ("POST", "/roster/import"), ("DELETE", "/roster/gil")):
        url = f"{server.web}/api/v1{path}"
        for headers, status in (({}, 401), ({"authorization": f"Bearer {token}"}, 403)):
            if method != "GET":
                headers = {**headers, "x-palestra": "1"}
            assert httpx.request(method, url, headers=headers, verify=False).status_code == status
    assert "gil" in house.names()


def test_keys_for_others_from_the_making_to_the_log(tmp_path):
    def teacher(*arguments, code=0):
        result = CliRunner().invoke(app, ["teacher", *arguments, "--data", str(tmp_path / "data")])
        assert result.exit_code == code, result.output
        return result.output

    key = teacher("add", "gomez", "--rights", "run").splitlines()[0].removeprefix("gomez (run): ")
    assert len(key) == 26
    assert "remove it first" in teacher("add", "gomez", code=1)
    assert teacher("list").startswith("gomez  run  since ")
    assert key not in teacher("log")
    teacher("remove", "gomez")
    assert "There is no key called gomez" in teacher("remove", "gomez", code=1)
    assert [line.split("  ")[1:] for line in teacher("log").splitlines()] == [
        ["teacher.key", "teachers remove", "name gomez"],
        ["teacher.key", "teachers add", "name gomez, rights run"],
    ]
