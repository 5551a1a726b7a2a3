"""The page's files, the headers of every answer, and how what goes wrong is said."""

import gzip
import inspect
import re

import pytest
from starlette.requests import Request
from structlog.testing import capture_logs
from tests.support.web import KEY, dependants, fault

from palestra_server.runtime.catalogue import Damaged
from palestra_server.store import StoreError
from palestra_server.web.access import Access, identify
from palestra_server.web.api.tournaments import show_schedule
from palestra_server.web.assets import FOLDER, AssetsFirst, answer, packed, read_assets, takes_gzip
from palestra_server.web.home import Home
from palestra_server.web.shield import Shield


async def test_the_page_and_its_caching(open_web):
    async with open_web() as web:
        client = web.client()
        page = await client.get("/")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        again = await client.get("/", headers={"if-none-match": page.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert "/js/pages/lobby.js" in page.text
        assert "/js/pages/match.js" in (await client.get("/match/abc/12")).text, "the page's own views are the page"
        for path in ("/nowhere", "/main.b/", "/missing"):
            missing = await client.get(path)
            assert (missing.status_code, "/js/pages/missing.js" in missing.text) == (404, True)
        assert (await client.get("/favicon.ico")).headers["location"] == "/icon.svg"
        for path in ("/", "/js/main.js", "/api/v1/about", "/healthz"):
            assert (await client.head(path)).status_code == 200, path
        fault(await client.get("/no-such.js"), 404, "not_found")
        for path in ("/..%2fapp.py", "/%2e%2e/app.py", "/a%00b.js", "//etc/hostname.txt"):
            fault(await client.get(path), 404, "not_found")


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("gzip, deflate, br", True),
        ("br, GZIP ; q=0.5", True),
        ("gzip;q=0", False),
        ("gzip;q=0.0, *", False),
        ("", False),
    ],
)
def test_who_does_not_take_gzip_is_sent_none(accepted, packed):
    headers = [(b"accept-encoding", accepted.encode())]
    assert takes_gzip(Request({"type": "http", "headers": headers})) == packed


async def test_the_description_of_the_api_is_written_once_and_kept_by_who_asks(open_web):
    async with open_web() as web:
        client = web.client()
        described = await client.get("/api/v1/openapi.json")
        assert described.headers["content-type"] == "application/json"
        assert "/api/v1/matches/{match_id}" in described.json()["paths"]
        again = await client.get("/api/v1/openapi.json", headers={"if-none-match": described.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


async def test_no_request_waits_for_a_thread_to_learn_who_asks(open_web):
    """FastAPI calls what is not `async` in a thread: two hand-overs of the interpreter for each, beside the players."""
    async with open_web() as web:
        calls = {dependant.call for dependant in dependants(web.app)}
        assert {identify, show_schedule} <= calls
        assert [call for call in calls if not inspect.iscoroutinefunction(call)] == []


async def test_files_are_kept_until_there_is_another_version(open_web):
    async with open_web() as web:
        client = web.client()
        english = await client.get("/", headers={"accept-language": "en-GB,es;q=0.5"})
        spanish = await client.get("/", headers={"accept-language": "xx,es-ES,en;q=0.5"})
        assert ("lang/es.js" in english.text, "lang/es.js" in spanish.text) == (False, True)
        addresses = re.findall(r'"(/v/[^"]+)"', english.text)
        assert len(addresses) > 20
        for address in addresses:
            assert "immutable" in (await client.get(address)).headers["cache-control"], address
        _, _, version, rest = addresses[0].split("/", 3)
        for other in (f"/{rest}", f"/v//{rest}", f"/v/{version[::-1]}/{rest}"):
            assert (await client.get(other)).headers["cache-control"] == "no-cache"
        fault(await client.get(f"/v/{version}/no-such.js"), 404, "not_found")


def test_another_file_makes_another_version(tmp_path):
    (tmp_path / "index.html").write_text('<script src="/js/main.js"></script><!-- modules -->')
    (tmp_path / "js/pages").mkdir(parents=True)
    (tmp_path / "js/main.js").write_text('import "./a.js";\nimport {\n  b,\n} from "./pages/lobby.js";\n')
    (tmp_path / "js/a.js").write_text('import "./main.js";\nconst late = () => import("./late.js");\n')
    (tmp_path / "js/pages/lobby.js").write_text('export * from "../a.js";\n')
    home = Home(read_assets.__wrapped__(tmp_path))
    first = home.asset("", "")[0].plain.decode()
    assert re.findall(r"js/[\w/]+\.js", first) == [
        "js/main.js",
        "js/line.js",
        "js/main.js",
        "js/a.js",
        "js/pages/lobby.js",
        "js/lang/en.js",
    ]
    (tmp_path / "js/a.js").write_text("// nothing\n")
    assert home.asset("lobby", "en")[0].plain.decode() == first, "a server serves what it was started with"
    second = Home(read_assets.__wrapped__(tmp_path)).asset("", "")[0].plain.decode()
    assert re.findall("/v/[^/]+", second) != re.findall("/v/[^/]+", first)
    (tmp_path / "js/a.js").unlink()
    third = Home(read_assets.__wrapped__(tmp_path)).asset("", "")[0].plain.decode()
    assert re.findall("/v/[^/]+", third) != re.findall("/v/[^/]+", second)


def test_what_browsers_have_no_use_for_is_left_out(tmp_path):
    (tmp_path / "css").mkdir()
    (tmp_path / "css/page.css").write_text('/* All. */\n@import "base.css";\n@import "last.css";\n')
    (tmp_path / "css/base.css").write_text("a {\n  color: red;\n}\n")
    (tmp_path / "css/last.css").write_text("/*! a licence */\nb :hover { color: red; } /* words */\n")
    (tmp_path / "a.js").write_text('// words\nfunction a(/** @type {string} */ b) {\n\n  return "/** b */" + b;\n}\n')
    (tmp_path / "b.js").write_text('let a = "a = b, c";\nlet b = / = , /;\nlet c = `a ${b ? `, ${a}` : ""}`;\n')
    files = {path: asset.plain.decode() for path, asset in read_assets.__wrapped__(tmp_path).files.items()}
    assert files == {
        "css/page.css": "a{\ncolor:red;\n}\n\n/*! a licence */\nb :hover{color:red;} /* words */\n\n",
        "a.js": 'function a(b){\nreturn "/** b */" + b;\n}\n',
        "b.js": 'let a="a = b, c";\nlet b= / = , /;\nlet c = `a ${b ? `, ${a}` : ""}`;\n',
    }


def test_no_text_in_a_script_goes_on_in_the_next_line():
    # Its indentation would be lost on the way.
    token = re.compile(r'"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|//[^\n]*|/\*.*?\*/', re.DOTALL)
    for path in (FOLDER / "js").rglob("*.js"):
        texts = [text for text in token.findall(path.read_text(encoding="utf-8")) if text[0] == "`"]
        assert [text for text in texts if "\n" in text] == [], path.name


def test_files_are_compressed():
    def ask(**headers):
        pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        return answer(Request({"type": "http", "headers": pairs}), packed(plain, ".js"))

    plain = b"let a = 1;\n" * 500
    zipped = ask(accept_encoding="gzip, br")
    assert zipped.headers["content-type"] == "text/javascript; charset=utf-8"
    assert gzip.decompress(zipped.body) == ask().body == plain
    assert ask(if_none_match=zipped.headers["etag"]).status_code == 304
    plain = b"let b = 2;\n"
    assert ask(if_none_match=zipped.headers["etag"]).body == plain


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
        assert (await client.get(f"/api/v1/matches?before={10**20}")).status_code < 500
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


@pytest.mark.parametrize("where", [(AssetsFirst, "_answer"), (Shield, "_refusal"), (Access, "identify")])
async def test_a_defect_outside_the_routes_is_answered_and_logged_once(open_web, monkeypatch, where):
    async with open_web() as web:

        def broken(*_):
            raise RuntimeError("a secret of the inside")

        monkeypatch.setattr(*where, broken)
        with capture_logs() as logs:
            answer = await web.client().get("/api/v1/session")
        fault(answer, 500, "internal")
        assert "inside" not in answer.text
        assert "content-security-policy" in answer.headers
        assert [line["event"] for line in logs] == ["a request failed"]


async def test_health_and_metrics(open_web):
    async with open_web(metrics="10.0.0.0/8") as web:
        assert (await web.client().get("/healthz")).json()["detail"] == "well"
        web.server.catalogue.damaged["cup"] = Damaged("cup", "an event is missing", hides=False)
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


async def test_what_to_install_from_is_where_the_visitor_reached_us(open_web):
    laptop = {"host": "laptop.local:8000"}
    for site, address in ((None, "http://laptop.local:8000"), ("https://bots.school.edu", "https://bots.school.edu")):
        async with open_web(site=site) as web:
            about = (await web.client().get("/api/v1/about", headers=laptop)).json()
            assert f"--extra-index-url {address}/simple/" in about["install"]
