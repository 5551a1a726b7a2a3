"""The socket of the web port, opened before anything answers on it, so that early clients wait in its queue."""

from __future__ import annotations

import socket

from palestra_server.gateway import StampedListener


class PortBusy(Exception):
    """The web port can't be opened; the text is one sentence for the user."""


def listen(host: str, port: int) -> StampedListener:
    """A socket for the page, taken before anything else is opened; raises PortBusy.

    Not left to uvicorn, which ends the whole process when a port is busy.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = StampedListener(family)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
    except socket.gaierror as error:
        listening.close()
        raise PortBusy(f"This machine has no address {host!r} ({error.strerror}); give another --host.") from error
    except OSError as error:
        listening.close()
        raise PortBusy(
            f"The page cannot use port {port} on {host} ({error.strerror}); choose another one with --web-port."
        ) from error
    return listening
