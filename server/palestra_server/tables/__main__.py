"""`python -m palestra_server.tables` makes tables for a server; see `apart`."""

import contextlib
import os
import sys

from palestra_server.tables.apart import answer

NICENESS = 10  # players come first


def main() -> None:
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)
    with contextlib.suppress(BrokenPipeError):
        answer(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
