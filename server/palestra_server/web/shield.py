"""Checks around every request: the Host header, the size of the body, and security headers on the response."""

from __future__ import annotations

import contextlib

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from palestra_server.gateway import host_name, is_ours
from palestra_server.web.errors import BODY_MAX, ApiError, too_large

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


class Shield:
    """The outermost ASGI layer. `site`: the server's public URL, if it has one."""

    def __init__(self, app: ASGIApp, site: str | None) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        read = 0

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    ours.setdefault(name, value)
            # A client that broke HTTP in the middle of a request has been told so already.
            with contextlib.suppress(h11.LocalProtocolError):
                await send(message)

        async def receive_some() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > BODY_MAX:
                raise HTTPException(413)
            return message

        if (refusal := self._refusal(headers)) is not None:
            await refusal.response()(scope, receive, send_with_headers)
            return
        # Unhandled errors have been answered and logged already (`errors`); uvicorn need not repeat them.
        with contextlib.suppress(Exception):
            await self._app(scope, receive_some, send_with_headers)

    def _refusal(self, headers: Headers) -> ApiError | None:
        if not is_ours(headers.get("host", ""), self._site):
            name = host_name(headers.get("host", "")) or "that name"
            return ApiError(
                421,
                "wrong_host",
                f"This server does not answer to {name}; if it should, start it with --site https://{name}.",
            )
        length = headers.get("content-length", "0")
        return None if length.isdecimal() and int(length) <= BODY_MAX else too_large()
