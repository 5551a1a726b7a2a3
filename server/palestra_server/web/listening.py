"""The sockets of the web port, opened before anything answers on them, so that early clients wait in their queues."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from palestra_server.gateway import StampedListener, bind


class PortBusy(Exception):
    """The web port can't be opened; the text is one sentence for the user."""


@contextmanager
def listen(host: str, port: int) -> Iterator[list[StampedListener]]:
    """Sockets for the page, taken before anything else is opened; raises PortBusy.

    Not left to uvicorn, which ends the whole process when a port is busy.
    """
    with ExitStack() as stack:
        try:
            listening = [stack.enter_context(each) for each in bind(host, port)]
            for each in listening:
                each.listen()
        except socket.gaierror as error:
            raise PortBusy(f"This machine has no address {host!r} ({error.strerror}); give another --host.") from error
        except OSError as error:
            raise PortBusy(
                f"The page cannot use port {port} on {host} ({error.strerror}); choose another one with --web-port."
            ) from error
        yield listening
