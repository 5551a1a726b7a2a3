"""`/metrics`, for Prometheus or whoever else may read it."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.requests import Request
from starlette.responses import Response

from palestra_server.web.errors import ApiError


def scraped(request: Request, allowed: str, registry: Callable[[], CollectorRegistry]) -> Response:
    """`allowed`: "all", an address or network, or a key that the scraper sends as its bearer token."""
    if not _may_scrape(request, allowed):
        return ApiError(403, "forbidden", "The metrics are for this server's own scraper: see --metrics.").response()
    return Response(generate_latest(registry()), media_type=CONTENT_TYPE_LATEST)


def _may_scrape(request: Request, allowed: str) -> bool:
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
