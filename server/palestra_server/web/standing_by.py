"""The web port of a node that does not referee: it has the page, and passes API calls on to the one that does."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import httpx
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from palestra_server import VERSION
from palestra_server.gateway import Counts, is_same_origin
from palestra_server.gateway.websocket.handshake import RUN, WATCH
from palestra_server.runtime.machines import Machines
from palestra_server.runtime.metrics import Metrics, Tally
from palestra_server.settings import Settings
from palestra_server.store import Node
from palestra_server.web import API, NO_REFEREE
from palestra_server.web.assets import AssetsFirst, answer, read_assets
from palestra_server.web.errors import BODY_MAX, too_large
from palestra_server.web.home import Home
from palestra_server.web.scraping import scraped
from palestra_server.web.shield import headers_of, misdirected

ANSWER_S: Final = 60.0
HEAD_S: Final = 2.0
FOUND_S: Final = 5.0  # how long this node's own address may take to answer
AGAIN_S: Final = 5.0  # pause before it is tried again
# RFC 9110, section 7.6.1; Host and the length are made anew.
_HOP_BY_HOP: Final = {
    *("connection", "host", "content-length", "keep-alive", "te"),
    *("trailer", "transfer-encoding", "upgrade", "proxy-authorization", "x-forwarded-for"),
}
_PASSED_ON: Final = (f"{API}/", "/simple/", "/docs/")
_SHARED: Final = ("match", "player", "tournament", "embed")
_HEAD: Final = re.compile(r"<title>[^<]*</title>(\n<meta property=[^>]*>)+")
_METHODS: Final = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


def _nobody() -> Response:
    message = "No node of this server referees at the moment: the next one takes over within seconds; try again."
    return JSONResponse({"error": NO_REFEREE, "message": message}, 503, {"retry-after": "1"})


async def astray(me: Node) -> str:
    """Why an address of this node does not lead to it, as a sentence; "" if both do."""
    for address in (me.bots, me.page):
        try:
            url = "ws" + address.removeprefix("ws").removeprefix("http")
            async with connect(f"{url}{WATCH}", proxy=None, open_timeout=FOUND_S) as socket:
                if socket.response is not None and socket.response.headers.get(RUN) == me.run:
                    continue
                what = f"does not lead to {me.name}, but elsewhere"
        except (OSError, ValueError, WebSocketException) as error:
            what = f"can't be reached from {me.name} itself ({str(error) or type(error).__name__})"
        return f"{address} {what}: say with --advertise where the other machines and bots find this one."
    return ""


async def find_itself(machines: Machines, pause: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
    """Try the addresses of this node again until both lead to it."""
    while machines.astray:
        await pause(AGAIN_S)
        machines.astray = await astray(machines.me)


@asynccontextmanager
async def standby_app(machines: Machines, settings: Settings, counts: Callable[[], Counts]) -> AsyncIterator[ASGIApp]:
    """The application, while this node stands by; `counts`: those of its gateway."""
    metrics_of_node = Metrics(Tally(), counts, lambda: 0, machines)

    async def metrics(request: Request) -> Response:
        return scraped(request, settings.metrics, lambda: metrics_of_node.registry)

    async def healthz(request: Request) -> Response:
        """200, but 503 for a proxy that looks for the node that referees (`/healthz?referee`)."""
        referee = machines.cluster.referee
        detail = machines.trouble or f"stands by; {referee.name if referee else 'nobody'} referees"
        said = {"ok": True, "detail": detail, "version": VERSION, "node": machines.me.name}
        return JSONResponse(said, 503 if "referee" in request.query_params else 200)

    async def passed_on(request: Request) -> Response:
        if refusal := misdirected(request.headers, settings.site, settings.advertise):
            return refusal.response()
        referee = machines.referee
        if referee is None:
            return _nobody()
        headers = [(name, value) for name, value in request.headers.items() if name not in _HOP_BY_HOP]
        if "accept-encoding" not in request.headers:
            headers.append(("accept-encoding", "identity"))  # else httpx would accept what its client may not
        origin, host = request.headers.get("origin", ""), request.headers.get("host", "")
        # Our page is as good as the referee's.
        if origin and is_same_origin(origin, host, settings.site, settings.origins):
            headers = [(name, referee.page if name == "origin" else value) for name, value in headers]
        if request.client is not None:
            headers.append(("x-forwarded-for", request.client.host))
        target = httpx.URL(f"{referee.page}{request.scope['raw_path'].decode('latin-1')}")
        if not target.path.startswith(_PASSED_ON):  # "..": /metrics, say, is for those whose own address may read it
            return Response(f"There is no file {request.url.path} here.\n", 404, media_type="text/plain")
        if request.url.query:
            target = target.copy_with(query=request.url.query.encode())
        length = int(request.headers.get("content-length", 0))
        try:
            # A referee that refuses a long body closes the connection on it, and its answer may be lost.
            if length > BODY_MAX["visitor"] and length > BODY_MAX[role := await role_of(referee, headers)]:
                return too_large(role).response()
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

    async def role_of(referee: Node, headers: list[tuple[str, str]]) -> str:
        keys = [(name, value) for name, value in headers if name in ("authorization", "cookie", "x-forwarded-for")]
        answer = await client.get(f"{referee.page}{API}/session", headers=keys)
        return str(answer.json()["role"]) if answer.status_code == 200 else "visitor"

    async def head_of(referee: Node | None, request: Request) -> str:
        """What a link to this page says where it is shared, which the referee knows."""
        if referee is None or request.url.path.split("/")[1] not in _SHARED:
            return ""
        headers = {name: value for name, value in request.headers.items() if name == "accept-language"}
        try:
            page = await client.get(
                f"{referee.page}{request.scope['raw_path'].decode('latin-1')}", headers=headers, timeout=HEAD_S
            )
        except httpx.HTTPError:
            return ""
        found = _HEAD.search(page.text)
        return "" if found is None else found[0]

    async def view(request: Request) -> Response:
        """The page, whose calls are passed on; who wants to play needs the node that referees."""
        path = request.url.path
        if "." in path.rpartition("/")[2]:
            return Response(f"There is no file {path} here.\n", 404, media_type="text/plain")
        referee = machines.referee
        if path.split("/")[1] == "play" and referee is not None:
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(f"{referee.page}{path}{query}", 307, headers_of(request.url.path))
        page, known = home.asset(path, request.headers.get("accept-language", ""))
        if head := await head_of(referee, request):
            page = home.with_head(page, head)
        response = answer(request, page, status=200 if known else 404)
        response.headers.update(headers_of(request.url.path))
        return response

    assets = read_assets()
    home = Home(assets)
    # With the system's certificates, and SSL_CERT_FILE; but no proxy.
    certificates = ssl.create_default_context()
    async with httpx.AsyncClient(timeout=ANSWER_S, trust_env=False, verify=certificates) as client:
        yield AssetsFirst(
            Starlette(
                routes=[
                    Route("/healthz", healthz),
                    Route("/metrics", metrics),
                    Route(API + "/{path:path}", passed_on, methods=_METHODS),
                    Route("/simple/{path:path}", passed_on),
                    Route("/docs/{path:path}", passed_on),
                    Route("/{path:path}", view),
                ]
            ),
            assets,
        )
