"""The web port of a node that does not referee: it has the page, and passes API calls on to the one that does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Final

import httpx
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from palestra_server import VERSION
from palestra_server.gateway import is_same_origin
from palestra_server.runtime.machines import Machines
from palestra_server.web import API, NO_REFEREE
from palestra_server.web.assets import AssetsFirst, answer, read_assets
from palestra_server.web.home import Home
from palestra_server.web.shield import HEADERS

ANSWER_S: Final = 60.0
# RFC 9110, section 7.6.1; Host and the length are made anew.
_HOP_BY_HOP: Final = {
    "connection",
    "host",
    "content-length",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "proxy-authorization",
    "x-forwarded-for",
}
_PASSED_ON: Final = (f"{API}/", "/simple/", "/docs/")
_METHODS: Final = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


def _nobody() -> Response:
    message = "No node of this server referees at the moment: the next one takes over within seconds; try again."
    return JSONResponse({"error": NO_REFEREE, "message": message}, 503, {"retry-after": "1"})


@asynccontextmanager
async def standby_app(machines: Machines, site: str | None, origins: Collection[str]) -> AsyncIterator[ASGIApp]:
    """The application, while this node stands by; `site` and `origins` as in `is_same_origin`."""

    async def healthz(request: Request) -> Response:
        """200, but 503 for a proxy that looks for the node that referees (`/healthz?referee`)."""
        referee = machines.cluster.referee
        detail = machines.trouble or f"stands by; {referee.name if referee else 'nobody'} referees"
        said = {"ok": True, "detail": detail, "version": VERSION, "node": machines.me.name}
        return JSONResponse(said, 503 if "referee" in request.query_params else 200)

    async def passed_on(request: Request) -> Response:
        referee = machines.referee
        if referee is None:
            return _nobody()
        headers = [(name, value) for name, value in request.headers.items() if name not in _HOP_BY_HOP]
        origin, host = request.headers.get("origin", ""), request.headers.get("host", "")
        if origin and is_same_origin(origin, host, site, origins):  # our page is as good as the referee's
            headers = [(name, referee.page if name == "origin" else value) for name, value in headers]
        if request.client is not None:
            headers.append(("x-forwarded-for", request.client.host))
        target = httpx.URL(f"{referee.page}{request.scope['raw_path'].decode('latin-1')}")
        if not target.path.startswith(_PASSED_ON):  # "..": /metrics, say, is for those whose own address may read it
            return Response(f"There is no file {request.url.path} here.\n", 404, media_type="text/plain")
        if request.url.query:
            target = target.copy_with(query=request.url.query.encode())
        try:
            answer = await client.send(
                client.build_request(request.method, target, headers=headers, content=request.stream()), stream=True
            )
        except httpx.ReadTimeout:
            message = (
                f"{referee.name} did not answer within {ANSWER_S:g} s: look whether it was done before you try again."
            )
            return JSONResponse({"error": "too_slow", "message": message}, 504)
        except httpx.HTTPError:
            return _nobody()
        kept = {name: value for name, value in answer.headers.items() if name not in _HOP_BY_HOP}
        return StreamingResponse(answer.aiter_raw(), answer.status_code, kept, background=BackgroundTask(answer.aclose))

    async def view(request: Request) -> Response:
        """The page, whose calls are passed on; who wants to play needs the node that referees."""
        path = request.url.path
        if "." in path.rpartition("/")[2]:
            return Response(f"There is no file {path} here.\n", 404, media_type="text/plain")
        referee = machines.referee
        if path.split("/")[1] == "play" and referee is not None:
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(f"{referee.page}{path}{query}", 307, HEADERS)
        page, known = home.asset(path, request.headers.get("accept-language", ""))
        response = answer(request, page, status=200 if known else 404)
        response.headers.update(HEADERS)
        return response

    assets = read_assets()
    home = Home(assets)
    async with httpx.AsyncClient(timeout=ANSWER_S, trust_env=False) as client:
        yield AssetsFirst(
            Starlette(
                routes=[
                    Route("/healthz", healthz),
                    Route(API + "/{path:path}", passed_on, methods=_METHODS),
                    Route("/simple/{path:path}", passed_on),
                    Route("/docs/{path:path}", passed_on),
                    Route("/{path:path}", view),
                ]
            ),
            assets,
        )
