"""Named keys: what each may do, on every route there is, and what is kept of it."""

import pytest
from fastapi.routing import APIRoute
from tests.support.web import KEY, fault

from palestra_server.web.access import CheckedRoute
from palestra_server.web.api import ROUTERS

API = "/api/v1"
ROUTES = [(method, route) for each in ROUTERS for route in each.routes for method in route.methods]
# What anybody may ask for that is no GET: one's own session, and the check of one's own bot.
FOR_ALL = {("POST", "/session"), ("DELETE", "/session"), ("POST", "/readiness")}
# What changes nothing, though it is no GET.
READS = {
    ("POST", "/tournaments/check"),
    ("POST", "/tournaments/form"),
    ("POST", "/tournaments/{name}/marks"),
    ("POST", "/seasons/check"),
    ("POST", "/seasons/{name}/marks"),
}
# What only a teacher gets to see.
SEEN = {
    ("GET", "/roster"),
    ("GET", "/teachers"),
    ("GET", "/acts"),
    ("GET", "/nodes"),
    ("GET", "/export.zip"),
    ("GET", "/tournaments/{name}/grades"),
    ("GET", "/tournaments/{name}/grades.csv"),
    ("GET", "/seasons/{name}/grades"),
    ("GET", "/seasons/{name}/grades.csv"),
}


async def _keys(web):
    owner = web.client(KEY)
    return {
        rights: (await owner.post(f"{API}/teachers", json={"name": f"k-{rights}", "rights": rights})).json()["key"]
        for rights in ("run", "read")
    }


def _path(route):
    return route.path.removeprefix(API)


def _address(route):
    return route.path.replace("{name:path}", "x").replace("{name}", "x").replace("{match_id}", "x")


async def test_every_route_that_changes_something_is_refused_to_a_key_that_reads(open_web):
    assert all(isinstance(route, APIRoute) for _, route in ROUTES)
    async with open_web("ana") as web:
        keys = await _keys(web)
        reads, runs = web.client(keys["read"]), web.client(keys["run"])
        changing = [(method, route) for method, route in ROUTES if method != "GET"]
        assert len(changing) > 20
        for method, route in changing:
            told, at = (method, _path(route)), _address(route)
            if told in FOR_ALL:
                continue
            for player in (web.client(page=True), web.client(web.tokens["ana"])):
                assert (await player.request(method, at)).status_code in (401, 403), told
            answer = await reads.request(method, at)
            if told in READS:
                assert answer.status_code not in (401, 403), told
            else:
                assert isinstance(route, CheckedRoute), told
                fault(answer, 403, "reads_only")
            # No owner, no body or no such thing: but not for want of rights.
            if not _path(route).startswith("/teachers"):
                assert (await runs.request(method, at)).status_code in (400, 404, 409, 422), told


@pytest.mark.process
async def test_a_key_that_reads_sees_what_only_a_teacher_sees(open_web):
    async with open_web("ana") as web:
        keys = await _keys(web)
        seen = set()
        for method, route in ROUTES:
            if method == "GET" and (await web.client().get(_address(route))).status_code == 401:
                seen.add((method, _path(route)))
                for rights in ("read", "run"):
                    assert (await web.client(keys[rights]).get(_address(route))).status_code in (200, 404), route.path
        assert seen == SEEN


async def test_who_did_what_is_kept(open_web):
    async with open_web("ana") as web:
        keys = await _keys(web)
        runs = web.client(keys["run"])
        assert (await runs.patch(f"{API}/roster/ana", json={"banned": True, "email": "a@b.example"})).status_code == 200
        fault(await runs.post(f"{API}/roster", json={"name": "ana"}), 422, "roster")
        acts = (await web.client(keys["read"]).get(f"{API}/acts")).json()["acts"]
        told = [(act["who"], act["act"], act["about"]) for act in acts]
        assert told == [
            ("k-run", "roster change", {"name": "ana", "banned": True}),
            ("teacher.key", "teachers add", {"name": "k-read", "rights": "read"}),
            ("teacher.key", "teachers add", {"name": "k-run", "rights": "run"}),
        ]
        assert all(secret not in str(acts) for secret in (*keys.values(), "a@b.example"))


async def test_what_is_said_without_a_body_is_done_and_kept(open_web):
    async with open_web("ana", "luis") as web:
        owner = web.client(KEY)
        toml = 'name = "cup"\ngames = ["connect4"]\nformat = "round-robin"\n'
        assert (await owner.post(f"{API}/tournaments", json={"toml": toml})).status_code == 200
        assert (await owner.post(f"{API}/tournaments/cup/start")).status_code == 200
        json = {"content-type": "application/json"}
        for body in (b"", b"null"):
            answer = await owner.post(f"{API}/tournaments/cup/finish", content=body, headers=json)
            assert answer.status_code == 200, answer.text
            assert (await owner.post(f"{API}/tournaments/cup/resume")).status_code == 200
        kept = [act["act"] for act in (await owner.get(f"{API}/acts")).json()["acts"]]
        assert kept[:4] == ["tournaments resume", "tournaments finish"] * 2


async def test_what_a_player_was_called_is_kept(open_web):
    async with open_web("ana") as web:
        owner = web.client(KEY)
        assert (await owner.patch(f"{API}/roster/ana", json={"name": "eva"})).status_code == 200
        assert (await owner.post(f"{API}/screen", json={"show": "hold"})).status_code == 200
        looked = {"text": "name\nZoe\n", "apply": False}
        assert (await owner.post(f"{API}/roster/import", json=looked)).status_code == 200, "which is no act"
        acts = (await owner.get(f"{API}/acts")).json()["acts"]
        assert [act["about"] for act in acts] == [{"show": "hold"}, {"name": "eva", "was": "ana"}]


async def test_keys_are_given_out_by_the_owner_of_the_folder(open_web):
    async with open_web() as web:
        keys = await _keys(web)
        fault(await web.client(keys["run"]).post(f"{API}/teachers", json={"name": "eva"}), 403, "forbidden")
        owner = web.client(KEY)
        fault(await owner.post(f"{API}/teachers", json={"name": "k-run"}), 409, "name_taken")
        fault(await owner.post(f"{API}/teachers", json={"name": "a b"}), 422, "bad_key_name")
        fault(await owner.delete(f"{API}/teachers/nobody"), 404, "unknown_teacher")
        listed = (await owner.get(f"{API}/teachers")).json()["teachers"]
        assert [(one["name"], one["rights"]) for one in listed] == [("k-run", "run"), ("k-read", "read")]


async def test_a_key_that_was_taken_back_ends_its_logins(open_web):
    async with open_web() as web:
        keys = await _keys(web)
        browser = web.client(page=True)
        answer = await browser.post(f"{API}/session", json={"key": keys["run"]})
        assert answer.json() == {"role": "teacher", "player": None, "teacher": "k-run", "runs": True}
        assert (await browser.get(f"{API}/roster")).status_code == 200
        await web.client(KEY).delete(f"{API}/teachers/k-run")
        assert (await browser.get(f"{API}/session")).json()["role"] == "visitor"
        fault(await web.client(keys["run"]).get(f"{API}/roster"), 401, "bad_key")


@pytest.mark.parametrize("role", ["reads", "owner"])
async def test_a_cookie_is_for_the_key_that_it_was_made_for(open_web, role):
    async with open_web() as web:
        keys = await _keys(web)
        browser = web.client(page=True)
        await browser.post(f"{API}/session", json={"key": keys["read"]})
        fields = browser.cookies["palestra"].split(".")
        browser.cookies.clear()
        fields[1] = "" if role == "owner" else b"k-run".hex()
        browser.cookies.set("palestra", ".".join(fields))
        assert (await browser.get(f"{API}/session")).json()["role"] == "visitor"
