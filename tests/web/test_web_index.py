"""The package index: what a student's pip finds on the class server."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from tests.support.servers import ServerProcess

from palestra_server.web.errors import answer_errors
from palestra_server.web.simple import PACKAGES, Index, simple_router

ROOT = Path(__file__).parents[2]


def client(folder):
    app = FastAPI()
    answer_errors(app)
    app.include_router(simple_router(Index(folder)))
    return AsyncClient(transport=ASGITransport(app), base_url="http://class")


@pytest.fixture
def kept(tmp_path):
    """A folder of wheels as an image has it."""
    for name in ("palestra_protocol-1.0-py3-none-any.whl", "palestra_client-1.0-py3-none-any.whl"):
        (tmp_path / name).write_bytes(name.encode())
    return tmp_path


async def test_the_pages_are_those_of_pep_503(kept):
    async with client(kept) as web:
        projects = (await web.get("/simple/")).text
        assert re.findall(r'<a href="([^"]*)">([^<]*)</a>', projects) == [
            ("palestra-client/", "palestra-client"),
            ("palestra-protocol/", "palestra-protocol"),
        ]
        page = (await web.get("/simple/palestra-client/")).text
        ((file, digest),) = re.findall(r'<a href="([^"#]*)#sha256=([0-9a-f]{64})"', page)
        assert 'data-requires-python="&gt;=3.11"' in page
        content = (await web.get(f"/simple/palestra-client/{file}")).content
        assert hashlib.sha256(content).hexdigest() == digest


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("/simple", "/simple/"),
        ("/simple/palestra-client", "/simple/palestra-client/"),
        ("/simple/Palestra_Client/", "/simple/palestra-client/"),
    ],
)
async def test_names_are_forgiven(kept, path, leads_to):
    async with client(kept) as web:
        answer = await web.get(path)
        assert (answer.status_code, answer.headers["location"]) == (301, leads_to)


@pytest.mark.parametrize("path", ["/simple/numpy/", "/simple/palestra-client/other.whl"])
async def test_what_is_not_there_is_404(kept, path):
    async with client(kept) as web:
        assert (await web.get(path)).status_code == 404


async def test_without_wheels_it_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr("palestra_server.web.simple.PACKAGES", ("no-such-package",))
    async with client(tmp_path) as web:
        answer = await web.get("/simple/palestra-client/")
        assert answer.status_code == 503
        assert "without the wheel of no-such-package" in answer.text


@pytest.fixture
def pip(tmp_path):
    """The words that run pip in a fresh environment: Python's own copy, as it comes, which installs in no time."""
    found = importlib.util.find_spec("ensurepip")
    folders = [Path("/usr/share/python-wheels")]
    folders += [Path(found.origin).parent / "_bundled"] if found and found.origin else []
    wheels = [wheel for folder in folders for wheel in folder.glob("pip-*.whl")]
    if not wheels:
        pytest.skip("no pip comes with this Python: apt install python3-venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    return [tmp_path / "venv" / "bin" / "python", f"{wheels[-1]}/pip", "--isolated", "--disable-pip-version-check"]


def test_pip_installs_the_clients_files_from_the_server(tmp_path, pip):
    with ServerProcess(tmp_path / "data") as server:
        index = ["--index-url", f"{server.web}/simple/"]
        subprocess.run([*pip, "install", "-q", "--no-compile", "--no-deps", *index, *PACKAGES], check=True)
    show = "import palestra_games as g, importlib.metadata as m; print(m.version('palestra-client'), g.__path__[0])"
    told, place = subprocess.run([pip[0], "-c", show], capture_output=True, text=True, check=True).stdout.split()
    assert told == version("palestra-client")
    installed = Path(place).parent
    for package in ("protocol/palestra_games", "client/palestra_client", "bots/palestra_bots"):
        for source in (ROOT / package).rglob("*.py"):
            assert (installed / source.relative_to((ROOT / package).parent)).read_bytes() == source.read_bytes()
