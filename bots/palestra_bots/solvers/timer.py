"""How a solver keeps to its time: a flag that its compiled search looks at."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def calling_after(seconds: float | None, stop: Callable[[], None]) -> Iterator[None]:
    """Calls `stop` in another thread `seconds` from now, unless the block is left first; never if that is None.

    The search releases the GIL, so a timer can raise the flag, and no clock need be read in a node.
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
