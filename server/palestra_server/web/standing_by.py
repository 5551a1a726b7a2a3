"""The web port of a node that does not referee: it passes API calls on, and redirects pages, to the one that does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import httpx
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from palestra_server import VERSION
from palestra_server.runtime.machines import Machines
from palestra_server.web import API, NO_REFEREE

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
_METHODS: Final = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


def _nobody() -> Response:
    message = "No node of this server referees at the moment: the next one takes over within seconds; try again."
    return JSONResponse({"error": NO_REFEREE, "message": message}, 503, {"retry-after": "1"})


@asynccontextmanager
async def standby_app(machines: Machines) -> AsyncIterator[Starlette]:
    """The application, while this node stands by."""

    async def healthz(request: Request) -> Response:
        """200, but 503 for a proxy that looks for the node that referees (`/healthz?referee`)."""
        referee = machines.cluster.referee
        detail = machines.trouble or f"stands by; {referee.name if referee else 'nobody'} referees"
        said = {"ok": True, "detail": detail, "version": VERSION, "node": machines.me.name}
        return JSONResponse(said, 503 if "referee" in request.query_params else 200)

    async def passed_on(request: Request) -> Response:
        referee = machines.cluster.referee
        if referee is None or referee.name == machines.me.name:
            return _nobody()
        headers = [(name, value) for name, value in request.headers.items() if name not in _HOP_BY_HOP]
        if request.client is not None:
            headers.append(("x-forwarded-for", request.client.host))
        target = f"{referee.page}{request.url.path}" + (f"?{request.url.query}" if request.url.query else "")
        try:
            answer = await client.send(
                client.build_request(request.method, target, headers=headers, content=request.stream()), stream=True
            )
        except httpx.HTTPError:
            return _nobody()
        kept = {name: value for name, value in answer.headers.items() if name not in _HOP_BY_HOP}
        return StreamingResponse(answer.aiter_raw(), answer.status_code, kept, background=BackgroundTask(answer.aclose))

    async def elsewhere(request: Request) -> Response:
        referee = machines.cluster.referee
        if referee is None or referee.name == machines.me.name:
            return _nobody()
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"{referee.page}{request.url.path}{query}", 307)

    async with httpx.AsyncClient(timeout=ANSWER_S, trust_env=False) as client:
        yield Starlette(
            routes=[
                Route("/healthz", healthz),
                Route(API + "/{path:path}", passed_on, methods=_METHODS),
                Route("/{path:path}", elsewhere),
            ]
        )
