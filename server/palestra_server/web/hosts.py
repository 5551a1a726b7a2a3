"""Which names this server answers to: a page elsewhere must not reach it under a name of its own (DNS rebinding)."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

_PRIVATE = (".local", ".localhost", ".internal", ".home.arpa", ".lan", ".test")
"""Endings that nobody can register in the public DNS."""


def host_name(header: str) -> str:
    """The name in a `Host` header, in lower case, without the port: "Bots.School.edu:8000" is "bots.school.edu"."""
    try:
        return (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_ours(header: str, site: str | None) -> bool:
    """Whether a request with this `Host` header is meant for us.

    Rebinding needs a name that its owner can point at any address. So an address, a name without a dot, one that is
    valid in a local network only and this machine's own are good, and so is that of `site`, the server's public URL.
    """
    name = host_name(header)
    if not name:
        return False
    if "." not in name or name.endswith(_PRIVATE) or name == socket.gethostname().lower():
        return True
    if site is not None and name == urlsplit(site).hostname:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
