"""The application on the web port: the page, the API, `/healthz` and `/metrics`, behind one shield."""

from __future__ import annotations

import hmac
import ipaddress
import time
from dataclasses import asdict, dataclass

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, RedirectResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response
from starlette.types import ASGIApp

from palestra_server import VERSION
from palestra_server.runtime import VISITOR, House
from palestra_server.web import API, documents
from palestra_server.web.access import ENDED, Access
from palestra_server.web.api import ROUTERS
from palestra_server.web.assets import AssetsFirst, answer, read_assets
from palestra_server.web.errors import ApiError, answer_errors
from palestra_server.web.home import Home
from palestra_server.web.shield import Shield
from palestra_server.web.simple import Index, simple_router
from palestra_server.web.state import Desk


@dataclass(frozen=True, slots=True)
class Health:
    """The answer of `/healthz`. `ok` is False when results can no longer be saved; `detail` says why, or what else
    needs attention.
    """

    ok: bool
    detail: str
    version: str
    players: int
    matches: int


def health(server: House) -> Health:
    trouble = server.journal.trouble
    return Health(
        ok=trouble is None,
        detail=trouble or " ".join(server.gate.of(VISITOR).troubles()) or "well",
        version=VERSION,
        players=len(server.presence.peers),
        matches=len(server.playing.matches),
    )


def create_app(server: House, *, admin_key: str, cookie_key: str, port: int | None = None) -> ASGIApp:
    """Everything that the web port (`port`, when it is open) answers over HTTP.

    It runs in the server's event loop and reads its state there.
    """
    app = FastAPI(title="Palestra", version=VERSION, openapi_url=f"{API}/openapi.json", docs_url=None, redoc_url=None)
    app.state.desk = Desk.of(server)
    app.state.gate = server.gate
    app.state.port = port
    ended = server.settings.data / ENDED
    app.state.access = Access(
        admin_key, cookie_key, server.roster, server.teachers, server.guesses, ended, time.time, time.monotonic_ns
    )
    answer_errors(app)
    for router in ROUTERS:
        app.include_router(router, prefix=API)
    app.include_router(simple_router(Index()))
    app.include_router(documents.router)
    assets = read_assets()
    home = Home(assets)
    app.add_middleware(AssetsFirst, assets=assets)

    @app.get("/healthz", include_in_schema=False)
    async def healthz() -> Response:
        """200 when well and 503 when not, so that a container's health check needs no parser."""
        now = health(server)
        return JSONResponse(asdict(now), 200 if now.ok else 503)

    @app.get("/metrics", include_in_schema=False)
    async def metrics(request: Request) -> Response:
        allowed = server.settings.metrics
        if not _may_scrape(request, allowed):
            raise ApiError(403, "forbidden", "The metrics are for this server's own scraper: see --metrics.")
        registry = server.gate.of(VISITOR).metrics() if allowed == "all" else server.metrics.registry
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    @app.api_route(API + "/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
    async def no_such_call(path: str) -> Response:
        raise ApiError(404, "not_found", f"The API has no /{path}; {API}/openapi.json lists what it has.")

    @app.get("/favicon.ico", include_in_schema=False)
    async def favicon() -> Response:
        return RedirectResponse("/icon.svg", 301)

    @app.get("/{path:path}", include_in_schema=False)
    async def view(request: Request, path: str) -> Response:
        """An address without a suffix is one of the page's views, which the script draws."""
        if "." in path.rpartition("/")[2]:
            raise ApiError(404, "not_found", f"There is no file {path} here.")
        page, known = home.asset(path, request.headers.get("accept-language", ""))
        return answer(request, page, status=200 if known else 404)

    return Shield(app, server.settings.site, app.state.access)


def _may_scrape(request: Request, allowed: str) -> bool:
    """`allowed`: "all", an address or network, or a key that the scraper sends as its bearer token."""
    if allowed == "all":
        return True
    try:
        network = ipaddress.ip_network(allowed, strict=False)
    except ValueError:
        sent = request.headers.get("authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(sent.encode(), allowed.encode())
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host) in network
    except ValueError:
        return False
