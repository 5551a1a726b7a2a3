"""The referee of a Palestra competition: what a teacher runs."""

import os

# Standings multiply small matrices. OpenBLAS would start a thread a core for each, which spin in wait: on a busy machine
# that makes a table of 200 players take seconds. It reads this when numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
