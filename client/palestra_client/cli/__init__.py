"""The entry point of the command `palestra`."""

from __future__ import annotations

import io
import sys

from palestra_client.cli.dependencies import advice, misfits


def main() -> None:
    """Exits with 130 and without a traceback on Ctrl-C, from the first import on."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # names may have characters that the terminal lacks
    try:
        if found := misfits():
            raise SystemExit(advice(found))
        from palestra_client.cli import commands

        commands.app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
