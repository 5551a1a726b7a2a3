"""The entry point of the command `palestra`."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Runs the command. Ctrl-C ends it with 130 and without a traceback, from the first import on."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # names may hold letters that the terminal has not
    try:
        from palestra_client.cli import commands

        commands.app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
