"""What a start loads: a command only what it needs, and a server nothing that can wait until its bots play again."""

from __future__ import annotations

import importlib
import json
import socket
import subprocess
import sys

import pytest
import typer

from palestra_bots.cli import COMMANDS as BOTS
from palestra_client.cli.commands import COMMANDS as CLIENT
from palestra_protocol.command_groups import help_of
from palestra_server.cli.main import COMMANDS as SERVER

STORE = {"sqlalchemy", "sqlite3"}
PAGE = {"fastapi", "starlette", "uvicorn"}
NUMBERS = {"numpy", "rustworkx"}
PROTOCOL = {"palestra_protocol.messages", "msgpack", "websockets"}

CALL = """
import json, sys
from {package} import main
for words in {calls!r}:
    try:
        sys.argv[1:] = words
        main()
    except SystemExit:
        pass
print()
print(json.dumps(list(sys.modules)))
"""
OPEN = """
import asyncio, json, sys
from pathlib import Path
import palestra_server.cli.serve
from palestra_server.gateway import new_event_loop
from palestra_server.runtime import House
from palestra_server.settings import Settings

async def open_and_close():
    server = await House.open(Settings(host="127.0.0.1", port=0, data=Path({data!r})))
    print()
    print(json.dumps(list(sys.modules)))
    await server.close()

with asyncio.Runner(loop_factory=new_event_loop) as runner:
    runner.run(open_and_close())
"""


def loaded(program: str) -> set[str]:
    """The modules that are there when the program says so."""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout.splitlines()[-1]))


@pytest.mark.parametrize("package", ["palestra_server.cli", "palestra_client.cli"])
def test_help_and_version_load_nothing_else(package):
    modules = loaded(CALL.format(package=package, calls=[["--help"], ["--version"]]))
    assert not modules & (STORE | PAGE | NUMBERS | PROTOCOL | {"httpx", "structlog"})


def test_a_command_to_a_server_loads_no_server():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        arguments = ["roster", "list", "--server", url, "--key", "k" * 16]
        modules = loaded(CALL.format(package="palestra_server.cli", calls=[arguments]))
    assert "httpx" in modules
    assert not modules & (STORE | PAGE | NUMBERS | {"palestra_server.runtime", "palestra_server.gateway"})


def test_bots_are_let_in_before_the_rest_is_loaded(tmp_path):
    modules = loaded(OPEN.format(data=str(tmp_path)))
    assert "sqlalchemy" in modules
    others = {"alembic", "httpx", "segno", "sqlalchemy.dialects.postgresql", "palestra_client", "palestra_bots"}
    assert not modules & (PAGE | NUMBERS | others)


def test_joining_loads_no_other_command():
    modules = loaded(CALL.format(package="palestra_client.cli", calls=[["join", "nobody.py", "--name", "ana"]]))
    assert "palestra_client.connection" in modules
    others = {f"palestra_client.{name}" for name in ("arena", "conformance", "doctor", "watching")}
    assert not modules & (NUMBERS | others | {"palestra_referee", "palestra_tournament", "websockets.sync.client"})


def test_who_asks_about_matches_waits_for_no_websockets():
    commands = ("replay", "why", "drill", "versions")
    modules = loaded(CALL.format(package="palestra_client.cli", calls=[[command, "--help"] for command in commands]))
    assert modules >= {f"palestra_client.cli.{command}" for command in commands}
    assert not modules & (NUMBERS | {"websockets", "palestra_client.session"})


@pytest.mark.parametrize("place", [place for all_of in (SERVER, CLIENT, BOTS) for place in all_of.values()])
def test_help_says_of_a_command_what_it_says_of_itself(place):
    module, _, attribute = place.partition(":")
    command = getattr(importlib.import_module(module), attribute)
    own = command.info.help if isinstance(command, typer.Typer) else command.__doc__.partition("\n")[0]
    assert help_of(place) == own
