"""Who may ask for what: keys, tokens, cookies, foreign pages, guesses."""

import pytest
from tests.web.conftest import KEY

from palestra_server.gateway import is_ours


def fault(answer, status, code):
    body = answer.json()
    assert (answer.status_code, body["error"]) == (status, code), body
    assert body["message"].endswith((".", ")."))
    return body


async def test_roles(open_web):
    async with open_web("ana") as web:
        for key, who in (
            (None, {"role": "visitor", "player": None}),
            (web.tokens["ana"], {"role": "player", "player": "ana"}),
            (KEY, {"role": "teacher", "player": None}),
        ):
            assert (await web.client(key).get("/api/v1/session")).json() == who
        fault(await web.client("wrong").get("/api/v1/session"), 401, "bad_key")


async def test_a_browser_gets_a_cookie_that_no_script_can_read(open_web):
    async with open_web("ana") as web:
        browser = web.client(page=True)
        answer = await browser.post("/api/v1/session", json={"token": web.tokens["ana"]})
        assert answer.json() == {"role": "player", "player": "ana"}
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


async def test_guessing_is_slowed_for_its_address_alone(open_web):
    async with open_web("ana") as web:
        thief = web.client("wrong", address="10.0.0.66")
        answers = [await thief.get("/api/v1/session") for _ in range(25)]
        assert [answer.status_code for answer in answers] == [401] * 20 + [429] * 5
        body = fault(answers[-1], 429, "try_later")
        assert answers[-1].headers["retry-after"] in body["message"]
        # A right guess tells nothing either, while the teacher's key opens from everywhere.
        for key, address, status in (
            (web.tokens["ana"], "10.0.0.66", 429),
            (KEY, "10.0.0.66", 200),
            (web.tokens["ana"], "10.0.0.7", 200),
        ):
            assert (await web.client(key, address=address).get("/api/v1/session")).status_code == status


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
