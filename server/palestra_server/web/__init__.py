"""The web port: the page, the API, `/healthz` for whoever watches the server, `/metrics` for Prometheus."""

from palestra_server.web.app import API, create_app
from palestra_server.web.keys import COOKIE_KEY, TEACHER_KEY, KeyFileError, kept_key, write_private
from palestra_server.web.serving import PortBusy, WebServer, listen

__all__ = [
    "API",
    "COOKIE_KEY",
    "TEACHER_KEY",
    "KeyFileError",
    "PortBusy",
    "WebServer",
    "create_app",
    "kept_key",
    "listen",
    "write_private",
]
