"""The answer to an HTTP request: the WebSocket handshake, or a sentence for visitors who took a wrong turn."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from http import HTTPStatus
from string import punctuation
from typing import Final
from urllib.parse import quote

from websockets.exceptions import NegotiationError
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from palestra_protocol import limits
from palestra_protocol.codecs import SUBPROTOCOLS
from palestra_server.gateway.hosts import host_name, is_ours, is_same_origin
from palestra_server.gateway.settings import GatewaySettings

PLAY: Final = "/play"
WATCH: Final = "/watch"
RUN: Final = "Palestra-Run"  # the header of `GatewaySettings.run`

# Clients' mistakes are not news for the server's log; the library's own defects (level ERROR) are.
_LOGGER: Final = logging.getLogger("palestra_server.gateway.wire")
_LOGGER.setLevel(logging.ERROR)

_HELP: Final = f"""\
This is the port for bots of a Palestra server; it speaks WebSocket, so a browser can show nothing here.
To play, let a bot connect:   palestra join mybot.py --server ws://THIS-HOST:PORT --token YOUR-TOKEN
To write your own client, open a WebSocket to {PLAY} (to play) or {WATCH} (to look on).
To watch in the browser, open the server's web page: """


def new_protocol() -> ServerProtocol:
    return ServerProtocol(
        subprotocols=[Subprotocol(name) for name in SUBPROTOCOLS],
        select_subprotocol=_select,
        max_size=limits.MAX_FRAME_BYTES,
        logger=_LOGGER,
    )


def _select(_: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    if not offered:
        return None  # then frames are MessagePack
    for name in SUBPROTOCOLS:
        if name in offered:
            return Subprotocol(name)
    raise NegotiationError(f"ask for the subprotocol {' or '.join(SUBPROTOCOLS)}, or for none")


def path_of(request: Request) -> str:
    return request.path.partition("?")[0]


def host_of(request: Request) -> str:
    """The `Host` header, "" if there is none. (The library's `get` raises if there are two.)"""
    return ",".join(request.headers.get_all("Host"))


def answer(protocol: ServerProtocol, request: Request, settings: GatewaySettings, page: str | None) -> Response:
    """101 for a good handshake on a known path, else plain text that says what to do; a request that is no handshake is
    redirected to `page`, if there is one.

    A program needs no `Origin`. A browser always sends one, and that of another site's page is refused.
    """
    for name in ("Host", "Origin"):
        if len(request.headers.get_all(name)) > 1:
            return protocol.reject(HTTPStatus.BAD_REQUEST, f"The request has more than one {name}.\n")
    host, origin = host_of(request), request.headers.get("Origin")
    if "Upgrade" not in request.headers:
        return _no_handshake(protocol, request, page if is_ours(host, settings.site, settings.advertise) else None)
    if path_of(request) not in (PLAY, WATCH):
        return protocol.reject(HTTPStatus.NOT_FOUND, f"There is nothing here: connect to {PLAY} or to {WATCH}.\n")
    if host and not is_ours(host, settings.site, settings.advertise):
        name = host_name(host) or "that name"
        text = f"This server does not answer to {name}; if it should, start it with --site https://{name}.\n"
        return protocol.reject(HTTPStatus.MISDIRECTED_REQUEST, text)
    if origin is not None and not is_same_origin(origin, host, settings.site, settings.origins):
        text = "A page of another server may not connect here; its origin can be allowed with PALESTRA_ORIGINS.\n"
        return protocol.reject(HTTPStatus.FORBIDDEN, text)
    return protocol.accept(request)


def _no_handshake(protocol: ServerProtocol, request: Request, page: str | None) -> Response:
    if page is None:
        response = protocol.reject(HTTPStatus.UPGRADE_REQUIRED, f"{_HELP}its address is shown where it was started.\n")
        response.headers["Upgrade"] = "websocket"
        return response
    response = protocol.reject(HTTPStatus.TEMPORARY_REDIRECT, f"{_HELP}{page}\n")
    path = quote(request.path, safe=punctuation, errors="surrogateescape")
    response.headers["Location"] = page + (path if path.startswith("/") else "/")
    return response
