"""`python -m palestra_bots.hosted mtdf ...`: like `python -m palestra_bots`, for a server that starts bots of its own.

With `judge` for the bot it is `palestra-bots judge`. It ends when its standard input does. The server holds that open,
so no bot outlives its server, whatever ended it.
"""

from __future__ import annotations

import sys

from palestra_bots.__main__ import main
from palestra_client.tied import end_with_parent

if __name__ == "__main__":
    end_with_parent(lambda: None)
    if sys.argv[1:2] == ["judge"]:
        from palestra_bots.cli import main
    main()
