"""The command `palestra-server`."""


def main() -> None:
    """Entry point of `palestra-server`. Ctrl-C ends it with 130 and without a traceback, from the first import on."""
    try:
        from palestra_server.cli.main import app

        app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
