"""`make bench`: every benchmark, or those named: python -m benchmarks referee games.

A benchmark is a module here with `run() -> list[tuple[str, str]]`, which returns rows of (label, figure). Figures to
compare are measured in one run on one machine; quote the ratios, since machines differ.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import time
from pathlib import Path

from rich.console import Console

from benchmarks._tables import show

HERE = Path(__file__).parent


def names() -> list[str]:
    return sorted(m.name for m in pkgutil.iter_modules([str(HERE)]) if not m.name.startswith("_"))


def main() -> int:
    console = Console()
    wanted = sys.argv[1:] or names()
    unknown = sorted(set(wanted) - set(names()))
    if unknown:
        console.print(f"There is no benchmark {', '.join(unknown)}; there are {', '.join(names())}.")
        return 2
    for name in wanted:
        started = time.monotonic()
        with console.status(f"{name} ..."):
            rows = importlib.import_module(f"benchmarks.{name}").run()
        show(console, name, time.monotonic() - started, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
