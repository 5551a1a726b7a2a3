"""The page's files: read once, compressed once, and asked for again only when they changed."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER = Path(__file__).parent / "static"
HOME = "index.html"

_TYPES = {
    # Said here because what the system's table knows differs from one machine to the next.
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is served; `zipped` is None where compressing saves nothing."""

    modified: int
    media_type: str
    etag: str
    plain: bytes
    zipped: bytes | None


class Assets:
    """The files under `folder`, by their path from there with slashes."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder.resolve()
        self._known: dict[Path, Asset] = {}

    def response(self, request: Request, path: str) -> Response | None:
        """The answer to a request for this file: 200 or 304; None if there is no such file."""
        asset = self._find(path)
        if asset is None:
            return None
        # "no-cache" is "ask whether it is still the same": after an update nobody has half of the old page.
        headers = {"etag": asset.etag, "cache-control": "no-cache", "vary": "accept-encoding"}
        if asset.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        zipped = asset.zipped if "gzip" in request.headers.get("accept-encoding", "") else None
        if zipped is not None:
            headers["content-encoding"] = "gzip"
        return Response(asset.plain if zipped is None else zipped, media_type=asset.media_type, headers=headers)

    def _find(self, path: str) -> Asset | None:
        try:
            file = (self._folder / path).resolve()
            modified = file.stat().st_mtime_ns
            if not file.is_relative_to(self._folder) or not file.is_file():
                return None
        except (OSError, ValueError):  # ValueError: a NUL in the path
            return None
        known = self._known.get(file)
        if known is None or known.modified != modified:
            known = self._known[file] = _load(file, modified)
        return known


class AssetsFirst:
    """In front of the application: the page's files, of which a first visit takes some twenty, need no routing."""

    def __init__(self, app: ASGIApp, assets: Assets) -> None:
        self._app = app
        self._assets = assets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = None
        if scope["type"] == "http" and scope["method"] == "GET":
            path = scope["path"].removeprefix("/") or HOME
            if "." in path:
                found = self._assets.response(Request(scope), path)
        await (found or self._app)(scope, receive, send)


def _load(file: Path, modified: int) -> Asset:
    plain = file.read_bytes()
    zipped = gzip.compress(plain, mtime=0)
    media_type = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    etag = f'W/"{sha256(plain).hexdigest()[:20]}"'
    return Asset(modified, media_type, etag, plain, zipped if len(zipped) < 0.9 * len(plain) else None)
