"""The Starlette application of the web port."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route


@dataclass(frozen=True, slots=True)
class Health:
    """What `/healthz` answers. `ok` is False when results can no longer be kept; `detail` then says why."""

    ok: bool
    detail: str
    version: str
    players: int
    matches: int


def build_app(health: Callable[[], Health], metrics: CollectorRegistry, greeting: Callable[[], str]) -> Starlette:
    """The application; all three arguments are asked anew at every request.

    `/healthz` answers 200 when well and 503 when not, so that a container's health check needs no parser.
    """

    async def home(_: Request) -> Response:
        return PlainTextResponse(greeting() + "\n")

    async def healthz(_: Request) -> Response:
        now = health()
        return JSONResponse(asdict(now), status_code=200 if now.ok else 503)

    async def prometheus(_: Request) -> Response:
        return Response(generate_latest(metrics), media_type=CONTENT_TYPE_LATEST)

    return Starlette(routes=[Route("/", home), Route("/healthz", healthz), Route("/metrics", prometheus)])
