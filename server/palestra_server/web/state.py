"""Access of routes to the running server."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from palestra_server.runtime import Server


def _server(request: Request) -> Server:
    server: Server = request.app.state.server
    return server


Running = Annotated[Server, Depends(_server)]  # a parameter of this type is the running server
