"""The class's package index: wheels of what students install, which match this server exactly.

`pip install palestra-client --extra-index-url http://HOST:8000/simple/` (PEP 503). The wheels were built when the
server was installed (`SHARE`, as in the image) or, for packages installed in place from a clone, are built from its
files on first request.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from html import escape
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import structlog
from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from palestra_server.web.errors import ApiError

PACKAGES = ("palestra-protocol", "palestra-client", "palestra-bots")
SHARE = Path(sys.prefix) / "share" / "palestra" / "wheels"  # where an installation keeps its wheels
REQUIRES_PYTHON = ">=3.11"


class NoWheels(Exception):
    """There are no wheels and none can be built; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel file; `project` is the normalised name of its package."""

    project: str
    file: str
    content: bytes

    @property
    def sha256(self) -> str:
        """The digest that pip checks after the download."""
        return hashlib.sha256(self.content).hexdigest()


class Index:
    """The wheels of this server, read or built once."""

    def __init__(self, folder: Path = SHARE) -> None:
        self._folder = folder
        self._lock = asyncio.Lock()
        self._wheels: tuple[Wheel, ...] = ()

    async def wheels(self) -> tuple[Wheel, ...]:
        """Raises ApiError if there are none."""
        async with self._lock:
            if not self._wheels:
                try:
                    self._wheels = await asyncio.to_thread(_wheels, self._folder)
                except NoWheels as why:
                    structlog.get_logger().warning("no wheels for students", why=str(why))
                    raise ApiError(503, "no_wheels", str(why)) from why
        return self._wheels


def _wheels(folder: Path) -> tuple[Wheel, ...]:
    found = _read(folder)
    if not found:
        with tempfile.TemporaryDirectory(prefix="palestra-wheels-") as made:
            for package in PACKAGES:
                _build(_source(package), made)
            found = _read(Path(made))
    return found


def _read(folder: Path) -> tuple[Wheel, ...]:
    return tuple(Wheel(normal(path.name.split("-")[0]), path.name, path.read_bytes()) for path in folder.glob("*.whl"))


def _source(package: str) -> Path:
    """The folder from which a package was installed in place."""
    try:
        origin = json.loads(distribution(package).read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    if not origin.get("dir_info", {}).get("editable"):
        raise NoWheels(f"This server was installed without the wheel of {package}: put it into {SHARE}.")
    return Path(url2pathname(urlsplit(origin["url"]).path))


def _build(source: Path, folder: str) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise NoWheels(f"The wheel of {source.name} can't be made: {' '.join(last)}")


def normal(name: str) -> str:
    """A project's name, normalised as in PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def simple_router(index: Index) -> APIRouter:
    router = APIRouter(prefix="/simple", include_in_schema=False)

    @router.get("")
    @router.get("/{name}")
    async def without_slash(name: str = "") -> Response:
        return RedirectResponse(f"/simple/{name}/" if name else "/simple/", 301)

    @router.get("/")
    async def projects() -> Response:
        names = sorted({wheel.project for wheel in await index.wheels()})
        return _page("Palestra: packages", [f'<a href="{name}/">{name}</a>' for name in names])

    @router.get("/{name}/")
    async def files(name: str) -> Response:
        if name != normal(name):
            return RedirectResponse(f"/simple/{normal(name)}/", 301)
        wheels = [wheel for wheel in await index.wheels() if wheel.project == name]
        if not wheels:
            raise ApiError(404, "not_found", f"There is no package {name} here: only {', '.join(PACKAGES)}.")
        needs = escape(REQUIRES_PYTHON)
        return _page(
            f"Palestra: {name}",
            [
                f'<a href="{wheel.file}#sha256={wheel.sha256}" data-requires-python="{needs}">{wheel.file}</a>'
                for wheel in wheels
            ],
        )

    @router.get("/{name}/{file}")
    async def download(name: str, file: str) -> Response:
        for wheel in await index.wheels():
            if (wheel.project, wheel.file) == (name, file):
                return Response(wheel.content, media_type="application/octet-stream")
        raise ApiError(404, "not_found", f"There is no file {file} of {name} here.")

    return router


def _page(title: str, links: list[str]) -> HTMLResponse:
    head = f'<meta name="pypi:repository-version" content="1.0"><title>{escape(title)}</title>'
    return HTMLResponse(f'<!DOCTYPE html><html lang="en"><head>{head}</head><body>{"<br>".join(links)}</body></html>\n')
