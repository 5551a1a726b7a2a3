"""Who may ask for what: keys, tokens, cookies, foreign pages, guesses."""

import json
import time
from types import SimpleNamespace

import httpx
import pytest
from tests.support.web import KEY, fault

from palestra_server.gateway import is_ours
from palestra_server.web.app import create_app


async def test_roles(open_web):
    async with open_web("ana") as web:
        for key, who in (
            (None, {"role": "visitor", "player": None, "teacher": "", "runs": False}),
            (web.tokens["ana"], {"role": "player", "player": "ana", "teacher": "", "runs": False}),
            (KEY, {"role": "teacher", "player": None, "teacher": "", "runs": True}),
        ):
            assert (await web.client(key).get("/api/v1/session")).json() == who
        fault(await web.client("wrong").get("/api/v1/session"), 401, "bad_key")


async def test_a_browser_gets_a_cookie_that_no_script_can_read(open_web):
    async with open_web("ana") as web:
        browser = web.client(page=True)
        answer = await browser.post("/api/v1/session", json={"token": web.tokens["ana"]})
        assert answer.json()["player"] == "ana"
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert web.tokens["ana"] not in cookie
        assert (await browser.get("/api/v1/session")).json()["player"] == "ana"
        await browser.delete("/api/v1/session")
        assert (await browser.get("/api/v1/session")).json()["role"] == "visitor"


@pytest.mark.parametrize("spoil", [lambda c: c[:-1] + ("0" if c[-1] != "0" else "1"), lambda c: "teacher" + c[6:]])
async def test_a_cookie_cannot_be_made_at_home(open_web, spoil):
    async with open_web("ana") as web:
        browser = web.client(page=True)
        await browser.post("/api/v1/session", json={"token": web.tokens["ana"]})
        cookie = browser.cookies["palestra"]
        browser.cookies.clear()
        browser.cookies.set("palestra", spoil(cookie))
        assert (await browser.get("/api/v1/session")).json()["role"] == "visitor"


@pytest.mark.parametrize(
    "headers", [{}, {"x-palestra": "1", "origin": "http://elsewhere.example"}, {"origin": "http://localhost"}]
)
async def test_a_foreign_page_changes_nothing(open_web, headers):
    async with open_web() as web:
        answer = await web.client().post("/api/v1/session", json={"key": KEY}, headers=headers)
        fault(answer, 403, "foreign")
        assert "set-cookie" not in answer.headers


async def test_guessing_is_slowed_for_its_address_alone(open_web, monkeypatch):
    now = time.monotonic_ns()
    monkeypatch.setattr("palestra_server.web.app.time", SimpleNamespace(time=time.time, monotonic_ns=lambda: now))
    async with open_web("ana") as web:
        thief = web.client("wrong", address="10.0.0.66")
        answers = [await thief.get("/api/v1/session") for _ in range(25)]
        assert [answer.status_code for answer in answers] == [401] * 20 + [429] * 5
        body = fault(answers[-1], 429, "try_later")
        assert answers[-1].headers["retry-after"] in body["message"]
        # Classmates behind the same address are not held up, and a guess at the other port is one of the same.
        for key, address, status in (
            (web.tokens["ana"], "10.0.0.66", 200),
            (KEY, "10.0.0.66", 200),
            ("another", "10.0.0.7", 401),
        ):
            assert (await web.client(key, address=address).get("/api/v1/session")).status_code == status
        guesses, roster = web.server.guesses, web.server.roster
        assert guesses.player(roster, "wrong", "10.0.0.66", now).code == "try_later"


async def test_a_cookie_is_worth_nothing_after_it_was_given_back(open_web):
    async with open_web("ana") as web:
        browser = web.client(page=True)
        await browser.post("/api/v1/session", json={"token": web.tokens["ana"]})
        stolen, other = browser.cookies["palestra"], web.client(page=True)
        await other.post("/api/v1/session", json={"token": web.tokens["ana"]})
        assert (await browser.delete("/api/v1/session")).json()["role"] == "visitor"
        await browser.delete("/api/v1/session")
        again = create_app(web.server, admin_key=KEY, cookie_key="signs-cookies")  # as after a restart
        for app in (web.app, again):
            thief = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")
            thief.cookies.set("palestra", stolen)
            assert (await thief.get("/api/v1/session")).json()["role"] == "visitor"
        assert (await other.get("/api/v1/session")).json()["role"] == "player"
        assert len(web.server.store.logged_out.since(0)) == 1


@pytest.mark.parametrize("body", [b"{", b"[" * 2000, b'{"nothing": 1}', b"\xff"])
async def test_what_only_the_teacher_may_say_is_not_read_from_others(open_web, body):
    routes = (
        ("POST", "/roster"),
        ("POST", "/roster/import"),
        ("PATCH", "/roster/ana"),
        ("POST", "/tournaments"),
        ("POST", "/tournaments/check"),
        ("POST", "/tournaments/form"),
        ("POST", "/tournaments/cup/add"),
        ("POST", "/tournaments/cup/withdraw"),
        ("POST", "/tournaments/cup/rule"),
        ("POST", "/tournaments/cup/marks"),
        ("POST", "/judging"),
        ("PUT", "/matches/none/analysis"),
        ("PUT", "/matches/none/value"),
    )
    async with open_web("ana") as web:
        for method, path in routes:
            for key, status, code in ((None, 401, "no_key"), (web.tokens["ana"], 403, "forbidden")):
                client = web.client(key, page=key is None)
                sent = {"content": body, "headers": {"content-type": "application/json"}}
                fault(await client.request(method, f"/api/v1{path}", **sent), status, code)
            assert (await web.client(KEY).request(method, f"/api/v1{path}", **sent)).status_code in (400, 422)


async def test_who_asks_is_checked_before_what_is_said(open_web):
    """A body of 1 MiB was parsed and answered with 5.5 MiB of details, whoever sent it."""
    async with open_web("ana") as web:
        many = json.dumps({f"k{number}": 0 for number in range(60_000)})
        plain = {"content-type": "application/json"}
        few = json.dumps({f"k{number}": 0 for number in range(300)})
        for client, sizes in (
            (web.client(page=True), (413, 422)),
            (web.client(web.tokens["ana"]), (413, 422)),
            (web.client("wrong"), (413, 401)),
            (web.client(KEY), (422, 422)),
        ):
            for body, status in zip((many, few), sizes, strict=True):
                answer = await client.post("/api/v1/session", content=body, headers=plain)
                assert (answer.status_code, len(answer.content) < 5000) == (status, True)
                assert len(answer.json().get("details", ())) == (1 if status == 422 else 0), "all keys at once"
        odd = await web.client(page=True).post("/api/v1/session", json={"token": "x"} | {f"k{n}": 0 for n in range(15)})
        fault(odd, 422, "bad_request")
        assert [each["where"] for each in odd.json()["details"]] == [f"body.k{number}" for number in range(15)]
        fault(await web.client().post("/api/v1/tournaments", content=few, headers=plain), 403, "foreign")
        fault(await web.client(page=True).post("/api/v1/tournaments", content=few, headers=plain), 401, "no_key")
        fault(await web.client(web.tokens["ana"]).post("/api/v1/roster", content=few, headers=plain), 403, "forbidden")


async def test_a_seed_in_the_file_is_the_teachers_alone_before_it_begins(open_web):
    """It says who meets whom, and from which openings."""
    seeded = 'name = "cup"\ngames = ["connect4"]\nformat = "round-robin"\nabsent = "wait"\nseed = 4711\n'
    plain = seeded.replace("seed = 4711\n", "").replace("cup", "open")
    async with open_web("ana", "bob") as web:
        teacher, player, visitor = web.client(KEY), web.client(web.tokens["ana"]), web.client()
        for toml in (seeded, plain):
            assert (await teacher.post("/api/v1/tournaments", json={"toml": toml})).status_code == 200
        file = "/api/v1/tournaments/cup/tournament.toml"
        for other in (player, visitor):
            fault(await other.get(file), 409, "not_begun")
            assert (await other.get("/api/v1/tournaments/open/tournament.toml")).text == plain
        assert (await teacher.get(file)).text == seeded
        assert (await teacher.post("/api/v1/tournaments/cup/start")).status_code == 200
        assert [(await each.get(file)).text for each in (player, visitor)] == [seeded] * 2


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("localhost:8000", True),
        ("192.168.1.7:8000", True),
        ("[::1]:8000", True),
        ("server", True),
        ("teacher.local:8000", True),
        ("bots.school.edu", True),
        ("evil.example", False),
        ("bots.school.edu.evil.example", False),
        ("", False),
        ("[:", False),
    ],
)
def test_names_the_server_answers_to(host, ours):
    assert is_ours(host, "https://bots.school.edu") is ours
