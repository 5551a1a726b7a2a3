"""The page of a server and its API over HTTP, found from the address for bots."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any
from urllib.parse import quote, urlsplit

from palestra_client.address import is_near, server_url
from palestra_client.receipts import newest
from palestra_protocol.harmless import ForPeople

ASK_S = 10.0
_ABOUT = "/api/v1/about"


class NoAnswer(ForPeople):
    """There is no page, or it refused; the text is a sentence. `status`: the HTTP status, if there was one; `again_s`:
    when to ask again, if the answer says so.
    """

    def __init__(self, sentence: str, status: int | None = None, again_s: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.again_s = again_s


def asked_url(given: str | None) -> str:
    """The address for bots that is given, else that of $PALESTRA_SERVER, else of where one last played from this
    folder, else of this machine. Raises BadAddress.
    """
    if not given and not os.environ.get("PALESTRA_SERVER") and (last := newest()) is not None:
        given = last.server
    return server_url(given)


def match_address(page: str, match: str) -> str:
    return f"{page}/api/v1/matches/{quote(match, safe='')}"


def ask_match(page: str, match: str, token: str | None = None) -> Any:
    """What the API tells of a match. Raises NoAnswer, which names the server that does not know it."""
    try:
        return ask(match_address(page, match), token)
    except NoAnswer as why:
        if why.status != 404:
            raise
        raise NoAnswer(f"{why} The server asked was {page}; --server names another.", why.status) from None


def find_page(url: str) -> str:
    """The address of a server's page, "http://HOST:8000", given the address for bots (see `play_url`).

    The port for bots redirects plain HTTP to the page; the page's own port answers itself. Raises NoAnswer.
    """
    parts = urlsplit(url)
    base = f"{'https' if parts.scheme == 'wss' else 'http'}://{parts.netloc}"
    try:
        about, at = _ask(base + _ABOUT)
    except NoAnswer as why:
        if why.status is None:
            raise NoAnswer(f"{why} Is the server running, and is this its address? --server names another.") from None
        raise NoAnswer(
            f"The page of this server was not found: {why} Give the page's own address: --server http://HOST:PORT, as "
            "your browser shows it."
        ) from None
    if not isinstance(about, dict) or about.get("name") != "Palestra":
        raise NoAnswer(f"{base} is not the page of a Palestra server.")
    return at.removesuffix(_ABOUT)


def ask(address: str, token: str | None = None, content: object = None, method: str | None = None) -> Any:
    """The API's answer at this address; `content`, if given, is sent as JSON. Raises NoAnswer."""
    return _ask(address, token, content, method)[0]


def _ask(address: str, token: str | None = None, content: object = None, method: str | None = None) -> tuple[Any, str]:
    headers = {"Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    body = None if content is None else json.dumps(content).encode()
    # A proxy from the environment is only in the way of a machine nearby.
    proxies = [urllib.request.ProxyHandler({})] if is_near(address) else []
    opener = urllib.request.build_opener(*proxies)
    try:
        with opener.open(urllib.request.Request(address, body, headers, method=method), timeout=ASK_S) as answer:
            read = answer.read()
            return (json.loads(read) if read else None), answer.url
    except urllib.error.HTTPError as error:
        later = error.headers.get("Retry-After", "")
        again_s = int(later) if later.isdecimal() else None
        raise NoAnswer(_sentence(error) or f"{address} answers HTTP {error.code}.", error.code, again_s) from None
    except (OSError, HTTPException) as error:
        raise NoAnswer(f"{address} does not answer ({getattr(error, 'reason', error)}).") from None
    except ValueError:
        raise NoAnswer(f"{address} does not answer in JSON.") from None


def _sentence(error: urllib.error.HTTPError) -> str | None:
    """The API's error message; None if the error didn't come from the API."""
    try:
        return str(json.loads(error.read())["message"])
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        return None
