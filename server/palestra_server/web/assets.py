"""The page's files: read and compressed once, cached by browsers until they change."""

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

_TYPES = {
    # Listed here because the system's table differs from one machine to the next.
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

    media_type: str
    etag: str
    plain: bytes
    zipped: bytes | None


def packed(plain: bytes, media_type: str) -> Asset:
    zipped = gzip.compress(plain, mtime=0)
    etag = f'W/"{sha256(plain).hexdigest()[:20]}"'
    return Asset(media_type, etag, plain, zipped if len(zipped) < 0.9 * len(plain) else None)


def answer(request: Request, asset: Asset, *, for_good: bool = False) -> Response:
    """200 or 304. With `for_good`, browsers cache the file and never ask again."""
    # "no-cache" means "ask whether it has changed": after an update nobody has half of the old page.
    keep = "public, max-age=31536000, immutable" if for_good else "no-cache"
    headers = {"etag": asset.etag, "cache-control": keep, "vary": "accept-encoding, accept-language"}
    if asset.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    zipped = asset.zipped if "gzip" in request.headers.get("accept-encoding", "") else None
    if zipped is not None:
        headers["content-encoding"] = "gzip"
    return Response(asset.plain if zipped is None else zipped, media_type=asset.media_type, headers=headers)


class Assets:
    """The files under `folder`, by their path from there with slashes."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder.resolve()
        self._known: dict[Path, tuple[int, Asset]] = {}
        self._files: list[Path] = []
        self._seen: list[int] = []
        self._version = ""

    def find(self, path: str) -> Asset | None:
        """The current file; None if there is no such file."""
        try:
            file = (self._folder / path).resolve()
            modified = file.stat().st_mtime_ns
            if not file.is_relative_to(self._folder) or not file.is_file():
                return None
        except (OSError, ValueError):  # ValueError: a NUL in the path
            return None
        known = self._known.get(file)
        if known is None or known[0] != modified:
            media_type = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            known = self._known[file] = modified, packed(file.read_bytes(), media_type)
        return known[1]

    def version(self) -> str:
        """Changes as soon as any file does."""
        try:
            seen = [file.stat().st_mtime_ns for file in self._files]
        except OSError:  # removed by an update of the package
            self._files, seen = [], []
        if not seen:
            self._files = sorted(file for file in self._folder.rglob("*") if file.is_file())
            seen = [file.stat().st_mtime_ns for file in self._files]
        if seen != self._seen:
            self._seen = seen
            self._version = sha256(b"".join(file.read_bytes() for file in self._files)).hexdigest()[:16]
        return self._version

    def is_latest(self, version: str) -> bool:
        """Whether this is the last value of `version`, without checking all files again."""
        return version != "" and version == (self._version or self.version())


class AssetsFirst:
    """Serves the page's files ahead of the application: a first visit loads some twenty, and they need no routing."""

    def __init__(self, app: ASGIApp, assets: Assets) -> None:
        self._app = app
        self._assets = assets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = None
        if scope["type"] == "http" and scope["method"] == "GET" and "." in scope["path"]:
            found = self._answer(Request(scope), scope["path"].removeprefix("/"))
        await (found or self._app)(scope, receive, send)

    def _answer(self, request: Request, path: str) -> Response | None:
        version = ""
        if path.startswith("v/"):
            version, _, path = path[2:].partition("/")
        asset = self._assets.find(path)
        # A page of another version gets the current file, and must ask again.
        return None if asset is None else answer(request, asset, for_good=self._assets.is_latest(version))
