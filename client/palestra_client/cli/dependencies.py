"""Checks that the packages the client needs are installed and new enough, before they fail in words of their own."""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version

OURS = ("palestra-client", "palestra-protocol")
_LOWER_BOUND = re.compile(r"([A-Za-z0-9._-]+)(?:>=([0-9.]+))?")


def misfits() -> list[str]:
    """What is missing or too old, "websockets 10.4 (15.0 or newer is needed)". Empty if all is well."""
    found: list[str] = []
    for each in OURS:
        for requirement in requires(each) or ():
            named = _LOWER_BOUND.match(requirement)
            if named is None or ";" in requirement:  # needed by an extra, or on some systems only
                continue
            name, least = named.groups()
            try:
                have = version(name)
            except PackageNotFoundError:
                found.append(f"{name} (it is missing)")
                continue
            if least is not None and _numbers(have) < _numbers(least):
                found.append(f"{name} {have} ({least} or newer is needed)")
    return found


def advice(found: list[str]) -> str:
    """What to do about `misfits`, in a sentence."""
    which = ", ".join(found)
    return f"palestra-client can't run with the packages that are installed here: {which}. Put it right with:\n" + (
        f"  {sys.executable} -m pip install palestra-client"
    )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("+")[0]))
