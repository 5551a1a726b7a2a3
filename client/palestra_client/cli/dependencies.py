"""Checks that the packages the client needs are installed and new enough, before they fail with errors of their own."""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, distribution

OURS = ("palestra-client", "palestra-protocol")
_LOWER_BOUND = re.compile(r"([A-Za-z0-9._-]+)(?:>=([0-9.]+))?")
_FIELD = re.compile(r"^(Version|Requires-Dist): *(.*?) *$", re.MULTILINE)


def misfits() -> list[str]:
    """What is missing or too old, such as "websockets 10.4 (15.0 or newer is needed)". Empty if all is well."""
    found: list[str] = []
    for each in OURS:
        for requirement in fields(each, "Requires-Dist"):
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


def version(name: str) -> str:
    """The installed version, "" if unknown. Raises PackageNotFoundError."""
    return next(iter(fields(name, "Version")), "")


def fields(package: str, key: str) -> list[str]:
    """The values of a field of the package's metadata. Raises PackageNotFoundError.

    Every command does this, so it searches the text: `importlib.metadata` would parse all of it as an e-mail.
    """
    found = distribution(package)
    text = found.read_text("METADATA") or found.read_text("PKG-INFO") or ""
    header = text.replace("\r\n", "\n").partition("\n\n")[0]
    return [value for name, value in _FIELD.findall(header) if name == key]


def advice(found: list[str]) -> str:
    """What to do about `misfits`, in a sentence."""
    which = ", ".join(found)
    return f"palestra-client can't run with the packages that are installed here: {which}. Fix it with:\n" + (
        f"  {sys.executable} -m pip install palestra-client"
    )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("+")[0]))
