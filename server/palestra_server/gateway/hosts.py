"""Who may reach this server from a browser, and where a request really came from.

A page elsewhere must not open a connection here from a student's browser, neither as itself (`Origin`) nor under a name
of its own that points at this machine (`Host`: DNS rebinding).
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection
from urllib.parse import urlsplit

# Suffixes that can't be registered in the public DNS.
_PRIVATE = (".local", ".localhost", ".internal", ".home.arpa", ".lan", ".test")


def host_name(header: str) -> str:
    """The name in a `Host` header, in lower case, without the port: "Bots.School.edu:8000" is "bots.school.edu"."""
    try:
        return (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def page_url(header: str, site: str | None, port: int | None) -> str | None:
    """The page's address for the sender of this `Host` header: `site`, else `port` under the name used to reach us.

    None if there is no page.
    """
    if site is not None:
        return site.rstrip("/")
    name = host_name(header)
    if port is None or not name:
        return None
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def is_ours(header: str, *addresses: str | None) -> bool:
    """Whether a request with this `Host` header is meant for us, who are known by these addresses.

    Rebinding needs a name whose owner can point it at any address. So IP addresses, names without a dot, local-only
    names and this machine's own are accepted, as are the hosts of `addresses`.
    """
    name = host_name(header)
    if not name:
        return False
    if "." not in name or name.endswith(_PRIVATE) or name == socket.gethostname().lower():
        return True
    if any(address and name == urlsplit(address).hostname for address in addresses):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_same_origin(origin: str, host: str, site: str | None, allowed: Collection[str] = ()) -> bool:
    """Whether a page of this `Origin` may connect to the server addressed as `host`.

    Accepted: the server's own pages under whatever name they were reached, those of `site`, and the origins in
    `allowed` ("https://school.edu"). "null", the origin of a file or a sandboxed frame, is refused.
    """
    if origin in allowed:
        return True
    scheme, _, name = origin.lower().partition("://")
    port = {"http": ":80", "https": ":443"}.get(scheme)
    if port is None:
        return False
    ours = host if site is None else urlsplit(site).netloc
    return name.removesuffix(port) in {place.lower().removesuffix(port) for place in (host, ours)}


def client_address(peer: str, forwarded: str | None, proxies: Collection[str]) -> str:
    """Where a connection came from: `peer`, or, if that is one of `proxies`, the last entry of X-Forwarded-For.

    IPv4-mapped IPv6 becomes IPv4. The header is ignored unless one of our own proxies sent it.
    """
    named = forwarded.rpartition(",")[2].strip() if forwarded and _plain(peer) in proxies else ""
    try:
        return _plain(str(ipaddress.ip_address(named))) if named else _plain(peer)
    except ValueError:
        return _plain(peer)


def _plain(address: str) -> str:
    return address.removeprefix("::ffff:")


def household(address: str) -> str:
    """The address to count by: an IPv6 address is reduced to its /64, which is what one household gets."""
    try:
        parsed = ipaddress.ip_address(_plain(address).partition("%")[0])
    except ValueError:
        return address
    return str(parsed) if parsed.version == 4 else str(ipaddress.ip_network((parsed, 64), strict=False))
