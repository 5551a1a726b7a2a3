"""Fails if a lock file holds a download address, lacks a hash, or lacks a library that a package asks for."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALL = ("protocol", "client", "bots", "server")
# Which packages each lock has to carry.
LOCKS = {
    "requirements.lock": ALL,
    "requirements-dev.lock": ALL,
}
OWN = {"palestra-protocol", "palestra-client", "palestra-bots", "palestra-server"}


def distribution(requirement: str) -> str:
    """The name in a requirement, normalised as PEP 503 says."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s;<>=!~\[(]", requirement, maxsplit=1)[0]).lower()


def wanted(lock: str) -> set[str]:
    workspace = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = ["build"] + (["dev"] if "dev" in lock else [])
    names = {distribution(r) for group in groups for r in workspace["dependency-groups"][group]}
    for folder in LOCKS[lock]:
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
        names |= {distribution(r) for r in project["dependencies"]}
    return names - OWN


def faults(lock: str) -> list[str]:
    text = (ROOT / lock).read_text()
    found = [f"{lock}:{n}: holds a download address" for n, line in enumerate(text.splitlines(), 1) if "://" in line]
    entries = re.split(r"\n(?=[a-z0-9])", "\n" + text)
    pinned = {distribution(e.strip()): e for e in entries if "==" in e}
    found += [f"{lock}: {name} has no hash" for name, entry in pinned.items() if "--hash=sha256:" not in entry]
    found += [f"{lock}: lacks {name}; run 'make lock'" for name in sorted(wanted(lock) - set(pinned))]
    return found


def main() -> int:
    problems = [fault for lock in LOCKS for fault in faults(lock)]
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("Lock files: every library pinned by hash, no address.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
