"""The commands of `palestra`: one module each, listed here."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Final

import typer

from palestra_protocol.commands import group

# To add a command, write a module beside this one and list its function here with the first line of its docstring.
COMMANDS: Final = {
    "join": (
        "palestra_client.cli.join:app",
        "Let a bot play: it waits for matches and plays them until the server ends it or Ctrl-C.",
    ),
    "bridge": (
        "palestra_client.cli.bridge:bridge",
        "Let a program in any language play: it reads and writes lines, as protocol/LINES.md describes.",
    ),
    "players": ("palestra_client.cli.watch:players", "List who is connected, and who is free to be challenged."),
    "watch": (
        "palestra_client.cli.watch:watch",
        "Watch in the terminal: the matches in progress, and the board and moves of one.",
    ),
    "verify": (
        "palestra_client.cli.verify:verify",
        "Check an export: that every result follows from the moves, the rules and the clock, and fits your receipts.",
    ),
    "games": ("palestra_client.cli.games:games", "List the installed games."),
    "arena": (
        "palestra_client.cli.arena:arena",
        "Play bots against each other at home, without a server: same referee and clock, each bot in its own process.",
    ),
    "replay": (
        "palestra_client.cli.replay:replay",
        "Show a match that was played, or put a bot into one of its positions: why did it do that?",
    ),
    "doctor": (
        "palestra_client.cli.doctor:doctor",
        "Find out what is wrong with a bot before a match does: put it through everything a server may do to it.",
    ),
    "conformance": (
        "palestra_client.cli.conformance:conformance",
        "Check a server against PROTOCOL.md, rule by rule: for those who write a server or change ours.",
    ),
    "new": ("palestra_client.cli.new:new", "Write a first bot: one that runs, with a test and comments."),
    "replay-crash": (
        "palestra_client.cli.replay_crash:app",
        "Run a bot again in the position where it crashed.",
    ),
}

app = group(
    COMMANDS,
    name="palestra",
    help="Connect a bot to a Palestra competition.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _root(
    show: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if show:
        typer.echo(f"palestra {version('palestra-client')}")
        raise typer.Exit
