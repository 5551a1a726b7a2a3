"""The page's files, the headers of every answer, and how what goes wrong is said."""

import gzip

from starlette.requests import Request
from structlog.testing import capture_logs
from tests.web.conftest import KEY
from tests.web.test_web_access import fault

from palestra_server.runtime.damaged import Damaged
from palestra_server.store import StoreError
from palestra_server.web.assets import Assets


async def test_the_page_and_its_caching(open_web):
    async with open_web() as web:
        client = web.client()
        page = await client.get("/")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        again = await client.get("/", headers={"if-none-match": page.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert (await client.get("/match/abc/12")).text == page.text, "the page's own views are the page"
        fault(await client.get("/no-such.js"), 404, "not_found")
        for path in ("/..%2fapp.py", "/%2e%2e/app.py", "/a%00b.js", "//etc/hostname.txt"):
            fault(await client.get(path), 404, "not_found")


async def test_files_are_compressed_once(tmp_path):
    (tmp_path / "app.js").write_text("let a = 1;\n" * 500)

    def ask(**headers):
        pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        return assets.response(Request({"type": "http", "headers": pairs}), "app.js")

    assets = Assets(tmp_path)
    zipped = ask(accept_encoding="gzip, br")
    assert zipped.headers["content-type"] == "text/javascript; charset=utf-8"
    assert gzip.decompress(zipped.body) == ask().body == (tmp_path / "app.js").read_bytes()
    (tmp_path / "app.js").write_text("let b = 2;\n")
    assert ask(if_none_match=zipped.headers["etag"]).body == b"let b = 2;\n"


async def test_every_answer_is_guarded(open_web):
    async with open_web() as web:
        for path in ("/", "/api/v1/about", "/api/v1/nothing", "/healthz"):
            headers = (await web.client().get(path)).headers
            policy = headers["content-security-policy"]
            assert "unsafe" not in policy
            assert "default-src 'none'" in policy
            assert headers["x-content-type-options"] == "nosniff"


async def test_what_goes_wrong_is_one_sentence(open_web, monkeypatch):
    async with open_web() as web:
        client = web.client(KEY)
        fault(await client.get("/api/v1/nothing"), 404, "not_found")
        fault(await client.put("/healthz"), 405, "method_not_allowed")
        fault(await client.get("/", headers={"host": "evil.example"}), 421, "wrong_host")
        body = fault(await client.post("/api/v1/session", json={"kee": "x"}), 422, "bad_request")
        assert body["details"]
        large = await client.post("/api/v1/session", content=b"x" * ((1 << 20) + 1))
        fault(large, 413, "too_large")

        async def drip():
            for _ in range(20):
                yield b"x" * (1 << 16)

        fault(await client.post("/api/v1/session", content=drip()), 413, "too_large")

        def broken(*_):
            raise StoreError("The disk is full: make room.")

        monkeypatch.setattr(type(web.server.roster), "player_for", broken)
        fault(await web.client("x").get("/api/v1/session"), 503, "storage")


async def test_a_defect_of_the_server_shows_nothing_of_its_inside(open_web, monkeypatch):
    async with open_web() as web:

        def broken(*_):
            raise RuntimeError("a secret of the inside")

        monkeypatch.setattr(type(web.server.roster), "player_for", broken)
        with capture_logs() as logs:
            answer = await web.client("x").get("/api/v1/session")
        fault(answer, 500, "internal")
        assert "inside" not in answer.text
        assert [line["event"] for line in logs] == ["a request failed"]


async def test_health_and_metrics(open_web):
    async with open_web(metrics="10.0.0.0/8") as web:
        assert (await web.client().get("/healthz")).json()["detail"] == "well"
        web.server.director.damaged["cup"] = Damaged("cup", "an event is missing")
        health = (await web.client().get("/healthz")).json()
        assert (health["ok"], health["detail"][:24]) == (True, "The tournament cup canno")
        fault(await web.client().get("/metrics"), 403, "forbidden")
        assert "palestra_matches 0.0" in (await web.client(address="10.1.2.3").get("/metrics")).text
    async with open_web(metrics="scraper-key") as web:
        fault(await web.client("scraper").get("/metrics"), 403, "forbidden")
        assert "palestra_matches 0.0" in (await web.client("scraper-key").get("/metrics")).text


async def test_about(open_web):
    async with open_web(guests=True) as web:
        about = (await web.client().get("/api/v1/about")).json()
        assert (about["name"], about["guests"], about["port"]) == ("Palestra", True, web.server.opened.port)
        assert {game["name"] for game in about["games"]} >= {"connect4", "connect4-8x8", "desconecta4", "mancala"}
