"""`python -m palestra_bots.hosted mtdf ...`: like `python -m palestra_bots`, for a server that starts bots of its own.

It ends when its standard input does. The server holds that open, so no bot outlives its server, whatever ended it.
"""

from __future__ import annotations

from palestra_bots.__main__ import main
from palestra_client.tied import end_with_parent

if __name__ == "__main__":
    end_with_parent(lambda: None)
    main()
