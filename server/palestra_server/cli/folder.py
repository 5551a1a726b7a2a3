"""The API on a data folder that no server is using, in the command's own process."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import httpx

from palestra_server.cli.hosting import keys
from palestra_server.cli.logs import only_warnings
from palestra_server.runtime import House
from palestra_server.settings import Settings
from palestra_server.web.app import create_app


def open_folder(stack: ExitStack, runner: asyncio.Runner, settings: Settings) -> httpx.AsyncClient:
    """The application in this process, with the teacher's key; closing `stack` releases the folder.

    Raises one of `HostingErrors`.
    """
    stack.enter_context(only_warnings())
    admin_key, cookie_key = keys(settings)
    server = runner.run(House.offline(settings))
    stack.callback(lambda: runner.run(server.close()))
    transport = httpx.ASGITransport(create_app(server, admin_key=admin_key, cookie_key=cookie_key))
    headers = {"authorization": f"Bearer {admin_key}"}
    return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)
