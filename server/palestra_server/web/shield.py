"""Checks around every request: the Host header, the size of the body, and security headers on the response."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from palestra_server.gateway import host_name, is_ours
from palestra_server.web.access import Access
from palestra_server.web.errors import BODY_MAX, ApiError, failed, too_large

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
# The one page that others may have in a frame. It shows what every visitor may see. What is shown at addresses below it
# has links to all other pages, which would open within the frame.
_MAY_BE_FRAMED = re.compile(r"/embed/match/[^/]+/?")
_FRAMED = HEADERS | {
    "content-security-policy": _POLICY.replace("frame-ancestors 'none'", "frame-ancestors *"),
    "cross-origin-resource-policy": "cross-origin",
}


def headers_of(path: str) -> Mapping[str, str]:
    return _FRAMED if _MAY_BE_FRAMED.fullmatch(path) else HEADERS


def misdirected(headers: Headers, *addresses: str | None) -> ApiError | None:
    """The refusal of a request that is not meant for us, who are known by these addresses."""
    if is_ours(headers.get("host", ""), *addresses):
        return None
    name = host_name(headers.get("host", "")) or "that name"
    text = f"This server does not answer to {name}; if it should, start it with --site https://{name}."
    return ApiError(421, "wrong_host", text)


class Shield:
    """The outermost ASGI layer. `access` says who is asking: only the teacher may say much. We are known by these
    `addresses`.
    """

    def __init__(self, app: ASGIApp, access: Access, *addresses: str | None) -> None:
        self._app = app
        self._access = access
        self._addresses = addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        read, answered, role = 0, False, "visitor"

        async def send_with_headers(message: Message) -> None:
            nonlocal answered
            answered = True
            if message["type"] == "http.response.start":
                ours = MutableHeaders(scope=message)
                for name, value in headers_of(scope["path"]).items():
                    ours.setdefault(name, value)
            # A client that broke HTTP in the middle of a request has been told so already.
            with contextlib.suppress(h11.LocalProtocolError):
                await send(message)

        async def receive_some() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > BODY_MAX[role]:
                raise HTTPException(413, role)
            return message

        try:
            request = Request(scope)
            if request.method not in ("GET", "HEAD"):
                role = self._access.known(request).role
            if request.method == "HEAD":
                # The routes answer GET; the server below this one sends no body.
                scope = {**scope, "method": "GET"}
            refusal = self._refusal(request.headers, role)
            await (refusal.response() if refusal else self._app)(scope, receive_some, send_with_headers)
        except Exception as error:
            # What failed within the application has been logged and answered already (`errors`).
            if not answered:
                await failed(error).response()(scope, receive, send_with_headers)

    def _refusal(self, headers: Headers, role: str) -> ApiError | None:
        if refusal := misdirected(headers, *self._addresses):
            return refusal
        length = headers.get("content-length", "0")
        return None if length.isdecimal() and int(length) <= BODY_MAX[role] else too_large(role)
