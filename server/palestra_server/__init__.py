"""The server of a Palestra competition, which a teacher runs."""

import os
from importlib.metadata import version
from typing import Final

# Standings multiply small matrices. OpenBLAS would start a thread per core, all spinning while they wait: on a busy
# machine a table of 200 players would take seconds. It reads this when numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

VERSION: Final = version("palestra-server")
