"""The web port: a page, `/healthz` for whoever watches the server, `/metrics` for Prometheus."""

from palestra_server.web.app import Health, build_app
from palestra_server.web.serving import PortBusy, WebServer, listen

__all__ = ["Health", "PortBusy", "WebServer", "build_app", "listen"]
