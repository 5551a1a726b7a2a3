"""How a solver keeps to a time: a flag that its compiled search looks at."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def calling_after(seconds: float | None, stop: Callable[[], None]) -> Iterator[None]:
    """Calls `stop` in another thread `seconds` from now, unless the block is left before; never if that is None.

    The search holds no lock of the interpreter: a timer can raise the flag, and no clock is read in a node.
    """
    if seconds is None:
        yield
        return
    timer = threading.Timer(max(seconds, 0.0), stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
