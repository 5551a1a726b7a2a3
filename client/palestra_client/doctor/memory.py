"""Memory use of the bot's process, measured from outside."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def memory_mb(process_id: int | None) -> float | None:
    """Return the memory of the process in MB; None where there is no way to ask, as on Windows."""
    if process_id is None or sys.platform == "win32":
        return None
    if sys.platform == "linux":
        return _from_proc(process_id)
    return from_ps(process_id)


def _from_proc(process_id: int) -> float | None:
    try:
        for line in Path(f"/proc/{process_id}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


def from_ps(process_id: int) -> float | None:
    try:
        said = subprocess.run(["ps", "-o", "rss=", "-p", str(process_id)], capture_output=True, text=True, timeout=10)
        return int(said.stdout) / 1024
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
