"""Fails if a lock file holds a download address, lacks a hash, or lacks a library that a package asks for; or if a
distribution takes another than the same version of its siblings."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("protocol", "client", "bots", "server")
# Which groups each lock carries, beside what the packages ask for.
LOCKS = {
    "requirements.lock": ["build"],
    "requirements-dev.lock": ["build", "dev"],
    "requirements-neighbours.lock": ["build", "neighbours"],
}
OWN = {"palestra-protocol", "palestra-client", "palestra-bots", "palestra-server"}


def distribution(requirement: str) -> str:
    """The name in a requirement, normalised as PEP 503 says."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s;<>=!~\[(]", requirement, maxsplit=1)[0]).lower()


def members(groups: dict[str, list[Any]], name: str) -> set[str]:
    """The distributions of a dependency group, with those of the groups that it includes (PEP 735)."""
    found: set[str] = set()
    for entry in groups[name]:
        found |= members(groups, entry["include-group"]) if isinstance(entry, dict) else {distribution(entry)}
    return found


def wanted(lock: str) -> set[str]:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    names = set().union(*(members(groups, name) for name in LOCKS[lock]))
    for folder in PACKAGES:
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


def loose() -> list[str]:
    """The distributions that don't pin their siblings to the one version."""
    projects = {name: tomllib.loads((ROOT / name / "pyproject.toml").read_text())["project"] for name in PACKAGES}
    version = projects["protocol"]["version"]
    return [
        f"{name}/pyproject.toml: {requirement} is not =={version}; run 'make version VERSION={version}'"
        for name, project in projects.items()
        for requirement in project["dependencies"]
        if distribution(requirement) in OWN and not requirement.endswith(f"=={version}")
    ]


def main() -> int:
    problems = [fault for lock in LOCKS for fault in faults(lock)] + loose()
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("Lock files: every library pinned by hash, no address; siblings pinned to their version.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
