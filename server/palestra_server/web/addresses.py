"""The addresses at which others reach this server, for printing, the page and token cards."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from palestra_server.settings import EVERYWHERE, Settings


def address(host: str, port: int, scheme: str = "ws") -> str:
    """An address that another machine can use; for a server on all interfaces, this machine's own."""
    shown = own_address() if host == EVERYWHERE else host
    return f"{scheme}://[{shown}]:{port}" if ":" in shown else f"{scheme}://{shown}:{port}"


def own_address() -> str:
    """This machine's address in its network, or 127.0.0.1 without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: connecting a datagram socket only asks the routing table (192.0.2.0/24 is RFC 5737's).
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def page_address(settings: Settings, port: int) -> str:
    """The public site if there is one."""
    return settings.site.rstrip("/") if settings.site else address(settings.host, port, "http")


def bots_address(settings: Settings, port: int) -> str:
    """For `palestra join --server`; behind a proxy with a certificate, the address is on the page's own origin."""
    return address(settings.host, port) if settings.site is None else _on(settings.site)


def page_beside(bots: str, port: int) -> str:
    """The page of the machine with this address for bots: the other way round."""
    there = urlsplit(bots)
    return f"https://{there.netloc}" if there.scheme == "wss" else address(there.hostname or "", port, "http")


def bots_beside(page: str, port: int) -> str:
    """The same, where the page has this address: with a certificate on its own origin, else on the bots' own port."""
    site = urlsplit(page)
    return _on(page) if site.scheme == "https" else address(site.hostname or "", port)


def _on(page: str) -> str:
    site = urlsplit(page)
    return f"{'wss' if site.scheme == 'https' else 'ws'}://{site.netloc}"


def local_address(settings: Settings, port: int) -> str:
    """Where a command on this machine finds the page's port."""
    return address("127.0.0.1" if settings.host == EVERYWHERE else settings.host, port, "http")


def install_command(page: str) -> str:
    """How a student installs the client that fits this server, from the server itself."""
    site = urlsplit(page)
    trusted = "" if site.scheme == "https" else f" --trusted-host {site.hostname}"
    return f"pip install palestra-client --extra-index-url {page}/simple/{trusted}"
