"""What every request passes, without a server: how much it may say, how long a cookie lasts, who may guess."""

from __future__ import annotations

import logging
import re
from types import SimpleNamespace

import h11
import httpx
import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from tests.support.web import KEY

from palestra_server.gateway.sessions import GUESSES, Guesses
from palestra_server.runtime import VISITOR, Viewer
from palestra_server.runtime.teachers import TeacherKeys
from palestra_server.web import access as access_module
from palestra_server.web.access import ENDED_MAX, PLAYER_S, TEACHER, TEACHER_S, Access, address_of, only
from palestra_server.web.errors import BODY_MAX, ApiError
from palestra_server.web.shield import HEADERS, Shield

TOKEN = "token-ana"
KEYS = {"teacher": KEY, "player": TOKEN, "visitor": None}


class Roster:
    """ana's token is TOKEN; `worth` changes with it."""

    names = ("ana",)

    def __init__(self):
        self.worth = "1"

    def player_for(self, token):
        return "ana" if token == TOKEN else None

    def is_taken_back(self, _token):
        return False

    def token_hash(self, player):
        return self.worth if player == "ana" else None


class Given(dict):
    """Cookies that were given back, and when they expire."""

    def add(self, cookie, expires, _now, forgotten):
        self[cookie] = expires
        for each in forgotten:
            del self[each]

    def since(self, now):
        return [cookie for cookie, expires in self.items() if expires > now]


class NoTeachers:
    def list(self):
        return []


@pytest.fixture
def desk():
    """.access at the time .now (s); .again(): one after a restart."""
    desk = SimpleNamespace(now=1_000_000.0, roster=Roster(), ended=Given())

    def again(key=KEY):
        return Access(
            key,
            "signs",
            desk.roster,
            TeacherKeys(NoTeachers()),
            Guesses(),
            desk.ended,
            lambda: desk.now,
            lambda: int(desk.now * 1e9),
        )

    desk.again, desk.access = again, again()
    return desk


def asked(method="GET", query="", client=("127.0.0.1", 1), site=None, **headers):
    return Request(
        {
            "type": "http",
            "method": method,
            "path": "/",
            "query_string": query.encode(),
            "client": client,
            "headers": [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()],
            "app": SimpleNamespace(state=SimpleNamespace(desk=SimpleNamespace(settings=SimpleNamespace(site=site)))),
        }
    )


def carries(cookie, **more):
    return asked(cookie=f"palestra={cookie}", **more)


@pytest.mark.parametrize(("who", "lasts"), [(TEACHER, 12 * 3600), (Viewer("player", "ana"), 30 * 24 * 3600)])
def test_a_cookie_lasts_to_its_last_second(desk, who, lasts):
    assert (TEACHER_S, PLAYER_S) == (12 * 3600, 30 * 24 * 3600)
    value, seconds = desk.access.cookie(who)
    assert seconds == lasts
    assert desk.access.identify(carries(value)) == desk.access.known(carries(value)) == who
    desk.now += lasts
    assert desk.access.identify(carries(value)) == who
    desk.now += 1
    assert desk.access.identify(carries(value)) is VISITOR


def test_a_cookie_is_worth_no_more_than_its_token(desk):
    value, _ = desk.access.cookie(Viewer("player", "ana"))
    desk.roster.worth = "2"
    assert desk.access.identify(carries(value)) is VISITOR
    desk.roster.worth = None
    assert desk.access.identify(carries(value)) is VISITOR
    assert desk.access.identify(carries(desk.access.cookie(Viewer("player", "ana"))[0])) is VISITOR
    teachers, _ = desk.access.cookie(TEACHER)
    assert desk.again().identify(carries(teachers)) == TEACHER
    assert desk.again("another key of the teacher").identify(carries(teachers)) is VISITOR


def spoilt(value):
    role, name, expires, nonce, signature = value.split(".")
    yield ""
    yield f"{role}.{name}.{expires}.{nonce}"
    yield f"{role}.{name}.{expires}.{signature}"
    yield f"more.{value}"
    yield f"visitor.{name}.{expires}.{nonce}.{signature}"
    yield f"{role}.{name}.{int(expires) + 1}.{nonce}.{signature}"
    yield f"{role}.{name}.soon.{nonce}.{signature}"
    yield f"{role}.xy.{expires}.{nonce}.{signature}"
    yield f"teacher.{name}.{expires}.{nonce}.{signature}"


def test_a_cookie_that_was_changed_is_nobodys(desk):
    value, _ = desk.access.cookie(Viewer("player", "ana"))
    for each in spoilt(value):
        assert desk.access.identify(carries(each)) is VISITOR, each


def test_a_cookie_given_back_is_worth_nothing_even_after_a_restart(desk):
    first, _ = desk.access.cookie(TEACHER)
    second, _ = desk.access.cookie(TEACHER)
    assert first != second, "two browsers"
    desk.access.end(first)
    desk.access.end("player.00.99.no.cookie")
    assert len(desk.ended) == 1, "only what was worth something is kept"
    for access in (desk.access, desk.again()):
        assert access.identify(carries(first)) is VISITOR
        assert access.identify(carries(second)) == TEACHER
    desk.access.end(second)
    assert desk.again().identify(carries(second)) is VISITOR


def test_who_keeps_logging_in_and_out_is_remembered_for_the_latest_times_alone(desk):
    others, _ = desk.access.cookie(TEACHER)
    desk.access.end(others)
    ana = [desk.access.cookie(Viewer("player", "ana"))[0] for _ in range(ENDED_MAX + 50)]
    for each in ana:
        desk.access.end(each)
    assert len(desk.ended) == 1 + ENDED_MAX
    for access in (desk.access, desk.again()):
        assert {access.identify(carries(each)) for each in (others, *ana[-ENDED_MAX:])} == {VISITOR}


def test_what_was_given_back_is_forgotten_once_it_is_late(desk):
    value, lasts = desk.access.cookie(TEACHER)
    desk.access.end(value)
    assert list(desk.ended.values()) == [desk.now + lasts]


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_what_changes_nothing_may_come_from_anywhere(desk, method):
    value, _ = desk.access.cookie(TEACHER)
    assert desk.access.identify(carries(value, method=method)) == TEACHER


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    ("headers", "ours"),
    [
        ({"x_palestra": "1"}, True),
        ({"x_palestra": "1", "origin": "http://here:8000"}, True),
        ({"x_palestra": "2"}, False),
        ({}, False),
        ({"origin": "http://here:8000"}, False),
        ({"x_palestra": "1", "origin": "http://elsewhere"}, False),
    ],
)
def test_what_changes_something_must_come_from_the_page(desk, method, headers, ours):
    value, _ = desk.access.cookie(TEACHER)
    request = carries(value, method=method, host="here:8000", **headers)
    if ours:
        assert desk.access.identify(request) == TEACHER
        return
    with pytest.raises(ApiError) as refused:
        desk.access.identify(request)
    assert (refused.value.status, refused.value.code) == (403, "foreign")
    with_key = asked(method=method, host="here:8000", authorization=f"Bearer {KEY}", **headers)
    assert desk.access.identify(with_key) == TEACHER, "no page can send a key by itself"


@pytest.mark.parametrize(
    ("header", "who"),
    [(f"Bearer {KEY}", TEACHER), (f"bearer  {KEY} ", TEACHER), (f"Bearer {TOKEN}", Viewer("player", "ana"))],
)
def test_a_key_or_token_says_who_asks(desk, header, who):
    request = asked(authorization=header)
    assert desk.access.identify(request) == desk.access.known(request) == who
    assert desk.access.identify(asked("GET", "as=visitor", authorization=header)) is VISITOR
    assert desk.access.identify(asked(authorization=header.replace("earer", "asic"))) is VISITOR


def test_only_wrong_keys_are_counted(desk):
    wrong = asked(authorization="Bearer wrong")
    assert desk.access.known(wrong) is VISITOR
    for _ in range(GUESSES):
        with pytest.raises(ApiError) as refused:
            desk.access.identify(wrong)
        assert (refused.value.status, refused.value.code) == (401, "bad_key")
    with pytest.raises(ApiError) as refused:
        desk.access.identify(wrong)
    assert (refused.value.status, refused.value.code, refused.value.headers) == (429, "try_later", {"retry-after": "1"})
    for secret, role in ((KEY, "teacher"), (TOKEN, "player")):
        assert desk.access.identify(asked(authorization=f"Bearer {secret}")).role == role
    assert address_of(asked(client=None)) == ""


def test_what_is_a_players_is_for_that_player_and_the_teacher():
    only(TEACHER, "ana")
    only(Viewer("player", "ana"), "ana")
    for other in (VISITOR, Viewer("player", "bob")):
        with pytest.raises(ApiError) as refused:
            only(other, "ana")
        assert (refused.value.status, refused.value.code) == (403, "forbidden")


async def test_what_is_for_the_teacher_keeps_everybody_else_out():
    assert await access_module._teacher(TEACHER) is TEACHER
    for who, told in ((VISITOR, (401, "no_key")), (Viewer("player", "ana"), (403, "forbidden"))):
        with pytest.raises(ApiError) as refused:
            await access_module._teacher(who)
        assert (refused.value.status, refused.value.code) == told


@pytest.mark.parametrize(("query", "asks"), [("hidden=show", True), ("hidden=no", False), ("", False)])
async def test_what_is_hidden_is_shown_to_who_asks_for_it(desk, query, asks):
    request = asked(query=query, authorization=f"Bearer {KEY}")
    request.app.state.access = desk.access
    assert (await access_module.identify(request)).asks_for_hidden is asks


# The shield:


async def reads(_scope, receive, send):
    """Answers with the number of bytes it was sent."""
    read, more = 0, True
    while more:
        message = await receive()
        read += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"referrer-policy", b"its-own")]})
    await send({"type": "http.response.body", "body": str(read).encode()})


@pytest.fixture
def web(desk):
    """`web(app, key)`: one who asks for `app` behind its shield."""

    def client(app=reads, key=None, host="localhost", site=None):
        headers = {"authorization": f"Bearer {key}"} if key else {}
        shield = Shield(app, desk.access, site)
        transport = httpx.ASGITransport(shield, raise_app_exceptions=True)
        return httpx.AsyncClient(transport=transport, base_url=f"http://{host}", headers=headers)

    return client


async def in_pieces(size, piece=1000):
    for start in range(0, size, piece):
        yield bytes(min(piece, size - start))


@pytest.mark.parametrize("role", BODY_MAX)
async def test_how_much_each_may_say(web, role):
    most = BODY_MAX[role]
    assert most == {"teacher": 1 << 20, "player": 4 << 10, "visitor": 4 << 10}[role]
    async with web(key=KEYS[role]) as client:
        answer = await client.post("/", content=bytes(most))
        assert (answer.status_code, answer.text) == (200, str(most))
        refused = await client.post("/", content=bytes(most + 1))
        assert (refused.status_code, refused.json()["error"]) == (413, "too_large")
        assert f"{most >> 10} KiB" in refused.json()["message"]
        for headers in ({"content-length": "-1"}, {"content-length": "many"}):
            assert (await client.post("/", content=b"", headers=headers)).status_code == 413


@pytest.mark.parametrize("role", ["player", "visitor"])
async def test_nor_more_of_it_when_its_length_is_not_told(web, role):
    most, told = BODY_MAX[role], []

    async def app(scope, receive, send):
        try:
            await reads(scope, receive, send)
        except HTTPException as error:
            told.append((error.status_code, error.detail))
            await send({"type": "http.response.start", "status": 413, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    async with web(app, KEYS[role]) as client:
        assert (await client.post("/", content=in_pieces(most))).text == str(most)
        assert (await client.post("/", content=in_pieces(most + 1))).status_code == 413
    assert told == [(413, role)]


async def test_who_only_reads_may_say_as_little_as_a_visitor(web):
    async with web(key=KEY) as client:
        for method in ("GET", "HEAD"):
            assert (await client.request(method, "/", content=bytes(BODY_MAX["visitor"] + 1))).status_code == 413


async def test_every_answer_has_the_headers_and_what_an_app_says_itself_stays(web):
    async with web() as client:
        found = (await client.get("/")).headers
    assert {name: found[name] for name in HEADERS} == {**HEADERS, "referrer-policy": "its-own"}


@pytest.mark.parametrize(
    ("host", "site", "told"),
    [
        ("evil.example", None, "evil.example"),
        ("evil.example", "https://bots.school.edu", "evil.example"),
        ("", None, "that name"),
    ],
)
async def test_a_strange_name_is_not_answered(web, host, site, told):
    async with web(host="localhost", site=site) as client:
        answer = await client.get("/", headers={"host": host})
    assert (answer.status_code, answer.json()["error"]) == (421, "wrong_host")
    assert f"does not answer to {told};" in answer.json()["message"]
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_the_name_of_the_site_is_answered(web):
    async with web(host="bots.school.edu", site="https://bots.school.edu") as client:
        assert (await client.get("/")).status_code == 200


async def test_a_fault_outside_the_app_is_answered_once(web):
    async def fails(_scope, _receive, _send):
        raise ValueError("inside")

    async def fails_late(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"as far as it came"})
        raise ValueError("inside")

    logging.disable()
    try:
        async with web(fails) as client:
            answer = await client.get("/")
        assert (answer.status_code, answer.json()["error"]) == (500, "internal")
        assert "inside" not in answer.text
        async with web(fails_late) as client:
            assert (await client.get("/")).text == "as far as it came"
    finally:
        logging.disable(logging.NOTSET)


async def test_a_client_that_broke_http_is_left_alone(desk):
    async def send(_message):
        raise h11.LocalProtocolError("it is gone")

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = asked(host="localhost").scope
    await Shield(reads, desk.access)(scope, receive, send)


async def test_what_is_no_request_passes(desk):
    passed = []

    async def app(scope, receive, send):
        passed.append((scope["type"], receive, send))

    await Shield(app, desk.access)({"type": "lifespan"}, "receive", "send")
    assert passed == [("lifespan", "receive", "send")]


def test_the_policy_lets_in_nothing_but_the_servers_own():
    sources = re.findall(r"'(\w+)'", HEADERS["content-security-policy"])
    assert set(sources) == {"self", "none"}
