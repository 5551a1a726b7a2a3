"""The address of a server, forgiving about what people write: `host`, `host:8765`, `http://host:8765/`."""

from __future__ import annotations

import ipaddress
import os
from urllib.parse import urlsplit

from palestra_protocol.harmless import ForPeople

DEFAULT_SERVER = "ws://127.0.0.1:8765"
DEFAULT_PORT = 8765
PATH = "/play"

PLACEHOLDER = "HOST"  # written on our pages in place of the address, and sometimes copied with the rest

_SCHEMES = {"ws": "ws", "http": "ws", "wss": "wss", "https": "wss"}


class BadAddress(ForPeople, ValueError):
    """The address can't be used; the text is one sentence with an example of a good one."""


def server_urls(given: str | None) -> tuple[str, ...]:
    """`play_url` of the given addresses (separated by commas: one server's), else of those in $PALESTRA_SERVER, else of
    this machine. Raises BadAddress.
    """
    return tuple(map(play_url, (given or os.environ.get("PALESTRA_SERVER") or DEFAULT_SERVER).split(",")))


def server_url(given: str | None) -> str:
    """The first of `server_urls`, for those who ask one machine. Raises BadAddress."""
    return server_urls(given)[0]


def play_url(text: str) -> str:
    """The WebSocket address that bots connect to, such as "ws://host:8765/play". Raises BadAddress.

    A missing scheme is ws, a missing port 8765 (443 with wss, which is what a proxy for TLS listens on), a missing path
    /play. http and https are read as ws and wss.
    """
    given = text.strip()
    scheme, mark, rest = given.partition("://")
    if not mark:
        scheme, rest = "ws", given
    if scheme.lower() not in _SCHEMES:
        raise _bad(given, f"'{scheme}' is not a way to reach a server")
    scheme = _SCHEMES[scheme.lower()]
    try:
        parts = urlsplit(f"{scheme}://{_bracketed(rest)}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _bad(given, str(error)) from error
    if not host or any(c.isspace() for c in given):
        raise _bad(given, "it names no machine")
    if parts.netloc.partition(":")[0] == PLACEHOLDER:
        raise _bad(given, f"{PLACEHOLDER} stands for the address of your teacher's machine, which its page shows")
    if parts.username is not None or parts.query or parts.fragment:
        raise _bad(given, "a server address has no user, '?' or '#'; give the token with --token")
    if port is None:
        port = 443 if scheme == "wss" else DEFAULT_PORT
    path = parts.path if parts.path.strip("/") else PATH
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}{path}"


def watch_url(url: str) -> str:
    """Where spectators connect, given the address for bots (see `play_url`)."""
    return url.removesuffix(PATH) + "/watch"


def is_near(url: str) -> bool:
    """Whether the address is on this machine or a local network, where a proxy is only in the way."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return host == "localhost"


def install_line(package: str, page: str) -> str:
    """How to install a package from the server whose page this is."""
    site = urlsplit(page)
    trusted = "" if site.scheme == "https" else f" --trusted-host {site.hostname}"
    return f"pip install --upgrade {package} --extra-index-url {page}/simple/{trusted}"


def _bracketed(rest: str) -> str:
    """Adds the brackets that a URL needs around a bare IPv6 address."""
    host, slash, path = rest.partition("/")
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return rest
    return f"[{host}]{slash}{path}"


def _bad(given: str, why: str) -> BadAddress:
    return BadAddress(f"The server address '{given}' can't be used: {why}. Write it like ws://192.168.1.20:8765.")
