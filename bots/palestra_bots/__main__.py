"""`python -m palestra_bots mtdf ...` is `palestra join palestra_bots:mtdf ...`."""

from __future__ import annotations

import sys

from palestra_protocol.reference_bots import REFERENCE_BOTS


def main() -> None:
    """Joins with the bot named by the first argument; SystemExit(2) if there is none.

    Ctrl-C ends it with 130 and without a traceback, from the first import on.
    """
    name, *options = sys.argv[1:] or [""]
    if name not in REFERENCE_BOTS:
        asked = "Name a bot" if not name or name.startswith("-") else f"There is no bot '{name}'; name one of these"
        print(
            f"{asked}, as in `python -m palestra_bots mtdf --name mtdf`: {', '.join(REFERENCE_BOTS)}.", file=sys.stderr
        )
        raise SystemExit(2)
    sys.argv[1:] = ["join", f"palestra_bots:{name}", *options]
    try:
        from palestra_client import cli
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    cli.main()


if __name__ == "__main__":
    main()
