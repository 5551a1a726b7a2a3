"""Programs compiled once for all workers of a run."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

QUICK_JAVA = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
"""Options of `java` for programs that end soon: a start costs a third less."""


def compiled(factory: pytest.TempPathFactory, compiler: str, *options: str | Path, out: str) -> Path:
    """What this command makes when it is given `out` by -o: a program; javac by -d: a folder of classes."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    made = shared / f"compiled-{out}"
    with (shared / f"compiled-{out}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            unfinished = shared / f"unfinished-{out}"
            how = ["-o"]
            if Path(compiler).stem == "javac":
                shutil.rmtree(unfinished, ignore_errors=True)
                how = [*(f"-J{option}" for option in QUICK_JAVA), "-d"]
            subprocess.run([compiler, *options, *how, unfinished], check=True)
            unfinished.rename(made)
    return made
