"""Commands reach the server through the API, either a running server's or the same API on the data folder itself.

A running server leaves its address and a key in `server.json` in its data folder. Without one, the command opens the
folder and calls the same routes in its own process, so each command is written once.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import httpx

from palestra_protocol.harmless import ForPeople
from palestra_server.cli.output import has_records
from palestra_server.settings import ADDRESS_FILE, Settings
from palestra_server.web import API, NO_REFEREE

TAKE_OVER_S = 20.0  # how long to try again while no machine referees
AGAIN_S = 0.5
TIMEOUT_S = 60.0  # per request: exporting a whole term takes time


class AdminError(ForPeople):
    """A call was refused, as one sentence; `details` is whatever else the API returned."""

    def __init__(self, message: str, code: str = "", details: list[Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = details or []


class NotThere(AdminError):
    """Nothing listens at the address, or it isn't one of our servers."""


class Admin:
    """Calls to the API with the teacher's rights; paths are relative to `/api/v1`. All raise AdminError."""

    def __init__(self, runner: asyncio.Runner, client: httpx.AsyncClient, place: str, *, live: bool) -> None:
        self._runner = runner
        self._client = client
        self._place = place
        # Whether a server is running; if not, the command works on the data folder.
        self.live = live

    def get(self, path: str, **query: str | int | None) -> Any:
        return self._call("GET", path, query=query).json()

    def post(self, path: str, body: Mapping[str, Any] | None = None, **query: str | None) -> Any:
        return self._call("POST", path, body, query).json()

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._call("PATCH", path, body).json()

    def delete(self, path: str) -> Any:
        return self._call("DELETE", path).json()

    def download(self, path: str, **query: str | None) -> bytes:
        return self._call("GET", path, query=query).content

    def _call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str | int | None] | None = None,
    ) -> httpx.Response:
        given = {key: value for key, value in (query or {}).items() if value is not None}
        try:
            answer = self._runner.run(self._ask(method, API + path, json=body, params=given))
        except httpx.TimeoutException:
            raise AdminError(f"{self._place} does not answer; look whether it is busy or stopped.") from None
        except httpx.HTTPError as error:
            raise NotThere(f"{self._place} cannot be reached ({error}); look at the address.") from None
        if answer.is_success:
            return answer
        try:
            fault = answer.json()
            message = fault["message"]
            if fault["error"] == "bad_key":  # it is said to players, of their tokens
                message = f"{self._place} has no such key: check it; the teacher's is in the server's teacher.key."
            refusal = AdminError(message, fault["error"], fault.get("details"))
        except (ValueError, KeyError, TypeError):
            raise NotThere(f"{self._place} is not a Palestra server (it answered {answer.status_code}).") from None
        raise refusal

    async def _ask(self, method: str, url: str, **request: Any) -> httpx.Response:
        until = time.monotonic() + TAKE_OVER_S
        while True:
            answer = await self._client.request(method, url, **request)
            # One machine stopped, and the next has not taken over yet.
            if answer.status_code != 503 or NO_REFEREE not in answer.text or time.monotonic() > until:
                return answer
            await asyncio.sleep(AGAIN_S)

    @classmethod
    def over_http(cls, runner: asyncio.Runner, url: str, key: str) -> Self:
        headers = {"authorization": f"Bearer {key}"}
        client = httpx.AsyncClient(base_url=url.rstrip("/"), headers=headers, timeout=TIMEOUT_S)
        return cls(runner, client, f"The server at {url}", live=True)

    def close(self) -> None:
        self._runner.run(self._client.aclose())


def reach(stack: ExitStack, settings: Settings, url: str | None, key: str | None, *, make: bool) -> Admin:
    """The server meant by these options, open until `stack` closes: the one at `url` with `key`, else the data
    folder's.

    `make` creates a missing data folder. Raises ForPeople.
    """
    runner = stack.enter_context(asyncio.Runner())
    if key is None and settings.admin_key is not None:
        key = settings.admin_key.get_secret_value()
    if url is not None:
        if not url.startswith(("http://", "https://")):
            raise AdminError(f"--server takes the address of the page, such as http://HOST:8000; {url} is not one.")
        if key is None:
            raise AdminError("A server elsewhere needs --key KEY (or PALESTRA_ADMIN_KEY): it is in its teacher.key.")
        return _closed_with(stack, Admin.over_http(runner, url, key))
    running = _running(runner, settings.data)
    if running is not None:
        return _closed_with(stack, running)
    if not make and not has_records(settings):
        raise AdminError(
            f"There is no data folder {settings.data}, or it holds no records: name the right one with --data, "
            "or begin with 'palestra-server roster import' or 'palestra-server serve'."
        )
    # The whole server, which takes longer to import than a running one takes to answer.
    from palestra_server.cli.hosting import open_folder

    app, key = open_folder(stack, runner, settings)
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://localhost", headers={"authorization": f"Bearer {key}"}
    )
    return _closed_with(stack, Admin(runner, client, "The data folder", live=False))


def _closed_with(stack: ExitStack, reached: Admin) -> Admin:
    stack.callback(reached.close)
    return reached


def _running(runner: asyncio.Runner, data: Path) -> Admin | None:
    """The server using this folder, if any. (A killed server leaves its file behind.)"""
    try:
        said = json.loads((data / ADDRESS_FILE).read_text(encoding="utf-8"))
        found = Admin.over_http(runner, said["url"], said["key"])
    except FileNotFoundError:
        return None
    except PermissionError:
        message = f"{data / ADDRESS_FILE} belongs to another user: run this as the one who runs the server."
        raise AdminError(message) from None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    try:
        found.get("/session")
    except AdminError as error:
        if not isinstance(error, NotThere) and error.code != "bad_key":
            raise
        # Stale; the port now belongs to something else.
        found.close()
        return None
    return found
