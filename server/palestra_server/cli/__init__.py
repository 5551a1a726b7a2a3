"""The command `palestra-server`."""

from palestra_server.cli.main import main

__all__ = ["main"]
