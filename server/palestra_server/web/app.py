"""The application on the web port: the page, the API, `/healthz` and `/metrics`, behind one shield."""

from __future__ import annotations

import json
import time
from functools import cache

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, RedirectResponse
from prometheus_client import CollectorRegistry
from starlette.responses import Response
from starlette.types import ASGIApp

from palestra_server import VERSION
from palestra_server.runtime import VISITOR, House
from palestra_server.web import API, documents
from palestra_server.web.access import Access
from palestra_server.web.api import ROUTERS
from palestra_server.web.assets import Asset, AssetsFirst, answer, packed, read_assets
from palestra_server.web.errors import ApiError, answer_errors
from palestra_server.web.home import Home
from palestra_server.web.previews import preview
from palestra_server.web.scraping import scraped
from palestra_server.web.shield import Shield
from palestra_server.web.simple import Index, simple_router
from palestra_server.web.state import Desk


def create_app(server: House, *, admin_key: str, cookie_key: str, port: int | None = None) -> ASGIApp:
    """Everything that the web port (`port`, when it is open) answers over HTTP.

    It runs in the server's event loop and reads its state there.
    """
    app = FastAPI(title="Palestra", version=VERSION, openapi_url=None)
    app.state.desk = Desk.of(server, port)
    app.state.gate = server.gate
    app.state.access = Access(
        admin_key,
        cookie_key,
        server.roster,
        server.teachers,
        server.guesses,
        server.store.logged_out,
        time.time,
        time.monotonic_ns,
    )
    answer_errors(app)
    # `include_router` would make each route anew when the first request comes, and hold the loop up for 0.1 s.
    for router in (*ROUTERS, simple_router(Index()), documents.router):
        app.router.routes.extend(router.routes)
    assets = read_assets()
    home = Home(assets)
    app.add_middleware(AssetsFirst, assets=assets)

    @cache  # FastAPI's own route would write it anew for everybody who asks
    def described() -> Asset:
        return packed(json.dumps(app.openapi()).encode(), ".json")

    @app.get(f"{API}/openapi.json", include_in_schema=False)
    async def openapi(request: Request) -> Response:
        return answer(request, described())

    @app.get("/healthz", include_in_schema=False)
    async def healthz() -> Response:
        """200, and 503 when results can no longer be saved, so that a container's health check needs no parser;
        `detail` says why, or what else needs attention.
        """
        trouble = server.journal.trouble
        now = {
            "ok": trouble is None,
            "detail": trouble or " ".join(server.gate.of(VISITOR).troubles()) or "well",
            "version": VERSION,
            "players": len(server.presence.peers),
            "matches": len(server.playing.matches),
        }
        return JSONResponse(now, 200 if trouble is None else 503)

    @app.get("/metrics", include_in_schema=False)
    async def metrics(request: Request) -> Response:
        allowed = server.settings.metrics

        def registry() -> CollectorRegistry:
            return server.gate.of(VISITOR).metrics() if allowed == "all" else server.metrics.registry

        return scraped(request, allowed, registry)

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
        languages = request.headers.get("accept-language", "")
        page, known = home.asset(path, languages)
        shown = await preview(server.gate.of(VISITOR), path, home.said(languages))
        if shown is not None:
            page = home.with_head(page, shown.head((server.settings.site or str(request.base_url)).rstrip("/"), path))
        return answer(request, page, status=200 if known else 404)

    return Shield(app, app.state.access, server.settings.site, server.settings.advertise)
